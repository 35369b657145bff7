"""Derivatives and functions that run as compiled loops: `grad(f, compile="numba")` and `compile`."""

from __future__ import annotations

import functools
import inspect
import linecache
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tapeless.cache import Watched, guard_for, places_of, watch
from tapeless.derivative import Derivative
from tapeless.details import NO_DETAILS, Details
from tapeless.disk import loops as disk
from tapeless.errors import GradientError, TapelessWarning
from tapeless.externals import place_key
from tapeless.loading import Built
from tapeless.lower import Lowered, NotLowered
from tapeless.lower.compiled import is_installed, with_loops
from tapeless.lower.measured import by_turns, entries
from tapeless.operators.gradients import MOST_GUARDS, Gradients, explain, identities
from tapeless.operators.parts import Parts, readable, texts_in
from tapeless.operators.parts_as_text import text_in_parts
from tapeless.operators.remembered import LOCK, remembered
from tapeless.operators.target import Wrt
from tapeless.origins import shown_location
from tapeless.rules.declare import CHANGES
from tapeless.tracebacks import public

Place = tuple[str, int]


def check_compiler(compiler: str) -> None:
    """Refuse a compiler that is not known, or not there."""
    check_name(compiler)
    if not is_installed():
        raise GradientError("Numba is not installed", fix="pip install tapeless[numba]")


def check_name(compiler: str) -> None:
    """Refuse a compiler that is not known."""
    if compiler != "numba":
        raise GradientError(f"compile={compiler!r} is not known", fix='use compile="numba"')


def refused(label: str, refusal: NotLowered, place: Place | None, strict: bool) -> None:
    """Tell why the NumPy text runs instead of loops.

    Raises
    ------
    GradientError
        If loops are asked for strictly.
    """
    where = f" ({shown_location(*place)})" if place else ""
    if strict:
        raise GradientError(
            f"'{label}' is not compiled: {refusal.reason}{where}",
            fix="leave strict=True out, and the NumPy text runs",
        )
    warnings.warn(
        f"'{label}' is not compiled: {refusal.reason}{where}. The NumPy text runs instead.",
        TapelessWarning,
        stacklevel=6,
    )


def origin_of(derivative: Derivative) -> Callable[[int], str | None]:
    """Return what tells the user's line that a line of a derivative comes from."""
    lines = derivative.provenance.lines

    def origin(line: int) -> str | None:
        place = lines.get(line)
        return linecache.getline(*place).strip() if place else None

    return origin


def loops_of(derivative: Derivative, function: Any, arguments: Sequence[Any]) -> Lowered:
    """Write a derivative as loops.

    Raises
    ------
    NotLowered
        If something in it has no loops that are known to mean the same.
    """
    return readable(function, arguments, origin_of(derivative))


def kept_loops(derivative: Derivative, function: Any, arguments: Sequence[Any]) -> Lowered:
    """Read the loops of a derivative from disk, or write them and keep them there."""
    key = disk.key_of(function, derivative.text, arguments)
    found = disk.find(key, function)
    if found is None or not found.serves_texts(arguments):
        found = loops_of(derivative, function, arguments)
        disk.keep(key, function, found)
    return found


def ready(
    loops: Lowered, plain: Callable[..., Any], label: str, strict: bool
) -> Callable[..., Any]:
    """Return what runs compiled loops, whose machine code is kept on disk.

    Unless loops are asked for strictly, the NumPy text runs where it is found to be faster.
    """
    return with_loops(loops, plain, label, file=disk.file_of(loops.text), measures=not strict)


