"""How derivatives are declared: one registry, three spellings.

A rule says what the derivative of a callable is. It is always a runnable function: called with the
primal's arguments it returns `(value, grad)` or `(value, grad, jvp)`, where `grad` maps the
cotangent of the value to one cotangent per parameter (the transposed Jacobian) and `jvp` maps
tangents of the arguments to the tangent of the value (the Jacobian). The tool never interprets a
rule in another way: what it prints into a derivative is the text of that function, partially
evaluated. `elementwise` is shorthand for functions whose Jacobian is diagonal, and `zero_gradient`
lists the callables whose value does not change under small changes of the arguments.

When the rules that come with tapeless are loaded is told in `tapeless.rules.on_demand`.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, Unpack, overload

from tapeless.errors import GradientError
from tapeless.rules.on_demand import (
    REGISTRY_LOCK,
    is_waiting,
    load_built_in_for,
    load_rules_for,
    subpackage_of,
)
from tapeless.rules.traits import Known, traits

Form = Literal["general", "elementwise", "zero"]
Linear = bool | tuple[str, ...]
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
    linear
        The parameters in which the callable is linear, all at once: its rule need have no `jvp`.
    """

    primal: Any
    function: Callable[..., Any]
    form: Form
    linear: tuple[str, ...] = ()

    @functools.cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of its function, by their names."""
        return inspect.signature(self.function).parameters


_RULES: dict[Any, Rule] = {}
_BUILT_IN: dict[Any, Rule] = {}
_OWN = __name__.partition(".")[0] + "."
_WRITTEN: dict[Any, Callable[..., Any]] = {}
_OF_CONSTANTS: dict[Any, Callable[..., Any]] = {}
_ALWAYS: set[Callable[..., Any]] = set()  # those that stand for calls of constants, too
_OF_ARRAYS: set[Callable[..., Any] | None] = set()  # those that compute with all of their arguments
_HELD: dict[Any, Any] = {}
CHANGES = [0]  # how often the registry was changed; guards look at it at every call


def find_rule(primal: Any) -> Rule | None:
    """Return the rule registered for `primal`, or None."""
    try:
        rule = _RULES.get(primal)
        if rule is None and load_built_in_for(primal):
            rule = _RULES.get(primal)
        if rule is None and load_rules_for(primal):
            rule = _RULES.get(primal)
        return rule
    except TypeError:  # an unhashable callable cannot have been registered
        return None


def find_registered(primal: Any) -> Rule | None:
    """Return the rule that a user registered for `primal`, or None."""
    try:
        rule = _RULES.get(primal)
    except TypeError:
        return None
    return None if is_built_in(rule) else rule


def find_written(primal: Any) -> Callable[..., Any] | None:
    """Return the function in Python that stands for one that is not read, None where there is none."""
    find_rule(primal)
    try:
        return _WRITTEN.get(primal)
    except TypeError:
        return None


def written_out(
    primal: Any,
    function: Callable[..., Any],
    *,
    always: bool = False,
    of_constants: Callable[..., Any] | None = None,
    of_arrays: bool = False,
) -> None:
    """Declare a function in Python that stands for one that is not read: it is differentiated instead.

    It stands for calls with what varies; with `always` for all: what it makes is given more later. Of what
    a call of constants makes `of_constants` tells the kind. One that is of arrays computes with all of
    its arguments: arrays are made of lists that it is given first.
    """
    _WRITTEN[primal] = function
    if of_constants is not None:
        _OF_CONSTANTS[primal] = of_constants
    if always:
        _ALWAYS.add(function)
    if of_arrays:
        _OF_ARRAYS.add(function)


def computes_with_all(primal: Any) -> bool:
    """Whether the function that was written out for something computes with all of its arguments."""
    return find_written(primal) in _OF_ARRAYS


def kind_of_constants(primal: Any) -> Callable[..., Any] | None:
    """Return what tells the kind of a call of constants of what is written out; None where nothing does."""
    return None if find_written(primal) is None else _OF_CONSTANTS.get(primal)


def stands_always(function: Callable[..., Any]) -> bool:
    """Whether a function that was written out stands for calls of constants, too."""
    return function in _ALWAYS


def find_written_method(cls: type, method: str) -> Callable[..., Any] | None:
    """Return the function that stands for a method of all objects of a class; it is not given them."""
    if is_waiting(subpackage_of(cls)):
        load_rules_for(cls)
    return _WRITTEN.get((cls, method))


def held_fixed(function: Callable[..., Any], **known: Unpack[Known]) -> Callable[..., Any]:
    """Return a function whose value counts as constant while one derivative is made.

    A solver is written out as a step from the solution that it found. What it found is constant for the
    derivative of that step, and depends on everything for the next order. So the function returned here
    has no derivative, and what is printed, and differentiated again, names the function itself.
    """

    def held(*args: Any, **keywords: Any) -> Any:
        return function(*args, **keywords)

    held.__name__ = held.__qualname__ = function.__name__
    _declare(Rule(held, held, "zero"), False, known)
    _HELD[held] = function
    return held


def released(found: Any) -> Any:
    """Return what is printed for an object: the function itself for one that was held fixed."""
    return _HELD.get(found, found) if isinstance(found, types.FunctionType) else found


def is_built_in(rule: Rule | None) -> bool:
    """Whether a rule is one of those that come with tapeless."""
    return rule is not None and _BUILT_IN.get(rule.primal) is rule


def registered() -> list[Rule]:
    """Return the rules that do not come with tapeless, in the order of their registration."""
    with REGISTRY_LOCK:
        return [rule for rule in _RULES.values() if not is_built_in(rule)]


def epoch() -> int:
    """Count the changes of the registry: part of every cache key."""
    return CHANGES[0]


def _declare(rule: Rule, override: bool, known: Known) -> None:
    if str(getattr(rule.function, "__module__", "")).startswith(_OWN):
        return _declare_own(rule, override, known)
    if not callable(rule.primal) and not hasattr(rule.primal, "__objclass__"):
        raise TypeError(f"a gradient is registered for a callable, not for a {_type(rule.primal)}")
    with REGISTRY_LOCK:
        present = find_rule(rule.primal)
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


def _declare_own(rule: Rule, override: bool, known: Known) -> None:
    """Register a rule that comes with tapeless, whoever imported the module that it stands in.

    It counts as there from the start: no derivative can have been made without.
    """
    with REGISTRY_LOCK:
        present = _BUILT_IN.get(rule.primal, rule)
        if present.function is not rule.function and not override:
            raise GradientError(f"{_name(rule.primal)} has a gradient in tapeless already")
        traits(rule.primal, **known)
        _RULES[rule.primal] = _BUILT_IN[rule.primal] = rule


@overload
def register_gradient(
    fn: Any,
    rule: None = None,
    *,
    override: bool = False,
    linear: Linear = False,
    **known: Unpack[Known],
) -> Callable[[Function], Function]: ...


@overload
def register_gradient(
    fn: Any,
    rule: Function,
    *,
    override: bool = False,
    linear: Linear = False,
    **known: Unpack[Known],
) -> Function: ...


def register_gradient(
    fn: Any, rule: Any = None, *, override: bool = False, linear: Linear = False,
    **known: Unpack[Known],
) -> Any:  # fmt: skip
    """Declare the derivative of a function by a rule, a function that runs.

    Parameters
    ----------
    fn : callable or tuple of callables
        What the rule is for: a function of any kind (whose source, if it has one, is then not
        entered), or a method such as ``np.ndarray.sum``. Several may have one rule.
    rule : callable, optional
        ``rule(*args, **kwargs)``, with the parameters of `fn`, returns ``(value, grad)`` or
        ``(value, grad, jvp)``. ``grad`` maps the cotangent of the value to one cotangent per parameter,
        each with the shape of its parameter, None for one without. ``jvp`` maps one tangent per parameter
        to that of the value. Left out, the call is a decorator.
    override : bool, default False
        Whether to replace a rule that is there already.
    linear : bool or tuple of str, default False
        True if the function is linear in its first parameter, or the names of the parameters in which
        it is linear, taken together. Then ``jvp`` need not be written.
    **known
        What else is known of the functions: the attributes of `tapeless.rules.traits.Traits`, such as
        ``view`` and ``selects``.

    Returns
    -------
    callable
        The rule, unchanged; or the decorator.

    Raises
    ------
    TypeError, GradientError
        If `fn` or `rule` cannot be called; if `fn` has another rule and `override` is false.

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
    declare = functools.partial(_declare_general, fn, override, linear, known)
    return declare if rule is None else declare(rule)


