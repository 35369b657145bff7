"""`jvp`: the value of a function, and its tangent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

from tapeless.analysis.derivation import register_operator
from tapeless.operators.tangents import tangents_of
from tapeless.tracebacks import public

_Xs = TypeVarTuple("_Xs")
_Y = TypeVar("_Y")


@public
def jvp(f: Callable[[*_Xs], _Y], primals: tuple[*_Xs], tangents: tuple[Any, ...]) -> tuple[_Y, Any]:
    """Run a function and push tangents through it.

    Parameters
    ----------
    f
        A function.
    primals
        Its arguments.
    tangents
        One tangent per argument, with its structure; None for an argument that is held fixed.

    Returns
    -------
    The value and its tangent.

    Examples
    --------
    >>> import tapeless as tl
    >>> tl.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, None))
    (6.0, 3.0)
    """
    gradients = tangents_of(f, tuple([t is None for t in tangents]))
    return gradients.push(primals, tangents)


register_operator("jvp", jvp)
