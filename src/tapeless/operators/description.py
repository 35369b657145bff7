"""What a function that an operator made says of itself: `help`, editors and `inspect.signature` read it.

It keeps the name of the function that it was made of, as a decorated function does. Its docstring says
first whose derivative it is; its signature is that of the function, and promises nothing of the result.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Sequence
from typing import Any

from tapeless.operators.target import Target

_RESULTS = {
    "grad": "the gradient of {f}",
    "value_and_grad": "the value of {f} and its gradient",
    "jacobian": "the Jacobian of {f}",
    "hessian": "the Hessian of {f}",
    "hvp": "the Hessian of {f}",
}
Pick = tuple[str, int | None]


def docstring(
    target: Target, mode: str, picks: Sequence[Pick], has_aux: bool, variables: int
) -> str:
    """Write the docstring of a derivative.

    Parameters
    ----------
    target
        What is differentiated.
    mode
        Which derivative it is.
    picks
        The independents, each a parameter and, in `*args`, the item.
    has_aux
        Whether the function returns more than its value.
    variables
        How many Variables are independents, too.

    Examples
    --------
    >>> from tapeless.operators.target import target_of
    >>> def loss(w, x):
    ...     "Return the mean squared error."
    >>> print(docstring(target_of(loss), "grad", [("w", None)], False, 2))
    Return the gradient of loss with respect to w and 2 Variables.
    <BLANKLINE>
    The arguments are those of loss.
    <BLANKLINE>
    The docstring of loss:
    <BLANKLINE>
        Return the mean squared error.
    """
    label = target.label
    independents = [key if item is None else f"{key}[{item}]" for key, item in picks]
    if variables:
        independents.append(f"{variables} Variable{'s' if variables > 1 else ''}")
    text = f"Return {_RESULTS[mode].format(f=label)}"
    if independents:
        text += f" with respect to {_listed(independents)}"
    text += ", times a vector" if mode == "hvp" else ""
    text += f", and what else {label} returns" if has_aux else ""
    text += f".\n\nThe arguments are those of {label}"
    text += ", and the vector comes last." if mode == "hvp" else "."
    return text + _own_docstring(target)


def _own_docstring(target: Target) -> str:
    """Quote the docstring of the function that the user wrote, if there is one."""
    primal = getattr(target.primal, "__calls__", target.primal)
    own = getattr(primal, "__doc__", None)
    if not own:
        return ""
    title = getattr(primal, "__name__", target.label)
    return f"\n\nThe docstring of {title}:\n\n{textwrap.indent(inspect.cleandoc(own), '    ')}"


def _listed(names: Sequence[str]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def signature_of(given: Any, target: Target, mode: str) -> inspect.Signature | None:
    """Return the signature of a derivative of a function; None where none says what it takes.

    Examples
    --------
    >>> from tapeless.operators.target import target_of
    >>> def loss(w, *, rate=1.0): ...
    >>> print(signature_of(loss, target_of(loss), "grad"))
    (w, *, rate=1.0)
    >>> print(signature_of(loss, target_of(loss), "hvp"))
    (w, vector, /, *, rate=1.0)
    """
    whole = not target.bound and not target.keywords
    found = target.signature if whole else inspect.signature(given)
    found = found.replace(return_annotation=inspect.Signature.empty)
    return found if mode != "hvp" else _with_vector(found)


def _with_vector(signature: inspect.Signature) -> inspect.Signature | None:
    """Add the vector, which is passed by position after all others that are."""
    parameters = list(signature.parameters.values())
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    others = [p for p in parameters if p not in by_place]
    filled = any(p.default is not p.empty for p in by_place)
    if (
        filled
        or any(p.kind is p.VAR_POSITIONAL for p in others)
        or "vector" in signature.parameters
    ):
        return None
    kind = inspect.Parameter.POSITIONAL_ONLY
    first = [p.replace(kind=kind) for p in by_place]
    return signature.replace(parameters=[*first, inspect.Parameter("vector", kind), *others])
