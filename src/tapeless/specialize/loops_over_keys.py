"""A loop over keys that are known, and by which slots are looked up, is written out.

So each slot is told apart from the others: a text in the place of the key says which one is meant. Or a text
that is put together of the key, such as `f"layer_{k}"`.

    for k in options:               ->   config["step"] = options["step"]
        config[k] = options[k]           config["tol"] = options["tol"]
    for k in ("mean", "std"):       ->   a = getattr(o, "mean"); ...
        a = getattr(o, k); ...           a = getattr(o, "std"); ...

The keys of `**options` are those that the call gives, as long as nothing is stored into it, and the keys of
a dict that is written out are those that stand there.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import Dict, Functions, Kind, List, Tuple, regions_of
from tapeless.specialize.known_names import may_use
from tapeless.specialize.state import Specializer
from tapeless.texts import text_of
from tapeless.tree.build import assign, const, filled, name, quote_expression
from tapeless.tree.classes import DISPLAYS, FUNCTIONS, SLOTS
from tapeless.tree.endings import own_jumps
from tapeless.tree.names import binds_in_block, bound_for_good, nodes, reads
from tapeless.tree.trees import Expr, Stmt

MOST_PARTS = 2000  # of the syntax, in all copies of the body together
_BY_NAME = (getattr, setattr, hasattr, delattr)


def loop_over_keys(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a loop over known keys out; None for any other loop, and where no slot is looked up."""
    key, value, over = _targets(s)
    if key is None or s.orelse or any(own_jumps(part, True) for part in s.body):
        return None
    if any(own_jumps(part) for part in s.body) or not _looks_up(specializer, s.body, key):
        return None
    parts = [part for inner in s.body for part in nodes(inner)]
    if key in binds_in_block(s.body) or any(type(part) in FUNCTIONS for part in parts):
        return None
    keys = _known_keys(specializer, over, value)
    if keys is None or len(keys) * len(parts) > MOST_PARTS:
        return None
    made: list[Any] = []
    for label in keys:
        if value is not None:
            item = quote_expression("d[k]", d=over.func.value, k=const(label))
            made.append(gast.Assign([value], item, None))
        made += [filled(inner, {key: const(label)}) for inner in s.body]
    return [*made, assign(key, const(keys[-1]))] if keys else [gast.Pass()]


def _targets(s: Stmt) -> tuple[str | None, Any, Expr]:
    """Return the name of the key, the place of the item beside it, and what the loop visits."""
    over, place = s.iter, s.target
    if type(over) is gast.Call and type(over.func) is gast.Attribute and not over.args:
        if over.func.attr == "items" and type(place) is gast.Tuple and len(place.elts) == 2:
            first, second = place.elts
            names = type(first) is gast.Name and type(second) is gast.Name
            return (first.id, second, over) if names else (None, None, over)
        over = over.func.value if over.func.attr == "keys" else over
    return (place.id if type(place) is gast.Name else None), None, over


def _looks_up(specializer: Specializer, body: list[Any], key: str) -> bool:
    """Whether slots that are unlike are looked up by a key, or one is stored into."""
    texts = _texts_of(body, key)

    def by_key(part: Any) -> bool:
        if type(part) is gast.Subscript:
            return getattr(part.slice, "id", None) in texts
        if type(part) is gast.Call and len(part.args) > 1:
            known = specializer.function.resolve(part.func)
            return is_one_of(known, _BY_NAME) and getattr(part.args[1], "id", None) in texts
        return False

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


def _known_keys(specializer: Specializer, over: Expr, value: Any) -> list[str] | None:
    """List the keys that a loop visits, where all are texts that are known."""
    if value is not None:
        return _keys_in_order(specializer, over.func.value)
    found: list[Any]
    if type(over) in DISPLAYS:
        found = [getattr(item, "value", None) for item in over.elts]
    elif type(over) is gast.Name and isinstance(specializer.kind(over), Tuple):
        found = _texts_in(specializer, specializer.kind(over))
    elif type(over) is gast.Name and isinstance(specializer.kind(over), List):
        found = [getattr(item, "value", None) for item in items_written_out(specializer, over.id)]
    else:
        return _keys_in_order(specializer, over)
    return found if found and all(isinstance(each, str) for each in found) else None


def _texts_in(specializer: Specializer, kind: Kind) -> list[Any]:
    """List what the items of a tuple say, where it is known of each: what is written rests on it."""
    texts = [text_of(item) for item in kind.items]  # type: ignore[attr-defined]
    known = [text for text in texts if text is not None and may_use(specializer, text)]
    if len(known) < len(texts):
        return [None]
    for text in known:
        specializer.interpreter.program.rest_on(text)
    return [text.value for text in known]


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
