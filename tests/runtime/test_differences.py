"""Zeros are put around an array in its own precision, along any axis."""

import numpy as np
import pytest

from tapeless.runtime.differences import diff_bar, pad_axis


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize(("shape", "axis"), [((3,), 0), ((2, 3), -1), ((2, 3), 0), ((2, 0, 3), -2)])
def test_zeros_around(dtype, shape, axis):
    g = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape).astype(dtype)
    widths = [(0, 0)] * g.ndim
    widths[axis] = (2, 1)
    found = pad_axis(g, 2, 1, axis)
    assert found.dtype == g.dtype
    np.testing.assert_array_equal(found, np.pad(g, widths))


@pytest.mark.parametrize(("n", "axis"), [(1, -1), (2, 0), (3, 1)])
def test_what_differences_leave_behind(n, axis):
    x = np.random.default_rng(0).normal(size=(5, 6)).astype("f4")
    g = np.ones_like(np.diff(x, n, axis))
    found = diff_bar(g, x.shape, n, axis)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.vdot(found, x), np.sum(np.diff(x, n, axis)), rtol=1e-4, atol=1e-4)
