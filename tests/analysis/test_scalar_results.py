"""Which ranks of parameters follow from a scalar result; the texts serve all arguments that have them."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.analysis.abstract import Value
from tapeless.analysis.needed_ranks import Rank
from tapeless.analysis.scalar_results import ranks_needed
from tapeless.kinds import Number
from tapeless.specialize.program import AnalysedProgram
from tests.golden.primals import untyped


def ranks(function):
    """Find the ranks of the parameters of a function, of which nothing is promised."""
    program = AnalysedProgram(one_exit=True)
    core = program.core(function)
    kinds = [Number(frozenset([("argument", i)])) for i in range(len(core.parameters))]
    facts = program.analyse(core, tuple(Value(kind, True) for kind in kinds), {})
    found = ranks_needed(facts, Rank(0))
    ranked = {key: needed for key, needed in found.items() if isinstance(needed, Rank)}
    return {key: "count" if needed.counts else needed.number for key, needed in ranked.items()}


def product(x, y):
    return -x * np.sin(y)


def of_columns(x, k):
    n, d = x.shape
    total = 0.0
    for i in range(n):
        total += x[i] @ k
    return total


def of_a_sum(x, w):
    return np.sum(x * w) + w


def through_calls(x, y):
    first, second = pair(x, y)
    return first[0] * second


def pair(x, y):
    return np.array([x, 1.0]), y


def recursive(x, n):
    return x if n == 0 else x * recursive(x, n - 1)


def shadowed(x):
    x = np.sum(x * x)
    return x


def after_no_trip(x, w, n):
    total = 0.0
    for _ in range(n):
        total += w * x
    return total + np.sum(w * w)


def before_no_trip(x, n):
    total = np.sum(x)
    for i in range(n):
        total += x[i]
    return total


def by_rank(x):
    if np.ndim(x) == 0:
        return x * x
    return np.sum(x * x)


def by_rank_or_nothing(x):
    rank = x.ndim
    total = 0.0
    if rank == 0:
        total = x * x
    return total


def by_sign(x, a):
    if x > 0.0:
        return a * x
    return x


def captured(x, n):
    def scaled(y):
        return y * np.sum(x)

    total = 0.0
    for i in range(n):
        total += x[i]
    return scaled(total)


def indexed_by_what(x, i):
    return x[i] * 1.0


def attempted(x, a):
    try:
        y = a * x
    except ZeroDivisionError:
        y = np.sum(a)
    return y


def mutated(items, x):
    squares = []
    for item in items:
        squares.append(item * x)
    squares.clear()
    squares.append(np.sum(x))
    return sum(squares)


@pytest.mark.parametrize(
    "function, found",
    [
        (product, {"x": 0, "y": 0}),
        (of_columns, {"x": 2, "k": 1}),
        (of_a_sum, {"w": 0}),
        (through_calls, {"x": 0, "y": 0}),
        (shadowed, {}),
        (after_no_trip, {"x": 0, "n": "count"}),
        (before_no_trip, {"n": "count"}),
        (by_rank, {}),
        (by_rank_or_nothing, {}),
        (by_sign, {"x": 0, "a": 0}),
        (captured, {"n": "count"}),
        (indexed_by_what, {}),
        (mutated, {}),
        (untyped.line_fit, {"a": 0, "b": 0, "x": 1, "y": 1}),
        (untyped.path_length, {"points": 2}),
        (untyped.hinge, {"w": 1, "rows": 2, "labels": 1}),
        (untyped.tail, {"x": 1}),
    ],
)
def test_ranks(function, found):
    assert ranks(function) == found


def test_a_recursive_call_says_nothing():
    assert ranks(recursive).get("x") in (0, None)


def test_what_a_handler_may_read_is_open():
    assert "a" not in ranks(attempted)


def printed(function, wrt):
    """Run the text that is written for nothing but names."""
    names = function.__code__.co_varnames
    text = tl.source(function, mode="value_and_grad", wrt=tuple(names[i] for i in wrt))
    namespace = {"__name__": "printed"}
    exec(text, namespace)
    return namespace[f"{function.__name__}_value_and_grad"]


def as_dtype(args, dtype):
    return [a if isinstance(a, int) else np.asarray(a).astype(dtype)[()] for a in args]


@pytest.mark.parametrize("key", untyped.INPUTS)
def test_text_serves_all_that_has_the_ranks(key):
    function, args = getattr(untyped, key), untyped.INPUTS[key]
    wrt = [i for i, a in enumerate(args) if not isinstance(a, int)]
    run = printed(function, wrt)
    want, bars = tl.value_and_grad(function, tuple(wrt))(*args)
    zero_d = [np.array(a) if isinstance(a, float) else a for a in args]
    for given in (as_dtype(args, np.float64), as_dtype(args, np.float32), zero_d):
        before = [np.array(a) for a in given]
        value, got = run(*given)
        single = any(np.asarray(a).dtype == np.float32 for a in given)
        assert value == function(*given)  # to the last bit
        tolerance = 1e-4 if single else 1e-12
        np.testing.assert_allclose(value, want, rtol=tolerance)
        for i, p, q in zip(wrt, got, bars, strict=True):
            np.testing.assert_allclose(p, q, rtol=tolerance, atol=tolerance)
            assert np.shape(p) == np.shape(q)
            if single and np.ndim(p):
                assert p.dtype == given[i].dtype
        for a, b in zip(given, before, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("key", ["chain_energy", "decay_fit", "sir"])
def test_both_orders_of_what_a_stranger_writes_first(key):
    args = [np.array(a) if isinstance(a, float) else a for a in untyped.INPUTS[key]]
    tl.check_grads(getattr(untyped, key), *args, rtol=1e-5, atol=1e-6)


def test_integers_by_mistake_are_not_rounded_away():
    run = printed(untyped.chain_energy, (0,))
    found, wanted = (run(np.array([0, 1, 3], t), 0.5, 0.25) for t in (int, float))
    assert found[0] == wanted[0]
    np.testing.assert_array_equal(found[1][0], wanted[1][0], strict=True)


def many_operands(a, b, t, y):
    return np.sum((a * t + b - y) ** 2) + np.mean((a + (b + (t + y))) * a)


@pytest.mark.parametrize(
    "shapes",
    [
        ((), (), (4, 3), (3,)),
        ((3,), (4, 1), (), (4, 3)),
        ((1,), (1, 3), (2, 1, 3), (4, 3)),
        ((4, 1), (3,), (1,), (2, 1, 1)),
    ],
)
def test_what_was_broadcast_is_summed_whatever_the_ranks(shapes):
    rng = np.random.default_rng(3)
    args = [rng.normal(size=shape)[()] for shape in shapes]
    value, got = printed(many_operands, range(4))(*args)
    assert value == many_operands(*args)
    want = tl.grad(many_operands, (0, 1, 2, 3))(*args)
    for p, q in zip(got, want, strict=True):
        assert np.shape(p) == np.shape(q)
        np.testing.assert_allclose(p, q, rtol=1e-12)


def changed_copy(a):
    b = a.copy()
    c = b
    b *= a
    return c * b


def cast(a, y):
    b = a.astype(float)
    b += y
    return b * y


@pytest.mark.parametrize("function", [changed_copy, cast])
def test_what_may_be_an_array_of_rank_0_that_is_changed_stays_open(function):
    args = [np.array(1.3), 0.4][: function.__code__.co_argcount]
    want = tl.grad(function)(*args)
    try:
        run = printed(function, (0,))
    except tl.GradientError as error:
        assert "an array or a number" in str(error)
    else:
        value, (got,) = run(*args)
        assert value == function(*args)
        np.testing.assert_allclose(got, want)


def test_any_rank_is_served_where_it_is_not_told():
    run = printed(untyped.asks_rank, (0,))
    for x in (0.5, np.arange(3.0), np.ones((2, 2))):
        value, (bar,) = run(x)
        assert value == np.sum(x * x)
        np.testing.assert_array_equal(bar, 2.0 * x)
