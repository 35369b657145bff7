"""The public functions: each binds its arguments, asks the cache for a derivative and runs it."""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import threading
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tapeless.analysis.abstract import mutable_places
from tapeless.analysis.derivation import (
    Request,
    Wanted,
    gradients_of,
    operator_of,
    register_made,
    register_operator,
    register_tangents,
)
from tapeless.cache import (
    guard_for,
    guarded,
    kind_key,
)
from tapeless.calling import calling
from tapeless.disk.kept import Kept
from tapeless.errors import GradientError, TapelessError
from tapeless.higher import Reentrant, derive_again
from tapeless.journal import Journal
from tapeless.loading import Built, loaded
from tapeless.pipeline import Derivative, argument_kinds, write
from tapeless.progress import told_if_slow
from tapeless.protocol import author_of, place_of
from tapeless.recompute import recomputed_function
from tapeless.rules.declare import CHANGES, epoch, find_rule
from tapeless.runtime import as_cotangent, zeros
from tapeless.sorts import (
    CONTAINERS,
    Sort,
    compiled_from,
    parts_of,
    plain_form,
    sort_of,
    variables_within,
)
from tapeless.source.complete import complete
from tapeless.source.loader import add_origin_note
from tapeless.source.standalone import standalone as write_out
from tapeless.specialize.program import AnalysedProgram
from tapeless.tracebacks import leave, public, trim
from tapeless.tree.names import unshadowed
from tapeless.variables import Variable

Wrt = int | str | tuple[int | str, ...]
_LOCK = threading.RLock()
MOST_GUARDS = 8


@dataclass(eq=False)
class Target:
    """What is differentiated: a Python function and the arguments that are bound already."""

    function: Callable[..., Any]
    bound: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    label: str = "f"
    inner: Gradients | None = None
    known: tuple[tuple[Any, ...], inspect.Signature] | None = None

    @property
    def primal(self) -> Callable[..., Any]:
        """The function that the user wrote, under any number of derivatives."""
        return self.function if self.inner is None else self.inner.target.primal

    @property
    def signature(self) -> inspect.Signature:
        """The signature of the underlying function, as it is now."""
        if self.inner is not None:
            behind: inspect.Signature = self.inner.target.signature
            return behind
        f = self.function
        says = f.__code__, f.__defaults__, *(f.__kwdefaults__ or {}).values()
        known = self.known
        if (
            known is None
            or len(known[0]) != len(says)
            or not all(map(operator.is_, known[0], says))
        ):
            known = self.known = says, inspect.signature(f, follow_wrapped=False)
        return known[1]

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Bind a call's arguments to the parameters, defaults filled in."""
        bound = self.signature.bind(*self.bound, *args, **{**self.keywords, **kwargs})
        bound.apply_defaults()
        return list(bound.arguments.values())


def target_of(f: Any) -> Target:
    """Find the Python function behind a callable."""
    if isinstance(f, functools.partial):
        inner = target_of(f.func)
        keywords = {**inner.keywords, **f.keywords}
        return Target(inner.function, (*inner.bound, *f.args), keywords, inner.label, inner.inner)
    inner = gradients_of(f)
    if inner is not None:
        known = inner.target
        return Target(f, known.bound, known.keywords, f"{known.label}_{inner.mode}", inner)
    if inspect.ismethod(f):
        under = target_of(f.__func__)
        return Target(
            under.function, (f.__self__, *under.bound), under.keywords, under.label, under.inner
        )
    if _is_governed(f):
        return Target(calling(f), (), {}, _label(f))
    compiled = compiled_from(f)
    if inspect.isfunction(f) or compiled is not None:
        return Target(compiled or f, (), {}, _label(f))
    call = getattr(type(f), "__call__", None)  # noqa: B004
    if inspect.isfunction(call):
        function = calling(call) if _is_governed(call) else call
        return Target(function, (f,), {}, type(f).__name__)
    if callable(f):
        return Target(calling(f), (), {}, _label(f))
    raise TypeError(f"a function is differentiated, not a {type(f).__name__}")


def _is_governed(f: Any) -> bool:
    """Whether calls of a function are differentiated by other means than its own text."""
    known = author_of(f) is not None or find_rule(f) is not None
    return known or recomputed_function(f) is not None


def _label(f: Any) -> str:
    label = str(getattr(f, "__name__", "f"))
    return label if label != "<lambda>" else "lambda_"


