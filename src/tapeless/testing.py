"""Checks of derivatives against differences and against each other: `check_rule`, `check_grads`.

They ask of a rule, or of the derivatives of a function, what `laws` says of all derivatives, and beside
that what a derivative owes its caller: the dtype, the arguments as they were, the same answer twice.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapeless.journal import Journal, ReplayMismatchError, picture
from tapeless.laws import (
    DerivativeMismatchError,
    Map,
    Tolerance,
    check_laws,
    check_same,
    random_like,
    shifted,
)
from tapeless.operators.grad import grad, value_and_grad
from tapeless.operators.gradients import Gradients
from tapeless.operators.jvp import jvp
from tapeless.operators.target import target_of
from tapeless.operators.vjp import vjp
from tapeless.rules.declare import Rule, find_rule
from tapeless.rules.runnable import RunnableRule, call_or_read, rule_as_map
from tapeless.runtime.boundary import as_cotangent
from tapeless.source.loader import load
from tapeless.structures import aligned, children, is_leaf, leaves_of, rebuild

__all__ = [
    "DerivativeMismatchError",
    "ReplayMismatchError",
    "check_grads",
    "check_replay",
    "check_rule",
]

# Rules


def check_rule(
    fn: Any,
    /,
    *args: Any,
    check_order: int = 2,
    check_rtol: float = 1e-6,
    check_atol: float = 1e-7,
    check_float32: bool = True,
    check_shapes: bool = True,
    **kwargs: Any,
) -> None:
    """Check the rule registered for a function, run by itself at the given arguments.

    Every float, float array, and list or tuple of these among the arguments is differentiated.
    Checked are the value, the gradient against differences, forward against reverse mode, the
    symmetry of the second derivative, the shape of every cotangent, single precision, that the
    arguments and the seed stay as they are, and that a gradient taken twice is the same. A rule of
    the elementwise form is checked at other shapes too: broadcast, without axes, and empty.

    Parameters
    ----------
    fn : callable
        The function that has the rule.
    *args, **kwargs
        The arguments of one call; a point where `fn` is smooth.
    check_order : {1, 2}
        1, or 2 to check the second derivative too.
    check_rtol, check_atol : float
        How closely the derivatives must agree.
    check_float32 : bool
        Whether to check that single precision stays single.
    check_shapes : bool
        Whether to check an elementwise rule at other shapes.

    Raises
    ------
    DerivativeMismatchError
        With the argument and the entry that are wrong.
    LookupError
        If `fn` has no rule.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> from tapeless.testing import check_rule
    >>> def cube(x):
    ...     return x * x * x
    >>> @tl.elementwise(cube)
    ... def cube_partials(y, x):
    ...     return 3.0 * x**2
    >>> check_rule(cube, np.array([0.5, -1.0]))
    """
    rule = find_rule(fn)
    if rule is None:
        raise LookupError(f"no gradient is registered for {fn!r}")
    tol = Tolerance(check_rtol, check_atol)
    if rule.form == "zero":
        _check_constant(fn, args, kwargs)
        return
    call = RunnableRule.bind(rule, args, kwargs)
    slots = call.slots()
    values = [slot.value for slot in slots]
    f = rule_as_map(fn, rule, call, len(args), list(kwargs))
    _check_value(f, rule, call, values)
    _check_repeatable(f, values)
    check_laws(f, values, check_order, tol)
    if check_float32:
        _check_single_precision(f, values)
    if check_shapes and rule.form == "elementwise" and any(isinstance(x, np.ndarray) for x in args):
        numbers = not inspect.ismethoddescriptor(fn)  # a method belongs to arrays alone
        for variant in _shape_variants(args, numbers):
            call = RunnableRule.bind(rule, variant, kwargs)
            f = rule_as_map(fn, rule, call, len(variant), list(kwargs))
            check_laws(f, [slot.value for slot in call.slots()], 1, tol)


def _check_constant(fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Check that small changes of the float arguments leave the value as it is."""
    leaves = [leaf for _, leaf in leaves_of(list(args))]
    ahead, behind = (
        rebuild(list(args), iter([shifted(x, h, np.ones(np.shape(x))) for x in leaves]))
        for h in (1e-7, -1e-7)
    )
    if repr(call_or_read(fn, ahead, kwargs)) != repr(call_or_read(fn, behind, kwargs)):
        raise DerivativeMismatchError(f"{fn!r} is not piecewise constant at these arguments")


def _check_value(f: Map, rule: Rule, call: RunnableRule, values: list[Any]) -> None:
    if rule.form == "general":
        found = call.run(copy.deepcopy(values), None)[0]
        check_same(
            f.value(values), found, f"{f.title}: the rule's value differs from the function's"
        )


