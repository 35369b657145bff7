"""How derivatives are declared: one registry, three spellings.

A rule says what the derivative of a callable is. It is always a runnable function: called with the
primal's arguments it returns `(value, grad)` or `(value, grad, jvp)`, where `grad` maps the
cotangent of the value to one cotangent per parameter (the transposed Jacobian) and `jvp` maps
tangents of the arguments to the tangent of the value (the Jacobian). The tool never interprets a
rule in another way: what it prints into a derivative is the text of that function, partially
evaluated. `elementwise` is shorthand for functions whose Jacobian is diagonal, and `zero_gradient`
lists the callables whose value does not change under small changes of the arguments.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, Unpack, overload

from tapeless.errors import GradientError
from tapeless.rules.traits import Known, traits

Form = Literal["general", "elementwise", "zero"]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Rule:
    """The derivative of one callable.

    Attributes
    ----------
    primal
        The callable that the rule is for.
    function
        For the general form the runnable rule; for the elementwise form the function that returns
        the partials; the primal itself where the derivative is zero.
    form
        Which of the three spellings declared it.
    """

    primal: Any
    function: Callable[..., Any]
    form: Form


_RULES: dict[Any, Rule] = {}
_BUILT_IN: dict[Any, Rule] = {}
_LOCK = threading.RLock()
CHANGES = [0]  # how often the registry was changed; guards look at it at every call


def find_rule(primal: Any) -> Rule | None:
    """Return the rule registered for `primal`, or None."""
    try:
        return _RULES.get(primal)
    except TypeError:  # an unhashable callable cannot have been registered
        return None


def is_built_in(rule: Rule | None) -> bool:
    """Whether a rule is one of those that come with tapeless."""
    return rule is not None and _BUILT_IN.get(rule.primal) is rule


def epoch() -> int:
    """Count the changes of the registry: part of every cache key."""
    return CHANGES[0]


def _declare(rule: Rule, override: bool, known: Known) -> None:
    if not callable(rule.primal) and not hasattr(rule.primal, "__objclass__"):
        raise TypeError(f"a gradient is registered for a callable, not for a {_type(rule.primal)}")
    with _LOCK:
        present = _RULES.get(rule.primal)
        same = present is not None and present.function is rule.function
        if present is not None and not same and not override:
            raise GradientError(
                f"{_name(rule.primal)} already has a gradient",
                fix="pass override=True to replace it",
            )
        if known:
            traits(rule.primal, **known)
        if known or not same:
            _RULES[rule.primal] = rule
            CHANGES[0] += 1


@overload
def register_gradient(
    fn: Any, rule: None = None, *, override: bool = False, **known: Unpack[Known]
) -> Callable[[Function], Function]: ...


@overload
def register_gradient(
    fn: Any, rule: Function, *, override: bool = False, **known: Unpack[Known]
) -> Function: ...


def register_gradient(
    fn: Any, rule: Any = None, *, override: bool = False, **known: Unpack[Known]
) -> Any:
    """Declare the derivative of a callable in the general form.

    Parameters
    ----------
    fn
        Any callable used by reference: a ufunc, a NumPy or C function, a Python function (whose
        source is then not entered), a method descriptor such as ``np.ndarray.sum``; or a tuple of
        several that have one rule.
    rule
        ``rule(*args, **kwargs)`` returns ``(value, grad)`` or ``(value, grad, jvp)``. Left out,
        the call is a decorator that returns the rule unchanged.
    override
        Replace a rule that is there already.
    known
        What else is known of the functions: the attributes of `tapeless.rules.traits.Traits`.

    Raises
    ------
    TypeError
        If `fn` or `rule` cannot be called.
    GradientError
        If `fn` has another rule and `override` is false.

    Examples
    --------
    >>> import tapeless as tl
    >>> def cube(x):
    ...     return x * x * x
    >>> @tl.register_gradient(cube)
    ... def cube_rule(x):
    ...     def grad(y_bar):
    ...         return 3.0 * y_bar * x * x
    ...     return cube(x), grad
    >>> tl.grad(lambda x: cube(x))(2.0)
    12.0
    """

    def declare(function: Function) -> Function:
        if not callable(function):
            raise TypeError(f"a rule must be callable, not a {_type(function)}")
        for each in fn if isinstance(fn, tuple) else (fn,):
            _declare(Rule(each, function, "general"), override, known)
        return function

    return declare if rule is None else declare(rule)


def unregister_gradient(fn: Any) -> None:
    """Take back what was registered for `fn`; a built-in rule is restored."""
    with _LOCK:
        if fn in _BUILT_IN:
            _RULES[fn] = _BUILT_IN[fn]
        else:
            _RULES.pop(fn, None)
        CHANGES[0] += 1


def elementwise(
    *fns: Any, override: bool = False, **known: Unpack[Known]
) -> Callable[[Function], Function]:
    """Declare functions whose Jacobian is diagonal by their partials.

    The decorated function takes the result first, then the arguments, and returns the partial
    for one argument or a tuple with one partial per argument (None where there is none). Both
    modes, broadcasting and dtypes follow.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> def twice(x):
    ...     return 2.0 * x
    >>> @tl.elementwise(twice)
    ... def twice_partials(y, x):
    ...     return 2.0
    >>> tl.grad(lambda x: np.sum(twice(x)))(np.ones(3))
    array([2., 2., 2.])
    """

    def declare(partials: Function) -> Function:
        for fn in fns:
            _declare(Rule(fn, partials, "elementwise"), override, known)
        return partials

    return declare


def zero_gradient(*fns: Any, override: bool = False, **known: Unpack[Known]) -> None:
    """List callables whose value is locally constant; nothing that is not listed counts as zero."""
    for fn in fns:
        _declare(Rule(fn, fn if callable(fn) else _declare, "zero"), override, known)


def freeze_built_in() -> None:
    """Remember the present rules as the ones that `unregister_gradient` goes back to."""
    with _LOCK:
        _BUILT_IN.update(_RULES)


def _name(fn: Any) -> str:
    return str(getattr(fn, "__qualname__", getattr(fn, "__name__", repr(fn))))


def _type(value: object) -> str:
    return type(value).__name__
