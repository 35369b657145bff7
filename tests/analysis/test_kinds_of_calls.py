"""Ranks and dtypes that are known of what functions of NumPy return are those of what they return."""

import linecache
import math

import numpy as np
import pytest

from tapeless.kinds import UNKNOWN, Array, Integer, Number, Real, Tuple
from tests.beside import facts_of

X = np.array([0.3, 0.7, 1.1])
A = np.array([[2.0, 0.1, 0.3], [0.2, 3.0, 0.1], [0.1, 0.2, 4.0]])
GIVEN = {"x": X, "a": A, "i": np.array([0, 2, 1]), "n": 2}
EXPRESSIONS = [
    # places
    "np.setdiff1d(np.arange(4), [1])", "np.intersect1d(i, i)", "np.union1d(i, i)",
    "np.flatnonzero(x > 0.5)", "np.nonzero(x > 0.5)[0]", "np.argwhere(a > 1.0)", "np.indices((2, 3))",
    "a[np.triu_indices(3)]", "a[np.diag_indices(3)]", "np.tril_indices(3, -1)[0]",
    "np.lexsort((x, x))", "np.unravel_index(3, (2, 2))[0]", "np.ravel_multi_index((1, 1), (2, 2))",
    # shapes that are written as lists, and lists that become arrays
    "np.empty([3, 2])", "np.zeros([3, n])", "np.full([2, 2], 1.0)", "np.diag([1.0, 2.0])",
    "np.diag([x[0], 2.0])", "np.concatenate([x, [1.0]])", "np.hstack([x, 1.0])", "np.hstack([x, [1, 2]])",
    "np.linalg.multi_dot([a, a, x])", "np.convolve(x, [1.0, 2.0])", "np.concatenate([x, x], axis=n - 2)",
    # parts
    "np.hsplit(x, 3)[0]", "np.split(x, 3)[0]", "np.array_split(x, 2)[0]", "np.vsplit(a, 3)[0]",
    "np.append(x, 1.0)", "np.append(a, a, axis=0)", "np.delete(x, 0)", "np.delete(a, 0, axis=1)",
    "np.dstack([x, x])", "np.take(x, i)", "np.take(a, 0, axis=1)", "np.take(a, [0, 1], axis=0)",
    "np.take(x, 1)", "np.repeat(x, 2)", "np.repeat(a, 2, axis=0)", "np.tile(x, 2)", "np.tile(x, (2, 1))",
    "np.lib.stride_tricks.sliding_window_view(x, 2)", "np.diff(x, append=x[-1:])",
    "np.diff(a, axis=1, append=a[:, -1:])", "np.diff(x, prepend=0.0)", "np.ediff1d(x)",
    "np.select([x > 0.5], [x], 0.0)", "np.clip(x, 0.0, None)", "np.clip(x[0], None, x)",
    # computed along axes
    "np.gradient(x)", "np.gradient(x, 0.1)", "np.gradient(a)[0]", "np.gradient(a, axis=0)",
    "np.interp(0.4, x, x)", "np.interp(x, x, x)", "np.polyfit(x, x, 1)", "np.polyval([1.0, 2.0], x)",
    "np.polyval(x, 0.3)", "np.trapezoid(x)", "np.trapezoid(a)", "np.trapezoid(a, axis=0)",
    "np.convolve(x, x, mode='same')", "np.correlate(x, x)", "np.kron(a, a)", "np.kron(x, a)",
    "np.quantile(a, x / 2.0, axis=0)",
    # made of nothing that varies
    "np.logspace(0, 1, 4)", "np.geomspace(1, 2, 3)", "np.fft.fftfreq(3)", "np.hanning(5)", "np.tri(3)",
    "np.float32(1.0)", "np.finfo(float).eps", "np.iinfo(int).max", "np.linalg.matrix_rank(a)",
]  # fmt: skip


def compiled(expression):
    text = f"def f(x, a, i, n):\n    y = {expression}\n    return y\n"
    filename = f"<of {expression}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope = {"np": np, "math": math}
    exec(compile(text, filename, "exec"), scope)
    return scope["f"]


def said_of(kind):
    if isinstance(kind, Array):
        return len(kind.dims), kind.dtype[0].replace("?", "f")
    if isinstance(kind, Integer | Real):
        return 0, "i" if isinstance(kind, Integer) else "f"
    return kind


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_rank_and_dtype(expression):
    f = compiled(expression)
    y = np.asarray(f(**GIVEN))
    facts = facts_of(f, *GIVEN.values())
    kind = facts.returned.kind
    assert not isinstance(kind, Number | Tuple) and kind != UNKNOWN
    assert said_of(kind) == (y.ndim, y.dtype.kind)


def test_a_list_that_is_stored_into_is_known_by_what_it_may_hold():
    def f(x, a):
        sizes = [3, 2]
        sizes.append(2)
        return np.zeros(sizes)

    assert isinstance(facts_of(f, X, A).returned.kind, Number)


def test_a_list_of_several_lengths_is_known_by_what_it_may_hold():
    def f(x, a):
        for k in range(2):
            sizes = [2] if k else [3, 2]
        return np.zeros(sizes)

    assert isinstance(facts_of(f, X, A).returned.kind, Number)
