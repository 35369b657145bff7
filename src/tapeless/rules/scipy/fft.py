"""Fourier transforms of SciPy: those of NumPy by another name, and cosine transforms.

The transforms that NumPy has are written out as NumPy's. A cosine transform of the second kind is an
orthogonal matrix with its rows scaled, one of the third kind its transpose with its columns scaled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.results import shapes
from tapeless.rules.traits import traits
from tapeless.runtime.transforms import scaled_for_cosines


def fft_fft(x: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return np.fft.fft(x, n=n, axis=axis, norm=norm)


def fft_ifft(x: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return np.fft.ifft(x, n=n, axis=axis, norm=norm)


def fft_rfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return np.fft.rfft(x, n=n, axis=axis, norm=norm)


def fft_irfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return np.fft.irfft(x, n=n, axis=axis, norm=norm)


def fft_fft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return np.fft.fft2(x, s=s, axes=axes, norm=norm)


def fft_ifft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return np.fft.ifft2(x, s=s, axes=axes, norm=norm)


def fft_fftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return np.fft.fftn(x, s=s, axes=axes, norm=norm)


def fft_ifftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return np.fft.ifftn(x, s=s, axes=axes, norm=norm)


def fft_rfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return np.fft.rfftn(x, s=s, axes=axes, norm=norm)


def fft_irfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return np.fft.irfftn(x, s=s, axes=axes, norm=norm)


def fft_fftshift(x: Any, axes: Any = None) -> Any:
    return np.fft.fftshift(x, axes=axes)


def fft_ifftshift(x: Any, axes: Any = None) -> Any:
    return np.fft.ifftshift(x, axes=axes)


for _function in (
    fft_fft, fft_ifft, fft_rfft, fft_irfft, fft_fft2, fft_ifft2, fft_fftn, fft_ifftn, fft_rfftn,
    fft_irfftn, fft_fftshift, fft_ifftshift,
):  # fmt: skip
    written_out(getattr(fft, _function.__name__.removeprefix("fft_")), _function)

traits(scaled_for_cosines, says_more=True)
_KINDS = (
    "cosine transforms are differentiated for types 2 and 3, whole axes, and norm None or 'ortho'"
)


@register_gradient(fft.dct, kind=shapes.same_shape)
def fft_dct(x: Any, type: Any = 2, *, axis: Any = -1, norm: Any = None) -> Any:
    """Of type 2 it is a scaled orthogonal transform; of type 3 the transpose of one."""
    if type not in (2, 3) or norm not in (None, "ortho", "backward"):
        raise GradientError(_KINDS)
    y = fft.dct(x, type=type, axis=axis, norm=norm)

    def grad(y_bar: Any) -> Any:
        if norm == "ortho":
            return fft.idct(y_bar, type=type, axis=axis, norm="ortho"), None, None, None
        if type == 2:
            scaled = scaled_for_cosines(y_bar, axis, 4.0)
            return fft.idct(scaled, axis=axis, norm="ortho"), None, None, None
        turned = fft.dct(y_bar, axis=axis, norm="ortho")
        return scaled_for_cosines(turned, axis, 1.0), None, None, None

    def jvp(x_dot: Any) -> Any:
        return fft.dct(x_dot, type=type, axis=axis, norm=norm)

    return y, grad, jvp


@register_gradient(fft.idct, kind=shapes.same_shape)
def fft_idct(x: Any, type: Any = 2, *, axis: Any = -1, norm: Any = None) -> Any:
    """As `dct` of the other type; without norm divided by twice the length."""
    if type not in (2, 3) or norm not in (None, "ortho", "backward"):
        raise GradientError(_KINDS)
    y = fft.idct(x, type=type, axis=axis, norm=norm)
    other = 5 - type

    def grad(y_bar: Any) -> Any:
        if norm == "ortho":
            return fft.dct(y_bar, type=type, axis=axis, norm="ortho"), None, None, None
        twice = 2.0 * np.shape(y_bar)[axis]
        if other == 2:
            scaled = scaled_for_cosines(y_bar / twice, axis, 4.0)
            return fft.idct(scaled, axis=axis, norm="ortho"), None, None, None
        turned = fft.dct(y_bar / twice, axis=axis, norm="ortho")
        return scaled_for_cosines(turned, axis, 1.0), None, None, None

    def jvp(x_dot: Any) -> Any:
        return fft.idct(x_dot, type=type, axis=axis, norm=norm)

    return y, grad, jvp


def alternating(n: Any, axis: Any, dims: Any) -> Any:
    """Return the signs 1, -1, 1, ... along an axis."""
    shape = [1] * dims
    shape[axis] = n
    return np.reshape(1.0 - 2.0 * (np.arange(n) % 2), tuple(shape))


def fft_dst(x: Any, type: Any = 2, *, axis: Any = -1, norm: Any = None) -> Any:
    """A cosine transform of what alternates in sign, turned round; of type 3 the other way round."""
    if type not in (2, 3):
        raise GradientError("sine transforms are differentiated for types 2 and 3")
    signs = alternating(np.shape(x)[axis], axis, np.ndim(x))
    if type == 2:
        return np.flip(fft.dct(signs * x, type=2, axis=axis, norm=norm), axis)
    return signs * fft.dct(np.flip(x, axis), type=3, axis=axis, norm=norm)


def fft_idst(x: Any, type: Any = 2, *, axis: Any = -1, norm: Any = None) -> Any:
    if type not in (2, 3):
        raise GradientError("sine transforms are differentiated for types 2 and 3")
    signs = alternating(np.shape(x)[axis], axis, np.ndim(x))
    if type == 2:
        return signs * fft.idct(np.flip(x, axis), type=2, axis=axis, norm=norm)
    return np.flip(fft.idct(signs * x, type=3, axis=axis, norm=norm), axis)


def fft_dctn(x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    if s is not None:
        raise GradientError(_KINDS)
    for axis in range(np.ndim(x)) if axes is None else axes:
        x = fft.dct(x, type=type, axis=axis, norm=norm)
    return x


def fft_idctn(x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    if s is not None:
        raise GradientError(_KINDS)
    for axis in range(np.ndim(x)) if axes is None else axes:
        x = fft.idct(x, type=type, axis=axis, norm=norm)
    return x


for _transform in (fft_dst, fft_idst, fft_dctn, fft_idctn):
    written_out(getattr(fft, _transform.__name__.removeprefix("fft_")), _transform)