def _check_repeatable(f: Map, values: list[Any]) -> None:
    """Check that running the gradient twice gives the same and changes nothing."""
    assert f.pull is not None
    rng = np.random.default_rng(1)
    y = f.value(values)
    y_bar = rebuild(y, iter([random_like(rng, leaf) for _, leaf in leaves_of(y)]))
    before = copy.deepcopy((values, y_bar))
    first = copy.deepcopy(f.pull(values, y_bar))
    second = f.pull(values, y_bar)
    check_same(before[0], values, f"{f.title}: the arguments were changed")
    check_same(before[1], y_bar, f"{f.title}: the seed was changed")
    check_same(list(first), list(second), f"{f.title}: the gradient differs when taken again")


def _single(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)
    return x


def _check_single_precision(f: Map, values: list[Any]) -> None:
    """Check that float32 arguments with a float32 value have float32 cotangents, nearly right."""
    assert f.pull is not None
    if not any(isinstance(leaf, np.ndarray) for _, leaf in leaves_of(values)):
        return
    rng = np.random.default_rng(2)
    small = rebuild(values, iter([_single(leaf) for _, leaf in leaves_of(values)]))
    y = f.value(small)
    y_leaves = [leaf for _, leaf in leaves_of(y)]
    if any(np.asarray(leaf).dtype not in (np.float32, np.complex64) for leaf in y_leaves):
        return
    y_bar_leaves = [random_like(rng, leaf) for leaf in y_leaves]
    wide_leaves = [np.asarray(g, dtype=np.result_type(g, 0.0)) for g in y_bar_leaves]
    y_wide = f.value(values)
    wide_bar = rebuild(
        y_wide,
        iter(
            g.astype(np.asarray(leaf).dtype)
            for g, (_, leaf) in zip(wide_leaves, leaves_of(y_wide), strict=True)
        ),
    )
    found = f.pull(small, rebuild(y, iter(y_bar_leaves)))
    expected = f.pull(values, wide_bar)
    for name, x, got, want in zip(f.names, small, found, expected, strict=True):
        for leaf, g, g_wide in zip(
            [leaf for _, leaf in leaves_of(x)],
            aligned(x, got, name, f.mismatch),
            aligned(x, want, name, f.mismatch),
            strict=True,
        ):
            if not isinstance(leaf, np.ndarray):
                continue
            if np.asarray(g).dtype not in (np.float32, np.complex64):
                raise DerivativeMismatchError(
                    f"{f.title}: the cotangent of the float32 argument {name} "
                    f"is {np.asarray(g).dtype}"
                )
            largest = float(np.max(np.abs(g_wide), initial=1.0))
            if not np.allclose(g, g_wide, rtol=1e-3, atol=1e-3 * largest, equal_nan=True):
                raise DerivativeMismatchError(
                    f"{f.title}: the float32 cotangent of {name} is {g}, in float64 {g_wide}"
                )


def _shape_variants(args: Sequence[Any], numbers: bool) -> Iterator[list[Any]]:
    """Return the arguments at other shapes, made of the same entries."""
    places = [i for i, x in enumerate(args) if isinstance(x, np.ndarray) and x.size]

    def reshaped(shapes: Sequence[tuple[int, ...] | None]) -> list[Any]:
        variant = list(args)
        for i, shape in zip(places, shapes, strict=True):
            entries = np.ravel(args[i])
            if shape is None:
                variant[i] = entries[0].item() if numbers else np.asarray(entries[0])
            elif 0 in shape:
                variant[i] = np.zeros(shape, dtype=args[i].dtype)
            else:
                variant[i] = np.resize(entries, shape)
        return variant

    full, others = (2, 3), ((3,), (2, 1), (), None)
    if len(places) == 1:
        for shape in (full, (), (0,), None):
            yield reshaped([shape])
        return
    for k in range(len(places)):
        for shape in others:
            shapes: list[tuple[int, ...] | None] = [full] * len(places)
            shapes[k] = shape
            yield reshaped(shapes)
    yield reshaped([(0, 3)] * len(places))
    yield reshaped([None] * len(places))


# Functions


