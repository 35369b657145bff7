"""State outside the arguments: derivatives of functions that store into it, and what they leave."""

import types

import numpy as np
import pytest

import tapeless as tl
from tests import laws

HISTORY = np.zeros(4)
MODULE = types.ModuleType("module")
MODULE.history = np.zeros(4)
SHARED = np.zeros(6)
LEFT, RIGHT = SHARED[:4], SHARED[2:]
TABLE = {"level": 0.0}
X = np.array([0.3, 0.5, 0.7])


class Memory:
    def __init__(self):
        self.history = np.zeros(4)
        self.level = 0.0


MEMORY = Memory()


def put(history, i, value):
    history[i] = value * history[i - 1] + value


def passed_to_a_callee(x):
    HISTORY[0] = 1.0
    for i in range(1, 4):
        put(HISTORY, i, x[i - 1])
    return np.sum(HISTORY**2)


def put_into_history(i, value):
    HISTORY[i] = value * HISTORY[i - 1] + value


def fill_from(x, i):
    if i < 4:
        put_into_history(i, x[i - 1])
        fill_from(x, i + 1)


def named_by_callees_only(x):
    fill_from(x, 1)
    return np.sum(HISTORY[1:] ** 3)


def attribute_of_a_module(x):
    for i in range(1, 4):
        MODULE.history[i] = x[i - 1] * MODULE.history[i - 1] + x[i - 1] ** 2
    return np.sum(MODULE.history**2)


def attributes_of_an_object(x):
    MEMORY.level = 0.5
    for i in range(1, 4):
        MEMORY.history[i] = x[i - 1] * MEMORY.history[i - 1] + x[i - 1] ** 2
        MEMORY.level = MEMORY.level * MEMORY.history[i] + x[i - 1]
    return np.sum(MEMORY.history**2) * MEMORY.level


def slots_of_a_dict(x):
    TABLE["level"] = 1.0
    for v in x:
        TABLE["level"] = TABLE["level"] * v + v**2
    return TABLE["level"]


FUNCTIONS = [
    passed_to_a_callee,
    named_by_callees_only,
    attribute_of_a_module,
    attributes_of_an_object,
    slots_of_a_dict,
]


def reset():
    for array in (HISTORY, MODULE.history, MEMORY.history, SHARED):
        array[:] = 0.0
    MEMORY.level = TABLE["level"] = 0.0


def state():
    arrays = [HISTORY, MODULE.history, MEMORY.history, SHARED]
    return np.concatenate([*arrays, [MEMORY.level, TABLE["level"]]])


def fresh(f):
    """Call a function after the state was reset."""

    def call(*args):
        reset()
        return f(*args)

    return call


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("mode", ["grad", "vjp", "jvp"])
def test_derivative_and_what_it_leaves(f, mode):
    direction = np.array([1.0, -0.5, 2.0])
    wanted, error = laws.central_difference(lambda t: fresh(f)(X + t * direction))
    fresh(f)(X)
    left = state()
    reset()
    if mode == "grad":
        got = tl.grad(f)(X) @ direction
    elif mode == "jvp":
        got = tl.jvp(f, (X,), (direction,))[1]
    else:
        pullback = tl.vjp(f, X)[1]
        got = pullback(1.0)[0] @ direction
        np.testing.assert_array_equal(pullback(1.0)[0] @ direction, got)
    laws.assert_near(got, wanted, error + 1e-9, mode)
    np.testing.assert_array_equal(state(), left)


@pytest.mark.parametrize("f", [passed_to_a_callee, attribute_of_a_module])
@pytest.mark.parametrize("over", ["forward", "reverse"])
def test_second_order_and_what_it_leaves(f, over):
    direction = np.array([1.0, -0.5, 2.0])
    g = tl.grad(f)
    fresh(f)(X)
    left = state()

    def slope(x):
        return np.sum(np.sin(g(x)))

    wanted, error = laws.central_difference(lambda t: fresh(slope)(X + t * direction))
    reset()
    if over == "forward":
        got = tl.jvp(slope, (X,), (direction,))[1]
    else:
        got = tl.grad(slope)(X) @ direction
    laws.assert_near(got, wanted, error + 1e-8, "second order")
    np.testing.assert_array_equal(state(), left)


def overlapping(x):
    for i in range(3):
        LEFT[i] = x[i] ** 2
        RIGHT[i] = LEFT[i + 1] * x[i]
    return np.sum(SHARED**2)


def test_reverse_mode_sees_arrays_that_share_memory():
    wanted, error = laws.central_difference(lambda t: fresh(overlapping)(X + t * np.ones(3)))
    reset()
    laws.assert_near(np.sum(tl.grad(overlapping)(X)), wanted, error + 1e-9, "grad")


def test_forward_mode_refuses_arrays_that_share_memory():
    with pytest.raises(tl.GradientError, match="share memory"):
        tl.jvp(overlapping, (X,), (np.ones(3),))


def test_pullback_reads_the_state_of_its_forward_sweep():
    wanted = fresh(tl.grad(passed_to_a_callee))(X)
    reset()
    pullback = tl.vjp(passed_to_a_callee, X)[1]
    HISTORY[:] = 7.0
    np.testing.assert_allclose(pullback(1.0)[0], wanted)
    np.testing.assert_array_equal(HISTORY, np.full(4, 7.0))


class Views:
    def __init__(self):
        self.buffer = np.zeros(6)
        self.left, self.right = self.buffer[:4], self.buffer[2:]


def fills_views(x, views):
    for i in range(3):
        views.left[i] = x[i] ** 2
        views.right[i] = views.left[i + 1] * x[i]
    return np.sum(views.buffer**2)


class Link:
    def __init__(self, level):
        self.level = level


class Chain:
    def __init__(self, first, second):
        self.first, self.second = first, second


def fills_links(x, chain):
    chain.first.level = x[0] * x[1]
    return chain.second.level**2 + x[2]


@pytest.mark.parametrize("mode", ["grad", "vjp", "jvp"])
@pytest.mark.parametrize(
    ("f", "make"), [(fills_views, Views), (fills_links, lambda: Chain(*[Link(1.0)] * 2))]
)
def test_objects_that_share_what_is_stored_into(f, make, mode):
    with pytest.raises(tl.GradientError, match="is passed in two places of the arguments"):
        if mode == "grad":
            tl.grad(f)(X, make())
        elif mode == "vjp":
            tl.vjp(f, X, make())
        else:
            tl.jvp(f, (X, make()), (X, None))


def test_objects_that_share_what_is_only_read():
    shared = Link(2.0)

    def f(x, chain):
        chain.level = x[0]
        return chain.level * chain.first.level * chain.second.level * x[1]

    chain = Chain(shared, shared)
    chain.level = 0.0
    np.testing.assert_allclose(tl.grad(f)(X, chain), [2.0, 1.2, 0.0])
