"""`differentiable`: a function that has its derivatives as attributes."""

from __future__ import annotations

import functools
from typing import Any

from tapeless.operators.grad import grad, value_and_grad
from tapeless.operators.jvp import jvp
from tapeless.operators.source import source
from tapeless.operators.vjp import vjp
from tapeless.tracebacks import public


@public
def differentiable(f: Any) -> Any:
    """Decorate a function with its derivatives; it stays the function that it is.

    Examples
    --------
    >>> import tapeless as tl
    >>> @tl.differentiable
    ... def cube(x):
    ...     return x**3
    >>> cube(2.0), cube.grad()(2.0)
    (8.0, 12.0)
    """
    f.grad = functools.partial(grad, f)
    f.value_and_grad = functools.partial(value_and_grad, f)
    f.vjp = functools.partial(vjp, f)
    f.jvp = functools.partial(jvp, f)
    f.source = functools.partial(source, f)
    return f
