"""`grad` and `value_and_grad`: the gradient of a scalar function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

from tapeless.analysis.derivation import register_operator
from tapeless.operators.gradients import derivatives_of
from tapeless.operators.target import Wrt
from tapeless.tracebacks import public
from tapeless.variables import Variable

_P = ParamSpec("_P")
_Y = TypeVar("_Y")
_Aux = TypeVar("_Aux")

# The type of a gradient is not that of its argument: integers have real gradients, and to name the
# type of one parameter a checker would have to forget the names of the parameters.


@overload
def grad(
    f: Callable[_P, Any], wrt: tuple[int | str, ...], *, has_aux: Literal[False] = False,
    like: Sequence[Any] | None = None, variables: None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[_P, tuple[Any, ...]]: ...  # fmt: skip
@overload
def grad(
    f: Callable[_P, tuple[Any, _Aux]], wrt: Wrt = 0, *, has_aux: Literal[True],
    like: Sequence[Any] | None = None, variables: None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[_P, tuple[Any, _Aux]]: ...  # fmt: skip
@overload
def grad(
    f: Callable[_P, Any], wrt: None, *, has_aux: Literal[False] = False,
    like: Sequence[Any] | None = None, variables: Sequence[Variable],
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[_P, list[Any]]: ...  # fmt: skip
@overload
def grad(
    f: Callable[_P, Any], wrt: Wrt | None = 0, *, has_aux: bool = False,
    like: Sequence[Any] | None = None, variables: Sequence[Variable] | None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[_P, Any]: ...  # fmt: skip
@overload
def grad(
    f: None = None, *, wrt: tuple[int | str, ...], has_aux: Literal[False] = False,
    like: Sequence[Any] | None = None, variables: None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[[Callable[_P, Any]], Callable[_P, tuple[Any, ...]]]: ...  # fmt: skip
@overload
def grad(
    f: None = None, wrt: Wrt = 0, *, has_aux: Literal[True],
    like: Sequence[Any] | None = None, variables: None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[[Callable[_P, tuple[Any, _Aux]]], Callable[_P, tuple[Any, _Aux]]]: ...  # fmt: skip
@overload
def grad(
    f: None = None, *, wrt: None, has_aux: Literal[False] = False,
    like: Sequence[Any] | None = None, variables: Sequence[Variable],
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[[Callable[_P, Any]], Callable[_P, list[Any]]]: ...  # fmt: skip
@overload
def grad(
    f: None = None, wrt: Wrt | None = 0, *, has_aux: bool = False,
    like: Sequence[Any] | None = None, variables: Sequence[Variable] | None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[[Callable[_P, Any]], Callable[_P, Any]]: ...  # fmt: skip
@public
def grad(
    f: Callable[..., Any] | None = None, wrt: Wrt | None = 0, *, has_aux: bool = False,
    like: Sequence[Any] | None = None, variables: Sequence[Variable] | None = None,
    compile: Literal["numba"] | None = None, strict: bool = False, scalarize: bool = True,
) -> Any:  # fmt: skip
    """Return the function that computes the gradient of a scalar function.

    Nothing of `f` runs or is read until the gradient function is called.

    Parameters
    ----------
    f : callable, optional
        A function with a real scalar result: a Python or NumPy number, or an array of shape ``()``.
        Left out, the call is a decorator.
    wrt : int, str or tuple of them, default 0
        The independents: what to differentiate with respect to, by position or by name. None for
        nothing but `variables`.
    has_aux : bool, default False
        Whether `f` returns ``(y, aux)``. The gradient function then returns ``(gradient, aux)``, and
        nothing of ``aux`` is differentiated.
    like : sequence, optional
        Sample arguments. The gradient is then written at once, for their kinds (numbers, arrays of these
        ranks, ...), and not at its first call.
    variables : sequence of Variable, optional
        Variables that `f` may read, wherever from. The gradient function then returns
        ``(gradients, [one for each Variable])``, with ``wrt=None`` the list alone.
    compile : {None, "numba"}, optional
        "numba" for loops that Numba compiles, where the gradient can be written as loops, as a whole or in
        parts; where it cannot it runs as without, after one `TapelessWarning`. Sums are added in another
        order than NumPy's.
    strict : bool, default False
        Whether it is an error if not all of it can be compiled.
    scalarize : bool, default True
        Whether short vectors whose length the text of `f` fixes, such as ``np.array([a, b])``, may become
        Python floats side by side, the numbers of loops Python floats, and arrays that loops go through
        entry by entry lists. The values are the same to the last bit.

    Returns
    -------
    callable
        A function of the same arguments. It returns the gradient for one independent, a tuple of
        gradients if `wrt` is a tuple. A gradient has the structure, shapes and dtypes of its argument; an
        integer counts as a real number.

    Raises
    ------
    UnsupportedSyntaxError
        If the function, or one that it calls, uses what cannot be differentiated.
    NoGradientError
        If a value that needs a derivative reaches a function without a rule.
    GradientError
        If the result is not a real scalar, or an independent has no derivative.

    See Also
    --------
    value_and_grad : The value as well, from the same run.
    vjp : For results that are not scalars.
    source : The text of the gradient.

    References
    ----------
    .. [1] A. Griewank and A. Walther, *Evaluating Derivatives*, 2nd edition, SIAM, 2008. Chapters 3
       and 6: the reverse mode, and its implementation by source transformation.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> def loss(w, x):
    ...     return np.sum((x @ w) ** 2)
    >>> tl.grad(loss)(np.array([1.0, 2.0]), np.eye(2))
    array([2., 4.])
    >>> tl.grad(loss, wrt=("w", "x"))(np.array([1.0, 2.0]), np.eye(2))[1]
    array([[2., 4.],
           [4., 8.]])
    """
    if compile is not None:
        return _compiled(compile, f, "grad", wrt, has_aux, like, variables, strict)
    return derivatives_of(f, "grad", wrt, has_aux, like, variables, scalarize)


@overload
def value_and_grad(
    f: Callable[_P, _Y], wrt: tuple[int | str, ...], *, has_aux: bool = False,
    like: Sequence[Any] | None = None, variables: None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[_P, tuple[_Y, tuple[Any, ...]]]: ...  # fmt: skip
@overload
def value_and_grad(
    f: Callable[_P, _Y], wrt: Wrt | None = 0, *, has_aux: bool = False,
    like: Sequence[Any] | None = None, variables: Sequence[Variable] | None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[_P, tuple[_Y, Any]]: ...  # fmt: skip
@overload
def value_and_grad(
    f: None = None, *, wrt: tuple[int | str, ...], has_aux: bool = False,
    like: Sequence[Any] | None = None, variables: None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[[Callable[_P, _Y]], Callable[_P, tuple[_Y, tuple[Any, ...]]]]: ...  # fmt: skip
@overload
def value_and_grad(
    f: None = None, wrt: Wrt | None = 0, *, has_aux: bool = False,
    like: Sequence[Any] | None = None, variables: Sequence[Variable] | None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Callable[[Callable[_P, _Y]], Callable[_P, tuple[_Y, Any]]]: ...  # fmt: skip
@public
def value_and_grad(
    f: Callable[..., Any] | None = None, wrt: Wrt | None = 0, *, has_aux: bool = False,
    like: Sequence[Any] | None = None, variables: Sequence[Variable] | None = None,
    compile: Literal["numba"] | None = None, strict: bool = False,
    scalarize: bool = True,
) -> Any:  # fmt: skip
    """Return the function that computes a scalar function's value and its gradient.

    Both come from one run: this costs no more than the gradient alone.

    Parameters
    ----------
    f : callable, optional
        A function with a real scalar result. Left out, the call is a decorator.
    wrt, has_aux, like, variables, compile, strict, scalarize
        As those of `grad`.

    Returns
    -------
    callable
        A function of the same arguments. It returns ``(value, gradient)``; with ``has_aux=True``
        ``((value, aux), gradient)``. The value is that of `f` to the last bit.

    Raises
    ------
    UnsupportedSyntaxError, NoGradientError, GradientError
        As `grad`.

    Examples
    --------
    >>> import tapeless as tl
    >>> tl.value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    if compile is not None:
        return _compiled(compile, f, "value_and_grad", wrt, has_aux, like, variables, strict)
    return derivatives_of(f, "value_and_grad", wrt, has_aux, like, variables, scalarize)


def _compiled(compiler: str, *asked: Any) -> Any:
    """Return derivatives that run as compiled loops; what writes these is imported with the first."""
    from tapeless.operators.compiled import check_compiler, compiled_of

    check_compiler(compiler)
    return compiled_of(*asked)


register_operator("grad", grad)
register_operator("value_and_grad", value_and_grad)