def parameter_names(target: Target, wrt: Wrt) -> tuple[str, ...]:
    """Return the names of the parameters that `wrt` selects."""
    names = list(target.signature.parameters)
    own = names[len(target.bound) :]
    found = []
    for item in wrt if isinstance(wrt, tuple) else (wrt,):
        if isinstance(item, str):
            if item not in names and _captures(target.primal, item):
                raise GradientError(
                    f"{item} is not a parameter of {target.label}: pass it as an argument or make "
                    "it a tl.Variable",
                    fix=f"its parameters are ({', '.join(own)}); Variables go into variables=",
                    **_place(target),
                )
            if item not in names:
                raise GradientError(
                    f"'{item}' is not a parameter of '{target.label}' ({', '.join(own)})",
                    fix="name one of its parameters, or give its position",
                    **_place(target),
                )
            found.append(item)
            continue
        variadic = [
            n
            for n in own
            if target.signature.parameters[n].kind is inspect.Parameter.VAR_POSITIONAL
        ]
        if not -len(own) <= item < len(own) and not variadic:
            raise GradientError(
                f"wrt={item}, but '{target.label}' has {len(own)} parameter"
                f"{'' if len(own) == 1 else 's'} ({', '.join(own)})",
                fix="count from 0, or give the parameter's name",
                **_place(target),
            )
        found.append(own[item] if item < len(own) else variadic[0])
    return tuple(found)


def _captures(function: Any, name: str) -> bool:
    """Whether a function reads a name from outside."""
    code = getattr(function, "__code__", None)
    return code is not None and name in (*code.co_freevars, *code.co_names)


def _picks(target: Target, wrt: Wrt, names: tuple[str, ...]) -> list[tuple[str, int | None]]:
    """For each independent, its parameter and, in `*args`, the item that its position selects."""
    own = list(target.signature.parameters)[len(target.bound) :]
    found: list[tuple[str, int | None]] = []
    for item, name in zip(wrt if isinstance(wrt, tuple) else (wrt,), names, strict=True):
        kind = target.signature.parameters[name].kind
        if kind is not inspect.Parameter.VAR_POSITIONAL or not isinstance(item, int):
            found.append((name, None))
        else:
            from_end = len(own) - 1 if item < 0 else 0
            found.append((name, item + from_end - own.index(name)))
    return found


def _place(target: Target) -> dict[str, Any]:
    function = getattr(target.function, "__calls__", target.function)
    return place_of(author_of(function) or function)


def explain(error: Exception, built: Built, target: Target) -> None:
    """Tell the user's line that an exception of generated code comes from."""
    add_origin_note(error, built.derivative.line_map)
    place = _place(target)
    if isinstance(error, TapelessError) and place:
        error.point_to(**place)
    trim(error)


