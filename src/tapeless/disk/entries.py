"""A derivative as a text that another process can read, and back.

    {"text": "def f_grad(x): ...", "name": "f_grad",
     "externals": {"k": ["at", 3, "k", false], "np": ["home", "numpy", "np"]}, "watched": [...], ...}

Numbers are those of the things in the description (`contents`): `["at", 3, "k", false]` is the place of
the name `k` in thing 3. What belongs to the tool or to a library is found by its name.
"""

from __future__ import annotations

import ast
import importlib
import json
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tapeless.analysis.outside import Outside
from tapeless.derivative import Derivative
from tapeless.details import NO_DETAILS, Details, Reached, in_order
from tapeless.disk.contents import Contents
from tapeless.disk.functions import lines_of
from tapeless.disk.homes import home_in_library, is_library_namespace, thing_at
from tapeless.disk.unstable import UnstableError
from tapeless.externals import MISSING, External
from tapeless.source.complete import import_of
from tapeless.source.loader import GeneratedText
from tapeless.source.spans import Provenance, Span
from tapeless.tree.build import has_text

Reference = list[Any]


def entry_of(derivative: Derivative, watched: Iterable[External], contents: Contents) -> str:
    """Write a derivative and the places that it depends on as a text.

    Raises
    ------
    UnstableError
        If another process could not find what it depends on.
    """
    places = [_settled(place, contents) for place in watched if not _is_made(place, contents)]
    references = [_reference(place, contents) for place in places if place.owner is not None]
    externals = {key: _settled(e, contents) for key, e in derivative.externals.items()}
    stored = repr(sorted(derivative.stored_places, key=repr))
    if frozenset(ast.literal_eval(stored)) != derivative.stored_places:
        raise UnstableError("a place in an argument that is not reached by plain keys")
    return json.dumps({
        "text": derivative.text,
        "name": derivative.name,
        "externals": {key: _reference(e, contents) for key, e in externals.items()},
        "imports": {key: import_of(key, e) for key, e in derivative.externals.items()},
        "watched": [one for i, one in enumerate(references) if one not in references[:i]],
        "stored": sorted(derivative.stored),
        "stored_places": stored,
        "varied": sorted(derivative.varied),
        **_provenance_told(derivative.provenance, contents),
        "outside": None if derivative.outside is None else _outside(derivative.outside, contents),
        "details": in_order(derivative.details),
    })  # fmt: skip


@dataclass(frozen=True)
class Pointer:
    """What tells entries apart: details of the arguments, and what some places outside them hold."""

    details: Details
    outside: list[Reference]

    def __bool__(self) -> bool:
        """Whether there is more than one entry."""
        return bool(self.details or self.outside)

    def joined(self, other: Pointer) -> Pointer:
        """Return what tells entries apart by this or by another pointer."""
        more = [one for one in other.outside if one not in self.outside]
        return Pointer(self.details | other.details, [*self.outside, *more])

    def held(self, contents: Contents) -> list[Any]:
        """Return what is held now at the places outside the arguments."""
        return [_external(one, contents).value for one in self.outside]


def pointer_of(derivative: Derivative, watched: Iterable[External], contents: Contents) -> Pointer:
    """Return what tells the entries for arguments of the same kinds apart."""
    outside = [place for place in watched if isinstance(place, Reached)]
    return Pointer(derivative.details, [_reference(place, contents) for place in outside])


def pointer_text(pointer: Pointer) -> str:
    """Write what tells entries apart as a text."""
    return json.dumps({"details": in_order(pointer.details), "outside": pointer.outside})


def pointed_to(entry: str | None) -> Pointer:
    """Return what tells entries apart; nothing does where this is an entry itself, or there is none."""
    told = {} if entry is None else json.loads(entry)
    if "text" in told:
        return Pointer(NO_DETAILS, [])
    return Pointer(frozenset(map(tuple, told.get("details", ()))), told.get("outside", []))


def derivative_of(entry: str, contents: Contents) -> tuple[Derivative, list[External]]:
    """Read a derivative, and the places that it depends on.

    Raises
    ------
    UnstableError
        If its names are imported from elsewhere here.
    """
    told = json.loads(entry)
    externals = {key: _external(found, contents) for key, found in told["externals"].items()}
    if told["imports"] != {key: import_of(key, e) for key, e in externals.items()}:
        raise UnstableError("a name that is imported from elsewhere")
    derivative = Derivative(
        told["text"], told["name"], externals, frozenset(told["stored"]),
        frozenset(ast.literal_eval(told["stored_places"])), frozenset(told["varied"]),
        _provenance_of(told, contents),
        None if told["outside"] is None else _outside_of(told["outside"], contents),
        frozenset(map(tuple, told["details"])),
    )  # fmt: skip
    return derivative, [_external(found, contents) for found in told["watched"]]


def _outside(outside: Outside, contents: Contents) -> dict[str, Any]:
    """Write down what the rules in a pullback read of the world outside, and change there."""
    places = [(label, _settled(place, contents)) for label, place in outside.places]
    things = {id(thing): thing for thing in outside.own.values() if thing is not MISSING}
    if any(number not in contents.numbers for number in things):
        raise UnstableError("a thing that a rule changes, which was not met")
    return {
        "places": [(label, _reference(place, contents)) for label, place in places],
        "own": [
            (None if number is None else contents.numbers[number], key)
            for number, key in outside.own
        ],
    }


