"""What is unpacked from a short vector is a Python float, as long as that computes the same."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws


def slope(state, params):
    a, b = params
    x, v = state
    return np.array([v, -a * x - b * v])


def stepped(params, start, h, steps):
    state = start
    for _ in range(steps):
        middle = state + 0.5 * h * slope(state, params)
        state = state + h * slope(middle, params)
    return np.sum(state**2)


def divided(params, steps):
    z = np.zeros(2)
    for _ in range(steps):
        a, b = params
        z = np.array([z[0] + a / b, z[1] * a + 1.0 / a])
    return z @ z


def of_a_valley(x):
    a, b = x
    return (1 - a) ** 2 + 100 * (b - a**2) ** 2


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (stepped, (np.array([1.1, 0.4]), np.array([1.0, 0.0]), 0.1, 3)),
        (divided, (np.array([1.1, 0.4]), 3)),
        (of_a_valley, (np.array([1.1, 0.4]),)),
    ],
)
def test_derivative(function, args):
    laws.check_function(function, args)
    check_replay(function, *args)


def test_text():
    text = tl.source(stepped, like=(np.ones(2), np.ones(2), 0.1, 3))
    assert "np.float64" not in text and "params_0 = " not in text
    assert "v_8" not in text
    text = tl.source(of_a_valley, like=(np.ones(2),))
    assert "np.array([a_bar, " in text


def test_a_zero_divides_as_in_numpy():
    with np.errstate(all="ignore"):
        value = divided(np.array([1.0, 0.0]), 1)
        got, _ = tl.value_and_grad(divided)(np.array([1.0, 0.0]), 1)
    assert np.isinf(value) and got == value
