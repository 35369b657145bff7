"""A rule as the function that it is: run by itself, apart from any splicing.

Its parameters, and the items of a starred one, are the slots of a call: `grad` answers for each of them,
`jvp` takes the tangents of those that have one.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeless.laws import DerivativeMismatchError, Map
from tapeless.rules.declare import Rule
from tapeless.structures import is_leaf, leaves_of


class _Default:
    """A parameter that the call leaves at its default: nothing to differentiate."""

    def __init__(self, value: Any) -> None:
        self.value = value


@dataclass(frozen=True)
class Slot:
    """One parameter of a rule's call, or one item of its starred parameter."""

    name: str
    value: Any


@dataclass(frozen=True)
class RunnableRule:
    """A rule with the arguments of one call: how to run it, and which slots it has."""

    rule: Rule
    bound: inspect.BoundArguments

    @staticmethod
    def bind(rule: Rule, args: Sequence[Any], kwargs: dict[str, Any]) -> RunnableRule:
        """Bind the arguments of a call to the parameters of a rule."""
        signature = inspect.signature(rule.function)
        first = (None,) if rule.form == "elementwise" else ()
        bound = signature.bind(*first, *args, **kwargs)
        given = set(bound.arguments)
        bound.apply_defaults()
        for name, parameter in signature.parameters.items():
            if name not in given and parameter.default is not inspect.Parameter.empty:
                bound.arguments[name] = _Default(bound.arguments[name])
        return RunnableRule(rule, bound)

    def slots(self) -> list[Slot]:
        """List the parameters, given or not: grad answers for all of them."""
        slots = []
        for name, value in self.bound.arguments.items():
            kind = self.bound.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                slots += [Slot(f"{name}[{i}]", item) for i, item in enumerate(value)]
            elif kind is inspect.Parameter.VAR_KEYWORD:
                slots += [Slot(key, item) for key, item in value.items()]
            else:
                slots.append(Slot(name, value))
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
        """Return value, grad and jvp (or None) at other values of the slots."""
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


def call_or_read(fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function, or read an attribute such as `np.ndarray.real`."""
    return fn(*args, **kwargs) if callable(fn) else fn.__get__(args[0])


def _takes(fn: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(fn).bind(*[None] * count)
    except TypeError:
        return False
    return True


def rule_as_map(
    fn: Any, rule: Rule, call: RunnableRule, positional: int, keywords: Sequence[str]
) -> Map:
    """Return a rule, for the arguments of one call, as a function with derivatives."""
    slots = call.slots()
    names = tuple(slot.name for slot in slots)
    title = f"rule of {getattr(fn, '__qualname__', getattr(fn, '__name__', repr(fn)))}"

    def value(values: Sequence[Any]) -> Any:
        by_name = dict(zip(names, values, strict=True))
        given = {key: by_name[key] for key in keywords}
        return call_or_read(fn, values[:positional], given)

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
        if rule.linear:
            moved = [
                _tangent(t, x) if label.partition("[")[0] in rule.linear else x
                for label, t, x in zip(names, tangents, values, strict=True)
            ]
            return run(moved)[0]
        _, _, jvp = run(values)
        if rule.form == "elementwise":
            return jvp(*tangents)
        return jvp(*_arguments_of_jvp(jvp, slots, tangents))

    has_jvp = bool(rule.linear) or run([slot.value for slot in slots])[2] is not None
    return Map(title, names, value, pull, push if has_jvp else None)


def _tangent(tangent: Any, x: Any) -> Any:
    """Return the tangent of an argument, 0.0 of one that has none."""
    return tangent if any(True for _ in leaves_of(x)) else 0.0


def _arguments_of_jvp(
    jvp: Callable[..., Any], slots: Sequence[Slot], tangents: Sequence[Any]
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
