"""Rules for `scipy.fft`, `scipy.integrate` and `scipy.signal`."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy import fft, integrate, signal  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.testing import check_grads, check_rule  # noqa: E402


def normal(*shape):
    return np.asarray(np.random.default_rng(3 * shape[0] + shape[-1]).normal(size=shape))


x5, x3, m = normal(5), normal(3), normal(4, 3)
MODES = ("full", "same", "valid")
CALLS = [
    *(
        (fft.dct, (m, kind), {"axis": 0, "norm": norm})
        for kind in (2, 3)
        for norm in (None, "ortho")
    ),
    *((signal.convolve, (x5, x3, mode), {}) for mode in MODES),
    *((signal.convolve, (x3, x5, mode), {}) for mode in MODES),
    *((signal.correlate, (x5, x3, mode), {}) for mode in MODES),
    *((signal.correlate, (x3, x5, mode), {}) for mode in MODES),
    (signal.convolve, (m, normal(2, 2), "same"), {}),
    (signal.convolve, (x5 + 1j * normal(5)[::-1], x3 + 0.5j), {}),
    (signal.correlate, (m, normal(2, 2), "valid"), {}),
    (signal.fftconvolve, (x5, x3, "same"), {}),
    (signal.oaconvolve, (x5, x3, "valid"), {}),
    *((signal.fftconvolve, (m, m[:, :2], mode), {"axes": 1}) for mode in MODES),
    *((signal.oaconvolve, (m[:1], m[:, :2], mode), {"axes": [-1]}) for mode in MODES),
    (signal.fftconvolve, (m + 1j * m**2, m[:, :1] * 1j, "same"), {"axes": 0}),
    (signal.lfilter, (x3, np.array([1.3, 0.4, -0.2]), x5), {}),
    (signal.lfilter, (x3, np.array([1.0, 0.4]), m, 0), {}),
]


@pytest.mark.parametrize(
    ("fn", "args", "keywords"), CALLS, ids=lambda x: getattr(x, "__name__", "")
)
def test_rule(fn, args, keywords):
    check_rule(fn, *args, **keywords, check_rtol=1e-5)


def integrals(y, x):
    uneven = integrate.simpson(y, x=x) + integrate.simpson(y[:-1], x=x[:-1])
    even = integrate.simpson(y, dx=0.3) + integrate.trapezoid(y, x) + integrate.trapezoid(y[:2])
    running = np.sum(integrate.cumulative_trapezoid(y, x, initial=0.0) ** 2)
    smooth = np.sum(integrate.cumulative_simpson(y, x=x, initial=0.0) ** 2)
    return uneven + even + running + smooth + integrate.romb(y, dx=0.3) ** 2


def spectra(x, y):
    z = fft.ifft(fft.fft(x) * fft.fft(y)).real
    return np.sum(z**3) + np.sum(np.abs(fft.rfft(x)) ** 2) + np.sum(fft.fftshift(y) * x)


def filtered(b, x):
    return np.sum(signal.lfilter(b, [1.0, -0.5], x) ** 2) + np.sum(
        signal.convolve(x, b, "same") ** 3
    )


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (integrals, (x5, np.array([0.0, 0.4, 1.0, 1.3, 2.1]))),
        (spectra, (x5, normal(5)[::-1].copy())),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_functions(f, args):
    assert np.allclose(tl.value_and_grad(f)(*args)[0], f(*args))
    check_grads(f, *args, order=1, rtol=1e-5)


def test_second_order():
    check_grads(filtered, x3, x5, order=2, modes=("forward",), rtol=1e-5)


def test_an_integral_in_its_limit():
    check_grads(lambda a: integrate.nquad(np.cos, [(0.0, a)])[0], 0.7, order=1, rtol=1e-5)
