"""Filters, changes of rate and spectra: rules by themselves, and what is written out against SciPy."""

import numpy as np
import pytest

signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.errors import GradientError, NoGradientError  # noqa: E402
from tapeless.rules import declare  # noqa: E402
from tapeless.testing import check_grads, check_rule  # noqa: E402

rng = np.random.default_rng(0)
x, b, a = rng.normal(size=(2, 9)), rng.normal(size=3), np.array([1.3, 0.4, -0.2])
state, z = rng.normal(size=(2, 2)), rng.normal(size=(2, 8)) * (1.0 + 0.5j)
even = x[:, :8]

RULES = [
    (signal.lfilter, (b, a, x), {}),
    (signal.lfilter, (b, a, x.T, 0), {}),
    (signal.lfilter, (b, a, x, -1, state), {}),
    (signal.lfilter, (b, a[:2], x.T, 0, state.T), {}),
    (signal.lfilter, (b[:2], a, x[:, :1], -1, state[:1]), {}),
    (signal.lfilter, (b, 1.3, x), {}),
    (signal.lfilter, (0.7, a, x, -1, state), {}),
    (signal.lfilter, (b, 1.3, x, -1, state), {}),
    (signal.detrend, (x,), {"bp": [4]}),
    (signal.detrend, (x, 0, "constant"), {}),
    *((signal.hilbert, (x, n), {}) for n in (None, 5, 12)),
    *((signal.resample, (x, n), {"axis": 1}) for n in (6, 12)),
    *((signal.resample, (even, n), {"axis": 1, "window": "hann"}) for n in (6, 8, 12)),
    *((signal.resample, (z, n), {"axis": -1}) for n in (5, 6, 10)),
    *((signal.upfirdn, (b, x, up, down), {}) for up, down in ((2, 3), (3, 2))),
    (signal.upfirdn, (b, x.T, 1, 4, 0), {}),
    (signal.czt, (x,), {}),
    (signal.czt, (z, 7), {"axis": 0}),
]


@pytest.mark.parametrize(
    ("fn", "args", "keywords"), RULES, ids=lambda x: getattr(x, "__name__", "")
)
def test_rule(fn, args, keywords):
    check_rule(fn, *args, check_rtol=1e-5, **keywords)


long, sos = rng.normal(size=(2, 23)), signal.butter(4, 0.3, output="sos")
B, A = signal.butter(3, 0.3)
spectrum = signal.stft(long, nperseg=8)[2]
segments = {"nperseg": 8, "noverlap": 6, "nfft": 12}

WRITTEN = [
    (signal.lfilter_zi, (b, a[:2]), {}),
    (signal.sosfilt_zi, (sos,), {}),
    (signal.filtfilt, (B, A, long), {}),
    (signal.filtfilt, (B, A, long.T, 0, "constant", 5), {}),
    (signal.sosfiltfilt, (sos, long), {"padtype": "even", "padlen": 5}),
    (signal.sosfiltfilt, (sos, long.T, 0), {"padtype": None}),
    (signal.deconvolve, (long[0], b), {}),
    *((signal.resample_poly, (long, 3, 2, 1), {"padtype": kind}) for kind in ("constant", "mean")),
    (signal.resample_poly, (long.T, 2, 6), {"window": b}),
    (signal.decimate, (np.tile(long, 2), 2), {}),
    (signal.decimate, (long.T, 2, 4), {"axis": 0, "zero_phase": False}),
    *((signal.decimate, (long, 3), {"ftype": "fir", "zero_phase": ahead}) for ahead in (0, 1)),
    *((signal.savgol_filter, (long, 5, 2), {"mode": kind}) for kind in ("interp", "nearest")),
    (signal.savgol_filter, (long.T, 7, 3, 1, 0.5, 0), {}),
    (signal.welch, (long,), {"nperseg": 8}),
    (
        signal.welch,
        (long.T, 2.0),
        {"axis": 0, "average": "median", "detrend": "linear", **segments},
    ),
    (signal.welch, (long * 1j, 2.0, np.hanning(9)), {"scaling": "spectrum", "detrend": False}),
    (signal.periodogram, (long, 3.0, "hann", 16), {}),
    (signal.periodogram, (long.T,), {"nfft": 32, "axis": 0, "return_onesided": False}),
    (signal.csd, (long[0], long[1, :20]), segments),
    (signal.csd, (long, long[::-1]), {"average": "median", **segments}),
    (signal.coherence, (long[0], long[1]), segments),
    (signal.spectrogram, (long.T,), {"axis": 0, "nperseg": 8}),
    *((signal.stft, (long,), {"boundary": kind, **segments}) for kind in ("zeros", "odd", None)),
    (signal.stft, (long.T, 2.0), {"axis": 0, "scaling": "psd", "padded": False, "nperseg": 7}),
    (signal.istft, (spectrum,), {}),
    (signal.istft, (spectrum.swapaxes(1, 2),), {"time_axis": 1, "freq_axis": 2, "scaling": "psd"}),
    (signal.freqz, (b, a, 16), {"whole": True}),
    (signal.freqz, (b, 1, np.array([0.3, 1.0])), {"fs": 5.0}),
    (signal.sosfreqz, (sos, 8), {}),
]