@register_made
class Gradients:
    """The derivatives of one function in one mode, by the kinds of the arguments.

    It is called as a function and looks like the one that it was made of. Nothing of a call is kept
    in it, and a derivative is built under a lock: threads may share it.

    Attributes
    ----------
    directions
        How many arguments it takes after those of the function.
    """

    # each has a `__call__` of its own, written for the kinds that it met last
    __slots__ = ("__call__", "__dict__", "__weakref__")
    __call__: Callable[..., Any]
    directions = 0

    def __init__(
        self, f: Any, mode: str, wrt: Wrt | None, like: Any, has_aux: bool = False,
        variables: Any = None,
    ) -> None:  # fmt: skip
        functools.update_wrapper(
            self, f.func if isinstance(f, functools.partial) else f, updated=()
        )
        self.given = f
        self.target = target_of(f)
        self.mode = mode
        self.variables = checked_variables(variables)
        self.holds_variables = False
        given_wrt = wrt
        self.wrt: Wrt = () if wrt is None else wrt
        if wrt is None and variables is None:
            raise GradientError("wrt=None asks for nothing", fix="give variables=[...] with it")
        wrt = self.wrt
        self.names = parameter_names(self.target, wrt) if wrt != "*" else ("*",)
        self.has_aux = has_aux
        self.bare = not isinstance(given_wrt, tuple)
        self.picks = _picks(self.target, wrt, self.names) if wrt != "*" else []
        if self.picks_parts:
            self.names = tuple(dict.fromkeys(self.names))
        self.built: dict[Any, Built] = {}
        self.again: dict[Any, tuple[int, Reentrant]] = {}
        parameters = self.target.signature.parameters.values()
        simple = all(p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in parameters)
        whole = all(item is None for _, item in self.picks)
        plain = simple and whole and not self.target.bound and not self.target.keywords
        self.positional = len(parameters) if plain else -1
        self.journal: Journal | None = None
        self.guards: list[tuple[Callable[..., bool], Built]] = []
        self.__call__ = self.call
        if like is not None:
            self.build(self.target.arguments(tuple(like), {}))

    def __repr__(self) -> str:
        """Say whose derivatives these are."""
        return f"<{self.mode} of {getattr(self.given, '__qualname__', self.given)!s}, wrt={self.wrt!r}>"

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        """Bind as a method, as a function in a class does."""
        return self if owner is None else types.MethodType(self, owner)

    def __copy__(self) -> Any:
        """Return itself, as a function does."""
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        """Return itself, as a function does."""
        return self

    def __reduce__(self) -> Any:
        """Pickle by name where it stands under its function's name, else by function and options."""
        if named_object(self) is self:
            return self.__qualname__
        if self.variables is not None:
            raise GradientError(
                f"the {self.mode} of '{self.target.label}' with respect to Variables cannot be "
                "pickled: the Variables would be others",
                fix="pickle the function, and take its gradient where it is loaded",
                **_place(self.target),
            )
        if inspect.isfunction(self.given) and named_object(self.given) is not self.given:
            raise GradientError(
                f"the {self.mode} of '{self.target.label}' cannot be pickled: the function is not "
                "found under its name",
                fix="define it with `def` at the top of a module",
                **_place(self.target),
            )
        return self.made_again, (self.given, *self.options())

    @property
    def made_again(self) -> Callable[..., Any]:
        """The operator that makes the same of a function and `options()`."""
        return _decorator

    def options(self) -> tuple[Any, ...]:
        """Return what `made_again` is told beside the function."""
        return self.mode, self.wrt, self.has_aux

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Run the derivative for these arguments."""
        try:
            if not kwargs and len(args) == self.positional:
                return self.run(args)
            return self.run(self.target.arguments(args, kwargs))
        except BaseException as error:
            leave(error)
            raise

    def run(self, arguments: Any) -> Any:
        """Run the derivative on one value per parameter."""
        built = self.serving(arguments)
        if built.derivative.stored:
            check_aliases(built, arguments)
            check_defaults(built, arguments, self.target)
        if self.holds_variables:
            check_variables(self, arguments)
        try:
            return built.function(*arguments)
        except Exception as error:
            explain(error, built, self.target)
            raise

    def serving(self, arguments: Any) -> Built:
        """Find the derivative for the kinds of these arguments; make it at the first call."""
        for guard, built in self.guards:
            if guard(*arguments):
                return built
        return self.build(arguments)

    def key(self, arguments: Any) -> Any:
        """Return the key of the derivative that serves these arguments."""
        kinds = tuple(map(kind_key, arguments))
        if not self.variables:
            return kinds
        return kinds, tuple(map(id, variables_within(list(arguments))))

    def build(self, arguments: Any) -> Built:
        """Write and load the derivative for the kinds of these arguments."""
        key = self.key(arguments)
        with _LOCK:
            made = self.built.get(key)
            if made is not None and made.is_current():
                self.add_guard(arguments, made)
                return made
            self.target = target_of(self.given)  # it may have been given a rule since
            self.check_independents(arguments)
            self.holds_variables |= bool(variables_within(list(arguments)))
            check_variables(self, arguments)
            made = self.built[key] = self.made(list(arguments))
            self.add_guard(arguments, made)
            return made

    def made(self, arguments: list[Any] | None) -> Built:
        """Load the derivative that another process wrote, or write it and keep it for others."""
        kept = Kept(self, arguments)
        found = kept.find()
        if found is None:
            program = self.program()
            with told_if_slow(self.target.label, self.target.primal):
                found = loaded(self.written(arguments, program), program)
            kept.keep(found)
        return found

    def add_guard(self, arguments: Any, built: Built) -> None:
        """Let a derivative serve later calls with arguments like these."""
        if self.variables is not None:
            return  # which Variables are held where is looked at again at each call
        guard = guard_for(arguments, built.watched, CHANGES)
        self.guards = [(guard, built), *self.guards[: MOST_GUARDS - 1]]
        # a parameter that hides a built-in has another name there, and may be passed by its own
        names = tuple(self.target.signature.parameters)
        named_alike = names == built.function.__code__.co_varnames[: len(names)]
        plain = named_alike and not built.derivative.stored and not self.holds_variables
        if self.positional > 0 and plain:
            quick: Any = guarded(
                built.function, arguments, built.watched, CHANGES,
                lambda error: explain(error, built, self.target), self.call, self.target.primal,
            )  # fmt: skip
            self.__call__ = quick

    def check_independents(self, arguments: Any) -> None:
        """Refuse independents that are not differentiable."""
        for name, value in zip(self.target.signature.parameters, arguments, strict=True):
            if name in self.wrt_names:
                check_held(self.target, name, value)
            if name in self.names:
                check_independent(self.target, name, value)
            for wanted, item in self.picks:
                if wanted == name and item is not None and not -len(value) <= item < len(value):
                    raise GradientError(
                        f"a gradient with respect to item {item} of `*{name}` of "
                        f"'{self.target.label}' is asked for, and {len(value)} are given",
                        fix="count all positional arguments from 0",
                        **_place(self.target),
                    )

    def written(self, arguments: list[Any] | None, program: AnalysedProgram) -> Derivative:
        """Write the derivative."""
        function = self.target.function
        if self.target.inner is not None:
            if arguments is None:
                raise GradientError(
                    "the text of a second derivative is written for given kinds",
                    fix="give sample arguments with like=",
                )
            inner = self.target.inner.higher(arguments)
            function = inner.function
            program.watched += inner.watched
        return write(
            function, self.mode, self.request, arguments, self.title, program, self.journal
        )

    def program(self) -> AnalysedProgram:
        """Begin an analysis: reverse mode reads functions with one way out."""
        return AnalysedProgram(one_exit=self.mode != "jvp")

    @property
    def title(self) -> str:
        """The name of the derivative function."""
        return f"{self.target.label.strip('_') or 'f'}_{self.mode}"

    @property
    def wrt_names(self) -> tuple[str, ...]:
        """The names of the independents."""
        every = tuple(self.target.signature.parameters)
        return every if self.names == ("*",) else self.names

    @property
    def request(self) -> Request:
        """What the derivative function returns."""
        return Request(
            self.wrt_names, self.bare, self.mode == "value_and_grad", self.has_aux, self.variables,
            tuple(self.picks) if self.picks_parts else None,
        )  # fmt: skip

    @property
    def picks_parts(self) -> bool:
        """Whether gradients are picked from those of the parameters: of items of `*args`, or twice."""
        items = [item for _, item in self.picks if item is not None]
        return bool(items) or len(set(self.picks)) < len(self.picks)

    def higher(self, arguments: list[Any]) -> Reentrant:
        """Return the derivative, for the kinds of these arguments, as what is differentiated again."""
        heap: dict[Any, Any] = {}
        active = [n in self.wrt_names for n in self.target.signature.parameters]
        kinds = argument_kinds(arguments, heap, active, True, self.variables or ())
        return self.for_kinds(kinds, heap)

    def for_kinds(self, kinds: list[Any], heap: Any) -> Reentrant:
        """Return the derivative for kinds of the arguments, as what is differentiated again."""
        key = (tuple(kinds), frozenset((r, frozenset(s.items())) for r, s in heap.items()))
        with _LOCK:
            known = self.again.get(key)
            if known is not None and known[0] == epoch() and known[1].is_current():
                return known[1]
            self.target = target_of(self.given)
            function, watched = self.target.function, []
            if self.target.inner is not None:
                inner = self.target.inner.for_kinds(kinds, heap)
                function, watched = inner.function, inner.watched
            asked = Wanted(self.mode, self.request, tuple(kinds), heap, self.title)
            made = derive_again(function, asked).depending_on(watched)
            self.again[key] = epoch(), made
            return made

    def text(self, like: Any = None) -> str:
        """Return the text of the derivative: for `like`, for the last call, or generic."""
        if like is None and self.built:
            derivative = next(reversed(self.built.values())).derivative
        else:
            arguments = None if like is None else self.target.arguments(tuple(like), {})
            derivative = self.made(arguments).derivative
        return complete(derivative.text, derivative.externals)


def _named_class(value: Any) -> str:
    """Name the class of a value, with its article."""
    label = type(value).__name__
    return f"an {label}" if label[0] in "aeiouAEIOU" else f"a {label}"


def check_independent(target: Target, name: str, value: Any) -> None:
    """Refuse an argument that has no derivative."""
    reason = None
    if isinstance(value, np.ndarray) and value.dtype.kind not in "fc":
        reason = f"an array of {value.dtype}, which has no derivative", f"pass {name}.astype(float)"
    elif sort_of(value) not in _INDEPENDENT:
        reason = f"{_named_class(value)}, which has no derivative", "choose another with wrt="
    if reason is not None:
        raise GradientError(f"'{name}' of '{target.label}' is {reason[0]}", fix=reason[1],
                            **_place(target))  # fmt: skip


_INDEPENDENT = (Sort.NUMBER, Sort.INTEGER, Sort.ARRAY, Sort.VARIABLE, *CONTAINERS)


def check_held(target: Target, name: str, value: Any) -> None:
    """Refuse an argument that holds numbers which no derivative reaches."""
    for part, path in parts_of(value, name):
        if sort_of(part) is not Sort.FOREIGN or isinstance(part, int):
            continue
        what = f"{_named_class(part)}, which says itself what its operators mean"
        fix = f"pass {plain_form(type(part), path)}"
        if type(part) is np.ndarray:
            what, fix = f"an array of {part.dtype}, which has no derivative", "pass floats"
        raise GradientError(f"'{path}' of '{target.label}' is {what}", fix=fix, **_place(target))


def checked_variables(variables: Any) -> tuple[Variable, ...] | None:
    """Check what was given as `variables=`."""
    if variables is None:
        return None
    if isinstance(variables, Variable) or not isinstance(variables, (list, tuple)):
        raise GradientError(
            f"variables= takes a list, not a {type(variables).__name__}", fix="write variables=[w]"
        )
    for variable in variables:
        if not isinstance(variable, Variable):
            raise GradientError(
                f"variables= takes tl.Variable objects, not a {type(variable).__name__}",
                fix="make it a tl.Variable, or a parameter of the function",
            )
        if variable.dtype.kind not in "fc":
            raise GradientError(
                f"{variable!r} holds {variable.dtype}, which has no derivative",
                fix="make it of floats",
            )
    return tuple(variables)


def check_variables(gradients: Gradients, arguments: Any) -> None:
    """Refuse one Variable in two places with respect to which a derivative is taken."""
    names = gradients.target.signature.parameters
    places = [a for n, a in zip(names, arguments, strict=True) if n in gradients.wrt_names]
    given = [*variables_within(places), *(gradients.variables or ())]
    if len({id(v) for v in given}) < len(given):
        raise GradientError(
            "a Variable stands in two places of what the derivative is taken of",
            fix="name it once: as an argument, or in variables=",
        )


def check_aliases(built: Built, arguments: Any) -> None:
    """Refuse one stored-into thing that comes in by two places of the arguments."""
    stored = built.derivative.stored_places
    places = [p for i, x in enumerate(arguments) for p in mutable_places(x, ("argument", i))]
    for i, (region, thing) in enumerate(places):
        if region in stored:
            for j, (_, other) in enumerate(places):
                if i != j and _are_one(thing, other):
                    what = (
                        "an array" if isinstance(thing, np.ndarray) else f"a {type(thing).__name__}"
                    )
                    raise GradientError(
                        f"{what} that is stored into is passed in two places of the arguments",
                        fix="pass a copy in one of them",
                    )


def _are_one(a: Any, b: Any) -> bool:
    """Whether two things are one, or share memory."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return bool(np.may_share_memory(a, b) and np.shares_memory(a, b))
    return a is b


