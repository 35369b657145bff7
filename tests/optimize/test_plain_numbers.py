"""Numbers of loops as Python's floats, arrays as lists: the same bits, classes and errors, and gradients.

The value must be that of the plain call, to the last bit and of its class; the derivatives those of the text
in which numbers stay NumPy's. Both hold of all functions in which numbers can be Python's, and not only of
those in which that is worth while.
"""

import math
from importlib import import_module

import numpy as np
import pytest

import tapeless as tl
from tests.laws import assert_identical
from tests.optimize.number_programs import CASES as NUMBERS
from tests.optimize.number_programs import X, divides_by_a_sum, updates_by_quotients
from tests.optimize.row_programs import (
    PLACES,
    ROWS,
    Y,
    changes_its_bonds,
    leaves_its_bonds,
    lists_neighbours,
    pulls_along_bonds,
    reads_a_row_whole,
    reads_rows_past_the_end,
    repels,
)

CASES = [*NUMBERS, *ROWS]
SINGLES = [case for case in CASES if any(isinstance(a, np.ndarray) and a.size for a in case[1])]
IDS = [f"{f.__name__}-{i}" for i, (f, _) in enumerate(CASES)]


@pytest.fixture
def eager(monkeypatch):
    """Write numbers as Python's wherever that is right."""
    monkeypatch.setattr(import_module("tapeless.optimize.plain_numbers"), "_WORTH", math.inf)


def copied(args):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


def outcome(f, args):
    """Return what a function returns, or the class of what it raises."""
    try:
        return f(*copied(args))
    except Exception as error:
        return type(error)


def assert_same(f, args, **near):
    with np.errstate(all="ignore"):
        plain = outcome(f, args)
        found = outcome(tl.value_and_grad(f), args)
        expected = outcome(tl.value_and_grad(f, scalarize=False), args)
    if isinstance(plain, type):
        assert found is expected is plain
        return
    assert type(found[0]) is type(plain)
    assert_identical(found[0], plain, "the value")
    assert np.asarray(found[1]).dtype == np.asarray(expected[1]).dtype
    np.testing.assert_allclose(found[1], expected[1], **near)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f, args", CASES, ids=IDS)
def test_same_as_with_numbers_of_numpys(f, args, eager):
    assert_same(f, args, rtol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f, args", SINGLES[::3])
def test_same_in_single(f, args, eager):
    singles = [a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in args]
    assert_same(f, singles, rtol=1e-5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f, args", CASES[::3], ids=IDS[::3])
def test_tangents_are_the_same(f, args, eager):
    dot = (np.ones_like(args[0]) if isinstance(args[0], np.ndarray) else 1.0,)
    dots = dot + (None,) * (len(args) - 1)
    plain = outcome(f, args)
    if isinstance(plain, type):
        return
    value, found = tl.jvp(f, copied(args), dots)
    _, expected = tl.jvp(f, copied(args), dots, scalarize=False)
    assert_identical(value, plain, "the value")
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_reads_as_by_hand():
    text = tl.source(updates_by_quotients, like=(0.3, 3))
    assert "y_ratio = y / (1.0 + y * y)" in text
    assert "float64" not in text
    text = tl.source(divides_by_a_sum, like=(X,))
    assert "x = x.tolist()" in text
    assert "w = w or np.float64(w)" in text
    text = tl.source(repels, like=(Y,))
    assert "x_bar = [[0.0] * 2 for _ in x]" in text
    assert "row[0] -= a_bar" in text
    assert "np.array" not in text


def test_entries_of_rows_are_added_where_they_lie():
    text = tl.source(reads_rows_past_the_end, like=(Y, 2))
    assert "x_bar[i, 0] += a_bar" in text
    assert "zeros(" not in text
    text = tl.source(reads_a_row_whole, like=(Y,))
    assert "x_bar[i, 1] += " in text


def test_loops_unpack_places():
    assert "for i, j in bonds.tolist():" in tl.source(pulls_along_bonds, like=(Y, PLACES))
    assert "for i in near_k.tolist():" in tl.source(lists_neighbours, like=(Y, PLACES))
    text = tl.source(leaves_its_bonds, like=(Y, PLACES))
    assert "for i, j in bonds:" in text
    assert "trips" not in text
    assert "for i, j in bonds:" in tl.source(changes_its_bonds, like=(Y, PLACES))


def test_rows_at_second_order():
    for f, args in ROWS[0], ROWS[7], ROWS[8], ROWS[21]:
        tl.check_grads(f, *args, order=2, replay=True)


def test_is_left_out():
    text = tl.source(divides_by_a_sum, like=(X,), scalarize=False)
    assert "tolist" not in text
    assert "float(" not in text
