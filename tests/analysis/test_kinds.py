"""What is said of the result of a NumPy function, beforehand, holds for the result.

Whether a value carries a derivative and whether it was broadcast follow from its kind, so a wrong kind
makes a wrong gradient.
"""

import itertools
import warnings

import numpy as np
import pytest

from tapeless.analysis.abstract import array_kind
from tapeless.kinds import BOOL, Array, Integer, Real, Size, Tuple
from tapeless.ranks import dims_of
from tapeless.rules.declare import find_rule
from tapeless.rules.results.call import Call
from tapeless.rules.results.of_calls import kind_of_call

VALUES = [
    2.0, 1, True, 2.0 + 1.0j, np.array(1.5), np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1]),
    np.array([True, False, True]), np.array([1.0 + 1.0j, 2.0, 3.0]), np.arange(6.0).reshape(2, 3),
    np.eye(3), np.ones((2, 3, 3)), np.ones((1, 3)), np.ones(1),
]  # fmt: skip


def functions():
    """List the functions of arrays that have a rule, by name."""
    named = [f for module in (np, np.linalg, np.fft) for f in vars(module).values()]
    found = {f for f in named if callable(f) and not isinstance(f, type) and find_rule(f)}
    return sorted(found, key=lambda f: f.__name__)


def kind_of(x):
    if isinstance(x, np.ndarray):
        return array_kind(x, ("argument", id(x)))
    if isinstance(x, bool):
        return BOOL
    return Integer(x) if isinstance(x, int) else Real("c16" if isinstance(x, complex) else "f8")


def check(kind, y, sizes):
    if isinstance(kind, Tuple):
        assert len(kind.items) == len(y)
        for part, item in zip(kind.items, y, strict=True):
            check(part, item, sizes)
        return
    dims = dims_of(kind)
    if dims is None:
        return
    assert len(dims) == np.ndim(y), "rank"
    for dim, n in zip(dims, np.shape(y), strict=True):
        if isinstance(dim, int):
            assert dim == n, "size"
        else:
            assert dim.broadcastable or n != 1, "a dimension said not to be 1"
            if dim.symbol in sizes:
                assert max(sizes[dim.symbol] - dim.cut, 0) == n, "the size of another"
    whole = kind == BOOL or isinstance(kind, Integer) or getattr(kind, "dtype", "?")[0] in "ib"
    assert not (whole and np.asarray(y).dtype.kind in "fc"), "a float said to be an integer"


@pytest.mark.parametrize("function", functions(), ids=lambda f: f.__name__)
def test_kind_of_result(function):
    for count in (1, 2) if getattr(function, "nin", 2) == 2 else (1,):
        for args in itertools.product(VALUES, repeat=count):
            try:
                with warnings.catch_warnings(), np.printoptions(), np.errstate():
                    warnings.simplefilter("ignore")
                    y = function(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])
            except Exception:
                continue  # not a call of it
            kinds = [kind_of(a) for a in args]
            call = Call(kinds, {}, "here", frozenset([("made",)]))
            found = kind_of_call(function, find_rule(function).form, call)
            sizes = {
                dim.symbol: n
                for a, kind in zip(args, kinds, strict=True)
                if isinstance(kind, Array)
                for dim, n in zip(kind.dims, a.shape, strict=True)
                if isinstance(dim, Size)
            }
            check(found, y, sizes)