def in_parts(
    label: str, refusal: NotLowered, plain: Callable[..., Any], origin: Callable[[int], str | None],
    place: Place | None,
) -> tuple[Callable[..., Any], list[Watched]]:  # fmt: skip
    """Return what runs a function in parts, and what these depend on; else the function.

    Whether any part can be lowered is known after the first call.
    """
    parts = Parts(origin, disk.file_of)
    opened = parts.opened(refusal, plain)
    if opened is None:
        refused(label, refusal, place, strict=False)
        return plain, []
    chosen: dict[int, Callable[..., Any]] = {}

    def run(*arguments: Any) -> Any:
        magnitude = entries(arguments).bit_length()
        found = chosen.get(magnitude)
        return first(magnitude, arguments) if found is None else found(*arguments)

    def first(magnitude: int, arguments: tuple[Any, ...]) -> Any:
        parts.magnitude = magnitude
        result = opened.run(*arguments)
        with LOCK:
            settled = opened.settled()
        if settled.parts and settled.run is not None:
            decide = functools.partial(chosen.__setitem__, magnitude)
            decide(by_turns(settled.run, plain, decide))
        else:
            chosen[magnitude] = plain
        if not parts.has_loops and len(chosen) == 1:  # told once, not for each magnitude
            refused(label, refusal, place, strict=False)
        return result

    return run, opened.watched


class CompiledGradients(Gradients):
    """The derivatives of one function, which run as compiled loops where they can be lowered."""

    def __init__(
        self, f: Any, mode: str, wrt: Wrt | None, like: Any, has_aux: bool = False,
        variables: Any = None, strict: bool = False,
    ) -> None:  # fmt: skip
        self.strict = strict
        super().__init__(f, mode, wrt, like, has_aux, variables, scalarize=False)

    @property
    def made_again(self) -> Callable[..., Any]:
        """The operator that makes the same of a function and `options()`."""
        return compiled_of

    def options(self) -> tuple[Any, ...]:
        """Return what `made_again` is told beside the function."""
        return self.mode, self.wrt, self.has_aux, None, None, self.strict

    def made(self, arguments: list[Any] | None) -> Built:
        """Write the derivative, and put compiled loops before it where it can be lowered."""
        built = super().made(arguments)
        if arguments is None:
            return built
        try:
            loops = kept_loops(built.derivative, built.function, arguments)
        except NotLowered as refusal:
            derivative, label = built.derivative, self.target.label
            place = derivative.provenance.lines.get(refusal.lineno or 0)
            if self.strict:
                refused(label, refusal, place, strict=True)
            run, _ = in_parts(label, refusal, built.function, origin_of(derivative), place)
            return replace(built, function=run)
        rests_on = built.derivative.details | texts_in(loops)
        derivative = replace(built.derivative, details=rests_on)
        function = ready(loops, built.function, self.target.label, self.strict)
        return replace(built, function=function, derivative=derivative)

    def add_guard(self, arguments: Any, built: Built) -> None:
        """Let a derivative serve later calls with arguments like these."""
        if self.variables is not None:
            return
        guard = guard_for(arguments, built.watched, CHANGES, built.derivative.details)
        self.guards = [(guard, built), *self.guards[: MOST_GUARDS - 1]]
        if self.positional > 0 and not built.derivative.stored and not self.holds_variables:
            self.__call__ = self.quick(guard, built)

    def quick(self, guard: Callable[..., bool], built: Built) -> Callable[..., Any]:
        """Return what runs a derivative at once where it serves."""
        function, otherwise, count = built.function, self.call, self.positional

        def call(*args: Any, **keywords: Any) -> Any:
            if keywords or len(args) != count or not guard(*args):
                return otherwise(*args, **keywords)
            try:
                return function(*args)
            except Exception as error:
                explain(error, built, self.target)
                raise

        return call


def text_of_loops(made: Gradients, like: Any, strict: bool) -> str:
    """Return the text of a derivative as loops: for `like`, or for the last call.

    Raises
    ------
    GradientError
        If nothing is known of the arguments; with `strict`, if it cannot be written as loops.
    """
    if like is None:
        raise GradientError(
            "loops are written for given kinds of arguments",
            fix="give sample arguments with like=",
        )
    arguments = made.target.arguments(tuple(like), {})
    built = Gradients.made(made, arguments)
    try:
        return loops_of(built.derivative, built.function, arguments).text
    except NotLowered as refusal:
        derivative, label = built.derivative, made.target.label
        place = derivative.provenance.lines.get(refusal.lineno or 0)
        if not strict:
            origin = origin_of(derivative)
            found = text_in_parts(derivative.text, refusal, built.function, origin, arguments)
            if found is not None:
                return found
        refused(label, refusal, place, strict)
    return made.text(like)


