"""A call that is written twice is computed once, where nothing tells the two results apart."""

import math

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([0.3, -0.2, 0.7])


def option(s, k, t, sigma):
    d1 = (math.log(s / k) + 0.5 * sigma**2 * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    return s * math.erf(d1 / math.sqrt(2.0)) - k * math.erf(d2 / math.sqrt(2.0))


def softmax(z):
    return np.sum(np.exp(z) / np.sum(np.exp(z)) * np.arange(3.0))


def stored(z):
    a = np.exp(z)
    b = np.exp(z)
    b[0] = 2.0
    return np.sum(a * b)


def scaled_in_place(z):
    a = np.exp(z)
    c = 2.0 * np.exp(z)
    a *= 3.0
    return np.sum(a * c)


def changed_between(z):
    y = z * 1.0
    a = np.sum(np.exp(y))
    y[0] = 0.0
    return a * np.sum(np.exp(y))


def bound_anew(z, t):
    a = math.sin(t) * np.sum(z)
    t = 2.0 * t
    return a * math.sin(t)


def in_a_branch(z, t):
    if t > 0:
        w = np.sum(math.sin(t) * z) * math.sin(t)
    else:
        w = np.sum(z)
    return w * math.sin(t)


def in_a_loop(z, t):
    s = 0.0
    for v in z:
        s += math.exp(t * v) * math.sin(t)
        t = t + math.sin(t)
    return s


def kept_in_a_list(z, t):
    out = []
    out.append(np.exp(z))
    out.append(np.exp(z))
    out[0][1] = t
    return np.sum(out[0] * out[1])


def both(z):
    return np.exp(z), np.exp(z)


def in_each_trip(z, t):
    s = 0.0
    for v in z:
        u = v * t
        s += (1.0 - np.exp(-u)) / u + t * ((1.0 - np.exp(-u)) / u - np.exp(-u))
        t = t + 0.1 * np.exp(-u)
    return s


def in_each_trip_of_arrays(z, n):
    for i in range(n):
        z = z - 0.1 * np.sin(z) * np.exp(z) / np.sum(np.exp(z)) * i
    return np.sum(z * z)


def changed_in_each_trip(z, t):
    s = 0.0
    for i in range(len(z)):
        u = np.exp(z[i]) * np.sum(np.exp(z))
        z = z.copy()
        z[i] = t
        s += u * np.exp(z[i]) * np.sum(np.exp(z))
    return s


def in_one_of_two_ways(z, t):
    s = 0.0
    for v in z:
        a = np.exp(t) * v
        if v > 0:
            t = 0.5 * t
        s += a * np.exp(t)
    return s


def listed_in_each_trip(z, n):
    kept = []
    for i in range(n):
        kept.append((np.exp(z), np.exp(z) * i))
        kept[i][0][0] = 0.0
    return sum(np.sum(a * b) for a, b in kept)


def handed_out(z):
    a, b = both(z)
    a[0] = 0.0
    return np.sum(a * b)


CASES = [
    (option, (1.2, 1.0, 0.5, 0.3)),
    (softmax, (X,)),
    (stored, (X,)),
    (scaled_in_place, (X,)),
    (changed_between, (X,)),
    (bound_anew, (X, 0.4)),
    (in_a_branch, (X, 0.4)),
    (in_a_loop, (X, 0.4)),
    (kept_in_a_list, (X, 0.4)),
    (handed_out, (X,)),
    (in_each_trip, (X, 0.4)),
    (in_each_trip_of_arrays, (X, 3)),
    (changed_in_each_trip, (X, 0.4)),
    (in_one_of_two_ways, (X, 0.4)),
    (listed_in_each_trip, (X, 3)),
]


@pytest.mark.parametrize(("f", "args"), CASES)
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives(f, args, order):
    check_grads(f, *args, order=order, replay=True, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("f", "args", "call"),
    [
        (option, (1.2, 1.0, 0.5, 0.3), "math.sqrt(t)"),
        (option, (1.2, 1.0, 0.5, 0.3), "math.sqrt(2.0)"),
        (softmax, (X,), "np.exp(z)"),
        (in_each_trip, (X, 0.4), "np.exp(-u)"),
    ],
)
def test_once(f, args, call):
    assert tl.source(f, like=args).count(call) == 1


def test_results_that_are_handed_out_are_two():
    (a, b), _ = tl.vjp(both, X)
    assert not np.shares_memory(a, b)
