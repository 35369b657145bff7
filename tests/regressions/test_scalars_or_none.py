"""What is None at first and a number later is a number wherever it is computed with."""

import numpy as np
import pytest

import tapeless.testing
from tests import laws

V = np.array([0.5, 0.7, 1.2])


def steps(v):
    total, prev = 0.0, None
    for x in v:
        if prev is not None:
            total += (x - prev) ** 2
        prev = x
    return total


def in_a_dict(v):
    state, total = {"prev": None}, 0.0
    for x in v:
        if state["prev"] is not None:
            total += (x - state["prev"]) ** 2
        state["prev"] = x
    return total


def greatest_so_far(v):
    best, total = None, 0.0
    for x in v:
        if best is None or x > best:
            best = x
        total += best * x
    return total * best


def forgotten_again(v):
    prev, total = None, 0.0
    for i in range(3):
        if prev is None:
            prev = v[i] * v[0]
        else:
            total = total + np.sin(prev) * -prev
            total *= prev
            prev = None
    return total + v[1]


def added_to_an_array(v):
    s = None
    for i in range(3):
        if i == 1:
            s = v[i]
    y = v * 1.0
    y += s
    return np.sum(y * y)


class Filter:
    def __init__(self):
        self.last = None

    def step(self, x):
        self.last = x if self.last is None else 0.5 * (self.last + x)
        return self.last


def in_an_attribute(v):
    f, total = Filter(), 0.0
    for x in v:
        total += f.step(x) * x
    return total


def arrays_or_none(v):
    prev, total = None, 0.0
    for k in range(3):
        if prev is not None:
            total = total + np.sum(prev * v[k])
        prev = v * v[k]
    return total


@pytest.mark.parametrize(
    "f",
    [steps, in_a_dict, greatest_so_far, forgotten_again, added_to_an_array, arrays_or_none],
)
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_scalars_or_none(f, dtype):
    laws.check_function(f, (V.astype(dtype),), smooth=True)
    tapeless.testing.check_replay(f, V.astype(dtype))


def test_in_an_attribute():
    laws.right_or_refused(in_an_attribute, (V,))


def concatenated(v):
    w = np.concatenate(([1.0, v[0]], v, (v[1] * 2.0,)))
    total = 0.0
    for i in range(5):
        total += w[i] * v[i % 3]
    return total


def stacked(v):
    m = np.vstack(([1.0, v[0], 2.0], v))
    h = np.hstack(([v[1]], v * v))
    k = np.stack((v, [v[2], v[0], 1.0]), axis=1)
    total = 0.0
    for i in range(2):
        total += np.sum(m[i]) * h[i] * np.sum(k[:, i])
    return total


@pytest.mark.parametrize("f", [concatenated, stacked])
def test_lists_that_are_joined_with_arrays(f):
    laws.check_function(f, (V,), smooth=True)
    tapeless.testing.check_replay(f, V)


PROGRAM = [("push", 0.5), ("mul", None), ("push", 2), ("mul", None)]


def operands_of_instructions(v):
    stack = [v[0] * 1.0]
    for name, operand in PROGRAM:
        if name == "push":
            stack.append(operand * v[1])
        else:
            taken = stack.pop()
            stack[-1] *= taken
    return stack[0] * v[2]


def a_real_number_or_an_integer_or_none(v):
    total = v[0] * 1.0
    for weight in (v[1], None, 2, np.sum(v)):
        total = total * v[0] if weight is None else total + weight * v[2]
    return total


def replaced_where_it_is_none(v):
    last, total = None, 0.0
    for i in range(3):
        total += (last or 0) * v[0]
        last = v[1] * v[2] if i == 1 else 2 * i
    return total + last * v[1]


@pytest.mark.parametrize(
    "f", [operands_of_instructions, a_real_number_or_an_integer_or_none, replaced_where_it_is_none]
)
def test_integers_among_them(f):
    laws.check_orders(f, V)