def check_grads(
    f: Callable[..., Any],
    /,
    *args: Any,
    order: int = 2,
    modes: Sequence[str] = ("reverse", "forward"),
    rtol: float = 1e-6,
    atol: float = 1e-7,
    replay: bool = False,
) -> None:
    """Check the derivatives that tapeless gives for a function.

    Each derivative is compared with central differences at two steps, whose difference says how far
    they can be trusted, and forward mode with reverse mode by the dot-product identity.

    Parameters
    ----------
    f : callable
        Any function that can be differentiated.
    *args
        Where: numbers, arrays, and lists, tuples, dictionaries, named tuples and dataclasses of
        them; a point where `f` is smooth.
    order : int, default 2
        1 checks first derivatives. 2 checks also the derivatives of the gradient of ``sum(y * w)``,
        ``w`` random, for every leaf of the arguments: forward over reverse and reverse over reverse;
        3 those of its second derivatives, and so on.
    modes : sequence of str
        Which of ``"reverse"`` and ``"forward"`` to check; with both, that they agree. With forward
        mode alone the second derivatives are forward over forward.
    rtol, atol : float
        How closely the derivatives must agree, beside the error of the differences.
    replay : bool, default False
        Whether to check first, as `check_replay` does, what the reverse sweeps read: those of the
        gradient and, at second order, those of the derivatives of the gradient.

    Raises
    ------
    DerivativeMismatchError
        With the argument and the entry that are wrong, and by how much.
    ReplayMismatchError
        With the statement whose mirror reads what was not there.
    TapelessError
        If the function, or at a higher order its derivative, cannot be differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> from tapeless.testing import check_grads
    >>> def f(x, p):
    ...     return np.sum(np.tanh(p["w"] * x)) + p["b"]
    >>> check_grads(f, np.array([0.5, -1.0]), {"w": 0.3, "b": 2.0})
    """
    title = f"derivatives of {getattr(f, '__qualname__', repr(f))}"
    names = _parameter_names(f, len(args))
    _check_order(f, args, names, title, order, tuple(modes), Tolerance(rtol, atol), replay)


def _check_order(
    f: Any, args: Sequence[Any], names: tuple[str, ...], title: str, order: int,
    modes: tuple[str, ...], tol: Tolerance, replay: bool,
) -> None:  # fmt: skip
    """Check the first derivatives of `f`, then those of the derivatives of its weighted sum."""
    if replay and "reverse" in modes:
        check_replay(f, *args)

    def pull(values: Sequence[Any], y_bar: Any) -> Sequence[Any]:
        return vjp(f, *values)[1](y_bar)

    def push(values: Sequence[Any], tangents: Sequence[Any]) -> Any:
        moving = [
            t if any(True for _ in leaves_of(x)) else None
            for x, t in zip(values, tangents, strict=True)
        ]
        return jvp(f, tuple(values), tuple(moving))[1]

    checked = Map(
        title=title,
        names=names,
        value=lambda values: f(*values),
        pull=pull if "reverse" in modes else None,
        push=push if "forward" in modes else None,
    )
    check_laws(checked, copy.deepcopy(args), 1, tol)
    paths = [pair for n, x in zip(names, args, strict=True) for pair in leaves_of(x, n)]
    if order < 2 or not paths:
        return
    rng = np.random.default_rng(order)
    weighted = _weighted_sum(f, args, f(*copy.deepcopy(args)), rng)
    leaves = [leaf for _, leaf in paths]
    if "reverse" in modes:
        higher: Any = grad(weighted, tuple(range(len(leaves))))
    else:
        higher = _slope_along(weighted, [random_like(rng, leaf) for leaf in leaves])
    more = title if title.startswith("higher ") else f"higher {title}"
    _check_order(higher, leaves, tuple(p for p, _ in paths), more, order - 1, modes, tol, replay)


def _weighted_sum(f: Any, args: Sequence[Any], y: Any, rng: np.random.Generator) -> Any:
    """Write ``sum(y * w)`` as a function of the leaves of the arguments, whatever their structure."""
    target = target_of(f)
    known: dict[str, Any] = {"np": np, "f": target.function}
    numbered = iter(range(10_000))

    def constant(value: Any) -> str:
        key = f"c{next(numbered)}"
        known[key] = value
        return key

    def display(x: Any) -> str:
        if is_leaf(x):
            parameters.append(f"x{len(parameters)}")
            return parameters[-1]
        if isinstance(x, dict) and type(x) is dict:
            return "{" + ", ".join(f"{k!r}: {display(v)}" for k, v in x.items()) + "}"
        if type(x) is list:
            return "[" + ", ".join(display(item) for item in x) + "]"
        if type(x) is tuple:
            return "(" + "".join(f"{display(item)}, " for item in x) + ")"
        if children(x) and any(True for _ in leaves_of(x)):
            made = constant(type(x))
            return f"{made}({', '.join(f'{p[1:]}={display(v)}' for p, v in children(x))})"
        return constant(x)

    parameters: list[str] = []
    passed = [constant(value) for value in target.bound]
    passed += [display(x) for x in args]
    passed += [f"{key}={constant(value)}" for key, value in target.keywords.items()]
    terms: list[str] = []
    for path, leaf in leaves_of(y, "y"):
        known[f"w{len(terms)}"] = random_like(rng, leaf)
        term = f"np.sum({path} * w{len(terms)})"
        terms.append(f"np.real({term})" if np.iscomplexobj(leaf) else term)
    text = (
        f"def weighted({', '.join(parameters)}):\n"
        f"    y = f({', '.join(passed)})\n"
        f"    return {' + '.join(terms) or '0.0'}\n"
    )
    return load(text, "weighted", known)["weighted"]


