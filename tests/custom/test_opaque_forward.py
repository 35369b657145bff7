"""Section 2.6 of the contract: forward bodies that have no derivative."""

import contextlib

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.5, -1.2, 2.0])


def same(dy):
    return dy


@tl.custom_gradient
def shuffled(x):
    res = tl.stop_gradient(np.random.permutation(x))

    def grad(upstream):
        return upstream

    return res, grad


@tl.custom_gradient
def shuffled_in_place(x):
    res = x.copy()
    np.random.shuffle(res)
    return res, lambda upstream: upstream


@tl.custom_gradient
def shuffled_without_stop(x):
    return np.random.permutation(x), lambda upstream: upstream


@pytest.mark.parametrize("h", [shuffled, shuffled_in_place, shuffled_without_stop])
def test_shuffles(h):
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(h(x) * X))(X), X)


def test_without_a_rule_in_differentiated_code():
    def f(x):
        return np.sum(np.random.poisson(x) ** 2)

    with pytest.raises(LookupError) as caught:
        tl.grad(f)(X)
    assert isinstance(caught.value, tl.NoGradientError)
    said = str(caught.value).replace(".mtrand", "")  # where NumPy 2.0 says that it is from
    assert "no gradient for numpy.random.poisson" in said
    assert "tl.register_gradient" in str(caught.value) and "tl.stop_gradient" in str(caught.value)
    assert caught.value.filename == __file__
    assert caught.value.lineno == f.__code__.co_firstlineno + 1


def test_not_where_it_only_reaches_stop_gradient():
    def f(x):
        return np.sum(tl.stop_gradient(np.random.permutation(x)) * 0.0 + x)

    np.testing.assert_array_equal(tl.grad(f)(X), np.ones(3))


def test_stop_gradient_on_structures():
    def f(x):
        kept = tl.stop_gradient({"a": x, "b": [x, x * x]})
        return np.sum(kept["a"] * kept["b"][1] * x)

    np.testing.assert_allclose(tl.grad(f)(X), X**3)


@tl.custom_gradient
def non_diff_op(x):
    y = np.where(x > 0, x * 2, x)

    def grad(dy):
        return np.where(x > 0, dy * 2, dy)

    return y, grad


@tl.custom_gradient
def non_diff_scalar(x):
    if x > 0:
        y = x * 2
    else:
        y = x

    def grad(dy):
        if x > 0:
            return dy * 2
        return dy

    return y, grad


def test_the_conditional_example():
    np.testing.assert_array_equal(
        tl.grad(lambda x: np.sum(non_diff_op(x)))(np.array([-1.0, 0.0, 1.0])), [1.0, 1.0, 2.0]
    )
    assert [tl.grad(non_diff_scalar)(x) for x in (-1.0, 0.0, 1.0)] == [1.0, 1.0, 2.0]


@tl.custom_gradient
def a_gradient_in_each_branch(x):
    if x > 1:
        return 2.0 * x, lambda dy: 20.0 * dy
    elif x > 0:

        def grad(dy):
            return 30.0 * dy

        return x, grad

    def grad(dy):
        return 40.0 * dy

    return -x, grad


def test_a_gradient_in_each_branch():
    f = lambda x: 3.0 * a_gradient_in_each_branch(x)  # noqa: E731
    assert [tl.grad(f)(x) for x in (2.0, 0.5, -1.0)] == [60.0, 90.0, 120.0]


@tl.custom_gradient
def everything(x):
    total = np.zeros_like(x)
    with np.errstate(all="ignore"), contextlib.suppress(ZeroDivisionError):
        for i in range(3):
            if i == 1:
                continue
            total += x
    try:
        shape = {"a": [v for v in x]}["b"]
    except KeyError:
        shape = x.shape

    def helper(v):
        return v * 2.0

    def grad(dy):
        made = []
        i = 0
        while True:
            made.append(helper(dy))
            i += 1
            if i == 2:
                break
        try:
            return sum(made).reshape(shape)
        finally:
            made.clear()

    return total, grad


def test_all_of_python_in_both_bodies():
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(everything(x) * X))(X), 4.0 * X)


@tl.custom_gradient
def newton_root(a):
    x = 1.0
    for _ in range(50):
        step = (x * x - a) / (2.0 * x)
        x = x - step
        if abs(step) < 1e-15:
            break

    def grad(dy):
        return dy / (2.0 * x)

    return x, grad


def in_a_loop(a):
    total = 0.0
    for i in range(3):
        total = total + newton_root(a + i) * (i + 1.0)
    return total


def test_loops_are_spliced():
    text = tl.source(tl.grad(in_a_loop), like=(2.0,))
    assert "open_custom" not in text
    wanted = sum((i + 1.0) / (2.0 * np.sqrt(2.0 + i)) for i in range(3))
    assert tl.grad(in_a_loop)(2.0) == pytest.approx(wanted)


@tl.custom_gradient
def by_sign(x):
    if x > 0:
        return x, lambda dy: dy
    return 0.1 * x, lambda dy: 0.1 * dy


@tl.custom_gradient
def by_size(x, n):
    s = np.sum(x)
    if s > 2.0:
        e = np.exp(x)

        def grad(dy):
            t = dy * e
            return t, None

        return e, grad
    elif s > 1.0:
        q = x * n

        def grad(d):
            t = d * q
            return 2.0 * t / n, None

        return q * x / n, grad
    if s < -5.0:
        raise ValueError("too small")
    return np.sin(x), lambda dy: (dy * np.cos(x), None)


@tl.custom_gradient
def two_ways_and_results(x):
    if np.sum(x) > 1.0:
        return x * x, 3.0 * x, lambda a, b: 2.0 * a * x + 3.0 * b

    def grad(first, second):
        t = np.cos(x)
        return first * t - second * np.sin(x)

    return np.sin(x), np.cos(x), grad


def repeated(x):
    t = 0.0
    for _ in range(4):
        x = by_size(1.1 * x, 2.0)
        t = t + np.sum(x)
    return t


def with_two_results(x):
    a, b, _ = two_ways_and_results(x)
    return np.sum(a * b)


@pytest.mark.parametrize("scale", [0.2, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("f", [repeated, with_two_results])
def test_branches_with_a_grad_each_are_spliced(f, scale):
    x = scale * np.array([0.3, 0.25])
    for written in (tl.source(f, like=(x,)), tl.source(f, like=(x,), mode="jvp")):
        assert "open_custom" not in written
    check_function(f, (x,))


def test_the_text_of_branches():
    text = tl.source(lambda x: by_sign(x) ** 2, like=(2.0,))
    assert "by_sign(" not in text and "fit_gradient" not in text
    assert [tl.grad(by_sign)(v) for v in (2.0, -2.0)] == [1.0, 0.1]


def test_a_test_is_asked_once():
    @tl.custom_gradient
    def f(x, n):
        items = [1.0] * n
        if items:
            items.pop()
            return x, lambda dy: dy
        return x, lambda dy: 5.0 * dy

    assert tl.grad(lambda x: f(x, 1))(2.0) == 1.0
    assert tl.grad(lambda x: f(x, 0))(2.0) == 5.0


@tl.custom_gradient
def returns_in_a_loop(x):
    for i in range(3):
        if x > i:
            return x, lambda dy: dy * (i + 1)
    return x, lambda dy: dy


def test_a_return_in_a_loop_is_called():
    assert "returns inside a loop" in tl.source(lambda x: returns_in_a_loop(x) * 2.0, like=(1.0,))
    assert tl.grad(returns_in_a_loop)(1.0) == 1.0
