"""Discrete Fourier transforms.

A transform is linear, so its Jacobian is a matrix: `exp(-2 pi i j k / n)` for `fft`, which is
symmetric. The pairing of cotangents and tangents is bilinear, so nothing is conjugated, and the
transpose of `fft` is `fft` again, with the same norm; likewise `ifft`. A real signal gets the real
part of its cotangent, which from half a spectrum one transform back to real numbers finds. The
input is cut or filled up with zeros to the length that is asked for, and its cotangent back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.results import linalg, shapes
from tapeless.runtime import (
    conjugate,
    each_once,
    fitted,
    fitted_back,
    irfftn_bar,
    mirror_counts,
    real_for_real,
    rfftn_bar,
    transposed_norm,
)

# Along one axis


@register_gradient(np.fft.fft, kind=linalg.same_spectrum, linear=True)
def fft_fft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """The matrix of the transform is symmetric: its transpose is itself."""
    y = np.fft.fft(a, n=n, axis=axis, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        a_bar = fitted_back(np.fft.fft(y_bar, n=n, axis=axis, norm=norm), shape, n)
        return real_for_real(a_bar, a), None, None, None

    return y, grad


@register_gradient(np.fft.ifft, kind=linalg.same_spectrum, linear=True)
def fft_ifft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """As `fft`, with the signs of the exponents turned."""
    y = np.fft.ifft(a, n=n, axis=axis, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        a_bar = fitted_back(np.fft.ifft(y_bar, n=n, axis=axis, norm=norm), shape, n)
        return real_for_real(a_bar, a), None, None, None

    return y, grad


@register_gradient(np.fft.rfft, kind=linalg.spectrum, linear=True)
def fft_rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """Each entry of the half spectrum weighs on the signal as itself, not with its mirror image."""
    y = np.fft.rfft(a, n=n, axis=axis, norm=norm)
    shape = np.shape(a)
    size = shape[axis] if n is None else n

    def grad(y_bar: Any) -> Any:
        half = conjugate(y_bar) / mirror_counts(y_bar, size, axis)
        return (
            fitted_back(np.fft.irfft(half, size, axis=axis, norm=transposed_norm(norm)), shape, n),
            None,
            None,
            None,
        )

    return y, grad


@register_gradient(np.fft.irfft, kind=linalg.real_spectrum, linear=True)
def fft_irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """Each entry of the half spectrum stands for its mirror image too."""
    y = np.fft.irfft(a, n=n, axis=axis, norm=norm)
    shape = np.shape(a)
    size = 2 * (shape[axis] - 1) if n is None else n

    def grad(y_bar: Any) -> Any:
        whole = np.conj(np.fft.rfft(y_bar, axis=axis, norm=transposed_norm(norm)))
        a_bar = fitted_back(whole * mirror_counts(whole, size, axis), shape, n)
        return real_for_real(a_bar, a), None, None, None

    return y, grad


@register_gradient(np.fft.hfft, kind=linalg.real_spectrum, linear=True)
def fft_hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """The inverse real transform of the conjugate, undivided."""
    y = np.fft.hfft(a, n=n, axis=axis, norm=norm)
    shape = np.shape(a)
    size = 2 * (shape[axis] - 1) if n is None else n

    def grad(y_bar: Any) -> Any:
        whole = np.fft.rfft(y_bar, axis=axis, norm=norm)
        a_bar = fitted_back(whole * mirror_counts(whole, size, axis), shape, n)
        return real_for_real(a_bar, a), None, None, None

    return y, grad


@register_gradient(np.fft.ihfft, kind=linalg.spectrum, linear=True)
def fft_ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """The conjugate of the real transform, divided."""
    y = np.fft.ihfft(a, n=n, axis=axis, norm=norm)
    shape = np.shape(a)
    size = shape[axis] if n is None else n

    def grad(y_bar: Any) -> Any:
        halved = y_bar / mirror_counts(y_bar, size, axis)
        return (
            fitted_back(np.fft.irfft(halved, size, axis=axis, norm=norm), shape, n),
            None,
            None,
            None,
        )

    return y, grad


# Along several axes


@register_gradient(np.fft.fft2, kind=linalg.same_spectrum, linear=True)
def fft_fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    """As `fft`, along each of the axes."""
    y = np.fft.fft2(a, s=s, axes=axes, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        whole = np.fft.fft2(y_bar, s=s, axes=each_once(axes, s, shape), norm=norm)
        return real_for_real(fitted_back(whole, shape, s), a), None, None, None

    return y, grad


@register_gradient(np.fft.fftn, kind=linalg.same_spectrum, linear=True)
def fft_fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """As `fft`, along each of the axes."""
    y = np.fft.fftn(a, s=s, axes=axes, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        whole = np.fft.fftn(y_bar, s=s, axes=each_once(axes, s, shape), norm=norm)
        return real_for_real(fitted_back(whole, shape, s), a), None, None, None

    return y, grad


@register_gradient(np.fft.ifft2, kind=linalg.same_spectrum, linear=True)
def fft_ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    """As `ifft`, along each of the axes."""
    y = np.fft.ifft2(a, s=s, axes=axes, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        whole = np.fft.ifft2(y_bar, s=s, axes=each_once(axes, s, shape), norm=norm)
        return real_for_real(fitted_back(whole, shape, s), a), None, None, None

    return y, grad


@register_gradient(np.fft.ifftn, kind=linalg.same_spectrum, linear=True)
def fft_ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """As `ifft`, along each of the axes."""
    y = np.fft.ifftn(a, s=s, axes=axes, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        whole = np.fft.ifftn(y_bar, s=s, axes=each_once(axes, s, shape), norm=norm)
        return real_for_real(fitted_back(whole, shape, s), a), None, None, None

    return y, grad


@register_gradient(np.fft.rfft2, kind=linalg.spectrum, linear=True)
def fft_rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    """As `rfft` along the last of the axes, and `fft` along the others."""
    y = np.fft.rfft2(a, s=s, axes=axes, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return rfftn_bar(y_bar, shape, s, axes, norm), None, None, None

    return y, grad


@register_gradient(np.fft.rfftn, kind=linalg.spectrum, linear=True)
def fft_rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """As `rfft` along the last of the axes, and `fft` along the others."""
    y = np.fft.rfftn(a, s=s, axes=axes, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return rfftn_bar(y_bar, shape, s, axes, norm), None, None, None

    return y, grad


@register_gradient(np.fft.irfft2, kind=linalg.real_spectrum, linear=True)
def fft_irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    """As `irfft` along the last of the axes, and `ifft` along the others."""
    y = np.fft.irfft2(a, s=s, axes=axes, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return real_for_real(irfftn_bar(y_bar, shape, s, axes, norm), a), None, None, None

    return y, grad


@register_gradient(np.fft.irfftn, kind=linalg.real_spectrum, linear=True)
def fft_irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """As `irfft` along the last of the axes, and `ifft` along the others."""
    y = np.fft.irfftn(a, s=s, axes=axes, norm=norm)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return real_for_real(irfftn_bar(y_bar, shape, s, axes, norm), a), None, None, None

    return y, grad


# Spectra with the constant in the middle


@register_gradient(np.fft.fftshift, kind=shapes.same_shape, linear=True)
def fft_fftshift(x: Any, axes: Any = None) -> Any:
    """The cotangents move back."""
    y = np.fft.fftshift(x, axes=axes)

    def grad(y_bar: Any) -> Any:
        return np.fft.ifftshift(y_bar, axes=axes), None

    return y, grad


@register_gradient(np.fft.ifftshift, kind=shapes.same_shape, linear=True)
def fft_ifftshift(x: Any, axes: Any = None) -> Any:
    """The cotangents move back."""
    y = np.fft.ifftshift(x, axes=axes)

    def grad(y_bar: Any) -> Any:
        return np.fft.fftshift(y_bar, axes=axes), None

    return y, grad


# What the gradients above call, for derivatives of higher order


@register_gradient(fitted, kind=shapes.fitted, view="sometimes", linear=True)
def runtime_fitted(g: Any, shape: Any) -> Any:
    """What was cut off has no influence."""
    y = fitted(g, shape)
    g_shape = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return fitted(y_bar, g_shape), None

    return y, grad


@register_gradient(rfftn_bar, linear=True)
def runtime_rfftn_bar(y_bar: Any, shape: Any, s: Any, axes: Any, norm: Any) -> Any:
    """The transpose of the transpose is the transform."""
    a_bar = rfftn_bar(y_bar, shape, s, axes, norm)

    def grad(a_bar_bar: Any) -> Any:
        return np.fft.rfftn(a_bar_bar, s=s, axes=axes, norm=norm), None, None, None, None

    return a_bar, grad


@register_gradient(irfftn_bar, linear=True)
def runtime_irfftn_bar(y_bar: Any, shape: Any, s: Any, axes: Any, norm: Any) -> Any:
    """The transpose of the transpose is the transform."""
    a_bar = irfftn_bar(y_bar, shape, s, axes, norm)

    def grad(a_bar_bar: Any) -> Any:
        return np.fft.irfftn(a_bar_bar, s=s, axes=axes, norm=norm), None, None, None, None

    return a_bar, grad


built_in_zero(mirror_counts)
