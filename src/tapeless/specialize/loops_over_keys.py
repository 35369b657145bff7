"""A loop over keys that are known, and by which slots are looked up, is written out.

So each slot is told apart from the others: a text in the place of the key says which one is meant. Or a text
that is put together of the key, such as `f"layer_{k}"`.

    for k in options:               ->   config["step"] = options["step"]
        config[k] = options[k]           config["tol"] = options["tol"]
    for k in ("mean", "std"):       ->   a = getattr(o, "mean"); ...
        a = getattr(o, k); ...           a = getattr(o, "std"); ...
    for k, v in zip(("a", "b"), t): ->   v = t[0]; setattr(o, "a", v)
        setattr(o, k, v)                 v = t[1]; setattr(o, "b", v)
    for i, k in enumerate(names):   ->   p["a"] = x[0]
        p[k] = x[i]                      p["b"] = x[1]

What stands beside the keys is a tuple, or an array whose length is known: the text serves no other lengths.

The keys of `**options` are those that the call gives, as long as nothing is stored into it, and the keys of
a dict that is written out are those that stand there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gast

from tapeless.analysis.interpret.attribute_calls import SETTERS
from tapeless.details import Outside, Text
from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import Array, Dict, Functions, Kind, List, Tuple, count_of, regions_of
from tapeless.runtime import own_attribute
from tapeless.specialize.known_names import may_use
from tapeless.specialize.state import Specializer
from tapeless.texts import text_of
from tapeless.tree.build import assign, const, filled, name, quote_expression
from tapeless.tree.classes import DISPLAYS, FUNCTIONS, SLOTS
from tapeless.tree.endings import own_jumps
from tapeless.tree.names import binds_in_block, bound_for_good, nodes, reads
from tapeless.tree.trees import Expr, Stmt

MOST_PARTS = 2000  # of the syntax, in all copies of the body together
BY_NAME = (getattr, hasattr, delattr, own_attribute, *SETTERS)


Trips = list[tuple[str, Any]]  # a key, and what stands beside it


@dataclass(frozen=True)
class Visit:
    """What a loop may go through: a name for the keys, and a place for what stands beside each.

    What is written rests on its `trips`, so they are asked for last.
    """

    key: str
    beside: Any
    trips: Callable[[], Trips | None]


def loop_over_keys(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a loop over known keys out; None for any other loop, and where no slot is looked up."""
    if _may_jump(s):
        return None
    for visit in _visits(specializer, s):
        if _looks_up(specializer, s.body, visit.key):
            made = _written_out(s, visit)
            if made is not None:
                return made
    return None


def written_in_order(
    specializer: Specializer, s: Stmt, over: Expr, visit: Visit
) -> list[Stmt] | None:
    """Write a loop over what a dict holds out; None where the order of its keys is not known."""
    keys = None if _may_jump(s) else _keys_in_order(specializer, over)
    if keys is None:
        return None
    held = visit.beside is not None
    trips = [(k, quote_expression("d[k]", d=over, k=const(k)) if held else None) for k in keys]
    return _written_out(s, replace(visit, trips=lambda: trips))


def _may_jump(s: Stmt) -> bool:
    """Whether a loop may end before its last item, or skip the rest of a trip."""
    return bool(s.orelse) or any(own_jumps(part, True) or own_jumps(part) for part in s.body)


def _written_out(s: Stmt, visit: Visit) -> list[Any] | None:
    """Write the body of a loop once for each key; None where the keys are not known, or too many."""
    parts = [part for inner in s.body for part in nodes(inner)]
    if visit.key in binds_in_block(s.body) or any(type(part) in FUNCTIONS for part in parts):
        return None
    trips = visit.trips()
    if trips is None or len(trips) * len(parts) > MOST_PARTS:
        return None
    made: list[Any] = []
    for label, item in trips:
        if visit.beside is not None:
            made.append(gast.Assign([visit.beside], item, None))
        made += [filled(inner, {visit.key: const(label)}) for inner in s.body]
    return [*made, assign(visit.key, const(trips[-1][0]))] if trips else [gast.Pass()]


