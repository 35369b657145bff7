"""Recomputing: what a call would keep for its derivative is found again by running it again.

A function that is called in differentiated code is split: `y, saved = f_fwd(x)` keeps in `saved` what
`f_rev(saved, y_bar)` reads. Under `recompute_grad` the forward sweep runs the plain function and keeps
nothing but the arguments, which the reverse sweep has anyhow; there `_, saved = f_fwd(x)` stands just
before `f_rev`. So a chain of n such calls needs the memory of one, at the price of running each
forward part twice (Griewank and Walther call this checkpointing).

What runs twice must do the same twice: a function that stores into what it is given, draws random
numbers, or reads what it stores outside its arguments is refused.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from tapeless.calling import calling
from tapeless.protocol.authors import author_of
from tapeless.rules.declare import find_rule

Function = TypeVar("Function", bound=Callable[..., Any])


def recompute_grad(f: Function) -> Function:
    """Return a function that runs again in the reverse sweep, instead of keeping what it computed.

    Of a call only the arguments are kept. `checkpoint` is another name of this function.

    Parameters
    ----------
    f : callable
        Any function that can be differentiated. It runs twice in a gradient.

    Returns
    -------
    callable
        A function with the same values and derivatives.

    Raises
    ------
    TypeError
        If `f` cannot be called.
    GradientError
        When a derivative is written, if `f` stores into its arguments or draws random numbers.

    References
    ----------
    .. [1] A. Griewank and A. Walther, *Evaluating Derivatives*, 2nd edition, SIAM, 2008. Chapter 12:
       reversal schedules and checkpointing.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> @tl.recompute_grad
    ... def layer(x):
    ...     return np.tanh(2.0 * x)
    >>> float(tl.grad(lambda x: np.sum(layer(x)))(np.zeros(1))[0])
    2.0
    """
    if not callable(f):
        raise TypeError(f"recompute_grad decorates a function, not a {type(f).__name__}")
    inner = f

    @functools.wraps(inner)
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **kwargs)

    recomputed.__recomputed__ = inner  # type: ignore[attr-defined]
    return recomputed  # type: ignore[return-value]


def recomputed_function(found: Any) -> Any:
    """Return the Python function that `recompute_grad` was applied to; None for anything else.

    What it was applied to may have no source of its own, or a rule: then it is a function that calls
    it. `functools.wraps` copies attributes: a wrapper around such a function is not one itself.
    """
    inner = getattr(found, "__recomputed__", None)
    if inner is None or getattr(found, "__wrapped__", None) is not inner:
        return None
    plain = inspect.isfunction(inner) and author_of(inner) is None and find_rule(inner) is None
    if plain and recomputed_function(inner) is None:
        return inner
    return calling(inner)