def check_defaults(built: Built, arguments: Any, target: Target) -> None:
    """Refuse a default that the function changes: a derivative gives its arguments back unchanged."""
    parameters = list(target.signature.parameters.values())
    for i in sorted(built.derivative.stored & set(range(len(parameters)))):
        default = parameters[i].default
        mutable = not isinstance(default, int | float | complex | str | tuple | type(None))
        if mutable and arguments[i] is default:
            raise GradientError(
                f"'{target.label}' changes the default of its parameter '{parameters[i].name}'",
                fix=f"pass '{parameters[i].name}', or make it inside the function",
                **_place(target),
            )


def named_object(f: Any) -> Any:
    """Return the object that stands under the module and qualified name of `f`, None if none does."""
    found: Any = sys.modules.get(getattr(f, "__module__", None) or "")
    for part in getattr(f, "__qualname__", "").split("."):
        found = getattr(found, part, None)
    return found


def remembered(f: Any, key: Any, make: Callable[[], Any]) -> Any:
    """Keep what is made of a function with the function: the same for the same key."""
    if not inspect.isfunction(f):
        return make()
    owner, known = f.__dict__.get("__tapeless_memo__", (None, {}))
    if owner is f and key in known:
        return known[key]
    with _LOCK:
        owner, known = f.__dict__.get("__tapeless_memo__", (None, {}))
        if owner is not f:  # copied from another function by functools.wraps
            known = {}
            f.__dict__["__tapeless_memo__"] = f, known
        if key not in known:
            known[key] = make()
        return known[key]


