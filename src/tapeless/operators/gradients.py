"""What the operators make: the derivatives of one function, written for the kinds that it meets."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from contextlib import nullcontext
from itertools import compress
from typing import TYPE_CHECKING, Any

from tapeless.analysis.derivation import Request, Wanted, register_made
from tapeless.cache import guard_for, guarded, kind_key
from tapeless.derivative import Derivative
from tapeless.details import Details, details_of
from tapeless.disk.kept import Kept
from tapeless.errors import GradientError, TapelessError, refused_at_second_order
from tapeless.loading import Built, loaded
from tapeless.operators.arguments import (
    check_aliases,
    check_defaults,
    check_held,
    check_independent,
    check_variables,
    checked_variables,
)
from tapeless.operators.description import docstring, signature_of
from tapeless.operators.remembered import LOCK, named_object, remembered
from tapeless.operators.target import (
    Target,
    Wrt,
    parameter_names,
    picks_of,
    target_of,
)
from tapeless.progress import told_if_slow
from tapeless.rules.declare import CHANGES, epoch
from tapeless.set_in_texts import taking_part, written_together
from tapeless.sorts import variables_within
from tapeless.source.complete import complete
from tapeless.source.loader import add_origin_note
from tapeless.tracebacks import leave, trim
from tapeless.uncollected import uncollected

if TYPE_CHECKING:
    from tapeless.higher import Reentrant
    from tapeless.journal import Journal
    from tapeless.specialize.program import AnalysedProgram

MOST_GUARDS = 8


_VIEWS: list[Callable[[Gradients], str]] = []


def register_view(show: Callable[[Gradients], str]) -> Callable[[Gradients], str]:
    """Register what shows a derivative in a notebook."""
    _VIEWS[:] = [show]
    return show


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
    keeps_what_is_made = True  # a derivative of it is written once

    def __init__(
        self, f: Any, mode: str, wrt: Wrt | None, like: Any, has_aux: bool = False,
        variables: Any = None, scalarize: bool = True,
    ) -> None:  # fmt: skip
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
        self.has_aux, self.scalarize = has_aux, scalarize
        self.bare = not isinstance(given_wrt, tuple)
        self.picks = picks_of(self.target, wrt, self.names) if wrt != "*" else []
        if self.picks_parts:
            self.names = tuple(dict.fromkeys(self.names))
        self.describe()
        self.built: dict[Any, Built] = {}
        self.details: dict[Any, Details] = {}
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

    def describe(self) -> None:
        """Take over the name of the function, and say what is made of it."""
        f = self.given
        functools.update_wrapper(
            self, f.func if isinstance(f, functools.partial) else f, updated=()
        )
        if self.mode in ("vjp", "jvp"):  # nobody sees them
            return
        count = len(self.variables or ())
        self.__doc__ = docstring(self.target, self.mode, self.picks, self.has_aux, count)
        signature = signature_of(f, self.target, self.mode)
        if signature is not None:
            self.__signature__ = signature
        promised = getattr(self, "__annotations__", {})
        self.__annotations__ = {key: told for key, told in promised.items() if key != "return"}

    def __repr__(self) -> str:
        """Return whose derivatives these are."""
        return f"<{self.mode} of {getattr(self.given, '__qualname__', self.given)!s}, wrt={self.wrt!r}>"

    def _repr_html_(self) -> str | None:
        """Show in a notebook what was written for the last call, once there was one."""
        return _VIEWS[0](self) if self.built and _VIEWS else None

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
                **self.target.location,
            )
        if inspect.isfunction(self.given) and named_object(self.given) is not self.given:
            raise GradientError(
                f"the {self.mode} of '{self.target.label}' cannot be pickled: the function is not "
                "found under its name",
                fix="define it with `def` at the top of a module",
                **self.target.location,
            )
        return self.made_again, (self.given, *self.options())

    @property
    def made_again(self) -> Callable[..., Any]:
        """The operator that makes the same of a function and `options()`."""
        return derivatives_of

    def options(self) -> tuple[Any, ...]:
        """Return what `made_again` is told beside the function."""
        return self.mode, self.wrt, self.has_aux, None, None, self.scalarize

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
            check_variables(self.target, self.wrt_names, self.variables or (), arguments)
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
        kinds: Any = tuple(map(kind_key, arguments))
        details = self.details.get(kinds)
        if details:
            kinds = kinds, details_of(arguments, details)
        if not self.variables:
            return kinds
        return kinds, tuple(map(id, variables_within(list(arguments))))

    def build(self, arguments: Any) -> Built:
        """Write and load the derivative for the kinds of these arguments."""
        key = self.key(arguments)
        with LOCK:
            made = self.built.get(key)
            if made is not None and made.is_current():
                self.add_guard(arguments, made)
                return made
            self.target = target_of(self.given)  # it may have been given a rule since
            self.check_independents(arguments)
            self.holds_variables |= bool(variables_within(list(arguments)))
            check_variables(self.target, self.wrt_names, self.variables or (), arguments)
            made = self.made(list(arguments))
            if made.derivative.details:
                kinds = tuple(map(kind_key, arguments))
                known = self.details.get(kinds, frozenset())
                self.details[kinds] = known | made.derivative.details
            self.built[self.key(arguments)] = made
            self.add_guard(arguments, made)
            return made

    def made(self, arguments: list[Any] | None) -> Built:
        """Load the derivative that another process wrote, or write it and keep it for others."""
        kept = Kept(self, arguments)
        found = kept.find()
        if found is None:
            with told_if_slow(self.target.label, self.target.primal), uncollected():
                found = written_together(lambda: self.made_anew(arguments))
            kept.keep(found)
        return found

    def made_anew(self, arguments: list[Any] | None) -> Built:
        """Write and load the derivative."""
        program = self.program()
        return loaded(self.written(arguments, program), program)

    def add_guard(self, arguments: Any, built: Built) -> None:
        """Let a derivative serve later calls with arguments like these."""
        if self.variables is not None:
            return  # which Variables are held where is looked at again at each call
        details = built.derivative.details
        guard = guard_for(arguments, built.watched, CHANGES, details)
        self.guards = [(guard, built), *self.guards[: MOST_GUARDS - 1]]
        # a parameter that hides a built-in has another name there, and may be passed by its own
        names = tuple(self.target.signature.parameters)
        named_alike = names == built.function.__code__.co_varnames[: len(names)]
        plain = named_alike and not built.derivative.stored and not self.holds_variables
        if self.positional > 0 and plain:
            quick: Any = guarded(
                built.function, arguments, built.watched, CHANGES,
                lambda error: explain(error, built, self.target), self.call, self.target.primal,
                details,
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
                        **self.target.location,
                    )

    def written(self, arguments: list[Any] | None, program: AnalysedProgram) -> Derivative:
        """Write the derivative; what writes is imported when something is written first."""
        import tapeless.higher  # noqa: F401  # which derives what a function takes a gradient of
        from tapeless.pipeline import write

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
            program.details |= inner.details
        first = self.target.inner
        told = refused_at_second_order(first.target.label) if first else nullcontext()
        with told:
            return write(
                function, self.mode, self.request, arguments, self.title, program, self.journal
            )

    def program(self) -> AnalysedProgram:
        """Begin an analysis: reverse mode reads functions with one way out."""
        from tapeless.specialize.program import AnalysedProgram

        return AnalysedProgram(one_exit=self.mode != "jvp", scalarize=self.scalarize)

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
        from tapeless.pipeline import argument_kinds, holds_integers

        heap: dict[Any, Any] = {}
        active = [n in self.wrt_names for n in self.target.signature.parameters]
        kinds = argument_kinds(arguments, heap, active, True, self.variables or ())
        scalarize = self.scalarize and not any(map(holds_integers, compress(arguments, active)))
        return self.for_kinds(kinds, heap, scalarize)

    def for_kinds(self, kinds: list[Any], heap: Any, scalarize: bool | None = None) -> Reentrant:
        """Return the derivative for kinds of the arguments, as what is differentiated again."""
        from tapeless.higher import derive_again

        scalarize = self.scalarize if scalarize is None else scalarize
        slots = frozenset((r, frozenset(s.items())) for r, s in heap.items())
        key = tuple(kinds), slots, scalarize
        with LOCK:
            known = self.again.get(key)
            if known is not None and known[0] == epoch() and known[1].is_current():
                return known[1]
            self.target = target_of(self.given)
            function, inner = self.target.function, None
            if self.target.inner is not None:
                inner = self.target.inner.for_kinds(kinds, heap, scalarize)
                function = inner.function
            asked = Wanted(
                self.mode, self.request, tuple(kinds), heap, self.title, scalarize=scalarize
            )
            made = derive_again(function, asked).depending_on(inner)
            taking_part().check_unfollowed()
            self.again[key] = epoch(), made
            return made

    def text(self, like: Any = None) -> str:
        """Return the text of the derivative: for `like`, for the last call, or generic."""
        derivative = self.derivative(like)
        return complete(derivative.text, derivative.externals)

    def derivative(self, like: Any = None) -> Derivative:
        """Return what was written: for `like`, for the last call, or generic."""
        if like is None and self.built:
            return next(reversed(self.built.values())).derivative
        arguments = None if like is None else self.target.arguments(tuple(like), {})
        return self.made(arguments).derivative


def explain(error: Exception, built: Built, target: Target) -> None:
    """Tell the user's line that an exception of generated code comes from."""
    add_origin_note(error, built.derivative.provenance.lines)
    location = target.location
    if isinstance(error, TapelessError) and location:
        error.point_to(**location)
    trim(error)


def derivatives_of(
    f: Any, mode: str, wrt: Wrt | None, has_aux: bool, like: Any = None, variables: Any = None,
    scalarize: bool = True,
) -> Any:  # fmt: skip
    """Return the derivatives of a function, kept for later calls, or the decorator that makes them."""
    if f is None:
        return lambda function: derivatives_of(
            function, mode, wrt, has_aux, like, variables, scalarize
        )

    def make() -> Gradients:
        return Gradients(f, mode, wrt, like, has_aux, variables, scalarize)

    if like is not None or not isinstance(wrt, (int, str, tuple, type(None))):
        return make()
    return remembered(f, (mode, wrt, has_aux, identities(variables), scalarize), make)


def identities(variables: Any) -> tuple[int, ...] | None:
    """Tell lists of Variables apart: they stay alive with what is made for them."""
    checked = checked_variables(variables)
    return None if checked is None else tuple(map(id, checked))
