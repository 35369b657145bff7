"""What the optimizers of SciPy ask for, where a derivative alone does not fit.

They know one vector of unknowns; a function may take them as numbers and arrays in a structure, or as one
argument each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.operators.grad import value_and_grad
from tapeless.operators.jacobian import jacobian
from tapeless.structures import leaves_of, rebuild


@dataclass(frozen=True)
class Flattened:
    """A function of one vector in place of a structure, with its gradient.

    Attributes
    ----------
    start
        The sample that it was made of, as a vector.
    like
        That sample.
    """

    function: Callable[..., Any]
    like: Any
    start: np.ndarray[Any, Any]

    def __call__(self, vector: Any, *args: Any) -> tuple[Any, np.ndarray[Any, Any]]:
        """Compute the value and the gradient, as `scipy.optimize.minimize` asks with ``jac=True``."""
        value, bars = value_and_grad(self.function)(self.structure(vector), *args)
        return value, vector_of(bars)

    def structure(self, vector: Any) -> Any:
        """Return the structure that a vector stands for."""
        if np.shape(vector) != self.start.shape:
            raise GradientError(
                f"a vector of shape {np.shape(vector)} stands for {self.start.size} numbers",
                fix="begin the optimizer at `start`",
            )
        sizes = [np.size(leaf) for _, leaf in leaves_of(self.like)]
        parts = np.split(np.asarray(vector), np.cumsum(sizes)[:-1])
        shapes = [np.shape(leaf) for _, leaf in leaves_of(self.like)]
        new = (
            part.reshape(s) if s else float(part[0]) for part, s in zip(parts, shapes, strict=True)
        )
        return rebuild(self.like, new)


def flattened(f: Callable[..., Any], like: Any) -> Flattened:
    """Make of a function of a structure one of a vector, with its gradient.

    Parameters
    ----------
    f
        A function with a real scalar result, whose first argument is a structure (dicts, lists, tuples,
        dataclasses) of real numbers and arrays.
    like
        Such a structure, where the optimizer begins.

    Returns
    -------
    Flattened
        A function for ``minimize(made, made.start, jac=True)``; ``made.structure(found.x)`` is the
        result.

    Raises
    ------
    GradientError
        If the structure holds no numbers, or complex ones; what `tapeless.grad` raises.

    Examples
    --------
    >>> def cost(p):
    ...     return np.sum((p["w"] - 1.0) ** 2) + (p["b"] + 2.0) ** 2
    >>> made = flattened(cost, {"w": np.zeros(2), "b": 0.0})
    >>> made(made.start)
    (np.float64(6.0), array([-2., -2.,  4.]))
    >>> made.structure(np.array([1.0, 2.0, 3.0]))
    {'w': array([1., 2.]), 'b': 3.0}
    """
    start = vector_of(like)
    if not start.size or start.dtype.kind != "f":
        what = "no numbers that vary" if not start.size else "complex numbers"
        raise GradientError(f"the structure holds {what}", fix="give floats, and arrays of floats")
    return Flattened(f, like, start.astype(float))


def vector_of(structure: Any) -> np.ndarray[Any, Any]:
    """Return the numbers of a structure one after the other."""
    parts = [np.ravel(leaf) for _, leaf in leaves_of(structure)]
    return np.concatenate(parts) if parts else np.zeros(0)


def curve_jacobian(model: Callable[..., Any]) -> Callable[..., Any]:
    """Return the Jacobian that `scipy.optimize.curve_fit` asks for.

    Parameters
    ----------
    model
        A function of the positions and of one number for each parameter.

    Returns
    -------
    A function of the same arguments, with one row for each position and a column for each parameter.

    Examples
    --------
    >>> def line(x, slope, offset):
    ...     return slope * x + offset
    >>> curve_jacobian(line)(np.array([0.0, 1.0]), 3.0, 4.0)
    array([[0., 1.],
           [1., 1.]])
    """

    @functools.wraps(model)
    def columns(x: Any, *parameters: Any) -> np.ndarray[Any, Any]:
        numbers = tuple(map(float, parameters))
        wrt = tuple(range(1, len(numbers) + 1))
        return np.stack(jacobian(model, wrt)(x, *numbers), axis=-1)

    return columns
