"""What is asked about the precision of numbers and arrays: it is known while loops are written."""

from __future__ import annotations

import numpy as np

from tapeless.lower.functions.registry import lowers
from tapeless.lower.state import State
from tapeless.lower.values import Array, Known, Number, Value


@lowers(np.result_type)
def result_type(state: State, *operands: Value) -> Value:
    """Return the dtype in which NumPy computes with operands."""
    if not all(isinstance(x, (Array, Number)) for x in operands):
        raise state.refused("`np.result_type` of what is no number and no array")
    return Known(np.dtype(state.precision(operands)).type)


@lowers(np.finfo)
def finfo(state: State, dtype: Value) -> Value:
    """Return the limits of a precision."""
    if not isinstance(dtype, Known) or dtype.value not in (np.float64, np.float32, float):
        raise state.refused("`np.finfo` of another dtype than float64 and float32")
    return Known(np.finfo(dtype.value))
