"""The older names of SciPy's Fourier transforms, written out as those of `scipy.fft`.

They take no `norm`, but for the cosine and sine transforms, whose inverses are not scaled.
"""

from __future__ import annotations

from typing import Any

from scipy import fft, fftpack

from tapeless.rules.declare import built_in_zero, importable_as, written_out
from tapeless.rules.reasons import no_derivative


def _write_along_axis(older: Any, transform: Any) -> None:
    """Write a transform along one axis out by its newer name."""

    @importable_as(f"fftpack_{older.__name__}")
    def transformed(x: Any, n: Any = None, axis: Any = -1, overwrite_x: Any = False) -> Any:
        return transform(x, n=n, axis=axis, overwrite_x=overwrite_x)

    written_out(older, transformed)


def fftpack_fft2(x: Any, shape: Any = None, axes: Any = (-2, -1), overwrite_x: Any = False) -> Any:
    return fft.fft2(x, s=shape, axes=axes, overwrite_x=overwrite_x)


def fftpack_ifft2(x: Any, shape: Any = None, axes: Any = (-2, -1), overwrite_x: Any = False) -> Any:
    return fft.ifft2(x, s=shape, axes=axes, overwrite_x=overwrite_x)


def last_axes(shape: Any, axes: Any) -> Any:
    """Return the axes of a transform; where only lengths are given, as many of the last ones."""
    return tuple(range(-len(shape), 0)) if axes is None and shape is not None else axes


def fftpack_fftn(x: Any, shape: Any = None, axes: Any = None, overwrite_x: Any = False) -> Any:
    return fft.fftn(x, s=shape, axes=last_axes(shape, axes), overwrite_x=overwrite_x)


def fftpack_ifftn(x: Any, shape: Any = None, axes: Any = None, overwrite_x: Any = False) -> Any:
    return fft.ifftn(x, s=shape, axes=last_axes(shape, axes), overwrite_x=overwrite_x)


def unscaled_inverse(kind: int) -> int:
    """Return the type of the transform that takes one of a type back, but for the scale."""
    return (1, 3, 2, 4)[kind - 1]


def _write_real(older: Any, forward: Any, inverse: bool) -> None:
    """Write a cosine or sine transform out by its newer name, the inverse one as a forward one."""

    @importable_as(f"fftpack_{older.__name__}")
    def transformed(
        x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
        overwrite_x: Any = False,
    ) -> Any:  # fmt: skip
        kind = unscaled_inverse(type) if inverse else type
        return forward(x, kind, n, axis, norm, overwrite_x)

    written_out(older, transformed)


def _write_real_along_axes(older: Any, forward: Any, inverse: bool) -> None:
    """Write a cosine or sine transform along several axes out by its newer name."""

    @importable_as(f"fftpack_{older.__name__}")
    def transformed(
        x: Any, type: Any = 2, shape: Any = None, axes: Any = None, norm: Any = None,
        overwrite_x: Any = False,
    ) -> Any:  # fmt: skip
        kind = unscaled_inverse(type) if inverse else type
        return forward(x, kind, shape, axes, norm, overwrite_x)

    written_out(older, transformed)


_write_along_axis(fftpack.fft, fft.fft)
_write_along_axis(fftpack.ifft, fft.ifft)
for _function in (fftpack_fft2, fftpack_ifft2, fftpack_fftn, fftpack_ifftn):
    written_out(getattr(fftpack, _function.__name__.removeprefix("fftpack_")), _function)
_write_real(fftpack.dct, fft.dct, False)
_write_real(fftpack.idct, fft.dct, True)
_write_real(fftpack.dst, fft.dst, False)
_write_real(fftpack.idst, fft.dst, True)
_write_real_along_axes(fftpack.dctn, fft.dctn, False)
_write_real_along_axes(fftpack.idctn, fft.dctn, True)
_write_real_along_axes(fftpack.dstn, fft.dstn, False)
_write_real_along_axes(fftpack.idstn, fft.dstn, True)
built_in_zero(fftpack.rfftfreq)
no_derivative(
    "it packs real and imaginary parts side by side; take scipy.fft.rfft or irfft, whose results are "
    "complex",
    fftpack.rfft,
    fftpack.irfft,
)
no_derivative(
    "it multiplies a Fourier transform by a factor; write that by scipy.fft.fft and ifft",
    fftpack.diff, fftpack.tilbert, fftpack.itilbert, fftpack.hilbert, fftpack.ihilbert,
    fftpack.cs_diff, fftpack.sc_diff, fftpack.ss_diff, fftpack.cc_diff, fftpack.shift,
)  # fmt: skip
