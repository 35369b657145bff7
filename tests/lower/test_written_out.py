"""Short loops that cannot be lowered as loops are written out, with the lists that they fill."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops

X = np.linspace(0.3, 1.2, 12).reshape(3, 4)
SHIFTS = [(0, 0), (1, 0), (-1, 1)]
WEIGHTS = (0.5, 0.25, 0.25)


def shifted(x):
    moved = np.stack([np.roll(x, SHIFTS[i], axis=(0, 1)) for i in range(3)])
    return np.sum(moved[0] * moved[1] - np.sin(moved[2]))


def shifted_often(x, steps):
    for _ in range(steps):
        parts = [np.roll(x * w, s, axis=(0, 1)) for w, s in zip(WEIGHTS, SHIFTS)]
        x = np.sin(parts[0] + parts[1]) * parts[2]
    return np.sum(x)


def filled_and_emptied(x):
    rows = []
    for k in range(3):
        rows.append(np.roll(np.cos(x[k]), SHIFTS[k][0]) * (k + 1.0))
    last = rows.pop()
    return np.sum(rows[0] * rows[1]) + np.sum(last * last) * len(rows)


def one_array_twice(x):
    rows = []
    for k in range(3):
        row = np.roll(x[k] * 2.0, SHIFTS[k][0])
        rows.append(row)
        rows.append(row)
    rows[0][1] = 5.0
    return np.sum(rows[1] * rows[2]) + rows[5][0]


def over_a_tuple(x):
    total = 0.0
    for row, factor in ((x[0], 2.0), (x[1, :2], 0.5)):
        total = total + factor * np.sum(np.exp(row))
    return total


PROGRAMS = [
    (shifted, (X,)), (shifted_often, (X, 4)), (filled_and_emptied, (X,)), (one_array_twice, (X,)),
    (over_a_tuple, (X,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "arguments"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_values(f, arguments):
    quick = with_loops(lowered(f, arguments), f, f.__name__, jit=False)
    np.testing.assert_allclose(quick(*arguments), f(*arguments), rtol=1e-12)


def test_gradients():
    f, arguments = shifted, (X,)
    plain = tl.grad(f).serving(list(arguments)).function
    quick = with_loops(lowered(plain, arguments), plain, f.__name__, jit=False)
    np.testing.assert_allclose(quick(*arguments), plain(*arguments), rtol=1e-12)


def test_a_list_outside_that_changes_is_noticed():
    quick = with_loops(lowered(shifted, (X,)), shifted, "shifted", jit=False)
    before = quick(X)
    kept, SHIFTS[1] = SHIFTS[1], (2, 2)
    try:
        assert quick(X) == pytest.approx(shifted(X))
        assert abs(quick(X) - before) > 1e-3
    finally:
        SHIFTS[1] = kept


def test_long_loops_are_not_written_out():
    def long(x):
        rows = []
        for k in range(40):
            rows.append(np.roll(x[0], SHIFTS[k % 3][0]))
        return np.sum(rows[0])

    with pytest.raises(NotLowered):
        lowered(long, (X,))


def test_lists_that_are_changed_in_branches_are_not_known():
    def in_a_branch(x):
        rows = []
        for k in range(3):
            if x[k, 0] > 0.5:
                rows.append(np.roll(x[k], SHIFTS[k][0]))
        return np.sum(rows[0])

    with pytest.raises(NotLowered):
        lowered(in_a_branch, (X,))


def test_a_list_that_nothing_was_put_into_is_refused():
    def never_filled(x):
        rows = []
        for k in range(0):
            rows.append(np.roll(x[0], SHIFTS[k][0]))
        total = np.sum(x)
        for row in reversed(rows):
            total = total + np.sum(row)
        return total

    with pytest.raises(NotLowered):
        lowered(never_filled, (X,))