def _decorator(
    f: Any, mode: str, wrt: Wrt | None, has_aux: bool, like: Any = None, variables: Any = None
) -> Any:
    if f is None:
        return lambda function: _decorator(function, mode, wrt, has_aux, like, variables)

    def make() -> Gradients:
        return Gradients(f, mode, wrt, like, has_aux, variables)

    if like is not None or not isinstance(wrt, int | str | tuple | None):
        return make()
    return remembered(f, (mode, wrt, has_aux, _identities(variables)), make)


def _identities(variables: Any) -> tuple[int, ...] | None:
    """Tell lists of Variables apart: they stay alive with what is made for them."""
    checked = checked_variables(variables)
    return None if checked is None else tuple(map(id, checked))


@public
def grad(
    f: Any = None, wrt: Wrt | None = 0, *, has_aux: bool = False, like: Any = None,
    variables: list[Variable] | None = None,
) -> Any:  # fmt: skip
    """Return the function that computes the gradient of a scalar function.

    Parameters
    ----------
    f
        A function with a real scalar result. Left out, the call is a decorator.
    wrt
        The independents: a position, a name, or a tuple of them.
    has_aux
        Whether `f` returns ``(y, aux)``; the gradient function then returns ``(gradient, aux)``.
    like
        Sample arguments; the gradient is written for their kinds at once.
    variables
        Variables that `f` may read, wherever from. The gradient function then returns
        ``(gradients, [one for each Variable])``, with ``wrt=None`` the list alone.

    Returns
    -------
    A function of the same arguments. It returns a bare gradient for one independent, a tuple for a
    tuple; each has the structure, shapes and dtypes of its argument.

    Raises
    ------
    UnsupportedSyntaxError
        If the function, or one that it calls, uses what cannot be differentiated.
    NoGradientError
        If an active value reaches a function without a rule.
    GradientError
        If the result is not a real scalar, or an independent has no derivative.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> def loss(w, x):
    ...     return np.sum((x @ w) ** 2)
    >>> tl.grad(loss)(np.array([1.0, 2.0]), np.eye(2))
    array([2., 4.])
    """
    return _decorator(f, "grad", wrt, has_aux, like, variables)


