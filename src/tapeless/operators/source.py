"""`source`: the text of a derivative."""

from __future__ import annotations

from typing import Any

from tapeless.analysis.derivation import gradients_of, operator_of
from tapeless.errors import GradientError
from tapeless.operators.grad import grad
from tapeless.operators.gradients import Gradients
from tapeless.operators.target import Wrt
from tapeless.source.highlight import SourceText
from tapeless.tracebacks import public

_OF_SEVERAL = ("jacobian", "hessian", "hvp")


@public
def source(
    f: Any, mode: str = "grad", wrt: Wrt | None = None, *, like: Any = None, order: int = 1,
    standalone: bool = False, compile: str | None = None, strict: bool = False, scalarize: bool = True,
) -> str:  # fmt: skip
    """Return the text of a derivative, a complete module.

    Parameters
    ----------
    f : callable
        A function, or a derivative that `grad`, `value_and_grad`, `jacobian`, ... made.
    mode : str, default "grad"
        "grad", "value_and_grad", "vjp" or "jvp". "jacobian", "hessian" and "hvp" are loops around
        another derivative; for these it is the text of that one: the pullback, or the tangent of the
        gradient.
    wrt : int, str or tuple of them, optional
        The independents, as in `grad`. Left out, these are all parameters for "vjp" and "jvp", the
        first one for the others.
    like : sequence, optional
        Sample arguments, for whose kinds the text is written. Without them it is written for what the
        annotations say and, in a gradient, for what follows from its result being a scalar: where
        `x[i]` must be one, `x` is a vector. What is still open is kept general, and the text is longer.
    order : {1, 2}, default 1
        2 for the derivative, in this mode, of the gradient.
    standalone : bool, default False
        Whether to write out the functions of `tapeless.runtime` that are used, so that the text needs
        NumPy only.
    compile : {None, "numba"}, optional
        "numba" for the loops that ``grad(f, compile="numba")`` compiles; they run without Numba, too.
        Needs `like`. What cannot be written as loops as a whole runs once on copies of `like`, to find
        out which parts of it can; what has none is shown as without, after a `TapelessWarning`.
    strict : bool, default False
        Whether what cannot be written as loops is an error.
    scalarize : bool, default True
        As in `grad`.

    Returns
    -------
    str
        The source of a module, which can be written to a file and imported.

    Raises
    ------
    UnsupportedSyntaxError, NoGradientError
        As `grad`.
    GradientError
        If `mode` is none of these, or an independent has no derivative.

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
    made = asked_for(f, mode, wrt, order, scalarize and compile is None)
    if compile is not None:
        return _text_of_loops(made, like, compile, strict)
    return _text_of(made, like, standalone)


def _text_of(made: Gradients, like: Any, standalone: bool) -> SourceText:
    """Return the text of a derivative, if asked for with all that it needs."""
    text = made.text(like)
    return SourceText(_standalone(text) if standalone else text)


def _text_of_loops(made: Gradients, like: Any, compile: str, strict: bool) -> SourceText:
    """Return the text of compiled loops; what writes these is imported with the first."""
    from tapeless.operators.compiled import check_name, text_of_loops

    check_name(compile)
    return SourceText(text_of_loops(made, like, strict))


def _standalone(text: str) -> str:
    from tapeless.source.standalone import standalone

    return standalone(text)


def asked_for(
    f: Any, mode: str, wrt: Wrt | None, order: int = 1, scalarize: bool = True
) -> Gradients:
    """Return what holds the derivative that `source` shows: `f` itself where an operator made it."""
    made: Gradients | None = gradients_of(f)
    if made is None and mode in _OF_SEVERAL:
        made = operator_of(mode)(f, 0 if wrt is None else wrt, scalarize=scalarize)
    if made is not None:
        return made
    if mode not in ("grad", "value_and_grad", "vjp", "jvp"):
        raise GradientError(
            f"mode {mode!r} is not known",
            fix=f"use grad, value_and_grad, vjp, jvp, {', '.join(_OF_SEVERAL)}",
        )
    if wrt is None:
        wrt = 0 if mode in ("grad", "value_and_grad") else "*"
    if order == 2:
        f = grad(f, 0 if wrt == "*" else wrt, scalarize=scalarize)
    return Gradients(f, mode, wrt, None, scalarize=scalarize)