def _slope_along(f: Any, direction: Sequence[Any]) -> Any:
    """Write the slope of a function of numbers and arrays along a direction."""
    known: dict[str, Any] = {f"v{i}": v for i, v in enumerate(direction)}
    xs = "".join(f"x{i}, " for i in range(len(direction)))
    vs = "".join(f"v{i}, " for i in range(len(direction)))
    text = f"def slope({xs}):\n    return jvp(f, ({xs}), ({vs}))[1]\n"
    return load(text, "slope", {"jvp": jvp, "f": f, **known})["slope"]


def _parameter_names(f: Callable[..., Any], count: int) -> tuple[str, ...]:
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(f).parameters.values()
        named = [p.name for p in parameters if p.kind in by_place]
    except (TypeError, ValueError):
        named = []
    return tuple([*named, *[f"argument {i}" for i in range(len(named), count)]][:count])


# Replay


def check_replay(f: Callable[..., Any], /, *args: Any, compare: bool = True) -> None:
    """Check, statement by statement, that the reverse sweep finds what the forward sweep had there.

    The reverse sweep of a derivative goes back over the statements of a function and reads what they
    computed. Here the derivative is written with calls around each statement: in the forward sweep they
    keep what the mirrored statement will read, in the reverse sweep they compare it with what is there,
    bit for bit. The pullback is run twice, and the gradient too where the result is a real number. Before
    the pullback runs, the arrays among the arguments are filled with NaN: it keeps what it needs, and
    reads nothing that is the caller's; what was returned must stay as it is. The value must be that of
    the function, and at the end all results are compared with those of the derivatives as they are
    printed. Nothing has to be smooth, and no differences are taken.

    Parameters
    ----------
    f
        Any function that can be differentiated; what `grad` made for derivatives of higher order.
    *args
        Its arguments. They are copied.
    compare
        Whether to compare the results with those of the derivatives as they are printed.

    Raises
    ------
    ReplayMismatchError
        With the first of the statements in the reverse sweep that reads what was not there in the
        forward sweep: its file and line, the name, and both values.
    TapelessError
        If the function cannot be differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> from tapeless.testing import check_replay
    >>> def f(x):
    ...     y = x * x
    ...     y[0] = np.sin(y[1])
    ...     return np.sum(y)
    >>> check_replay(f, np.array([0.5, -1.0]))
    """
    observed = Observed(f)
    observed.check_pullback(args, compare)
    observed.check_gradient(args, compare)


