"""Windows in their parameters: values against SciPy, derivatives against differences."""

import numpy as np
import pytest

windows = pytest.importorskip("scipy.signal.windows", reason="SciPy is not installed")

from scipy import signal  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.rules import declare  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

WINDOWS = [
    (windows.kaiser, 3.0),
    (windows.gaussian, 2.0),
    (windows.general_gaussian, 1.5, 2.2),
    (windows.general_gaussian, 0.3, -2.2),
    (windows.general_gaussian, 300.0, 2.2),
    (windows.exponential, None, 1.3),
    (windows.tukey, 0.43),
    (windows.tukey, 0.0),
    (windows.tukey, 1.5),
    (windows.general_cosine, [0.4, 0.5, 0.1]),
    (windows.general_hamming, 0.6),
]
NAMED = [
    ("kaiser", 3.0), ("gaussian", 2.0), ("general_gaussian", 1.5, 2.2), ("tukey", 0.4),
    ("exponential", None, 1.3), ("exponential", 2.0, 1.3), ("general_cosine", [0.4, 0.5, 0.1]),
    ("general_hamming", 0.6), 3.5,
]  # fmt: skip


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8])
@pytest.mark.parametrize("sym", [True, False])
@pytest.mark.parametrize(("fn", "given"), [(fn, given) for fn, *given in WINDOWS])
def test_values(fn, given, sym, count):
    found = declare.find_written(fn)(count, *given, sym=sym)
    np.testing.assert_allclose(found, fn(count, *given, sym=sym), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("window", NAMED, ids=str)
@pytest.mark.parametrize("fftbins", [True, False])
def test_values_by_name(window, fftbins):
    if not fftbins and window == ("exponential", 2.0, 1.3):
        pytest.skip("a symmetric window has its middle")
    found = declare.find_written(signal.get_window)(window, 8, fftbins)
    np.testing.assert_allclose(found, signal.get_window(window, 8, fftbins), rtol=1e-12)


def test_values_that_are_halved():
    found = declare.find_written(windows.kaiser_bessel_derived)(8, 3.0)
    np.testing.assert_allclose(found, windows.kaiser_bessel_derived(8, 3.0), rtol=1e-12)


def of_bessel_functions(beta):
    halves = windows.kaiser_bessel_derived(6, beta=beta)
    return windows.kaiser(6, beta) * halves + signal.get_window(("kaiser", beta), 6)


def of_powers(std, p):
    places = windows.gaussian(5, std=std) * windows.general_gaussian(5, p, std, sym=False)
    return places + windows.exponential(5, tau=p, sym=True)


def of_cosines(alpha):
    tops = windows.tukey(7, alpha, sym=False) + signal.get_window(("tukey", alpha), 7, False)
    return tops * windows.general_hamming(7, alpha) + windows.general_cosine(7, [alpha, 0.5, alpha])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("f", "args"),
    [(of_bessel_functions, (2.5,)), (of_powers, (1.7, 1.2)), (of_cosines, (0.43,))],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_derivatives(f, args):
    check_grads(f, *args)


def test_what_has_no_formula_is_refused():
    with pytest.raises(tl.TapelessError, match="eigenvector"):
        tl.grad(lambda a: np.sum(windows.chebwin(8, a)))(60.0)
    with pytest.raises(tl.TapelessError, match="have a formula"):
        tl.grad(lambda a: np.sum(signal.get_window(("chebwin", a), 8)))(60.0)
