"""What is complex is known to be, also where the rank of what it is computed from is not known."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1, 0.9, -0.4])


def part_of_an_analytic_signal(x):
    from scipy.ndimage import gaussian_filter1d
    from scipy.signal import hilbert

    return np.sum(np.imag(hilbert(gaussian_filter1d(x, 1.0))) ** 2)


def envelope(x):
    from scipy.signal import hilbert

    return np.sum(np.abs(hilbert(np.unwrap(x))) ** 3)


def complex_coefficients(x):
    from scipy.ndimage import gaussian_filter1d

    return np.sum(np.imag(np.polyval([1.0, 2j, 0.5], gaussian_filter1d(x, 1.0)) ** 2))


def sums_along_an_axis(x):
    y = np.real_if_close(np.outer(x, x))
    return np.sum(np.cumsum(y, axis=0) ** 2 * y)


@pytest.mark.parametrize(
    "f", [part_of_an_analytic_signal, envelope, complex_coefficients, sums_along_an_axis]
)
def test_laws_and_replay(f):
    pytest.importorskip("scipy")
    laws.check_orders(f, X)
