"""The pullback of a function, as a function that can be differentiated again.

Another library asks for cotangents of arguments, given those of results, and later for the derivative of
what it got. The sum of the products of results and their cotangents is a scalar, whose gradient is
what the pullback gives; and the gradient of a function is a function like others. So the sum is
written as a function of its own:

    def paired(y_bars, x0, x1):
        y = f(x0, x1)
        return np.sum(y_bars[0] * y[0]) + np.sum(y_bars[1] * y[1]['w'])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.operators.grad import grad
from tapeless.source.loader import load


@functools.lru_cache(maxsize=256)
def pullback_of(
    f: Callable[..., Any], count: int, active: tuple[int, ...], paths: tuple[str, ...]
) -> Any:
    """Return the function from cotangents of results, and arguments, to those of arguments.

    Parameters
    ----------
    f
        A function of `count` arguments.
    active
        The positions of the arguments that have cotangents.
    paths
        How each number or array is read from the result: ``("",)`` where it is the result itself.

    Examples
    --------
    >>> pull = pullback_of(lambda x, n: {"p": x**n}, 2, (0,), ("['p']",))
    >>> pull((1.0,), 3.0, 2)
    (6.0,)
    """
    names = ", ".join(f"x{i}" for i in range(count))
    products = " + ".join(f"np.sum(y_bars[{i}] * y{path})" for i, path in enumerate(paths))
    text = f"def paired(y_bars, {names}):\n    y = f({names})\n    return {products}\n"
    paired = load(text, "paired", {"f": f, "np": np})["paired"]
    return grad(paired, tuple(i + 1 for i in active))


def as_numpy(x: Any) -> Any:
    """Return an array of its own, which may be stored into; a number for an array without axes."""
    made = np.array(x)
    return made[()] if made.ndim == 0 else made


def active_arguments(dtypes: Sequence[Sequence[np.dtype[Any]]], label: str) -> tuple[int, ...]:
    """Return which arguments hold floats, given the dtypes of what each holds.

    Examples
    --------
    >>> active_arguments([[np.dtype(float)], [np.dtype(int)]], "f")
    (0,)
    """
    found = []
    for i, held in enumerate(dtypes):
        kinds = {dtype.kind for dtype in held}
        if kinds - set("fiub"):
            wrong = next(dtype for dtype in held if dtype.kind not in "fiub")
            raise GradientError(
                f"argument {i} of '{label}' holds {wrong}", fix="pass real numbers and arrays"
            )
        if "f" in kinds and len(kinds) > 1:
            raise GradientError(
                f"argument {i} of '{label}' holds floats and integers",
                fix="make the integers an argument of their own",
            )
        if "f" in kinds:
            found.append(i)
    return tuple(found)
