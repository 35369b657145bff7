"""Custom gradients that draw random numbers, and wrong numbers of gradients, at both orders."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([1.0, 2.0])
ONES = np.ones(2)
RUNS = []


@tl.custom_gradient
def noisy(x):
    RUNS.append("f")
    r = np.random.normal(size=2)

    def grad(dy):
        return dy * r * 2.0 * x

    return r * x * x, grad


@tl.custom_gradient
def noisy_in_a_loop(x):
    RUNS.append("f")
    r = drawn()

    def grad(dy):
        for _ in range(3):
            if x[0] > 0:
                return dy * r * 2.0 * x
        return dy

    return r * x * x, grad


def drawn():
    return np.random.normal(size=2)


@tl.custom_gradient
def recursive(x, n):
    RUNS.append("f")
    r = np.random.normal(size=2)
    y = recursive(x, n - 1) * 0.0 + r * x * x if n > 0 else r * x * x

    def grad(dy):
        return dy * r * 2.0 * x, None

    return y, grad


@pytest.mark.parametrize(
    ("h", "runs"), [(noisy, 1), (noisy_in_a_loop, 1), (lambda x: recursive(x, 2), 3)]
)
def test_tangents_and_gradients_draw_once(h, runs):
    def f(x):
        return np.sum(h(x))

    np.random.seed(3)
    r = np.random.normal(size=2)
    after = np.random.normal()
    np.random.seed(3)
    RUNS.clear()
    y, y_dot = tl.jvp(f, (X,), (ONES,))
    assert len(RUNS) == runs
    np.testing.assert_allclose(y, np.sum(r * X * X))
    np.testing.assert_allclose(y_dot, np.sum(r * 2.0 * X))
    if runs == 1:
        assert np.random.normal() == after
    np.random.seed(3)
    np.testing.assert_allclose(tl.grad(f)(X) @ ONES, y_dot)


def test_a_second_derivative_keeps_what_was_drawn():
    def linear(x):
        return np.sum(tl.grad(lambda x: np.sum(noisy(x)))(x))

    np.random.seed(3)
    r = np.random.normal(size=2)
    np.random.seed(3)
    RUNS.clear()
    np.testing.assert_allclose(tl.grad(linear)(X), 2.0 * r)
    assert RUNS == ["f"]


@tl.custom_gradient
def shuffled(x):
    RUNS.append("f")
    return np.random.permutation(x), lambda dy: dy


def test_a_shuffle_is_drawn_once_at_second_order():
    def f(x):
        return np.sum(shuffled(x) ** 3)  # the slope is 3 y ** 2, of the entries as they were drawn

    np.random.seed(3)
    RUNS.clear()
    gradient = tl.grad(f)(X)
    assert sorted(gradient) == [3.0, 12.0] and RUNS == ["f"]
    np.random.seed(3)
    RUNS.clear()
    along = tl.hvp(f)(X, ONES)
    assert RUNS == ["f"]
    np.testing.assert_allclose(along, 6.0 * np.sqrt(gradient / 3.0))
    np.random.seed(3)
    RUNS.clear()
    twice = tl.grad(lambda x: np.sum(tl.grad(f)(x)))(X)
    assert RUNS == ["f"]
    np.testing.assert_allclose(twice, along)


@pytest.mark.parametrize("h", [noisy, noisy_in_a_loop])
def test_what_would_draw_again_is_refused(h):
    with pytest.raises(tl.GradientError, match="depends on random numbers") as caught:
        tl.grad(lambda x: np.sum(tl.grad(lambda x: np.sum(h(x) ** 2))(x)))(X)
    assert caught.value.filename == __file__


@tl.custom_gradient
def too_few(a, b):
    return a * b, lambda dy: dy


@tl.custom_gradient
def too_many(a, b):
    return a * b, lambda dy: (dy * b, dy * a, dy)


@tl.custom_gradient
def too_many_in_a_list(a, b):
    def grad(dy):
        out = [dy, dy, dy]
        return out

    return a * b, grad


@tl.custom_gradient
def too_few_in_a_tuple(a, b):
    def grad(dy):
        out = [dy * b]
        return tuple(out)

    return a * b, grad


@pytest.mark.parametrize("h", [too_few, too_many, too_many_in_a_list, too_few_in_a_tuple])
def test_e03_the_number_of_gradients_is_checked_at_every_order(h):
    def f(x):
        return np.sum(h(x, x + 1.0) ** 2)

    attempts = [
        lambda: tl.grad(f)(X),
        lambda: tl.jvp(f, (X,), (ONES,)),
        lambda: tl.grad(lambda x: np.sum(tl.grad(f)(x)))(X),
    ]
    count = "3 gradients" if h in (too_many, too_many_in_a_list) else "1 gradient"
    for attempt in attempts:
        with pytest.raises(tl.GradientError) as caught:
            attempt()
        assert caught.value.reason == (
            f"grad function of '{h.__name__}' returned {count}, expected 2 (a, b); "
            "use None for arguments without one"
        )
        assert caught.value.filename == __file__
