"""Checks of derivatives against differences and against each other: `check_rule`, `check_grads`.

Three laws say whether derivatives are right, and none of them needs another tool.

Differences
    The slope of ``<y_bar, f(x)>`` along a unit vector is the entry of the gradient there. The slope
    is taken from central differences at two steps; what is left between the two is the error
    estimate.
Transposition
    Forward and reverse mode are each other's transpose: ``<y_bar, J x_dot> == <J^T y_bar, x_dot>``
    for all seeds, up to rounding.
Symmetry
    A gradient is the gradient of something: the slope of ``<grad(x), v>`` along `u` is the slope of
    ``<grad(x), u>`` along `v`. This, from differences of the first derivatives, is the check of
    second order.

The pairing is bilinear, ``<a, b> = Re(sum(a * b))``, also for complex values, so that the entry of
a cotangent is the derivative along the real axis less ``1j`` times that along the imaginary axis.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeless.rules.declare import Rule, find_rule
from tapeless.source.loader import load
from tapeless.structures import aligned, children, is_leaf, leaves_of, rebuild, tangent_like

__all__ = ["DerivativeMismatchError", "check_grads", "check_rule"]

_STEP = 1e-3
_MOST_ENTRIES = 64


class DerivativeMismatchError(AssertionError):
    """A derivative breaks one of the laws that derivatives obey."""


@dataclass(frozen=True)
class _Tolerance:
    rtol: float
    atol: float


@dataclass(frozen=True)
class _Map:
    """A function with derivatives, in the one form that the laws are checked for.

    `pull(args, y_bar)` gives one cotangent per argument, `push(args, tangents)` the tangent of the
    value; either may be None. `names` are those of the arguments, for messages.
    """

    title: str
    names: tuple[str, ...]
    value: Callable[[Sequence[Any]], Any]
    pull: Callable[[Sequence[Any], Any], Sequence[Any]] | None
    push: Callable[[Sequence[Any], Sequence[Any]], Any] | None

    def mismatch(self, what: str) -> Exception:
        """Give the error that says what does not fit."""
        return DerivativeMismatchError(f"{self.title}: {what}")


# Arithmetic of lists of leaves


def _pair(a: Sequence[Any], b: Sequence[Any]) -> float:
    return float(sum(np.real(np.sum(np.multiply(p, q))) for p, q in zip(a, b, strict=True)))


def _random_like(rng: np.random.Generator, x: Any) -> Any:
    g = rng.normal(size=np.shape(x))
    if np.iscomplexobj(x):
        g = g + 1j * rng.normal(size=np.shape(x))
    if isinstance(x, np.ndarray):
        return np.asarray(g).astype(x.dtype)
    return type(x)(g)


def _shifted(x: Any, step: float, direction: Any) -> Any:
    moved = x + step * direction
    if isinstance(x, np.ndarray):
        return np.asarray(moved, dtype=x.dtype)
    return type(x)(moved)


def _slope(
    phi: Callable[[list[Any]], float], leaves: list[Any], along: list[Any]
) -> tuple[float, float]:
    """Differentiate `phi` along a direction by central differences; give also the error."""
    scale = min(
        (float(np.max(np.abs(x))) for x, d in zip(leaves, along, strict=True) if np.any(d)),
        default=1.0,
    )
    eps = max((float(np.finfo(np.result_type(x)).eps) for x in leaves), default=0.0)
    # In double precision the step is small for the sake of kinks nearby; where rounding is coarse
    # it is where the errors of the extrapolation, h**4 and eps / h, meet.
    h = max(_STEP, eps**0.2) * (scale if 0.01 < scale < 1.0 else max(scale, 1.0) if scale else 1.0)
    values: list[float] = []

    def difference(step: float) -> float:
        ahead = [_shifted(x, step, d) for x, d in zip(leaves, along, strict=True)]
        behind = [_shifted(x, -step, d) for x, d in zip(leaves, along, strict=True)]
        values.extend((phi(ahead), phi(behind)))
        return (values[-2] - values[-1]) / (2.0 * step)

    wide, narrow = difference(h), difference(0.5 * h)
    slope = (4.0 * narrow - wide) / 3.0
    rounding = 4.0 * eps * (max(map(abs, values)) + scale * abs(slope)) / h
    return slope, abs(narrow - wide) + rounding


def _agree(got: float, expected: float, size: float, error: float, tol: _Tolerance) -> bool:
    # An estimate of the error forgives no more than a thousandth: else it would forgive anything.
    allowance = tol.atol + tol.rtol * size + min(error, 1e-3 * (size + 1e-3))
    return abs(got - expected) <= allowance or (np.isnan(got) and np.isnan(expected))


def _units(x: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """Give the unit vectors of a leaf, with ``1j`` times them if it is complex."""
    size = int(np.size(x))
    chosen = range(size) if size <= _MOST_ENTRIES else sorted(rng.permutation(size)[:_MOST_ENTRIES])
    for i in chosen:
        index = np.unravel_index(i, np.shape(x))
        entry = "[" + ", ".join(str(int(j)) for j in index) + "]" if index else ""
        for unit in (1.0, 1j) if np.iscomplexobj(x) else (1.0,):
            vector = np.zeros(np.shape(x), dtype=np.result_type(x, type(unit)))
            vector[index] = unit
            yield entry, vector


# The laws


def _check_laws(f: _Map, args: Sequence[Any], order: int, tol: _Tolerance, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    structure = list(args)
    paths = [
        (path, leaf)
        for name, arg in zip(f.names, args, strict=True)
        for path, leaf in leaves_of(arg, name)
    ]
    leaves = [leaf for _, leaf in paths]
    y = f.value(args)
    y_leaves = [leaf for _, leaf in leaves_of(y)]
    y_bar_leaves = [_random_like(rng, leaf) for leaf in y_leaves]
    y_bar = rebuild(y, iter(y_bar_leaves))

    def arguments(new: Sequence[Any]) -> list[Any]:
        return list(rebuild(structure, iter(new)))

    def weighted_value(new: list[Any]) -> float:
        return _pair(y_bar_leaves, [leaf for _, leaf in leaves_of(f.value(arguments(new)))])

    def gradient(new: Sequence[Any]) -> list[Any]:
        assert f.pull is not None
        current = arguments(new)
        found = f.pull(current, copy.deepcopy(y_bar))
        return [
            leaf
            for name, arg, g in zip(f.names, current, found, strict=True)
            for leaf in aligned(arg, g, name, f.mismatch)
        ]

    def tangent(new: Sequence[Any], directions: Sequence[Any]) -> list[Any]:
        assert f.push is not None
        tangents = tangent_like(structure, iter(directions))
        y_dot = f.push(arguments(new), tangents)
        return list(aligned(y, y_dot, "the value's tangent", f.mismatch))

    if f.pull is not None:
        before = copy.deepcopy((structure, y_bar))
        found = gradient(leaves)
        _same(before[0], structure, f"{f.title}: the arguments were changed by the gradient")
        _check_differences(f, paths, weighted_value, found, rng, tol)
    size = 1.0
    directions = [_random_like(rng, leaf) for leaf in leaves]
    if f.push is not None:
        pushed = _pair(y_bar_leaves, tangent(leaves, directions))
        if f.pull is not None:
            expected, error = _pair(gradient(leaves), directions), 0.0
            law = "<y_bar, J x_dot> differs from <J^T y_bar, x_dot>"
        else:
            expected, error = _slope(weighted_value, leaves, directions)
            law = "the tangent differs from differences"
        size = sum(float(np.sum(np.abs(leaf))) for leaf in y_bar_leaves) + abs(expected)
        if not _agree(pushed, expected, size, error, tol):
            raise DerivativeMismatchError(f"{f.title}: {law}: got {pushed}, expected {expected}")
    if order >= 2:
        _check_symmetry(f, gradient, tangent, y_bar_leaves, leaves, rng, tol)


def _check_differences(
    f: _Map,
    paths: list[tuple[str, Any]],
    weighted_value: Callable[[list[Any]], float],
    found: list[Any],
    rng: np.random.Generator,
    tol: _Tolerance,
) -> None:
    leaves = [leaf for _, leaf in paths]
    for k, (path, leaf) in enumerate(paths):
        for entry, unit in _units(leaf, rng):
            along: list[Any] = [np.zeros(np.shape(x)) for x in leaves]
            along[k] = unit
            expected, error = _slope(weighted_value, leaves, along)
            got = _pair([found[k]], [unit])
            if not _agree(got, expected, max(abs(got), abs(expected), 1.0), error, tol):
                imaginary = (
                    " (imaginary part)" if np.iscomplexobj(unit) and np.imag(unit).any() else ""
                )
                raise DerivativeMismatchError(
                    f"{f.title}: the gradient of {path}{entry}{imaginary} is {got}, "
                    f"differences give {expected} (error about {error:.1e})"
                )


def _check_symmetry(
    f: _Map,
    gradient: Callable[[Sequence[Any]], list[Any]],
    tangent: Callable[[Sequence[Any], Sequence[Any]], list[Any]],
    y_bar_leaves: list[Any],
    leaves: list[Any],
    rng: np.random.Generator,
    tol: _Tolerance,
) -> None:
    u = [_random_like(rng, leaf) for leaf in leaves]
    v = [_random_like(rng, leaf) for leaf in leaves]

    def slope_along(w: list[Any]) -> Callable[[list[Any]], float]:
        if f.push is not None:
            return lambda new: _pair(y_bar_leaves, tangent(new, w))
        return lambda new: _pair(gradient(new), w)

    def gradient_along_v(new: list[Any]) -> float:
        return _pair(gradient(new), v)

    if not leaves or not y_bar_leaves or f.pull is None:
        return
    expected, error_1 = _slope(slope_along(u), leaves, v)
    got, error_2 = _slope(gradient_along_v, leaves, u)
    size = max(abs(expected), abs(got), 1.0)
    loose = _Tolerance(10.0 * tol.rtol, 10.0 * tol.atol)
    if not _agree(got, expected, size, error_1 + error_2, loose):
        raise DerivativeMismatchError(
            f"{f.title}: the second derivative is not symmetric: <v, H u> is {got}, "
            f"<u, H v> is {expected}"
        )


def _same(a: Any, b: Any, message: str) -> None:
    ours = [leaf for _, leaf in leaves_of(a)]
    theirs = [leaf for _, leaf in leaves_of(b)]
    if len(ours) != len(theirs):
        raise DerivativeMismatchError(f"{message}: {len(theirs)} values against {len(ours)}")
    for p, q in zip(ours, theirs, strict=True):
        if not np.array_equal(p, q, equal_nan=True):
            raise DerivativeMismatchError(f"{message}: {q} against {p}")


# Rules


class _Default:
    """A parameter that the call leaves at its default: nothing to differentiate."""

    def __init__(self, value: Any) -> None:
        self.value = value


@dataclass(frozen=True)
class _Slot:
    """One parameter of a rule's call, or one item of its starred parameter."""

    name: str
    value: Any


