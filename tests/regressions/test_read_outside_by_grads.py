"""What a `grad` or a rule reads of the world outside is what it was in the forward sweep, or refused."""

import collections

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, 0.5])
SCALE = np.array([1.0, 2.0])
FACTOR = 3.0
HELD = {"k": np.array([1.0, 2.0])}
WEIGHT = tl.Variable(np.array([1.0, 2.0]))


class Config:
    power = 3.0

    def __init__(self):
        self.rate = np.array([1.0, 2.0])

    def slope(self):
        return self.rate * SCALE


CONFIG = Config()


def helper(dy):
    return SCALE * dy


def restore():
    global FACTOR
    SCALE[:] = [1.0, 2.0]
    HELD["k"] = np.array([1.0, 2.0])
    CONFIG.rate = np.array([1.0, 2.0])
    Config.power = 3.0
    FACTOR = 3.0
    WEIGHT.assign([1.0, 2.0])


@pytest.fixture(autouse=True)
def as_at_first():
    yield
    restore()


def change():
    global FACTOR
    SCALE[:] *= 5.0
    HELD["k"] *= 7.0
    CONFIG.rate *= 2.0
    Config.power = 9.0
    FACTOR = 11.0
    WEIGHT.assign([5.0, 6.0])


# -- what the text of `grad` names is handed over


@tl.custom_gradient
def by_array(x):
    return x * SCALE, lambda dy: SCALE * dy


@tl.custom_gradient
def by_number(x):
    return x * FACTOR, lambda dy: FACTOR * dy


@tl.custom_gradient
def by_item(x):
    def grad(dy):
        return HELD["k"] * dy

    return x * HELD["k"], grad


@tl.custom_gradient
def by_class(x):
    return x * Config.power, lambda dy: Config.power * dy


def primal(x):
    return x * SCALE


@tl.register_gradient(primal)
def primal_rule(x):
    def grad(dy):
        return SCALE * dy

    return primal(x), grad


@pytest.mark.parametrize("h", [by_array, by_number, by_item, by_class, primal])
def test_what_a_spliced_grad_names_is_what_it_was(h):
    for f in (h, lambda x: h(x) * 2.0, lambda x: h(h(x))):
        _, pullback = tl.vjp(f, X)
        wanted = pullback(np.ones(2))[0]
        change()
        np.testing.assert_array_equal(pullback(np.ones(2))[0], wanted)
        tl.vjp(f, X)  # a rebound name is taken over by later calls alone
        np.testing.assert_array_equal(pullback(np.ones(2))[0], wanted)
        restore()


# -- what is looked up when it runs


@tl.custom_gradient
def called(x):
    def grad(dy):
        while True:
            return SCALE * dy

    return x * SCALE, grad


@tl.custom_gradient
def called_with_number(x):
    def grad(dy):
        while True:
            return FACTOR * dy

    return x * FACTOR, grad


@tl.custom_gradient
def called_with_class(x):
    def grad(dy):
        while True:
            return Config.power * dy

    return x * Config.power, grad


@tl.custom_gradient
def called_with_variable(x):
    def grad(dy):
        while True:
            return WEIGHT.value * dy

    return x * WEIGHT.value, grad


@tl.custom_gradient
def by_helper(x):
    return x * SCALE, lambda dy: helper(dy)


@tl.custom_gradient
def by_method(x):
    return x * CONFIG.slope(), lambda dy: CONFIG.slope() * dy


@tl.custom_gradient
def of_argument(config, x):
    return x * config.slope(), lambda dy: (None, config.slope() * dy)


def by_argument(x):
    return of_argument(Config(), x)


def primal_of_helper(x):
    return x * SCALE


@tl.register_gradient(primal_of_helper)
def primal_of_helper_rule(x):
    return primal_of_helper(x), lambda dy: helper(dy)


def cell():
    scale = np.array([1.0, 2.0])

    @tl.custom_gradient
    def h(x):
        def grad(dy):
            while True:
                return scale * dy

        return x * scale, grad

    return h, scale


def local_custom(x):
    @tl.custom_gradient
    def h(x):
        def grad(dy):
            while True:
                return SCALE * dy

        return x * SCALE, grad

    return h(x)


@pytest.mark.parametrize(
    "h",
    [called, called_with_number, called_with_class, called_with_variable, by_helper, by_method,
     by_argument, primal_of_helper, local_custom],
)  # fmt: skip
def test_a_grad_that_would_read_another_value_is_refused(h):
    def in_a_loop(x):
        for _ in range(2):
            x = h(x)
        return x

    for f in (h, lambda x: h(x) * 2.0, in_a_loop):
        as_it_was = tl.jacobian(f)(X)
        _, pullback = tl.vjp(f, X)
        for _ in range(2):
            np.testing.assert_allclose(pullback(np.ones(2))[0], np.ones(2) @ as_it_was, rtol=1e-12)
        change()
        with pytest.raises(tl.GradientError, match="has changed since the forward sweep") as found:
            pullback(np.ones(2))
        assert found.value.filename == __file__ and found.value.lineno
        restore()


@pytest.mark.usefixtures("noticed")
def test_a_captured_array_that_changed_is_refused():
    h, scale = cell()
    _, pullback = tl.vjp(lambda x: h(x), X)
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [1.0, 2.0])
    scale *= 2.0
    with pytest.raises(tl.GradientError, match="`scale`"):
        pullback(np.ones(2))


# -- what a `grad` changes is its own affair

SEEN = []
COUNTS = collections.Counter()


class Counting:
    def __init__(self):
        self.calls = 0

    def __call__(self, dy):
        self.calls += 1
        return 3.0 * dy


COUNTING = Counting()


@tl.custom_gradient
def telling(x):
    def grad(dy):
        while True:
            SEEN.append(float(dy[0]))
            COUNTS["grad"] += 1
            return 3.0 * dy

    return 3.0 * x, grad


@tl.custom_gradient
def telling_spliced(x):
    def grad(dy):
        SEEN.append(float(dy[0]))
        return 3.0 * dy

    return 3.0 * x, grad


@tl.custom_gradient
def counting(x):
    return 3.0 * x, COUNTING


@pytest.mark.parametrize("h", [telling, telling_spliced, counting])
def test_a_grad_may_tell_the_outside_at_every_run(h):
    SEEN.clear()
    COUNTING.calls = 0
    _, first = tl.vjp(lambda x: h(x), X)
    _, second = tl.vjp(lambda x: h(x), X)
    for pullback in (first, second, first):
        np.testing.assert_array_equal(pullback(np.ones(2))[0], [3.0, 3.0])
    assert len(SEEN) == 3 or h is counting  # whose pullbacks have copies of their own


# -- what the function itself changes after the call


@pytest.mark.parametrize("h", [by_array, called, by_helper, primal, primal_of_helper, local_custom])
def test_what_changes_after_the_call_is_undone_for_it(h):
    def f(x):
        y = h(x)
        SCALE[0] *= 2.0
        return np.sum(y * y)

    def at(x):
        restore()
        return f(x)

    want = [(at(X + d) - at(X - d)) / 2e-6 for d in 1e-6 * np.eye(2)]
    restore()
    np.testing.assert_allclose(tl.grad(f)(X), want, rtol=1e-5)
    np.testing.assert_array_equal(SCALE, [2.0, 2.0])  # as after one plain call
    restore()
    try:
        found = tl.vjp(f, X)[1](1.0)[0]
    except tl.GradientError as refusal:
        assert "reads what the function changes" in str(refusal)
        assert h not in (by_array, primal)
    else:
        np.testing.assert_allclose(found, want, rtol=1e-5)