def compiled_of(
    f: Any, mode: str, wrt: Wrt | None, has_aux: bool, like: Any = None, variables: Any = None,
    strict: bool = False,
) -> Any:  # fmt: skip
    """Return the compiled derivatives of a function, kept for later calls, or the decorator."""
    if f is None:
        return lambda g: compiled_of(g, mode, wrt, has_aux, like, variables, strict)

    def make() -> CompiledGradients:
        return CompiledGradients(f, mode, wrt, like, has_aux, variables, strict)

    if like is not None or not isinstance(wrt, (int, str, tuple, type(None))):
        return make()
    return remembered(f, ("numba", mode, wrt, has_aux, identities(variables), strict), make)


class Compiled:
    """A function that runs as compiled loops, for each kind of arguments its own."""

    def __init__(self, f: Callable[..., Any], strict: bool) -> None:
        self.given = f
        self.strict = strict
        self.signature = inspect.signature(f)
        kinds = {p.kind for p in self.signature.parameters.values()}
        self.is_simple = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        self.guards: list[tuple[Callable[..., bool], Callable[..., Any]]] = []
        functools.update_wrapper(self, f)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Run the function."""
        if not self.is_simple:
            return self.given(*args, **keywords)
        if keywords or len(args) != len(self.signature.parameters):
            bound = self.signature.bind(*args, **keywords)
            bound.apply_defaults()
            args = bound.args
        for guard, function in self.guards:
            if guard(*args):
                return function(*args)
        return self.build(args)(*args)

    def build(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """Write and compile the loops for the kinds of these arguments."""
        with LOCK:
            function, watched, details = self.made(arguments)
            guard = guard_for(arguments, watched, CHANGES, details)
            self.guards = [(guard, function), *self.guards[: MOST_GUARDS - 1]]
            return function

    def made(self, arguments: tuple[Any, ...]) -> tuple[Callable[..., Any], list[Watched], Details]:
        """Return what runs for these arguments, what it depends on, and the details that it rests on."""
        f, label = self.given, getattr(self.given, "__name__", "function")
        try:
            loops = lowered_primal(f, arguments)
        except NotLowered as refusal:
            place = (f.__code__.co_filename, refusal.lineno) if refusal.lineno else None
            if self.strict:
                refused(label, refusal, place, strict=True)
            run, watched = in_parts(label, refusal, f, _line_of(f), place)
            return run, watched, NO_DETAILS
        places = {place_key(p): p for core in loops.cores for p in places_of(core)}
        watched = [watch(place) for place in places.values()]
        return ready(loops, f, label, self.strict), watched, texts_in(loops)


def lowered_primal(f: Callable[..., Any], arguments: Sequence[Any]) -> Lowered:
    """Write a function of the user's as loops."""
    return readable(f, arguments, _line_of(f))


def _line_of(f: Callable[..., Any]) -> Callable[[int], str | None]:
    filename = f.__code__.co_filename
    return lambda line: linecache.getline(filename, line).strip()


@public
def compile(f: Callable[..., Any], *, strict: bool = False) -> Callable[..., Any]:
    """Return a function that runs as loops which Numba compiles.

    Parameters
    ----------
    f : callable
        A function of numbers and arrays of float64. Its arguments are given by position.
    strict : bool, default False
        Whether to raise where `f` cannot be written as loops; else it runs as it is, after one
        `TapelessWarning`.

    Returns
    -------
    callable
        A function of the same arguments. It is written and compiled at the first call with arguments of
        some kinds. Sums are added in another order than NumPy's; where a loop raises, `f` itself runs.

    Raises
    ------
    GradientError
        If Numba is not installed; with `strict`, if `f` cannot be written as loops.

    See Also
    --------
    grad : ``grad(f, compile="numba")`` does the same with the gradient.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> def energy(x):
    ...     return np.sum(x * x)
    >>> tl.compile(energy)(np.arange(4.0))  # doctest: +SKIP
    np.float64(14.0)
    """
    check_compiler("numba")
    made = Compiled(f, strict)
    if not made.is_simple:
        reason = "it takes arguments by `*`, `**` or by keyword alone"
        refused(getattr(f, "__name__", "function"), NotLowered(reason), None, strict)
    return made