@dataclass(frozen=True)
class _RunnableRule:
    """A rule with the arguments of one call: how to run it, and which slots it has."""

    rule: Rule
    bound: inspect.BoundArguments

    @staticmethod
    def bind(rule: Rule, args: Sequence[Any], kwargs: dict[str, Any]) -> _RunnableRule:
        signature = inspect.signature(rule.function)
        first = (None,) if rule.form == "elementwise" else ()
        bound = signature.bind(*first, *args, **kwargs)
        given = set(bound.arguments)
        bound.apply_defaults()
        for name, parameter in signature.parameters.items():
            if name not in given and parameter.default is not inspect.Parameter.empty:
                bound.arguments[name] = _Default(bound.arguments[name])
        return _RunnableRule(rule, bound)

    def slots(self) -> list[_Slot]:
        """List the parameters, given or not: grad answers for all of them."""
        slots = []
        for name, value in self.bound.arguments.items():
            kind = self.bound.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                slots += [_Slot(f"{name}[{i}]", item) for i, item in enumerate(value)]
            elif kind is inspect.Parameter.VAR_KEYWORD:
                slots += [_Slot(key, item) for key, item in value.items()]
            else:
                slots.append(_Slot(name, value))
        return slots[1:] if self.rule.form == "elementwise" else slots

    def with_values(self, values: Sequence[Any]) -> inspect.BoundArguments:
        """Bind other values of the slots to the same parameters."""
        rest = [x.value if isinstance(x, _Default) else x for x in values]
        if self.rule.form == "elementwise":
            rest.insert(0, None)
        bound = inspect.BoundArguments(self.bound.signature, copy.copy(self.bound.arguments))
        for name, value in self.bound.arguments.items():
            kind = self.bound.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(rest[: len(value)])
                rest = rest[len(value) :]
            elif kind is inspect.Parameter.VAR_KEYWORD:
                bound.arguments[name] = dict(zip(value, rest, strict=False))
                rest = rest[len(value) :]
            else:
                bound.arguments[name] = rest.pop(0)
        return bound

    def run(self, values: Sequence[Any], y: Any) -> tuple[Any, Any, Any]:
        """Give value, grad and jvp (or None) at other values of the slots."""
        bound = self.with_values(values)
        if self.rule.form == "elementwise":
            return y, *_from_partials(self.rule.function, bound, y, values)
        out = self.rule.function(*bound.args, **bound.kwargs)
        if not isinstance(out, tuple) or len(out) < 2 or not callable(out[-1]):
            raise DerivativeMismatchError(
                f"{self.rule.function.__qualname__} must return (value, grad) or (value, grad, jvp)"
            )
        if len(out) >= 3 and callable(out[-2]):
            value, (grad, jvp) = out[:-2], out[-2:]
        else:
            value, grad, jvp = out[:-1], out[-1], None
        return (value[0] if len(value) == 1 else value), grad, jvp


