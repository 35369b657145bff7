"""Spectra: short-time Fourier transforms, periodograms and their means, answers of filters to a frequency."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import scalars, signals
from tapeless.rules.traits import traits
from tapeless.runtime import real_for_real
from tapeless.runtime.filters import surrounded
from tapeless.runtime.fourier import fitted
from tapeless.runtime.spectra import median_bias, overlapped, segments, window_and_size

built_in_zero(median_bias, kind=scalars.real_number)
built_in_zero(window_and_size, kind=signals.window_and_size)
traits(segments, overlapped, says_more=True)


@register_gradient(segments, kind=signals.parts_of, linear=True)
def segments_rule(x: Any, size: Any, step: Any) -> Any:
    """Each sample collects the cotangents of the segments that show it."""
    y = segments(x, size, step)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        return fitted(overlapped(y_bar, step), shape), None, None

    return y, grad


@register_gradient(overlapped, kind=signals.joined_segments, linear=True)
def overlapped_rule(parts: Any, step: Any) -> Any:
    """Each segment is cut out of the cotangent."""
    y = overlapped(parts, step)
    size = np.shape(parts)[-1]

    def grad(y_bar: Any) -> Any:
        return segments(y_bar, size, step), None

    return y, grad


for _scale in ("w", "a"):
    no_derivative("the scales of the spiral are constants", signal.czt, parameter=_scale)


@register_gradient(signal.czt, kind=signals.analytic, linear=True)
def signal_czt(x: Any, m: Any = None, w: Any = None, a: Any = 1 + 0j, *, axis: Any = -1) -> Any:
    """The matrix a^-n w^(n k) is transposed by exchanging the scale of one side for the other."""
    y = signal.czt(x, m=m, w=w, a=a, axis=axis)
    size = np.shape(x)[axis]

    def grad(y_bar: Any) -> Any:
        count = np.shape(y_bar)[axis]
        step = np.exp(-2j * np.pi / count) if w is None else w
        pulled = np.moveaxis(signal.czt(y_bar, m=size, w=step, axis=axis), axis, -1)
        scaled = np.moveaxis(pulled * a ** -np.arange(size), -1, axis)
        return real_for_real(scaled, x), None, None, None, None

    return y, grad


# Spectra of segments


def transformed(
    x: Any, window: Any, size: Any, overlap: Any, nfft: Any, detrend: Any, onesided: Any
) -> Any:
    """Return the spectra of the segments of a signal, along the last axis."""
    parts = segments(x, size, size - overlap)
    if detrend:
        parts = signal.detrend(parts, type=detrend)
    if onesided:
        return np.fft.rfft(parts * window, n=nfft)
    return np.fft.fft(parts * window, n=nfft)


def frequencies(nfft: Any, fs: Any, onesided: Any) -> Any:
    return np.fft.rfftfreq(nfft, 1.0 / fs) if onesided else np.fft.fftfreq(nfft, 1.0 / fs)


def scale_of(window: Any, fs: Any, scaling: Any) -> Any:
    """Return by what power spectra are multiplied."""
    if scaling == "density":
        return 1.0 / (fs * np.sum(window * window))
    return 1.0 / np.sum(window) ** 2


def counts_of_sides(nfft: Any, onesided: Any) -> Any:
    """Return how many frequencies each one stands for: two, but for the ends of one side."""
    if not onesided:
        return np.ones(nfft)
    counts = np.full(nfft // 2 + 1, 2.0)
    counts[0] = 1.0
    if nfft % 2 == 0:
        counts[-1] = 1.0
    return counts


def averaged(power: Any, average: Any) -> Any:
    """Return the mean, or median, over the segments."""
    if average == "mean":
        return np.mean(power, axis=-2)
    bias = median_bias(np.shape(power)[-2])
    if np.iscomplexobj(power):
        real, imag = np.median(np.real(power), axis=-2), np.median(np.imag(power), axis=-2)
        return (real + 1j * imag) / bias
    return np.median(power, axis=-2) / bias


def power_spectra(
    x: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any,
    onesided: Any, scaling: Any, axis: Any,
) -> Any:  # fmt: skip
    """Return the frequencies and the power at each, segment by segment."""
    x = np.moveaxis(x, axis, -1)
    onesided = onesided and not np.iscomplexobj(x)
    win, size = window_and_size(window, nperseg, np.shape(x)[-1])
    overlap = size // 2 if noverlap is None else noverlap
    length = size if nfft is None else nfft
    found = transformed(x, win, size, overlap, length, detrend, onesided)
    weights = scale_of(win, fs, scaling) * counts_of_sides(length, onesided)
    power = (np.real(found) ** 2 + np.imag(found) ** 2) * weights
    return frequencies(length, fs, onesided), power


def signal_welch(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True,
    scaling: Any = "density", axis: Any = -1, average: Any = "mean",
) -> Any:  # fmt: skip
    f, power = power_spectra(
        x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis
    )
    return f, np.moveaxis(averaged(power, average), -1, axis)


def signal_periodogram(
    x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Any = "density", axis: Any = -1,
) -> Any:  # fmt: skip
    x = np.moveaxis(x, axis, -1)
    size = np.shape(x)[-1] if nfft is None else min(nfft, np.shape(x)[-1])
    f, power = power_spectra(
        x[..., :size], fs, "boxcar" if window is None else window, size, 0, nfft, detrend,
        return_onesided, scaling, -1,
    )  # fmt: skip
    return f, np.moveaxis(power[..., 0, :], -1, axis)


def signal_csd(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True,
    scaling: Any = "density", axis: Any = -1, average: Any = "mean",
) -> Any:  # fmt: skip
    x, y = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
    length = max(np.shape(x)[-1], np.shape(y)[-1])
    x, y = fitted(x, (*np.shape(x)[:-1], length)), fitted(y, (*np.shape(y)[:-1], length))
    onesided = return_onesided and not np.iscomplexobj(x) and not np.iscomplexobj(y)
    win, size = window_and_size(window, nperseg, length)
    overlap = size // 2 if noverlap is None else noverlap
    count = size if nfft is None else nfft
    first = transformed(x, win, size, overlap, count, detrend, onesided)
    second = transformed(y, win, size, overlap, count, detrend, onesided)
    weights = scale_of(win, fs, scaling) * counts_of_sides(count, onesided)
    power = averaged(np.conj(first) * second * weights, average)
    return frequencies(count, fs, onesided), np.moveaxis(power, -1, axis)


def signal_coherence(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", axis: Any = -1,
) -> Any:  # fmt: skip
    f, pxx = signal.welch(x, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, pyy = signal.welch(y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, pxy = signal.csd(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    return f, (np.real(pxy) ** 2 + np.imag(pxy) ** 2) / pxx / pyy


def signal_spectrogram(
    x: Any, fs: Any = 1.0, window: Any = ("tukey", 0.25), nperseg: Any = None,
    noverlap: Any = None, nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Any = "density", axis: Any = -1, mode: Any = "psd",
) -> Any:  # fmt: skip
    if mode != "psd":
        raise GradientError('spectrogram is differentiated for mode="psd"', fix="take stft")
    length = np.shape(x)[axis]
    _, size = window_and_size(window, nperseg, length)
    overlap = size // 8 if noverlap is None else noverlap
    f, power = power_spectra(
        x, fs, window, nperseg, overlap, nfft, detrend, return_onesided, scaling, axis
    )
    times = np.arange(size / 2, length - size / 2 + 1, size - overlap) / fs
    place = axis - 1 if axis < 0 else axis
    return f, times, np.moveaxis(np.swapaxes(power, -1, -2), -2, place)


def signal_stft(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = 256, noverlap: Any = None,
    nfft: Any = None, detrend: Any = False, return_onesided: Any = True, boundary: Any = "zeros",
    padded: Any = True, axis: Any = -1, scaling: Any = "spectrum",
) -> Any:  # fmt: skip
    x = np.moveaxis(x, axis, -1)
    onesided = return_onesided and not np.iscomplexobj(x)
    win, size = window_and_size(window, nperseg, np.shape(x)[-1])
    overlap = size // 2 if noverlap is None else noverlap
    count, edge = size if nfft is None else nfft, size // 2
    if boundary == "zeros":
        x = np.pad(x, [(0, 0)] * (np.ndim(x) - 1) + [(edge, edge)])
    elif boundary is not None:
        x = surrounded(x, edge, -1, boundary)
    length = np.shape(x)[-1]
    if padded:
        length = length + (-(length - size) % (size - overlap)) % size
        x = fitted(x, (*np.shape(x)[:-1], length))
    found = transformed(x, win, size, overlap, count, detrend, onesided)
    scale = np.sqrt(scale_of(win, fs, "density" if scaling == "psd" else scaling))
    times = np.arange(size / 2, length - size / 2 + 1, size - overlap) / fs
    if boundary is not None:
        times = times - size / 2 / fs
    place = axis - 1 if axis < 0 else axis
    spectra = np.moveaxis(np.swapaxes(found, -1, -2), -2, place)
    return frequencies(count, fs, onesided), times, spectra * scale


def signal_istft(
    Zxx: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, input_onesided: Any = True, boundary: Any = True, time_axis: Any = -1,
    freq_axis: Any = -2, scaling: Any = "spectrum",
) -> Any:  # fmt: skip
    spectra = np.moveaxis(Zxx, (time_axis, freq_axis), (-2, -1))
    count = np.shape(spectra)[-1]
    usual = 2 * (count - 1) if input_onesided else count
    size = usual if nperseg is None else nperseg
    if nfft is not None:
        usual = nfft
    elif input_onesided and size == usual + 1:
        usual = size
    step = size - (size // 2 if noverlap is None else noverlap)
    win, _ = window_and_size(window, size, size)
    inverse: Any = np.fft.irfft if input_onesided else np.fft.ifft
    parts = inverse(spectra, n=usual)[..., :size]
    scale = np.sum(win) if scaling == "spectrum" else np.sqrt(fs * np.sum(win * win))
    x = overlapped(parts * (win * scale), step)
    weights = overlapped(np.tile(win * win, (np.shape(spectra)[-2], 1)), step)
    edge = size // 2 if boundary else 0
    kept = slice(edge, np.shape(x)[-1] - edge)
    x = x[..., kept] / np.where(weights[kept] > 1e-10, weights[kept], 1.0)
    return np.arange(np.shape(x)[0]) / fs, x


# Answers of filters


def signal_freqz(
    b: Any, a: Any = 1, worN: Any = 512, whole: Any = False, plot: Any = None,
    fs: Any = 2.0 * np.pi, include_nyquist: Any = False,
) -> Any:  # fmt: skip
    w = sampled_frequencies(worN, whole, fs, include_nyquist)
    turn = np.exp(-2j * np.pi * w / fs)
    return w, answer_of(b, turn) / answer_of(a, turn)


def sampled_frequencies(wanted: Any, whole: Any, fs: Any, include_nyquist: Any) -> Any:
    """Return the frequencies at which a filter is asked: so many evenly spaced ones, or those given."""
    if isinstance(wanted, (np.ndarray, list, tuple)):
        return np.asarray(wanted, dtype=float)
    count = 512 if wanted is None else wanted
    end = fs if whole else 0.5 * fs
    return np.linspace(0.0, end, count, endpoint=include_nyquist and not whole)


def answer_of(b: Any, turn: Any) -> Any:
    """Return the sum of b[k] * turn^k."""
    weights = np.atleast_1d(b)
    return np.power.outer(turn, np.arange(np.shape(weights)[0])) @ weights


def signal_freqz_sos(sos: Any, worN: Any = 512, whole: Any = False, fs: Any = 2.0 * np.pi) -> Any:
    w = sampled_frequencies(worN, whole, fs, False)
    turn = np.exp(-2j * np.pi * w / fs)
    h: Any = 1.0
    for k in range(len(sos)):
        h = h * answer_of(sos[k, :3], turn) / answer_of(sos[k, 3:], turn)
    return w, h


built_in_zero(sampled_frequencies, kind=signals.vector)

for _function in (
    signal_welch, signal_periodogram, signal_csd, signal_coherence, signal_spectrogram, signal_stft,
    signal_istft, signal_freqz,
):  # fmt: skip
    written_out(getattr(signal, _function.__name__.removeprefix("signal_")), _function)
written_out(signal.sosfreqz, signal_freqz_sos)
if hasattr(signal, "freqz_sos"):  # since SciPy 1.15
    written_out(signal.freqz_sos, signal_freqz_sos)
