"""Windows of arrays: views that show an entry several times.

Each entry of the value is one of the argument. Its cotangent goes to the place in memory that it was
read from, and the cotangents of an entry that was read several times are added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient
from tapeless.rules.results import shapes
from tapeless.runtime import add_at, flat_places


@register_gradient(as_strided, kind=shapes.broadcast_to, view="always")
def strided(x: Any, shape: Any = None, strides: Any = None) -> Any:
    """A view by strides, in bytes, of an array that lies in memory without gaps."""
    if not x.flags.c_contiguous:
        raise GradientError(
            "as_strided is differentiated for arrays that lie in memory without gaps",
            fix="give it np.ascontiguousarray(x)",
        )
    y = as_strided(x, shape, strides)
    x_shape = np.shape(x)
    places = as_strided(
        flat_places(x_shape), np.shape(y), tuple([s // x.itemsize * 8 for s in y.strides])
    )

    def grad(y_bar: Any) -> Any:
        return add_at(y_bar, places, x_shape), None, None

    def jvp(x_dot: Any) -> Any:
        return as_strided(np.ascontiguousarray(x_dot), np.shape(y), y.strides)

    return y, grad, jvp