def _from_partials(
    partials: Callable[..., Any], bound: inspect.BoundArguments, y: Any, values: Sequence[Any]
) -> tuple[Any, Any]:
    bound.arguments[next(iter(bound.arguments))] = y
    found = partials(*bound.args, **bound.kwargs)
    per_argument = found if isinstance(found, tuple) else (found,)

    def grad(y_bar: Any) -> Any:
        return tuple(
            _sum_to(y_bar * partial, x) if partial is not None and is_leaf(x) else None
            for partial, x in zip(per_argument, values, strict=False)
        )

    def jvp(*tangents: Any) -> Any:
        y_dot = 0.0 * y
        for partial, x_dot, x in zip(per_argument, tangents, values, strict=False):
            if partial is not None and is_leaf(x):
                y_dot = y_dot + partial * x_dot
        return y_dot

    return grad, jvp


def _sum_to(g: Any, x: Any) -> Any:
    """Sum a cotangent to the shape of its argument; a real argument has a real one."""
    if np.iscomplexobj(g) and not np.iscomplexobj(x):
        g = np.real(g)
    g = np.sum(g, axis=tuple(range(np.ndim(g) - np.ndim(x))))
    stretched = tuple(i for i, n in enumerate(np.shape(x)) if n == 1 and np.shape(g)[i] != 1)
    return np.sum(g, axis=stretched, keepdims=True) if stretched else g


