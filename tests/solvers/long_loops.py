"""Programs of long loops, each as a function of the loop: `checkpoint_loop`, or one that is written out."""

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import tapeless as tl

U = np.linspace(0.1, 0.9, 5)
K = np.linspace(0.5, 1.5, 5)
GRID = np.linspace(0.2, 0.4, 5)


class Pair(NamedTuple):
    x: Any
    y: Any


@dataclass
class State:
    u: Any
    v: Any


class Model:
    def __init__(self, k):
        self.k = k

    def step(self, u, i):
        return u + 0.1 * self.k * np.sin(u)


def plain_loop(step, state, n, *args):
    """Run the loop as it would be written out."""
    for i in range(n):
        state = step(state, i, *args)
    return state


def smooth(u, i, k):
    return u + 0.1 * k * np.sin(u) * (i + 1.0)


def in_place(u, i, k):
    new = u.copy()
    new[1:-1] += 0.1 * k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    new[0] = new[1] ** 2
    return new


def into_its_state(u, i, k):
    u[1:-1] += 0.1 * k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    u[0] = u[1] ** 2
    return u


def of_tuples(s, i, k):
    u, t = s
    return u + 0.1 * k * np.cos(t * u), t + 0.5


def of_tuples_in_place(s, i, k):
    u, v = s
    u[1:] += 0.1 * k[1:] * np.sin(v[:-1])
    return u, v + 0.1 * u


def of_pairs(s, i, k):
    return Pair(s.x + 0.1 * k * s.y, s.y * np.cos(s.x))


def of_dicts(s, i, k):
    return {"u": s["u"] + 0.1 * k * np.sin(s["v"]), "v": s["v"] + 0.1 * s["u"]}


def of_dicts_in_place(s, i, k):
    s["u"][1:] += 0.1 * k[1:] * np.sin(s["v"][:-1])
    s["v"] = s["v"] + 0.1 * s["u"]
    return s


def of_objects(s, i, k):
    return State(s.u + 0.1 * k * np.sin(s.v), s.v + 0.1 * s.u)


def of_objects_in_place(s, i, k):
    s.u[1:] += 0.1 * k[1:] * np.sin(s.v[:-1])
    return State(s.u, s.v + 0.1 * s.u)


def of_numbers(x, i, k):
    return x + 0.1 * k * np.cos(x) + 0.01 * i


def with_branches(u, i, k):
    if i % 2 == 0:
        return u * np.cos(0.3 * k)
    return np.where(u > 0.2, u + 0.1 * k, u - 0.1 * k)


def of_a_grid(u, i, k):
    return u + 0.1 * k * GRID * np.roll(u, 1)


def with_parts(u, i, k):
    return u + 0.1 * k[i % 3] * np.sin(u)


def with_a_list(u, i, ks):
    return u + 0.1 * ks[0] * np.sin(u) + ks[1][1]


def with_a_dict(u, i, p):
    return u + 0.1 * p["a"] * np.sin(u) + p["b"]


def within(u, i, k, loop):
    return u + 0.1 * loop(smooth, u, 3, k)


def unchanged(u, i):
    return u


def replaced(u, i, k):
    return k


def with_a_default(u, i, k, h=0.1):
    return u + h * k * np.sin(u)


def added(s, i, k):
    return s + k


def turned_by(z, i, k):
    return z * (1.0 + 0.1j * k)


@tl.custom_gradient
def tripled(u, i):
    def grad(upstream):
        return 3.0 * upstream, None

    return 2.0 * u, grad


