"""What is computed with a complex number is complex, whatever is known of the other operand.

A real number beside one of unknown dtype and a complex one had a complex cotangent, as that of
`np.full(3, x)` times a complex constant.
"""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, -0.7, 0.5])


def entry_of_a_filled_array(x):
    v = np.full(3, x)
    return np.sin(((x + v[2]) * (0.3 + 0.8j)).real)


def filled_array(x):
    v = np.full(3, x)
    return np.sum((v * 0.8j).imag)


def filled_with_a_complex_number(x):
    v = np.full(2, x * 1j)
    return np.sum(v.imag * x)


def filled_as_complex(x):
    v = np.full(2, x, dtype=complex)
    return np.sum((v * v * 1j).imag)


def filled_in_a_loop(x):
    s = 0.0
    for k in range(3):
        v = np.full(2, x * k)
        s = s + np.sum((v * v * (1.0 + 0.5j)).imag)
    return s


def filled_and_stored_into(x):
    v = np.full(3, x)
    v[1] = x * x
    return np.sum((v * 2.0j).imag)


def filled_in_a_branch(x):
    v = np.full(3, x) if x > 0.0 else np.full(3, 2.0 * x)
    return np.sum(np.abs(v * (1.0 + 2.0j)))


def scaled(v, c):
    return np.sum((v * c).imag)


def filled_for_a_callee(x):
    return scaled(np.full(3, x), 0.5j) * x


@pytest.mark.parametrize("x", [0.3, -0.4])
@pytest.mark.parametrize(
    "function",
    [
        entry_of_a_filled_array,
        filled_array,
        filled_with_a_complex_number,
        filled_as_complex,
        filled_in_a_loop,
        filled_and_stored_into,
        filled_in_a_branch,
        filled_for_a_callee,
    ],
)
def test_the_cotangent_of_a_real_number_is_real(function, x):
    laws.check_function(function, (x,))


def test_single_precision_stays():
    assert tl.grad(filled_array)(np.float32(0.3)).dtype == np.float32