def _call(fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function, or read an attribute such as `np.ndarray.real`."""
    return fn(*args, **kwargs) if callable(fn) else fn.__get__(args[0])


def _takes(fn: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(fn).bind(*[None] * count)
    except TypeError:
        return False
    return True


def _rule_as_map(
    fn: Any, rule: Rule, call: _RunnableRule, positional: int, keywords: Sequence[str]
) -> _Map:
    slots = call.slots()
    names = tuple(slot.name for slot in slots)
    title = f"rule of {getattr(fn, '__qualname__', getattr(fn, '__name__', repr(fn)))}"

    def value(values: Sequence[Any]) -> Any:
        by_name = dict(zip(names, values, strict=True))
        given = {key: by_name[key] for key in keywords}
        return _call(fn, values[:positional], given)

    def run(values: Sequence[Any]) -> tuple[Any, Any, Any]:
        return call.run(values, value(values) if rule.form == "elementwise" else None)

    def pull(values: Sequence[Any], y_bar: Any) -> Sequence[Any]:
        y, grad, _ = run(values)
        several = isinstance(y, tuple) and isinstance(y_bar, tuple) and _takes(grad, len(y_bar))
        found = grad(*y_bar) if several else grad(y_bar)
        starred = any(
            p.kind is inspect.Parameter.VAR_POSITIONAL
            for p in call.bound.signature.parameters.values()
        )
        bare = rule.form == "general" and len(slots) == 1 and not starred
        if bare or not isinstance(found, tuple):
            found = (found,)
        if len(found) > len(slots) and any(g is not None for g in found[len(slots) :]):
            raise DerivativeMismatchError(
                f"{title}: grad returns {len(found)} cotangents for {len(slots)} parameters"
            )
        return [*found, *[None] * len(slots)][: len(slots)]

    def push(values: Sequence[Any], tangents: Sequence[Any]) -> Any:
        _, _, jvp = run(values)
        if rule.form == "elementwise":
            return jvp(*tangents)
        return jvp(*_arguments_of_jvp(jvp, slots, tangents))

    has_jvp = run([slot.value for slot in slots])[2] is not None
    return _Map(title, names, value, pull, push if has_jvp else None)


def _arguments_of_jvp(
    jvp: Callable[..., Any], slots: Sequence[_Slot], tangents: Sequence[Any]
) -> list[Any]:
    """Choose the tangents that `jvp` takes: by the names of its parameters, else in order."""
    by_name = {f"{slot.name}_dot": t for slot, t in zip(slots, tangents, strict=True)}
    constant = {f"{slot.name}_dot": not any(True for _ in leaves_of(slot.value)) for slot in slots}
    parameters = list(inspect.signature(jvp).parameters.values())
    named = [p for p in parameters if p.kind is not inspect.Parameter.VAR_POSITIONAL]
    if not all(p.name in by_name for p in named):
        moving = [any(True for _ in leaves_of(slot.value)) for slot in slots]
        return [t for t, moves in zip(tangents, moving, strict=True) if moves]
    chosen = [0.0 if constant[p.name] else by_name[p.name] for p in named]
    if len(named) < len(parameters):
        chosen += [t for name, t in by_name.items() if "[" in name]
    return chosen


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
    fn
        The function that has the rule.
    *args, **kwargs
        The arguments of one call; a point where `fn` is smooth.
    check_order
        1, or 2 to check the second derivative too.
    check_rtol, check_atol
        How closely the derivatives must agree.
    check_float32
        Whether to check that single precision stays single.
    check_shapes
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
    tol = _Tolerance(check_rtol, check_atol)
    if rule.form == "zero":
        _check_constant(fn, args, kwargs)
        return
    call = _RunnableRule.bind(rule, args, kwargs)
    slots = call.slots()
    values = [slot.value for slot in slots]
    f = _rule_as_map(fn, rule, call, len(args), list(kwargs))
    _check_value(f, rule, call, values)
    _check_repeatable(f, values)
    _check_laws(f, values, check_order, tol)
    if check_float32:
        _check_single_precision(f, values)
    if check_shapes and rule.form == "elementwise" and any(isinstance(x, np.ndarray) for x in args):
        numbers = not inspect.ismethoddescriptor(fn)  # a method belongs to arrays alone
        for variant in _shape_variants(args, numbers):
            call = _RunnableRule.bind(rule, variant, kwargs)
            f = _rule_as_map(fn, rule, call, len(variant), list(kwargs))
            _check_laws(f, [slot.value for slot in call.slots()], 1, tol)


def _check_constant(fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Check that small changes of the float arguments leave the value as it is."""
    leaves = [leaf for _, leaf in leaves_of(list(args))]
    ahead, behind = (
        rebuild(list(args), iter([_shifted(x, h, np.ones(np.shape(x))) for x in leaves]))
        for h in (1e-7, -1e-7)
    )
    if repr(_call(fn, ahead, kwargs)) != repr(_call(fn, behind, kwargs)):
        raise DerivativeMismatchError(f"{fn!r} is not piecewise constant at these arguments")


def _check_value(f: _Map, rule: Rule, call: _RunnableRule, values: list[Any]) -> None:
    if rule.form == "general":
        found = call.run(copy.deepcopy(values), None)[0]
        _same(f.value(values), found, f"{f.title}: the rule's value differs from the function's")


def _check_repeatable(f: _Map, values: list[Any]) -> None:
    """Check that running the gradient twice gives the same and changes nothing."""
    assert f.pull is not None
    rng = np.random.default_rng(1)
    y = f.value(values)
    y_bar = rebuild(y, iter([_random_like(rng, leaf) for _, leaf in leaves_of(y)]))
    before = copy.deepcopy((values, y_bar))
    first = copy.deepcopy(f.pull(values, y_bar))
    second = f.pull(values, y_bar)
    _same(before[0], values, f"{f.title}: the arguments were changed")
    _same(before[1], y_bar, f"{f.title}: the seed was changed")
    _same(list(first), list(second), f"{f.title}: the gradient differs when taken again")


def _single(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)
    return x


def _check_single_precision(f: _Map, values: list[Any]) -> None:
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
    y_bar_leaves = [_random_like(rng, leaf) for leaf in y_leaves]
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
    """Give the arguments at other shapes, made of the same entries."""
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
) -> None:
    """Check the derivatives that tapeless gives for a function.

    Each derivative is compared with central differences at two steps, whose difference says how far
    they can be trusted, and forward mode with reverse mode by the dot-product identity.

    Parameters
    ----------
    f
        Any function that can be differentiated.
    *args
        Where: numbers, arrays, and lists, tuples, dictionaries, named tuples and dataclasses of
        them; a point where `f` is smooth.
    order
        1 checks first derivatives. 2 checks also the derivatives of the gradient of ``sum(y * w)``,
        ``w`` random, for every leaf of the arguments: forward over reverse and reverse over reverse;
        3 those of its second derivatives, and so on.
    modes
        Which of ``"reverse"`` and ``"forward"`` to check; with both, that they agree. With forward
        mode alone the second derivatives are forward over forward.
    rtol, atol
        How closely the derivatives must agree, beside the error of the differences.

    Raises
    ------
    DerivativeMismatchError
        With the argument and the entry that are wrong, and by how much.
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
    _check_order(f, args, names, title, order, tuple(modes), _Tolerance(rtol, atol))


def _check_order(
    f: Any, args: Sequence[Any], names: tuple[str, ...], title: str, order: int,
    modes: tuple[str, ...], tol: _Tolerance,
) -> None:  # fmt: skip
    """Check the first derivatives of `f`, then those of the derivatives of its weighted sum."""
    from tapeless import api

    def pull(values: Sequence[Any], y_bar: Any) -> Sequence[Any]:
        return api.vjp(f, *values)[1](y_bar)

    def push(values: Sequence[Any], tangents: Sequence[Any]) -> Any:
        moving = [
            t if any(True for _ in leaves_of(x)) else None
            for x, t in zip(values, tangents, strict=True)
        ]
        return api.jvp(f, tuple(values), tuple(moving))[1]

    checked = _Map(
        title=title,
        names=names,
        value=lambda values: f(*values),
        pull=pull if "reverse" in modes else None,
        push=push if "forward" in modes else None,
    )
    _check_laws(checked, copy.deepcopy(args), 1, tol)
    paths = [pair for n, x in zip(names, args, strict=True) for pair in leaves_of(x, n)]
    if order < 2 or not paths:
        return
    rng = np.random.default_rng(order)
    weighted = _weighted_sum(f, args, f(*copy.deepcopy(args)), rng)
    leaves = [leaf for _, leaf in paths]
    if "reverse" in modes:
        higher: Any = api.grad(weighted, tuple(range(len(leaves))))
    else:
        higher = _slope_along(weighted, [_random_like(rng, leaf) for leaf in leaves])
    more = title if title.startswith("higher ") else f"higher {title}"
    _check_order(higher, leaves, tuple(p for p, _ in paths), more, order - 1, modes, tol)


def _weighted_sum(f: Any, args: Sequence[Any], y: Any, rng: np.random.Generator) -> Any:
    """Write ``sum(y * w)`` as a function of the leaves of the arguments, whatever their structure."""
    from tapeless.api import target_of

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
        known[f"w{len(terms)}"] = _random_like(rng, leaf)
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
    from tapeless.api import jvp

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
