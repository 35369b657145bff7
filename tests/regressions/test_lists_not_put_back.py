"""A list of the function's own gets back its items only where the reverse sweep looks at it again."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([0.3, -0.2, 0.7])


def of_names(x, names):
    return sum(x[n] ** 2 for n in names)


def of_stack(x):
    stack, total = [x], 0.0
    while stack:
        y = stack.pop()
        total += y * y
        if y > 0.1:
            stack.append(0.5 * y)
            stack.append(0.3 * y)
    return total


def of_errors(params, xs, ys):
    preds = [params[0] * x + params[1] for x in xs]
    errs = [(p - y) ** 2 for p, y in zip(preds, ys)]
    return sum(errs) / len(errs)


def read_between(x, n):
    kept, total = [], 0.0
    for i in range(n):
        kept.append(np.sin(x * i))
        total += kept[-1] * kept[i // 2] * len(kept)
    return total


def by_another_name(x, n):
    kept = [x]
    same = kept
    for _ in range(n):
        kept.append(np.cos(kept[-1]))
    return same[0] * same[-1] * sum(same)


def of_arrays(x, n):
    kept = [x]
    for _ in range(n):
        kept.append(np.tanh(kept[-1] * x))
    last = kept.pop()
    return np.sum(last * kept[-1])


def filled_again(x, n):
    kept = []
    for i in range(n):
        kept.append(x * i)
    s = sum(kept)
    while kept:
        s = s * kept.pop() + x
    kept.append(s * s)
    return kept[0]


def summed_twice(xs):
    doubled = [2.0 * x for x in xs]
    return sum(doubled) * sum(doubled, xs[0])


CASES = [
    (of_names, ({"a": 0.4, "b": 2.0}, ["a", "b", "a"])),
    (of_stack, (1.0,)),
    (of_errors, (np.array([0.4, 1.2]), [1.0, 2.0], [0.3, 0.4])),
    (read_between, (0.4, 4)),
    (by_another_name, (0.4, 3)),
    (of_arrays, (X, 3)),
    (filled_again, (0.4, 3)),
    (summed_twice, ([0.3, 0.5],)),
]


@pytest.mark.parametrize(("f", "args"), CASES)
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives(f, args, order):
    check_grads(f, *args, order=order, replay=True, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("f", "args"), [CASES[1]])
def test_no_item_is_taken_for_nothing(f, args):
    lines = tl.source(f, like=args).splitlines()
    assert not [line for line in lines if line.strip().endswith(".pop()") and "=" not in line]