@public
def value_and_grad(
    f: Any = None, wrt: Wrt | None = 0, *, has_aux: bool = False, like: Any = None,
    variables: list[Variable] | None = None,
) -> Any:  # fmt: skip
    """Return the function that computes a scalar function's value and its gradient.

    As `grad`, but returns ``(value, gradient)``, or ``((value, aux), gradient)``.

    Examples
    --------
    >>> import tapeless as tl
    >>> tl.value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return _decorator(f, "value_and_grad", wrt, has_aux, like, variables)


@public
def vjp(
    f: Any, *args: Any, variables: list[Variable] | None = None
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Run a function and give its pullback.

    Parameters
    ----------
    f
        A function.
    *args
        Its arguments.
    variables
        Variables that `f` may read; the pullback then returns ``(cotangents, [one for each])``.

    Returns
    -------
    The value ``y`` and a function from a cotangent with the structure of ``y`` to a tuple with one
    cotangent per argument, None for an argument without floats. It can be called any number of
    times.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> y, pullback = tl.vjp(np.sin, np.zeros(2))
    >>> pullback(np.array([1.0, 2.0]))
    (array([1., 2.]),)
    """
    gradients = remembered(
        f, ("vjp", _identities(variables)), lambda: Gradients(f, "vjp", "*", None, False, variables)
    )
    plain = len(args) == gradients.positional
    arguments = args if plain else gradients.target.arguments(args, {})
    y, pull = gradients.run(arguments)
    outside = gradients.serving(arguments).derivative.outside
    seen = None if outside is None else outside.seen()
    skipped = len(gradients.target.bound)
    variadic = _variadic(gradients.target)

    def of_arguments(bars: tuple[Any, ...]) -> tuple[Any, ...]:
        bars = bars[skipped:]
        if variadic is None:
            return tuple(bars[: len(args)])
        i = variadic - skipped
        return (*bars[:i], *(bars[i] or ()))[: len(args)]

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        try:
            if seen is not None:
                seen.check()
            bars = pull(as_cotangent(y_bar, y))
        except Exception as error:
            explain(error, gradients.serving(arguments), gradients.target)
            raise
        if variables is None:
            return of_arguments(bars)
        return of_arguments(bars[0]), bars[1]

    return y, pullback