def _declare_general(
    fn: Any, override: bool, linear: Linear, known: Known, rule: Function
) -> Function:
    """Declare a rule for a function, or for each of several."""
    if not callable(rule):
        raise TypeError(f"a rule must be callable, not a {_type(rule)}")
    for each in fn if isinstance(fn, tuple) else (fn,):
        _declare(Rule(each, rule, "general", _linear_in(rule, linear)), override, known)
    return rule


def _linear_in(rule: Callable[..., Any], linear: Linear) -> tuple[str, ...]:
    """Return the names of the parameters in which a function is declared to be linear."""
    if isinstance(linear, tuple):
        return linear
    return (next(iter(inspect.signature(rule).parameters)),) if linear else ()


def unregister_gradient(fn: Any) -> None:
    """Take back what was registered for a function.

    Parameters
    ----------
    fn : callable
        A function with a rule. If tapeless has a rule of its own for it, that one is restored.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> tl.unregister_gradient(np.tanh)  # the rule of tapeless is there again
    >>> float(tl.grad(np.tanh)(0.0))
    1.0
    """
    find_rule(fn)
    with REGISTRY_LOCK:
        if fn in _BUILT_IN:
            _RULES[fn] = _BUILT_IN[fn]
        else:
            _RULES.pop(fn, None)
        CHANGES[0] += 1


