"""A name that its owner does not have is an AttributeError with the name that was meant."""

import math

import numpy as np
import pytest

import tapeless as tl

X = np.ones(3)


class Spring:
    def __init__(self):
        self.k = 2.0

    def energy(self, x):
        return self.k * x * x


spring = Spring()


def of_a_module(x):
    return np.summ(x)


def of_a_submodule(x):
    return np.linalg.nrm(x)


def of_math(x):
    return math.sinn(x[0])


def of_an_array(x):
    return (x * x).summ()


def attribute_of_an_array(x):
    return np.sum(x.TT)


def of_a_list(x):
    y = [x]
    y.apend(x * x)
    return np.sum(y[0])


def of_an_object(x):
    return spring.enrgy(x[0])


def in_a_loop(x):
    y = 0.0
    for i in range(3):
        y = y + np.tanhh(x[i])
    return y


def in_a_branch(x):
    if x[0] > 100.0:
        return np.summ(x)
    return x[0] * x[1]


def in_a_callee(x):
    return of_an_array(x) * 2.0


MEANT = {
    of_a_module: "sum",
    of_a_submodule: "norm",
    of_math: "sin",
    of_an_array: "sum",
    attribute_of_an_array: "T",
    of_a_list: "append",
    of_an_object: "energy",
    in_a_loop: "tanh",
    in_a_branch: "sum",
    in_a_callee: "sum",
}


@pytest.mark.parametrize("f", MEANT)
def test_the_name_that_was_meant_is_told(f):
    for ask in (lambda: tl.grad(f)(X), lambda: tl.jvp(f, (X,), (X,))):
        with pytest.raises(AttributeError) as caught:
            ask()
        error = caught.value
        assert isinstance(error, tl.TapelessError)
        assert "has no attribute" in error.reason
        assert error.fix == f"did you mean '{MEANT[f]}'?"
        assert error.filename == __file__


def test_an_attribute_without_a_derivative_says_what_to_do():
    def f(x):
        return np.sum(x.data) * x[0]  # the numbers of x, as a memoryview

    with pytest.raises(tl.TapelessError) as caught:
        tl.grad(f)(X)
    assert "its derivative is dropped" in caught.value.fix
