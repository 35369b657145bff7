"""`source`: the text of a derivative."""

from __future__ import annotations

from typing import Any

from tapeless.analysis.derivation import gradients_of, operator_of
from tapeless.errors import GradientError
from tapeless.operators.grad import grad
from tapeless.operators.gradients import Gradients
from tapeless.operators.target import Wrt
from tapeless.source.standalone import standalone as write_out
from tapeless.tracebacks import public

_OF_SEVERAL = ("jacobian", "hessian", "hvp")


@public
def source(
    f: Any, mode: str = "grad", wrt: Wrt | None = None, *, like: Any = None, order: int = 1,
    standalone: bool = False,
) -> str:  # fmt: skip
    """Return the text of a derivative, a complete module.

    Parameters
    ----------
    f
        A function, or one that `grad` or `value_and_grad` made.
    mode
        "grad", "value_and_grad", "vjp" or "jvp". For "jacobian", "hessian" and "hvp", which are loops
        around another derivative, the text of that one: the pullback, the tangent of the gradient.
    wrt
        The independents, as in `grad`; left out, all parameters for "vjp" and "jvp", the first one
        for the others.
    like
        Sample arguments, for whose kinds the text is written. Without them it is written for what
        the annotations say.
    order
        2 for the derivative, in this mode, of the gradient.
    standalone
        Write out the runtime functions that are used, so that the text needs only NumPy.

    Examples
    --------
    >>> import tapeless as tl
    >>> def square(x: float):
    ...     return x * x
    >>> print(tl.source(square))
    def square_grad(x):
        # Reverse sweep
        x_bar = 2.0 * x
        return x_bar
    <BLANKLINE>
    """
    made = gradients_of(f)
    if made is None and mode in _OF_SEVERAL:
        made = operator_of(mode)(f, 0 if wrt is None else wrt)
    if made is not None:
        text = str(made.text(like))
        return write_out(text) if standalone else text
    if mode not in ("grad", "value_and_grad", "vjp", "jvp"):
        raise GradientError(
            f"mode {mode!r} is not known",
            fix=f"use grad, value_and_grad, vjp, jvp, {', '.join(_OF_SEVERAL)}",
        )
    if wrt is None:
        wrt = 0 if mode in ("grad", "value_and_grad") else "*"
    if order == 2:
        f = grad(f, 0 if wrt == "*" else wrt)
    text = Gradients(f, mode, wrt, None).text(like)
    return write_out(text) if standalone else text
