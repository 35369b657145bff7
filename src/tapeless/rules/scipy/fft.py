"""Fourier transforms of SciPy: those of NumPy by another name, and cosine transforms.

The transforms that NumPy has are written out as NumPy's. A cosine transform of the second kind is the
transpose of one of the third, but for the scale of an entry; the others are symmetric, but for that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from tapeless.errors import GradientError
from tapeless.rules.declare import importable_as, register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results.signals import like, of_rank
from tapeless.rules.traits import traits
from tapeless.runtime import fitted_back, transposed_norm
from tapeless.runtime.transforms import cosines_bar, sines_bar

_OVERWRITES = "what a transform overwrites is not followed"


def fft_fft(
    x: Any, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.fft(x, n=n, axis=axis, norm=norm)


def fft_ifft(
    x: Any, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.ifft(x, n=n, axis=axis, norm=norm)


def fft_rfft(
    x: Any, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.rfft(x, n=n, axis=axis, norm=norm)


def fft_irfft(
    x: Any, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.irfft(x, n=n, axis=axis, norm=norm)


def fft_hfft(
    x: Any, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.hfft(x, n=n, axis=axis, norm=norm)


def fft_ihfft(
    x: Any, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.ihfft(x, n=n, axis=axis, norm=norm)


def fft_fft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.fft2(x, s=s, axes=axes, norm=norm)


def fft_ifft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.ifft2(x, s=s, axes=axes, norm=norm)


def fft_fftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.fftn(x, s=s, axes=axes, norm=norm)


def fft_ifftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.ifftn(x, s=s, axes=axes, norm=norm)


def fft_rfftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.rfftn(x, s=s, axes=axes, norm=norm)


def fft_irfftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.irfftn(x, s=s, axes=axes, norm=norm)


def fft_rfft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.rfft2(x, s=s, axes=axes, norm=norm)


def fft_irfft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.irfft2(x, s=s, axes=axes, norm=norm)


def fft_hfft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.irfftn(np.conj(x), s=s, axes=axes, norm=transposed_norm(norm))


def fft_hfftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.fft.irfftn(np.conj(x), s=s, axes=axes, norm=transposed_norm(norm))


def fft_ihfft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.conj(np.fft.rfftn(x, s=s, axes=axes, norm=transposed_norm(norm)))


def fft_ihfftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    return np.conj(np.fft.rfftn(x, s=s, axes=axes, norm=transposed_norm(norm)))


def fft_fftshift(x: Any, axes: Any = None) -> Any:
    return np.fft.fftshift(x, axes=axes)


def fft_ifftshift(x: Any, axes: Any = None) -> Any:
    return np.fft.ifftshift(x, axes=axes)


for _function in (
    fft_fft, fft_ifft, fft_rfft, fft_irfft, fft_fft2, fft_ifft2, fft_fftn, fft_ifftn, fft_rfftn,
    fft_irfftn, fft_fftshift, fft_ifftshift, fft_hfft, fft_ihfft, fft_rfft2, fft_irfft2, fft_hfft2,
    fft_ihfft2, fft_hfftn, fft_ihfftn,
):  # fmt: skip
    written_out(getattr(fft, _function.__name__.removeprefix("fft_")), _function)

no_derivative(
    "it transforms on a grid of logarithms; write it by scipy.fft.rfft and irfft", fft.fht, fft.ifht
)
traits(cosines_bar, sines_bar, says_more=True, shows=(), kind=like(0, "y_bar"))


@register_gradient(fft.dct, kind=of_rank(0, "x"), linear=True)
def fft_dct(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    """The transpose is a cosine transform as well."""
    if overwrite_x:
        raise GradientError(_OVERWRITES, fix="leave out overwrite_x")
    y = fft.dct(x, type=type, n=n, axis=axis, norm=norm, orthogonalize=orthogonalize)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        x_bar = fitted_back(cosines_bar(y_bar, type, axis, norm, orthogonalize), shape, n)
        return x_bar, None, None, None, None, None, None, None

    return y, grad


@register_gradient(fft.dst, kind=of_rank(0, "x"), linear=True)
def fft_dst(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    """The transpose is a sine transform as well."""
    if overwrite_x:
        raise GradientError(_OVERWRITES, fix="leave out overwrite_x")
    y = fft.dst(x, type=type, n=n, axis=axis, norm=norm, orthogonalize=orthogonalize)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        x_bar = fitted_back(sines_bar(y_bar, type, axis, norm, orthogonalize), shape, n)
        return x_bar, None, None, None, None, None, None, None

    return y, grad


# Backwards, and along several axes


def lengths_and_axes(rank: Any, s: Any, axes: Any) -> Any:
    """Return the axes of a transform, each with the length that is asked for, or None."""
    if axes is None:
        axes = range(rank) if s is None else range(rank - len(s), rank)
    return list(zip(axes, [None] * rank if s is None else s, strict=False))


def _write_inverse(inverse: Any, forward: Any) -> None:
    """Write an inverse transform out as a forward one of the inverse type, scaled the other way."""

    @importable_as(f"fft_{inverse.__name__}")
    def transformed_back(
        x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
        overwrite_x: Any = False, workers: Any = None, *, orthogonalize: Any = None,
    ) -> Any:  # fmt: skip
        kind = (1, 3, 2, 4)[type - 1]
        return forward(x, kind, n, axis, transposed_norm(norm), orthogonalize=orthogonalize)

    written_out(inverse, transformed_back)


def _write_along_axes(several: Any, one: Any) -> None:
    """Write a transform along several axes out as one after the other."""

    @importable_as(f"fft_{several.__name__}")
    def transformed_along_axes(
        x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
        overwrite_x: Any = False, workers: Any = None, *, orthogonalize: Any = None,
    ) -> Any:  # fmt: skip
        for axis, n in lengths_and_axes(np.ndim(x), s, axes):
            x = one(x, type, n, axis, norm, orthogonalize=orthogonalize)
        return x

    written_out(several, transformed_along_axes)


_write_inverse(fft.idct, fft.dct)
_write_inverse(fft.idst, fft.dst)
for _several, _one in (
    (fft.dctn, fft.dct), (fft.idctn, fft.idct), (fft.dstn, fft.dst), (fft.idstn, fft.idst),
):  # fmt: skip
    _write_along_axes(_several, _one)