# Each is a program of a loop, of u and of k
PROGRAMS = {
    "smooth": lambda loop: lambda u, k: np.sum(loop(smooth, u, 7, k) ** 2),
    "in place": lambda loop: lambda u, k: np.sum(loop(in_place, u, 7, k) ** 2),
    "into its state": lambda loop: lambda u, k: np.sum(loop(into_its_state, 1.0 * u, 7, k) ** 2),
    "tuples": lambda loop: lambda u, k: np.sum(loop(of_tuples, (u, 0.1), 7, k)[0] ** 2),
    "tuples in place": lambda loop: (
        lambda u, k: np.sum(loop(of_tuples_in_place, (1.0 * u, 2.0 * u), 7, k)[1] ** 2)
    ),
    "named tuples": lambda loop: lambda u, k: np.sum(loop(of_pairs, Pair(u, k), 7, k).x ** 2),
    "dicts": lambda loop: (
        lambda u, k: np.sum(loop(of_dicts, {"u": u, "v": 2.0 * u}, 7, k)["u"] ** 2)
    ),
    "dicts in place": lambda loop: (
        lambda u, k: np.sum(loop(of_dicts_in_place, {"u": 1.0 * u, "v": 2.0 * u}, 7, k)["u"] ** 2)
    ),
    "objects": lambda loop: lambda u, k: np.sum(loop(of_objects, State(u, k), 7, k).u ** 2),
    "objects in place": lambda loop: (
        lambda u, k: np.sum(loop(of_objects_in_place, State(2.0 * u, 3.0 * u), 7, k).v ** 2)
    ),
    "numbers": lambda loop: lambda u, k: loop(of_numbers, u[0], 9, k[1]) * u[2],
    "branches": lambda loop: lambda u, k: np.sum(loop(with_branches, u, 7, k) ** 2),
    "a global array": lambda loop: lambda u, k: np.sum(loop(of_a_grid, u, 7, k) ** 2),
    "parts of an argument": lambda loop: lambda u, k: np.sum(loop(with_parts, u, 7, k) ** 2),
    "a list": lambda loop: lambda u, k: np.sum(loop(with_a_list, u, 7, [k, 0.1 * u]) ** 2),
    "a dict": lambda loop: (
        lambda u, k: np.sum(loop(with_a_dict, u, 7, {"a": k, "b": 0.1 * u[0]}) ** 2)
    ),
    "a loop within": lambda loop: lambda u, k: np.sum(loop(within, u, 4, k, loop) ** 2),
    "the state itself": lambda loop: lambda u, k: np.sum(loop(unchanged, u * k, len(u)) ** 2),
    "another thing": lambda loop: lambda u, k: np.sum(loop(replaced, u * k, 3, k) ** 2 * u),
    "a lambda": lambda loop: (
        lambda u, k: np.sum(loop(lambda s, i: s * np.cos(0.2 * k) + i, u, 5) ** 2)
    ),
    "one after the other": lambda loop: (
        lambda u, k: np.sum(loop(smooth, loop(smooth, u, 5, k), 6, k[::-1]) ** 2)
    ),
}


def captured(loop):
    def f(u, k):
        c = 2.0 * k

        def step(s, i):
            new = s.copy()
            new[1:] += 0.1 * c[1:] * np.sin(s[:-1])
            return new

        return np.sum(loop(step, u, 7) ** 2)

    return f


def of_a_method(loop):
    def f(u, k):
        return np.sum(loop(Model(k).step, u, 7) ** 2)

    return f


def stored_into_afterwards(loop):
    def f(u, k):
        y = loop(smooth, u, 7, k)
        y[0] = y[1] * 2.0
        return np.sum(y * y * u)

    return f


def in_a_loop(loop):
    def f(u, k):
        total = 0.0
        for j in range(4):
            u = loop(smooth, u, j, k * j)
            total = total + np.sum(u**2)
        return total

    return f


PROGRAMS |= {f.__name__: f for f in (captured, of_a_method, stored_into_afterwards, in_a_loop)}


def of_a_partial(loop):
    return lambda u, k: np.sum(loop(functools.partial(smooth, k=k), u, 5) ** 2)


def of_a_step_with_a_default(loop):
    return lambda u, k: np.sum(loop(with_a_default, u, 5, k) ** 2)


def of_one_of_two(loop):
    return lambda u, k: np.sum(loop(smooth if k[0] > 0 else in_place, u, 5, k) ** 2)


def of_views(loop):
    def turned(s, i):
        return s[1] * 1.1, s[0][::-1]

    return lambda u, k: np.sum(loop(turned, (u * k, u[::-1]), 5)[0] ** 2)


def with_none_in_its_state(loop):
    def step(s, i):
        return s[0] * np.cos(s[0]), s[1]

    return lambda u, k: np.sum(loop(step, (u * k, None), 5)[0] ** 2)


def of_a_growing_rank(loop):
    return lambda u, k: np.sum(loop(added, 0, 5, k) ** 2 * u)


def of_complex_numbers(loop):
    return lambda u, k: np.sum(np.abs(loop(turned_by, u + 0j, 5, k)) ** 2)


def of_a_custom_gradient(loop):
    return lambda u, k: np.sum(loop(tripled, u * k, 5) ** 2)


PROGRAMS |= {
    f.__name__: f
    for f in (
        of_a_partial,
        of_a_step_with_a_default,
        of_one_of_two,
        of_views,
        with_none_in_its_state,
        of_a_growing_rank,
        of_complex_numbers,
    )
}
