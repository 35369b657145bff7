"""Functions that `functools.singledispatch` chooses by the class of their first argument."""

import dataclasses
import functools

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([0.3, 0.7, 1.1])


@dataclasses.dataclass
class Spring:
    k: float


@dataclasses.dataclass
class Weight:
    m: float


class Heavy(Weight):
    pass


@functools.singledispatch
def energy(part, x):
    raise TypeError(part)


@energy.register
def _(part: Spring, x):
    return 0.5 * part.k * np.sum(x**2)


@energy.register(Weight)
def energy_of_weight(part, x):
    return part.m * x[0]


@functools.singledispatch
def square(v):
    return v * v


@square.register(np.ndarray)
def square_of_array(v):
    return np.sum(v * v * v)


PARTS = [Spring(2.0), Weight(3.0), Heavy(1.0)]


def of_objects_made_here(x):
    return energy(Spring(x[0]), x) + energy(Heavy(x[1]), x)


def of_objects_in_a_list(x):
    return sum(energy(part, x) for part in PARTS)


def of_numbers_and_arrays(x):
    return square(x) * square(x[0])


@pytest.mark.parametrize("f", [of_objects_made_here, of_objects_in_a_list, of_numbers_and_arrays])
def test_chosen_by_class(f):
    check_grads(f, X, order=2, replay=True)


def test_registered_later():
    @functools.singledispatch
    def scaled(part, x):
        return 0.0

    @scaled.register
    def _(part: Weight, x):
        return part.m * np.sum(x)

    gradient = tl.grad(lambda x: scaled(PARTS[2], x))
    assert np.allclose(gradient(X), 1.0)
    scaled.register(Heavy)(lambda part, x: 5.0 * part.m * np.sum(x))
    assert np.allclose(gradient(X), 5.0)