def _visits(specializer: Specializer, s: Stmt) -> Iterator[Visit]:
    """Yield what a loop may go through: of two things side by side either may be the keys."""
    place, over = s.target, s.iter
    if type(place) is gast.Name:
        yield Visit(place.id, None, lambda: _alone(specializer, over))
        return
    named = type(place) is gast.Tuple and all(type(part) is gast.Name for part in place.elts)
    if not named or len(place.elts) != 2 or type(over) is not gast.Call or over.keywords:
        return
    first, second = place.elts
    if _method(over) == "items":
        yield Visit(first.id, second, lambda: _items_of(specializer, over.func.value))
        return
    called = specializer.function.resolve(over.func)
    if called is enumerate and len(over.args) == 1:
        yield Visit(second.id, first, lambda: _numbered(specializer, over.args[0]))
    elif called is zip and len(over.args) == 2:
        one, other = over.args
        yield Visit(first.id, second, lambda: _side_by_side(specializer, one, other))
        yield Visit(second.id, first, lambda: _side_by_side(specializer, other, one))


def _alone(specializer: Specializer, over: Expr) -> Trips | None:
    keys = _known_keys(specializer, over.func.value if _method(over) == "keys" else over)
    return None if keys is None else [(key, None) for key in keys]


def _items_of(specializer: Specializer, owner: Expr) -> Trips | None:
    keys = _keys_in_order(specializer, owner)
    if keys is None:
        return None
    return [(key, quote_expression("d[k]", d=owner, k=const(key))) for key in keys]


def _numbered(specializer: Specializer, texts: Expr) -> Trips | None:
    keys = _known_keys(specializer, texts)
    return None if keys is None else [(key, const(i)) for i, key in enumerate(keys)]


def _side_by_side(specializer: Specializer, texts: Expr, items: Expr) -> Trips | None:
    keys = _known_keys(specializer, texts)
    length = None if keys is None else _length_of(specializer, items)
    if keys is None or length is None:
        return None
    shorter = keys[:length]
    return [(k, quote_expression("t[i]", t=items, i=const(i))) for i, k in enumerate(shorter)]


def _method(over: Expr) -> str:
    """Name the method of a dict that a loop visits."""
    called = type(over) is gast.Call and not over.args and type(over.func) is gast.Attribute
    return str(over.func.attr) if called else ""


def _length_of(specializer: Specializer, items: Expr) -> int | None:
    """Return how long a tuple is, or an array whose length what is written may rest on."""
    kind = specializer.kind(items)
    if type(items) is not gast.Name:
        return None
    if isinstance(kind, Tuple) and not kind.or_none:
        return len(kind.items)
    found = count_of(kind.dims[0]) if isinstance(kind, Array) and kind.dims else None
    if found is None:
        return None
    specializer.interpreter.program.details |= found.axes
    return found.number


def _looks_up(specializer: Specializer, body: list[Any], key: str) -> bool:
    """Whether slots that are unlike are looked up by a key, or one is stored into."""
    texts = _texts_of(body, key)

    def by_key(part: Any) -> bool:
        if type(part) is gast.Subscript:
            return getattr(part.slice, "id", None) in texts
        return is_by_name(specializer, part, texts)

    parts = [part for s in body for part in nodes(s)]
    results = specializer.facts.results
    alike = {
        s.value
        for s in parts
        if type(s) is gast.Assign and s in results and _is_told(results[s].kind)
    }
    asked = (gast.Call, *SLOTS)
    return any(
        by_key(p)
        for p in parts
        if isinstance(p, asked) and not (type(p) is gast.Subscript and p in alike)
    )


def is_by_name(specializer: Specializer, part: Any, texts: set[str]) -> bool:
    """Whether a call looks up an attribute by one of these texts."""
    if type(part) is not gast.Call or len(part.args) < 2:
        return False
    known = specializer.function.resolve(part.func)
    return is_one_of(known, BY_NAME) and getattr(part.args[1], "id", None) in texts


def _texts_of(body: list[Any], key: str) -> set[str]:
    """Name the key, and the texts that are put together of it: `f"layer_{key}"`."""
    found = {key}
    for s in (part for inner in body for part in nodes(inner)):
        place: Any = s.targets[0] if type(s) is gast.Assign else None
        if type(place) is gast.Name and _is_of_texts(s.value, found):
            found.add(place.id)
    return found


def _is_of_texts(tree: Expr, texts: set[str]) -> bool:
    """Whether a text is put together of others: `"w" + key`, `key.lower()`."""
    if type(tree) is gast.Call and type(tree.func) is gast.Attribute:
        owner = tree.func.value
        is_text = (
            isinstance(getattr(owner, "value", None), str) or getattr(owner, "id", "") in texts
        )
    else:
        is_text = type(tree) in (gast.JoinedStr, gast.BinOp)
    return is_text and bool(texts.intersection(reads(tree)))


def _is_told(kind: Kind) -> bool:
    """Whether one kind says of each slot what it holds."""
    return type(kind) is not Kind and not isinstance(kind, Functions)