def _outside_of(told: dict[str, Any], contents: Contents) -> Outside:
    """Find again what the rules in a pullback read and change."""
    places = [(label, _external(found, contents)) for label, found in told["places"]]
    own: dict[tuple[int | None, str | None], Any] = {}
    for number, key in told["own"]:
        thing = MISSING if number is None else contents.things[number]
        own[None if number is None else id(thing), key] = thing
    return Outside(places, own)


def _loader(namespace: Any) -> GeneratedText | None:
    found = namespace.get("__loader__") if isinstance(namespace, dict) else None
    return found if isinstance(found, GeneratedText) else None


def _is_made(place: External, contents: Contents) -> bool:
    """Whether a place is the text or the defaults of a function that the tool made on the way."""
    owner = place.owner
    if not isinstance(owner, types.FunctionType) or id(owner) in contents.numbers:
        return False
    return _loader(owner.__globals__) is not None


def _settled(place: External, contents: Contents) -> External:
    """Return where a name of a text that the tool made on the way is looked up in the end."""
    found = place
    if isinstance(place, Reached):
        return place
    while id(found.owner) not in contents.numbers and _loader(found.owner) is not None:
        outer = _loader(found.owner).externals.get(found.key)  # type: ignore[union-attr]
        found = External(None, found.key, found.value) if outer is None else outer
    if found.value is not place.value:
        raise UnstableError(f"the name {place.key}, which was bound anew")
    return found


def _reference(external: External, contents: Contents) -> Reference:
    """Write down where something is found."""
    owner, key, value = external.owner, external.key, external.value
    if isinstance(external, Reached):
        start = External(owner, key)
        return ["reached", _reference(_settled(start, contents), contents), list(external.path)]
    if contents.covers(external):
        return ["at", contents.numbers[id(owner)], key, external.baked]
    if isinstance(owner, dict) and list(owner) == ["default"] and id(value) in contents.numbers:
        return ["held", contents.numbers[id(value)]]
    if isinstance(owner, dict) and is_library_namespace(owner):
        return ["in", owner["__name__"], key]
    if owner is not None:
        raise UnstableError(f"the name {key}, which was not met")
    home = home_in_library(value)
    if home:
        return ["home", home, key]
    if id(value) in contents.numbers:
        return ["thing", contents.numbers[id(value)], key]
    if has_text(value):
        return ["literal", repr(value), key]
    raise UnstableError(f"a {type(value).__name__} called {key}, which was not met")


def _external(found: Reference, contents: Contents) -> External:
    """Find again what was written down."""
    sort, *told = found
    if sort == "reached":
        start = _external(told[0], contents)
        return Reached(start.owner, start.key, baked=True, path=tuple(told[1]))
    if sort == "at":
        number, key, baked = told
        return External(contents.things[number], key, MISSING, baked)
    if sort == "in":
        return External(vars(importlib.import_module(told[0])), told[1])
    if sort == "held":
        return External({"default": contents.things[told[0]]}, "default")
    find: dict[str, Callable[[Any], Any]] = {
        "home": thing_at, "literal": ast.literal_eval, "thing": contents.things.__getitem__,
    }  # fmt: skip
    return External(None, told[1], find[sort](told[0]))


Extents = dict[str, list[tuple[range, int]]]


def _extents(contents: Contents) -> Extents:
    """Map files to the extents of the functions in them, each with its number."""
    found: Extents = {}
    for number, thing in enumerate(contents.things):
        if isinstance(thing, types.FunctionType):
            found.setdefault(thing.__code__.co_filename, []).append((lines_of(thing), number))
    return found


def _provenance_told(provenance: Provenance, contents: Contents) -> dict[str, Any]:
    """List lines and parts of the text with the function that each comes from and the line in its file."""
    extents = _extents(contents)

    def number_of(filename: str, lineno: int) -> int | None:
        return next((n for lines, n in extents.get(filename, []) if lineno in lines), None)

    lines = [(line, number_of(*place), place[1]) for line, place in provenance.lines.items()]
    spans = [
        (*span[:3], number_of(span.filename, span.lineno), span.lineno, int(span.spliced))
        for span in provenance.spans
    ]
    return {
        "lines": [line for line in lines if line[1] is not None],
        "spans": [span for span in spans if span[3] is not None],
        "sweeps": list(provenance.sweeps.items()),
        "tangents": sorted(provenance.tangents),
    }


def _provenance_of(told: dict[str, Any], contents: Contents) -> Provenance:
    """Find again where the lines and parts of a text come from."""

    def file(number: int) -> str:
        return str(contents.things[number].__code__.co_filename)

    spans = tuple(
        Span(line, start, end, file(number), lineno, bool(spliced))
        for line, start, end, number, lineno, spliced in told["spans"]
    )
    lines = {line: (file(number), lineno) for line, number, lineno in told["lines"]}
    return Provenance(spans, lines, dict(told["sweeps"]), frozenset(told["tangents"]))
