"""Arrays outside of a function are given to its loops: what they are at each call is what is read."""

import sys

import numpy as np
import pytest
from lowered_programs import same

import tapeless as tl
from tapeless.disk import loops as disk
from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops

WEIGHTS = np.array([1.0, 2.0, 3.0])
ALSO_WEIGHTS = WEIGHTS
PLACES = np.array([2, 0, 1, 1])
DATA = np.linspace(-1.0, 1.0, 12).reshape(4, 3)
SINGLE = np.linspace(-1.0, 1.0, 3).astype(np.float32)
MASK = np.array([True, False, True])
X = np.array([0.5, -1.0, 1.5])
HERE = sys.modules[__name__]


def weighted(x):
    return np.sum(WEIGHTS * np.sin(x))


def fitted(x):
    return np.mean((DATA @ x - np.sin(DATA[:, 0])) ** 2) + np.sum(x[PLACES] ** 3)


def in_a_loop(x):
    total = 0.0
    for row in DATA:
        total += np.tanh(row @ x) * row[0]
    return total


def transposed(x):
    return np.sum(DATA.T.dot(DATA @ x) * x) + DATA.shape[0] * x[0]


def masked(x):
    return np.sum(np.where(MASK, x * SINGLE[::-1], x**2))


def of_a_module(x):
    return np.sum(HERE.WEIGHTS[::-1] * x * x)


def inner(x):
    return DATA @ x


def in_a_callee(x):
    return np.sum(inner(x) * DATA[:, 1] * inner(x))


def by_two_names(x):
    return np.sum(WEIGHTS * x * x) + np.sum(ALSO_WEIGHTS * x)


PROGRAMS = [
    weighted, fitted, in_a_loop, transposed, masked, of_a_module, in_a_callee, by_two_names
]  # fmt: skip


def must_not_run(*arguments):
    raise AssertionError("the NumPy text runs")


def as_loops(f, plain=must_not_run):
    return with_loops(lowered(f, (X,)), plain, f.__name__, jit=False)


@pytest.mark.parametrize("f", PROGRAMS)
def test_of_functions_and_of_gradients(f):
    same(as_loops(f)(X), f(X))
    gradient = tl.grad(f, scalarize=False).serving((X,)).function
    same(as_loops(gradient)(X), gradient(X))


@pytest.mark.parametrize("f", [weighted, of_a_module, by_two_names])
def test_what_is_bound_anew_is_read(f, monkeypatch):
    loops = as_loops(f)
    monkeypatch.setattr(HERE, "WEIGHTS", np.array([-1.0, 4.0, 0.5]))
    same(loops(X), f(X))
    HERE.WEIGHTS[0] = 7.0
    same(loops(X), f(X))


@pytest.mark.parametrize(
    "other",
    [
        np.array([1, 2, 3]), np.array([2.0]), np.array(2.0), np.ones((2, 3)), 2.0, [1.0, 2.0, 3.0],
        np.array([1.0, 2.0, 3.0], np.float32), np.ma.array([1.0, 2.0, 3.0], mask=MASK),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_of_another_kind_is_left_to_numpy(other, monkeypatch):
    loops = as_loops(weighted, plain=lambda x: "left")
    monkeypatch.setattr(HERE, "WEIGHTS", other)
    assert loops(X) == "left"


def test_what_a_closure_captured_is_read_at_each_call():
    def of(data):
        def f(x):
            return np.sum(data * x * x)

        def change(other):
            nonlocal data
            data = other

        return f, change

    f, change = of(np.array([2.0, 3.0, 4.0]))
    loops = as_loops(f)
    same(loops(X), f(X))
    change(np.array([5.0, 6.0, 7.0]))
    same(loops(X), f(X))


def stores_outside(x):
    WEIGHTS[0] = 2.0
    return np.sum(x * WEIGHTS)


def stores_into_its_argument(x):
    x[0] = 5.0
    return np.sum(x * WEIGHTS)


def test_what_is_stored_into_outside_is_refused():
    with pytest.raises(NotLowered) as refusal:
        lowered(stores_outside, (X,))
    assert refusal.value.reason == (
        "a store into `WEIGHTS`, which is an array outside of the function"
    )


def test_an_argument_that_is_the_array_outside_is_left_to_numpy():
    assert as_loops(stores_into_its_argument, plain=lambda x: "left")(WEIGHTS) == "left"


def test_on_disk_for_arrays_of_the_kinds_they_were_written_for(on_disk, monkeypatch):
    gradient = tl.grad(weighted, scalarize=False).serving((X,))
    text, function = gradient.derivative.text, gradient.function
    key = disk.key_of(function, text, (X,))
    disk.keep(key, function, lowered(function, (X,)))
    found = disk.find(key, function)
    same(with_loops(found, must_not_run, "weighted", jit=False)(X), function(X))
    monkeypatch.setitem(function.__globals__, "WEIGHTS", np.array([2.0]))
    assert disk.find(key, function) is None