def _variadic(target: Target) -> int | None:
    for i, parameter in enumerate(target.signature.parameters.values()):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            return i
    return None


@public
def jvp(f: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
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


class Tangents(Gradients):
    """The forward-mode derivatives of a function along some of its parameters."""

    def __init__(self, f: Any, varying: tuple[str, ...]) -> None:
        super().__init__(f, "jvp", varying, None)
        names = list(self.target.signature.parameters)
        last = _variadic(self.target)
        self.own = names[len(self.target.bound) :]
        self.fixed = (len(names) if last is None else last) - len(self.target.bound)

    def push(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        """Run the tangent function on arguments and one tangent for each."""
        plain = len(primals) == self.positional
        arguments = primals if plain else self.target.arguments(primals, {})
        return self.along(arguments, self.by_parameter(primals, tangents))

    def along(self, arguments: Sequence[Any], given: dict[str, Any]) -> tuple[Any, Any]:
        """Run the tangent function on one value per parameter and the tangents by name."""
        built = self.serving(arguments)
        if built.derivative.stored:
            check_aliases(built, arguments)
            check_defaults(built, arguments, self.target)
        used = [given[n] for n in self.names if unshadowed(n) in built.derivative.varied]
        try:
            y, y_dot = built.function(*arguments, *used)
        except Exception as error:
            explain(error, built, self.target)
            raise
        return y, y_dot

    def by_parameter(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> dict[str, Any]:
        """Return each varying parameter its tangent; `*args` gets a list."""
        if len(primals) == len(tangents) == self.positional:
            given = zip(self.own, tangents, primals, strict=True)
            return {n: as_cotangent(t, x) for n, t, x in given if t is not None}
        if len(tangents) > len(primals):
            raise GradientError(
                f"{len(tangents)} tangents are given for {len(primals)} "
                f"argument{'s' * (len(primals) != 1)}",
                fix="give one for each argument, None for what stays as it is",
            )
        own = [*self.own[: self.fixed], *self.own[self.fixed :][:1] * len(tangents)]
        pairs = list(zip(own, tangents, primals, strict=False))
        found = {n: as_cotangent(t, x) for n, t, x in pairs[: self.fixed] if t is not None}
        if pairs[self.fixed :]:
            found[self.own[self.fixed]] = tuple(
                zeros(x) if t is None else as_cotangent(t, x) for _, t, x in pairs[self.fixed :]
            )
        return found


@register_tangents
def tangents_of(f: Any, held: tuple[bool, ...]) -> Tangents:
    """Return the tangents of a function, kept for later calls."""
    found: Tangents = remembered(f, ("jvp", held), lambda: Tangents(f, _varying(f, held)))
    return found


def _varying(f: Any, held: tuple[bool, ...]) -> tuple[str, ...]:
    """Name the parameters of which an argument is not held fixed."""
    target = target_of(f)
    names = list(target.signature.parameters)[len(target.bound) :]
    last = _variadic(target)
    if last is not None:
        names = names[: last - len(target.bound) + 1]
        names += [names[-1]] * (len(held) - len(names))
    return tuple(dict.fromkeys(n for n, h in zip(names, held, strict=False) if not h))


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


for _mode, _operator in {
    "grad": grad,
    "value_and_grad": value_and_grad,
    "vjp": vjp,
    "jvp": jvp,
}.items():
    register_operator(_mode, _operator)
