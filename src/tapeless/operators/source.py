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
        "grad", "value_and_grad", "vjp", "jvp"; "jacobian", "hessian" or "hvp" for what they loop around.
    wrt : int, str or tuple of them, optional
        The independents, as in `grad`. Left out, these are all for "vjp" and "jvp", else the first one.
    like : sequence, optional
        Sample arguments, for whose kinds the text is written. Without them annotations and what follows
        from a scalar result say the kinds; what is open is kept general, and the text is longer.
    order : {1, 2}, default 1
        2 for the derivative, in this mode, of the gradient.
    standalone : bool, default False
        Whether to write out what is used of `tapeless.runtime`: the text then needs NumPy only.
    compile : {None, "numba"}, optional
        "numba" for the loops that ``grad(f, compile="numba")`` compiles, which run without it, too. Needs
        `like`. What is not loops as a whole runs once on copies of `like`, to find parts that are.
    strict, scalarize : bool
        As in `grad`.

    Returns
    -------
    str
        The source of a module, which can be written to a file and imported.

    Raises
    ------
    UnsupportedSyntaxError, NoGradientError, GradientError
        As `grad`; if `mode` is none of these.

    Examples
    --------
    >>> import tapeless as tl
    >>> print(tl.source(lambda x: x * x, like=[3.0]), end="")
    def lambda_grad(x):
        # Reverse sweep
        x_bar = 2.0 * x
        return x_bar
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
