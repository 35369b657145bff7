"""Functions around others: what has a rule, or no text of its own, is differentiated through a call."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeless.protocol.authors import author_of, location_of
from tapeless.rules.declare import find_rule
from tapeless.source.loader import load


@functools.lru_cache(maxsize=256)
def calling(f: Any) -> Callable[..., Any]:
    """Make a function that calls `f`: a derivative goes through the call, by the rule of `f`."""
    defaults: dict[str, Any] = {}
    try:
        parameters = [
            p.replace(annotation=p.empty, default=_default(f, p))
            for p in _parameters(f)
            if p.default is p.empty or _may_be_passed(f, p)
        ]
        defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        named = [
            p.replace(default=_Named(f"default_{p.name}")) if p.name in defaults else p
            for p in parameters
        ]
        signature = str(inspect.Signature(named))
    except (TypeError, ValueError):
        parameters, signature = None, "(x)"
    passed = ["x"] if parameters is None else [
        f"{p.name}={p.name}" if _is_passed_by_name(f, p) else "**" * (p.kind is p.VAR_KEYWORD)
        + "*" * (p.kind is p.VAR_POSITIONAL) + p.name
        for p in parameters
    ]  # fmt: skip
    if isinstance(f, np.ufunc):
        passed = [f"x{i + 1}" for i in range(f.nin)]
        signature = f"({', '.join(passed)})"
    label = "f" if "f" not in {p.name for p in parameters or ()} else "function_called"
    text = f"def call{signature}:\n    return {label}({', '.join(passed)})\n"
    values = {label: f} | {f"default_{key}": value for key, value in defaults.items()}
    location = location_of(author_of(f) or f)
    origins = {1: (location["filename"], location["lineno"])} if location else {}
    made: Callable[..., Any] = load(text, getattr(f, "__name__", "f"), values, origins)["call"]
    made.__calls__ = f  # type: ignore[attr-defined]
    return made


def _parameters(f: Any) -> list[inspect.Parameter]:
    """Return the parameters of a function; those of its rule where it does not tell its own."""
    try:
        return list(inspect.signature(f).parameters.values())
    except ValueError:
        rule = find_rule(f)
        if rule is None or rule.form != "general":
            raise
        return list(rule.parameters.values())


def _may_be_passed(f: Any, p: inspect.Parameter) -> bool:
    """Whether a parameter with a default may be passed on: `out` and `like` have no derivative.

    What NumPy takes for not given (`np._NoValue`) cannot be said by a rule that has no value for it.
    """
    if p.default is np._NoValue and _default(f, p) is None:
        return False
    if p.name == "out":
        return False
    rule = find_rule(f)
    if rule is None or rule.form != "general":
        return True
    taken = rule.parameters
    return p.name in taken or any(q.kind is q.VAR_KEYWORD for q in taken.values())


def _default(f: Any, p: inspect.Parameter) -> Any:
    """Return the default of a parameter; that of the rule where NumPy has a mark for not given."""
    rule = find_rule(f)
    if p.default is not np._NoValue:
        return p.default
    taken = {} if rule is None else rule.parameters
    return taken[p.name].default if p.name in taken else None


def _is_passed_by_name(f: Any, p: inspect.Parameter) -> bool:
    """Whether a call passes a parameter by its name, as rules take what they do not share."""
    by_rule = find_rule(f) is not None and p.kind is p.POSITIONAL_OR_KEYWORD
    return p.kind is p.KEYWORD_ONLY or by_rule and p.default is not p.empty


@dataclass(frozen=True)
class _Named:
    """A default value that a signature shows by a name."""

    name: str

    def __repr__(self) -> str:
        return self.name