def _known_keys(specializer: Specializer, over: Expr) -> list[str] | None:
    """List the items of what is gone through, where all are texts that are known."""
    kind = specializer.kind(over) if type(over) in (gast.Name, gast.Attribute) else None
    found: list[Any] | None
    if type(over) in DISPLAYS:
        found = [getattr(item, "value", None) for item in over.elts]
    elif isinstance(kind, Tuple):
        found = _texts_in(specializer, kind.items)
    elif isinstance(kind, List) and type(over) is gast.Name:
        written = items_written_out(specializer, over.id)
        found = [getattr(item, "value", None) for item in written] or (
            _texts_told(specializer, over) or _texts_outside(specializer, over)
        )
    else:
        found = _keys_in_order(specializer, over)
    return found if found and all(isinstance(each, str) for each in found) else None


def _texts_told(specializer: Specializer, over: Any) -> list[Any]:
    """List the texts, or keys, that a list or dict was written out with; none where it may have changed."""
    regions = regions_of(specializer.kind(over))
    values = specializer.facts.displays.get(next(iter(regions)), ()) if len(regions) == 1 else ()
    return _texts_in(specializer, [value.kind for value in values])


def _texts_in(specializer: Specializer, kinds: Sequence[Kind]) -> list[Any]:
    """List what the items of a tuple say, where it is known of each: what is written rests on it."""
    texts = [text_of(kind) for kind in kinds]
    known = [text for text in texts if text is not None and may_use(specializer, text)]
    if len(known) < len(texts):
        return [None]
    for text in known:
        specializer.interpreter.program.rest_on(text)
    return [text.value for text in known]


def _texts_outside(specializer: Specializer, over: Any) -> list[Any]:
    """List the texts in a list outside of the function that nothing changes: what is written rests on it."""
    held, external = specializer.function.resolve(over), specializer.function.externals.get(over.id)
    if type(held) is not list or external is None or external.owner is None:
        return []
    facts = specializer.facts
    if regions_of(specializer.kind(over)) & frozenset(facts.stored).union(*facts.unseen.values()):
        return []
    places = [Outside.of(external.owner, external.key, (i,)) for i in range(len(held) + 1)]
    texts = [Text(item, frozenset([p])) for p, item in zip(places, [*held, ""], strict=True)]
    if not all(isinstance(item, str) for item in held) or not may_use(specializer, texts[-1]):
        return []
    for text in texts:  # the last one stands where nothing does
        specializer.interpreter.program.rest_on(text)
    return held


def _keys_in_order(specializer: Specializer, tree: Expr) -> list[str] | None:
    """List the keys of a dict in their order: of `**options` as it came in, or of one written out here.

    Nothing is stored into it. Of a dict that comes from elsewhere the order is not known.
    """
    kind = specializer.kind(tree)
    if type(tree) is not gast.Name or not isinstance(kind, Dict) or kind.or_none:
        return None
    if kind.regions & specializer.facts.stored or len(kind.regions) != 1:
        return None
    [region] = kind.regions
    rest, function = specializer.function.tree.args.kwarg, specializer.function
    given = rest is not None and rest.id == tree.id
    told = _texts_told(specializer, tree)
    if all(isinstance(key, str) for key in told) and told:
        return told
    given = given and tree.id not in binds_in_block(function.tree.body)
    if not given and region[:2] != ("made", function.name):
        return None
    keys: list[Any] = list(specializer.facts.heap.get(region, {}))
    return keys if all(isinstance(key, str) and key != "?" for key in keys) else None


def items_written_out(specializer: Specializer, key: str) -> list[Expr]:
    """List the items of a tuple, or of a list that nothing changes, that a name is bound to for good.

    They are names that are bound once as well, and what has no name.
    """
    function, facts = specializer.function, specializer.facts
    steady = bound_for_good(function.tree)
    made = [
        s
        for s in nodes(function.tree, nested=False)
        if type(s) is gast.Assign and getattr(s.targets[0], "id", None) == key
    ]
    if key not in steady or len(made) != 1 or type(made[0].value) not in DISPLAYS:
        return []
    items = made[0].value.elts
    changed = frozenset(facts.stored).union(*facts.unseen.values())
    if regions_of(specializer.kind(name(key))) & changed:
        return []
    fixed = all(
        type(item) is gast.Constant
        or function.resolve(item) is not MISSING
        or getattr(item, "id", None) in steady
        for item in items
    )
    return list(items) if fixed else []
