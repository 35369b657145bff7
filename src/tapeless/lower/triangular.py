"""Systems of equations with a triangular matrix, in compiled loops.

Numba has `np.linalg.solve` for any matrix, which factors it first. Of a Cholesky factor it is known that it
is triangular, so `scipy.linalg.solve_triangular` stands in the text; compiled, it is BLAS's `dtrsm`, which
SciPy gives to other compilers.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

NAME = "solve_triangular"
SYMBOL = "tapeless_dtrsm"


@functools.cache
def is_there() -> bool:
    """Whether SciPy can be imported."""
    return importlib.util.find_spec("scipy") is not None


@functools.cache
def solver() -> Callable[..., Any]:
    """Return what `solve_triangular` stands for in compiled loops."""
    import numba
    from llvmlite import binding
    from numba import types
    from numba.extending import get_cython_function_address

    address = get_cython_function_address("scipy.linalg.cython_blas", "dtrsm")
    binding.add_symbol(SYMBOL, address)
    known: Any = types
    dtrsm = known.ExternalFunction(SYMBOL, known.void(*[known.uintp] * 11))
    letter = {key: ord(key) for key in "RULTN"}
    right, upper, low, turned, plain = (letter[key] for key in "RULTN")

    @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator,unused-ignore]
    def solve(a: Any, b: Any, lower: Any, check_finite: Any) -> Any:
        # What lies in memory row by row is the transpose of what BLAS reads: x.T @ a.T == b.T.
        by_rows = a.flags.c_contiguous
        x = b.copy()
        columns = x.size // max(len(x), 1)
        words = np.array(
            [
                right,
                upper if lower == by_rows else low,
                plain if by_rows else turned,
                plain,
            ],
            dtype=np.uint8,
        )
        sizes = np.array([columns, len(x), max(len(x), 1), max(columns, 1)], dtype=np.int32)
        one = np.ones(1)
        w, s = words.ctypes.data, sizes.ctypes.data
        dtrsm(
            w, w + 1, w + 2, w + 3, s, s + 4, one.ctypes.data,
            a.ctypes.data, s + 8, x.ctypes.data, s + 12,
        )  # fmt: skip
        return x

    found: Callable[..., Any] = solve
    return found
