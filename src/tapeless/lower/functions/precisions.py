"""What is asked about the precision of numbers and arrays: it is known while loops are written."""

from __future__ import annotations

import numpy as np

from tapeless.lower.functions.registry import lowers
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Number, Value, number


@lowers(np.result_type)
def result_type(state: State, *operands: Value) -> Value:
    """Return the dtype in which NumPy computes with operands."""
    if not all(isinstance(x, (Array, Number)) for x in operands):
        raise state.refused("`np.result_type` of what is no number and no array")
    return Known(np.dtype(state.precision(operands)).type)


@lowers(isinstance)
def is_instance(state: State, x: Value, classes: Value) -> Value:
    """Return whether a number or array is of a class; NumPy's doubles are floats of Python's, too."""
    asked = classes.items if isinstance(classes, Items) else (classes,)
    own: tuple[type, ...] = ()
    if isinstance(x, Array):
        own = (np.ndarray,)
    elif isinstance(x, Number) and x.sort in _CLASSES:
        own = _CLASSES[x.sort].__mro__
    known = [item.value for item in asked if isinstance(item, Known)]
    if not own or len(known) < len(asked) or not all(isinstance(cls, type) for cls in known):
        raise state.refused("`isinstance` of what is not known")
    return number(any(cls in own for cls in known))


_CLASSES: dict[str, type] = {
    "int": int, "bool": bool, "py": float, "np": np.float64, "f4": np.float32, "np int": np.int64,
}  # fmt: skip


@lowers(np.finfo)
def finfo(state: State, dtype: Value) -> Value:
    """Return the limits of a precision."""
    if not isinstance(dtype, Known) or dtype.value not in (np.float64, np.float32, float):
        raise state.refused("`np.finfo` of another dtype than float64 and float32")
    return Known(np.finfo(dtype.value))
