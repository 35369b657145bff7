"""The older names of Fourier, cosine and sine transforms, `scipy.fftpack`."""

import numpy as np
import pytest

fftpack = pytest.importorskip("scipy.fftpack", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.errors import NoGradientError  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402

M = np.random.default_rng(5).normal(size=(4, 3))


def power(x):
    z = fftpack.fft(x) * fftpack.ifft(x, n=3, axis=-1)
    return np.sum(np.abs(z) ** 3) + np.sum(np.real(fftpack.fft(x, axis=0)) ** 3)


def of_images(x):
    z = fftpack.fft2(x) + fftpack.fftn(x, shape=(4, 3))
    w = fftpack.ifft2(x, shape=(4, 2)) * fftpack.ifftn(x, (2,), axes=(1,))
    return np.sum(np.abs(z) ** 3) + np.sum(np.abs(w) ** 3)


def cosines(x):
    y = fftpack.dct(x, norm="ortho") + fftpack.dct(x, 1, axis=0) * fftpack.idct(x)
    return np.sum(np.sin(y)) + np.sum(fftpack.idct(x, type=3, n=2) ** 3)


def sines(x):
    y = fftpack.dst(x, 3) + fftpack.dst(x, 4, norm="ortho") * fftpack.idst(x, 3)
    return np.sum(np.sin(y)) + np.sum(fftpack.idst(x, axis=0) ** 3)


def along_axes(x):
    y = fftpack.dctn(x) + fftpack.idctn(x, norm="ortho", axes=[0])
    z = fftpack.dstn(x, shape=(2, 2)) * fftpack.idstn(x, 3, shape=(2, 2))
    return np.sum(np.sin(y)) + np.sum(z**3)


@pytest.mark.parametrize("f", [power, of_images, cosines, sines, along_axes])
def test_transforms(f):
    check_grads(f, M, order=2, replay=True, rtol=1e-5)


@pytest.mark.parametrize(
    ("fn", "way_out"),
    [(fftpack.rfft, "scipy.fft.rfft"), (fftpack.diff, "scipy.fft.fft"), (fftpack.hilbert, "ifft")],
)
def test_what_is_refused(fn, way_out):
    with pytest.raises(NoGradientError, match=way_out):
        tl.grad(lambda x: np.sum(fn(x)))(M[0])