class Observed:
    """The derivatives of a function with calls around each statement, written once for all arguments.

    Attributes
    ----------
    f
        The function.
    pullback
        Its observed pullback.
    gradients
        Its observed gradients, by the independents.
    """

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = f
        self.target = target_of(f)
        self.pullback = Gradients(f, "vjp", "*", None)
        self.pullback.journal = Journal()
        self.gradients: dict[tuple[str, ...], Gradients] = {}

    def check_pullback(self, args: Sequence[Any], compare: bool = True) -> None:
        """Run the pullback under observation, twice, and compare it with the one that users run."""
        f, observed, rng = self.f, self.pullback, np.random.default_rng(3)
        y = copy.deepcopy(f(*copy.deepcopy(args)))  # it may be state outside, which moves on
        seeds = iter([random_like(rng, leaf) for _, leaf in leaves_of(y)])
        y_bar = rebuild(y, seeds, lambda value: None)

        def plain() -> Any:
            value, pullback = vjp(f, *copy.deepcopy(args))
            return value, pullback(copy.deepcopy(y_bar))

        copies = tuple(copy.deepcopy(args))
        given = observed.target.arguments(copies, {})
        journal = begun(observed)
        value, pull = observed.run(given)
        returned, shown = copy.deepcopy(value), picture(value)
        spoiled = _spoil(copies, value)
        written, bars = list(journal.entries), None
        for _ in range(2):
            journal.entries = list(written)
            bars = pull(as_cotangent(copy.deepcopy(y_bar), returned))
            journal.finish()
            self.check_left_alone([("what was returned", value, shown), *spoiled])
        self.check_value(args, y, value)  # calls the function, which may change what it reads
        bars = tuple(bars or ())[len(observed.target.bound) :]
        kinds = {p.kind for p in observed.target.signature.parameters.values()}
        if compare and inspect.Parameter.VAR_POSITIONAL not in kinds:
            _compare_with_plain(f, plain, (value, bars[: len(args)]))

    def check_gradient(self, args: Sequence[Any], compare: bool = True) -> None:
        """Run the gradient under observation, if there is one, and compare it likewise."""
        f, target = self.f, self.target
        y = f(*copy.deepcopy(args))
        if not is_leaf(y) or np.shape(y) != () or not np.isrealobj(y):
            return
        own = list(target.signature.parameters)[len(target.bound) :]
        named = zip(own, args, strict=False)
        wrt = tuple(key for key, x in named if any(True for _ in leaves_of(x)))
        if not wrt:
            return
        if wrt not in self.gradients:
            self.gradients[wrt] = Gradients(f, "value_and_grad", wrt, None)
            self.gradients[wrt].journal = Journal()
        journal = begun(self.gradients[wrt])
        found = self.gradients[wrt](*copy.deepcopy(args))
        journal.finish()
        self.check_value(args, y, found[0])
        if compare:
            plain = value_and_grad(f, wrt)
            _compare_with_plain(f, lambda: plain(*copy.deepcopy(args)), found)

    def check_value(self, args: Sequence[Any], y: Any, value: Any) -> None:
        """Check that a derivative gives the value of the function, if that is the same at each call."""
        # of three calls two may be alike
        others = [picture(self.f(*copy.deepcopy(args))) for _ in range(2)]
        if not all(other.shows(picture(y)) for other in others):
            return
        wanted, found = ([leaf for _, leaf in leaves_of(x)] for x in (y, value))
        if len(wanted) != len(found) or not all(map(_nearly, wanted, found)):
            raise ReplayMismatchError(
                f"the derivative of {self.label} gives the value {picture(value)}, "
                f"and the function {picture(y)}"
            )

    def check_left_alone(self, things: list[tuple[str, Any, Any]]) -> None:
        """Check that a pullback has changed nothing that its caller holds."""
        for what, thing, shown in things:
            if not picture(thing).shows(shown):
                raise ReplayMismatchError(
                    f"the pullback of {self.label} changes {what}: it was {shown}, "
                    f"and is {picture(thing)}"
                )

    @property
    def label(self) -> str:
        """The name of the function."""
        return str(getattr(self.f, "__qualname__", repr(self.f)))


def _spoil(args: Any, value: Any) -> list[tuple[str, Any, Any]]:
    """Fill the arrays among arguments with NaN; give them with what they look like now.

    What is returned as well stays as it is.
    """
    results = [leaf for _, leaf in leaves_of(value) if isinstance(leaf, np.ndarray)]
    found = []
    for _, leaf in leaves_of(args):
        if not isinstance(leaf, np.ndarray) or not leaf.flags.writeable:
            continue
        if not any(np.may_share_memory(leaf, other) for other in results):
            leaf.fill(np.nan)
            found.append(("an argument", leaf, picture(leaf)))
    return found


def begun(observed: Any) -> Journal:
    """Return the journal of an observed derivative, with nothing of an earlier run in it."""
    journal: Journal = observed.journal
    journal.entries = []
    return journal


def _compare_with_plain(f: Any, plain: Callable[[], Any], found: Any) -> None:
    """Compare results, unless the function itself gives another at each call."""
    first, second = plain(), plain()
    if not picture(first).shows(picture(second)):
        return
    ours, theirs = ([leaf for _, leaf in leaves_of(x)] for x in (first, found))
    if len(ours) != len(theirs) or not all(map(_nearly, ours, theirs)):
        label = getattr(f, "__qualname__", repr(f))
        raise ReplayMismatchError(
            f"the derivative of {label} gives {picture(first)}, "
            f"and {picture(found)} before it is shortened"
        )


def _nearly(a: Any, b: Any) -> bool:
    """Whether two results differ by rounding only: a shortened text may sum in another order."""
    if np.shape(a) != np.shape(b) or np.asarray(a).dtype != np.asarray(b).dtype:
        return False
    size = float(np.max(np.abs(a), initial=1e-3, where=np.isfinite(a)))
    rounding = 1e4 * float(np.finfo(np.asarray(a).dtype).eps)
    return bool(np.allclose(a, b, rtol=0.0, atol=rounding * size, equal_nan=True))