@pytest.mark.parametrize(
    ("fn", "args", "keywords"), WRITTEN, ids=lambda x: getattr(x, "__name__", "")
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
def test_what_is_written_out_has_the_value_of_scipy(fn, args, keywords):
    found, wanted = declare.find_written(fn)(*args, **keywords), fn(*args, **keywords)
    several = isinstance(wanted, tuple)
    for part, whole in zip(*((found, wanted) if several else ((found,), (wanted,))), strict=True):
        assert np.shape(part) == np.shape(whole)
        assert np.allclose(part, whole, rtol=1e-9, atol=1e-12)


def filtered(x, c, z):
    sos = np.concatenate([c[:, :3], np.ones((2, 1)), c[:, 3:]], axis=1)
    y, end = signal.sosfilt(sos, x, zi=z)
    both_ways = signal.filtfilt(c[0, :3], np.array([1.0, 0.4, -0.2]), x)
    return np.sum(y**2) + np.sum(end**2) + np.sum(both_ways * signal.sosfilt(sos, x.T, axis=0).T)


def spectra(x, b):
    _, _, z = signal.stft(x, nperseg=8)
    _, y = signal.istft(z * (1.0 + np.abs(z) ** 2), nperseg=8)
    power = signal.welch(signal.savgol_filter(y, 5, 2), nperseg=8)[1]
    _, cross = signal.csd(x[0], signal.resample_poly(x[1], 2, 3), nperseg=8)
    return np.sum(power**2) + np.sum(np.abs(cross * signal.freqz(b, worN=5)[1]) ** 2)


coefficients = sos[:, [0, 1, 2, 4, 5]].copy()


@pytest.mark.parametrize(
    ("f", "args"),
    [(filtered, (long, coefficients, rng.normal(size=(2, 2, 2)))), (spectra, (long, b))],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_derivatives(f, args):
    check_grads(f, *args, order=1, rtol=1e-5, modes=("reverse",))


def test_a_filter_of_constant_coefficients_runs_backwards():
    text = tl.source(lambda x: np.sum(signal.sosfilt(sos, x) ** 2), like=(long[0],))
    assert "np.flip(signal.sosfilt(sos, np.flip(" in text


def test_what_is_refused():
    with pytest.raises(NoGradientError, match="spiral"):
        tl.grad(lambda w: np.sum(np.abs(signal.czt(x, 5, w))))(0.3)
    with pytest.raises(GradientError, match="longer"):
        tl.grad(lambda x: np.sum(signal.filtfilt(B, A, x)))(x)


def designed_here(x):
    y = signal.lfilter(*signal.butter(2, 0.3), x) + signal.filtfilt(*signal.iirnotch(0.3, 4.0), x)
    return np.sum(y**3) + np.sum(signal.lfilter(signal.firwin(3, 0.3), 1.0, x) ** 3)


def designed_by_sections(x):
    sos = signal.cheby1(3, 1.0, 0.3, output="sos")
    return np.sum(signal.sosfiltfilt(sos, x, padlen=4) ** 3)


@pytest.mark.parametrize("f", [designed_here, designed_by_sections])
def test_filters_designed_within(f):
    check_grads(f, np.resize(x, 14), order=2)


@pytest.mark.parametrize(
    "design",
    [
        lambda form: signal.butter(2, 0.3, output=form),
        lambda form: signal.bessel(2, 0.3, output=form),
        lambda form: signal.cheby1(2, 1.0, 0.3, output=form),
        lambda form: signal.cheby2(2, 20.0, 0.3, output=form),
        lambda form: signal.ellip(2, 1.0, 20.0, 0.3, output=form),
        lambda form: signal.iirdesign(0.3, 0.5, 1.0, 20.0, output=form),
        lambda form: signal.iirfilter(2, 0.3, btype="low", output=form),
    ],
)
def test_designs_have_the_form_that_is_asked_for(design):
    b, a = design("ba")
    assert b.ndim == a.ndim == 1 and design("sos").shape[1:] == (6,)
