"""Linear filters: the adjoint is the filter run backwards in time.

With varying coefficients, too: ``a * y == b * x``, with convolutions for products, is linear in each of
its four parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal
from scipy.signal import convolve, lfilter

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.results.signals import (
    analytic,
    designed,
    filtered,
    filtered_by_sections,
    like,
    pairs,
    two_vectors,
    vector,
    weights,
)
from tapeless.rules.traits import traits
from tapeless.runtime.filters import (
    bars_with_state,
    delayed_products,
    dots_with_state,
    filtered_back,
    sections_bar,
    sections_bars_with_state,
    sections_dots,
    sections_dots_with_state,
    surrounded,
)
from tapeless.runtime.fourier import fitted

for _design, _place in (
    (signal.butter, 4), (signal.bessel, 4), (signal.cheby1, 5), (signal.cheby2, 5),
    (signal.ellip, 6), (signal.iirdesign, 6), (signal.iirfilter, 7),
):  # fmt: skip
    traits(_design, kind=designed(_place))
traits(signal.iirnotch, kind=two_vectors)
traits(signal.iirpeak, kind=two_vectors)
for _design in (signal.firwin, signal.firwin2, signal.firls, signal.remez, signal.get_window):
    traits(_design, kind=vector)

traits(filtered_back, says_more=True, shows=(), kind=like(2, "y_bar"))
traits(bars_with_state, dots_with_state, says_more=True)
traits(sections_bar, sections_bars_with_state, sections_dots, says_more=True)
traits(sections_dots_with_state, says_more=True)


@register_gradient(signal.lfilter, kind=filtered)
def signal_lfilter(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """Here a * y = b * x as convolutions, so a * dy = db * x + b * dx - da * y.

    Each of a and b may be a single number.
    """
    y = signal.lfilter(b, a, x, axis=axis, zi=zi)

    def grad(*y_bars: Any) -> Any:
        if zi is None:
            pulled = filtered_back(np.ones_like(a, shape=(1,)), a, y_bars[0], axis)
            x_bar = filtered_back(b, a, y_bars[0], axis)
            b_bar = np.reshape(delayed_products(pulled, x, np.size(b), axis), np.shape(b))
            a_bar = np.reshape(delayed_products(pulled, y, np.size(a), axis), np.shape(a))
            return b_bar, -a_bar, x_bar, None, None
        bars = bars_with_state(y_bars[0], y_bars[1], b, a, x, y[0], zi, y[1], axis)
        return bars[0], bars[1], bars[2], None, bars[3]

    def jvp(b_dot: Any, a_dot: Any, x_dot: Any, zi_dot: Any = 0.0) -> Any:
        if zi is None:
            one = np.ones_like(a, shape=(1,))
            moved = signal.lfilter(b_dot, one, x, axis=axis)
            moved = moved + signal.lfilter(b, one, x_dot, axis=axis)
            moved = moved - signal.lfilter(a_dot, one, y, axis=axis)
            return signal.lfilter(one, a, moved, axis=axis)
        return dots_with_state(b_dot, a_dot, x_dot, zi_dot, b, a, x, y[0], zi, y[1], axis)

    return y, grad, jvp


@register_gradient(delayed_products, kind=weights, says_more=True, shows=())
def delayed_products_rule(pulled: Any, x: Any, count: Any, axis: Any) -> Any:
    """Linear in each of both; the one ends before the other, and counts as zero from there on."""
    b_bar = delayed_products(pulled, x, count, axis)

    def grad(g: Any) -> Any:
        one = np.ones_like(g[:1])
        pulled_bar = signal.lfilter(g, one, fitted(x, np.shape(pulled)), axis=axis)
        x_bar = fitted(filtered_back(g, one, pulled, axis), np.shape(x))
        return pulled_bar, x_bar, None, None

    def jvp(pulled_dot: Any, x_dot: Any) -> Any:
        moved = delayed_products(pulled_dot, x, count, axis)
        return moved + delayed_products(pulled, x_dot, count, axis)

    return b_bar, grad, jvp


@register_gradient(signal.sosfilt, kind=filtered_by_sections)
def signal_sosfilt(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """The sections, one after the other, are run backwards in any order."""
    y = signal.sosfilt(sos, x, axis=axis, zi=zi)

    def grad(*y_bars: Any) -> Any:
        if zi is None:
            x_bar = np.flip(signal.sosfilt(sos, np.flip(y_bars[0], axis), axis=axis), axis)
            return sections_bar(y_bars[0], sos, x, axis), x_bar, None, None
        bars = sections_bars_with_state(y_bars[0], y_bars[1], sos, x, zi, y[1], axis)
        return bars[0], bars[1], None, bars[2]

    def jvp(sos_dot: Any, x_dot: Any, zi_dot: Any = 0.0) -> Any:
        if zi is None:
            return sections_dots(sos_dot, x_dot, sos, x, axis)
        return sections_dots_with_state(sos_dot, x_dot, zi_dot, sos, x, zi, axis)

    return y, grad, jvp


@register_gradient(signal.detrend, kind=like(0, "data"), linear=True)
def signal_detrend(data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0) -> Any:
    """What is left of a fit is an orthogonal projection, its own transpose."""
    y = signal.detrend(data, axis=axis, type=type, bp=bp)

    def grad(y_bar: Any) -> Any:
        return signal.detrend(y_bar, axis=axis, type=type, bp=bp), None, None, None

    return y, grad


@register_gradient(signal.hilbert, kind=analytic, linear=True)
def signal_hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    """The imaginary part is the transform of Hilbert, whose transpose is its negative."""
    y = signal.hilbert(x, N=N, axis=axis)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        turned = np.imag(signal.hilbert(np.imag(y_bar), axis=axis))
        x_bar = np.real(y_bar) + turned
        return x_bar if N is None else fitted(x_bar, shape), None, None

    return y, grad


# What is made of these


def signal_lfilter_zi(b: Any, a: Any) -> Any:
    """The state in which a filter answers to a step by a step."""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    size = max(len(a), len(b))
    b, a = fitted(b / a[0], (size,)), fitted(a / a[0], (size,))
    driven = b[1:] - a[1:] * b[0]
    first = np.sum(driven) / np.sum(a)
    before = np.concatenate([np.zeros(1), np.cumsum(driven[:-1])])
    return np.cumsum(a[:-1]) * first - before


def signal_sosfilt_zi(sos: Any) -> Any:
    states, gain = [], 1.0
    for k in range(len(sos)):
        states.append(gain * signal.lfilter_zi(sos[k, :3], sos[k, 3:]))
        gain = gain * np.sum(sos[k, :3]) / np.sum(sos[k, 3:])
    return np.stack(states)


def signal_filtfilt(
    b: Any, a: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None,
    method: Any = "pad", irlen: Any = None,
) -> Any:  # fmt: skip
    if method != "pad":
        raise GradientError('filtfilt is differentiated for method="pad"')
    edge = 3 * max(len(a), len(b)) if padlen is None else padlen
    edge = 0 if padtype is None else edge
    state = signal.lfilter_zi(b, a)
    wide = np.moveaxis(surrounded(x, edge, axis, padtype), axis, -1)
    ahead, _ = signal.lfilter(b, a, wide, axis=-1, zi=state * wide[..., :1])
    turned = np.flip(ahead, -1)
    back, _ = signal.lfilter(b, a, turned, axis=-1, zi=state * turned[..., :1])
    size = np.shape(back)[-1]
    return np.moveaxis(np.flip(back, -1)[..., edge : size - edge], -1, axis)


def signal_sosfiltfilt(
    sos: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None
) -> Any:
    taps = 2 * len(sos) + 1
    taps = taps - min(np.sum(sos[:, 2] == 0), np.sum(sos[:, 5] == 0))
    edge = int(3 * taps) if padlen is None else padlen
    edge = 0 if padtype is None else edge
    wide = np.moveaxis(surrounded(x, edge, axis, padtype), axis, -1)
    state = signal.sosfilt_zi(sos)
    state = np.reshape(state, (len(sos),) + (1,) * (np.ndim(x) - 1) + (2,))
    ahead, _ = signal.sosfilt(sos, wide, axis=-1, zi=state * wide[..., :1])
    turned = np.flip(ahead, -1)
    back, _ = signal.sosfilt(sos, turned, axis=-1, zi=state * turned[..., :1])
    size = np.shape(back)[-1]
    return np.moveaxis(np.flip(back, -1)[..., edge : size - edge], -1, axis)


def signal_deconvolve(signal: Any, divisor: Any) -> Any:
    """Long division: the quotient is what a filter answers to an impulse."""
    size = len(signal) - len(divisor) + 1
    if size < 1:
        return np.zeros(0), signal
    impulse = np.zeros(size)
    impulse[0] = 1.0
    quotient = lfilter(signal, divisor, impulse)
    return quotient, signal - convolve(divisor, quotient, mode="full")


for _function in (signal_filtfilt, signal_sosfiltfilt, signal_deconvolve):
    written_out(getattr(signal, _function.__name__.removeprefix("signal_")), _function)
written_out(signal.lfilter_zi, signal_lfilter_zi, of_constants=vector)
written_out(signal.sosfilt_zi, signal_sosfilt_zi, of_constants=pairs)