def elementwise(
    *fns: Any, override: bool = False, **known: Unpack[Known]
) -> Callable[[Function], Function]:
    """Declare the partial derivatives of functions that work on each element by itself.

    Both modes, broadcasting and dtypes follow.

    Parameters
    ----------
    *fns : callable
        Functions whose result at each element depends on the arguments at that element alone.
    override : bool, default False
        Whether to replace a rule that is there already.
    **known
        What else is known of the functions: the attributes of `tapeless.rules.traits.Traits`.

    Returns
    -------
    callable
        A decorator. It takes a function of the result and the arguments, which returns the partial for
        one argument, or a tuple with one per argument, None where there is none.

    Raises
    ------
    GradientError
        If one of the functions has another rule and `override` is false.

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


def zero_gradient(*fns: Any, override: bool = False, **known: Unpack[Known]) -> Any:
    """Declare functions whose value does not change with small changes of the arguments.

    Their derivative is zero. No function that is not declared so counts as zero.

    Parameters
    ----------
    *fns : callable
        The functions, for example counts, comparisons, roundings.
    override : bool, default False
        Whether to replace a rule that is there already.
    **known
        What else is known of the functions: the attributes of `tapeless.rules.traits.Traits`.

    Returns
    -------
    callable or None
        The function, where it is one, as it is: so this may stand above its definition.

    Raises
    ------
    TypeError
        If one of them cannot be called.
    GradientError
        If one of the functions has another rule and `override` is false.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> @tl.zero_gradient
    ... def count_above(x, limit):
    ...     return int(np.sum(x > limit))
    >>> tl.grad(lambda x: np.sum(x) / count_above(x, 0.5))(np.array([1.0, 2.0, 0.0]))
    array([0.5, 0.5, 0.5])
    """
    for fn in fns:
        _declare(Rule(fn, fn if callable(fn) else _declare, "zero"), override, known)
    return fns[0] if len(fns) == 1 else None


def built_in_zero(*fns: Any, **known: Unpack[Known]) -> None:
    """Declare functions of which tapeless itself says that small changes do not change their value."""
    for fn in fns:
        _declare_own(Rule(fn, fn, "zero"), False, known)


def importable_as(name: str) -> Callable[[Function], Function]:
    """Give a rule that a function makes the name by which texts import it from its module."""

    def named(rule: Function) -> Function:
        rule.__name__ = rule.__qualname__ = name
        setattr(sys.modules[rule.__module__], name, rule)
        return rule

    return named


def _name(fn: Any) -> str:
    return str(getattr(fn, "__qualname__", getattr(fn, "__name__", repr(fn))))


def _type(value: object) -> str:
    return type(value).__name__
