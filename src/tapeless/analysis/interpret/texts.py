"""What texts say that are put together of others: it is known where it is known of each part.

    "_" + self.method,  f"layer_{i}",  "do_%s" % kind,  name.lower(),  str(i)

What they say is not decided by it: a test of a text stays a test, for a derivative serves texts of any
content. Only where a name is looked up that a text says it is made use of (`details`).
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.state import Interpreter
from tapeless.details import LONGEST, Text, computed
from tapeless.kinds import STR, Inert, Integer, Kind, Tuple
from tapeless.ranks import literal
from tapeless.texts import text_of
from tapeless.tree.trees import Tree

_METHODS = frozenset({
    "lower", "upper", "title", "capitalize", "casefold", "swapcase", "strip", "lstrip", "rstrip",
    "removeprefix", "removesuffix", "replace", "format",
})  # fmt: skip


def _shown(kind: Kind) -> Text | None:
    """Return what is known of the text of a value: of a text, or of an integer."""
    if isinstance(kind, Integer):
        return Text(str(kind.value)) if isinstance(kind.value, int) else None
    return text_of(kind)


def as_text(kind: Kind) -> Kind:
    """Return the kind of `str(x)`."""
    shown = _shown(kind)
    return STR if shown is None else _kind(computed(shown.value, [shown]))


def joined_text(interpreter: Interpreter, tree: Tree, env: Environment) -> Kind:
    """Return the kind of a text with values in it: `f"layer_{i}"`."""
    parts: list[Text] = []
    for part in tree.values:
        plain = type(part) is gast.FormattedValue
        if plain and (part.conversion != -1 or part.format_spec is not None):
            return STR
        shown = _shown(interpreter.eval(part.value if plain else part, env).kind)
        if shown is None:
            return STR
        parts.append(shown)
    return _kind(computed("".join(part.value for part in parts), parts))


def operated(operator: str, a: Kind, b: Kind) -> Kind:
    """Return the kind of `a + b`, `a % b` and `a * b` of a text."""
    items = b.items if isinstance(b, Tuple) and operator == "Mod" else (b,)
    parts = [text_of(a), *map(_shown, items)]
    known = [part for part in parts if part is not None]
    numbers = tuple(literal(item) for item in items)
    if len(known) < len(parts) or operator not in ("Add", "Mod"):
        return STR
    if operator == "Add":
        fits = not isinstance(b, Integer)
        return _kind(computed(known[0].value + known[1].value, known)) if fits else STR
    given = [n if type(n) is int else p.value for n, p in zip(numbers, known[1:], strict=True)]
    return _computed_by(known[0].value.__mod__, (tuple(given),), known)


COUNTING = ("index", "rindex", "find", "rfind", "count", "__len__")  # of what can be counted off


def method_of_text(
    interpreter: Interpreter, owner: Value, method: str, values: list[Value]
) -> Kind:
    """Return the kind of what a method of a text gives."""
    if method in COUNTING:
        return Integer()
    parts = [text_of(owner.kind), *(_shown(v.kind) for v in values)]
    known = [part for part in parts if part is not None]
    if method not in _METHODS or len(known) < len(parts):
        return Inert()
    numbers = [literal(v.kind) for v in values]
    given = [n if type(n) is int else p.value for n, p in zip(numbers, known[1:], strict=True)]
    return _computed_by(getattr(known[0].value, method), tuple(given), known)


def _computed_by(function: Any, given: tuple[Any, ...], parts: list[Text]) -> Kind:
    """Return the kind of what a function of texts gives; it raises where it is run, if it does here."""
    if any(type(each) is int and each > LONGEST for each in given):
        return STR
    try:
        return _kind(computed(function(*given), parts))
    except (LookupError, TypeError, ValueError):
        return STR


def _kind(text: Text | None) -> Kind:
    return STR if text is None else Inert("str", text=text)
