"""What is said of the result of each call of the grid, before it exists, is true of it.

Rank, dtype and sizes that a kind says are compared with those of the result, for arrays of single
precision, complex, empty, with one row or more axes, too. Nothing is differentiated.
"""

import itertools
import warnings

import numpy as np
import pytest

from tapeless import register_gradient
from tapeless.analysis.abstract import Abstraction
from tapeless.kinds import Array, Integer, Number, Real, Size, Tuple, not_one
from tests.beside import facts_of
from tests.rules.grid import LINES, VARIED, compiled, is_there, names_in

CHANGES = {
    "as it is": lambda x: x,
    "single": lambda x: x.astype(np.float32),
    "complex": lambda x: x + 0.4j * np.cos(x),
    "empty": lambda x: x[:0],
    "one row": lambda x: x[:1],
    "stacked": lambda x: np.stack([x, x]),
    "without axes": lambda x: np.asarray(x.ravel()[0]),
}
NOTHING = object()
# Where a special case of NumPy's own is not told: of no entries polyval makes an array without axes, and
# nanquantile what the mean of nothing is; other functions look for a loop in double precision.
UNTOLD = {
    "empty": ("np.polyval(", "np.nanquantile(", "np.cov(", "np.corrcoef("),
    "single": ("np.nanquantile(",),
}


def wrong_dtype(code, y):
    if code in ("?", "c?"):
        return code == "c?" and y.dtype.kind not in "cf"
    if code in ("i", "b", "O"):
        return y.dtype.kind not in {"i": "iu", "b": "b", "O": "O"}[code]
    return y.dtype != np.dtype(code)


def wrong_sizes(dims, shape, sizes):
    for dim, n in zip(dims, shape, strict=True):
        if isinstance(dim, Size):
            yield not_one(dim) and n == 1
            yield n and sizes.setdefault(dim.symbol, n + dim.cut) - dim.cut != n
        else:
            yield dim != n


def is_true(kind, y, sizes):
    """Whether all that a kind says holds of a value; `sizes` are those that symbols stand for."""
    if isinstance(kind, Array):
        if not isinstance(y, np.ndarray) or len(kind.dims) != y.ndim:
            return False
        return not wrong_dtype(kind.dtype, y) and not any(wrong_sizes(kind.dims, y.shape, sizes))
    if isinstance(kind, Real):
        alone = not isinstance(y, np.ndarray) and np.shape(y) == ()
        return alone and not wrong_dtype(kind.dtype, np.asarray(y))
    if isinstance(kind, Integer):
        return isinstance(y, int | np.integer)
    if isinstance(kind, Tuple):
        pairs = zip(kind.items, y, strict=True)
        return all(is_true(item, part, sizes) for item, part in pairs)
    parts = y if isinstance(y, list | tuple) else [y]
    return (
        not isinstance(kind, Number) or kind.may_be_complex or not any(map(np.iscomplexobj, parts))
    )


def sizes_of(values):
    """Map the symbols of the sizes of arguments to what they are."""
    abstraction, sizes = Abstraction({}, True), {}
    for i, x in enumerate(values):
        kind = abstraction(x, ("argument", i))
        if isinstance(kind, Array):
            list(wrong_sizes(kind.dims, np.shape(x), sizes))
    return sizes


def computed(f, given):
    """Call a function; return `NOTHING` where it does not take what it is given."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return f(*given)
    except (ArithmeticError, IndexError, RuntimeError, TypeError, ValueError):
        return NOTHING


def of_unknown_rank(x):
    return np.array(x)


@register_gradient(of_unknown_rank)
def _of_unknown_rank(x):
    return np.array(x), lambda y_bar: y_bar


@pytest.mark.parametrize("line", [line for line in LINES if is_there(line)])
def test_kind_of_what_is_computed_from_arrays_of_unknown_rank(line):
    arrays = [key for key in names_in(line) if isinstance(VARIED[key], np.ndarray)]
    some = [arrays, *([key] for key in arrays if len(arrays) > 1)]
    for of_complex, hidden in itertools.product([[], *some], some):
        text = "; ".join(f"{key} = of_unknown_rank({key})" for key in hidden) or "pass"
        f = compiled(f"{text}; return {line}", names_in(line), of_unknown_rank=of_unknown_rank)
        changed = {key: CHANGES["complex"](VARIED[key]) for key in of_complex}
        given = [changed.get(key, VARIED[key]) for key in names_in(line)]
        y = computed(f, given)
        if y is not NOTHING:
            kind = facts_of(f, *given, wrt=range(len(given))).returned.kind
            assert is_true(kind, y, sizes_of(given)), (
                f"complex {of_complex}, hidden {hidden}: {kind}"
            )


@pytest.mark.parametrize("line", [line for line in LINES if is_there(line)])
def test_kind(line):
    f = compiled(f"return {line}", names_in(line))
    for label, change in CHANGES.items():
        if line.startswith(UNTOLD.get(label, ("no line",))):
            continue
        given = [VARIED[key] for key in names_in(line)]
        given = [change(x) if isinstance(x, np.ndarray) else x for x in given]
        y = computed(f, given)
        if y is NOTHING:
            continue
        kind = facts_of(f, *given, wrt=range(len(given))).returned.kind
        assert is_true(kind, y, sizes_of(given)), f"{label}: {kind}"
