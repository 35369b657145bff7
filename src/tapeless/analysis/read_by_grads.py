"""What the rules that users write read of the world outside, at the time when a pullback runs.

    @custom_gradient
    def scaled(x):
        def grad(dy):
            return dy * scale       `scale` is looked up when `grad` runs, not in the forward sweep
        return x * scale, grad

Between the two sweeps of a pullback that a user is given anything may happen. What the tool writes is
handed over from one sweep to the other (`differentiate.held_outside`). A `grad` looks up its names when it
runs, and so does all that it calls: so what they lead to is compared with what it was, and where it has
changed the pullback is refused. What a `grad` itself changes (a log, a counter) is its own affair.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import Known
from tapeless.analysis.interpret.changes_by_customs import changed_place
from tapeless.analysis.logs import grads_written, regions_reached
from tapeless.analysis.outside import Outside, Own
from tapeless.analysis.reached import places_named, things_reached
from tapeless.externals import MISSING, External, attribute_place, place_key, resolve
from tapeless.kinds import Region
from tapeless.regions import attributes_of
from tapeless.set_in_texts import is_set_in_text, module_with
from tapeless.sorts import is_of_a_library
from tapeless.source.texts import Text, text_of
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds_in_block, children, nodes, parameters
from tapeless.tree.trees import Tree


@dataclass(eq=False)
class Reader:
    """A rule of a user's: a custom gradient, of which a pullback runs `grad`, or a registered one.

    Attributes
    ----------
    caller, statement
        Where it is called.
    label
        The function that it is the rule of.
    function
        The function that its author wrote; None for one that is defined in what is differentiated.
    text
        Its source; None where there is none.
    spliced
        Whether its text stands in the reverse sweep.
    primal
        What a registered rule is for; None for a custom gradient.
    classes
        The classes of the objects that it is given.
    """

    caller: CoreFunction
    statement: Any
    label: str
    function: Any
    text: Text | None
    spliced: bool = False
    primal: Any = None
    classes: tuple[type, ...] = ()


def outside_read_by(
    readers: Sequence[Reader], handed: Container[tuple[int, str]], known: Known,
    stored: Container[Region],
) -> Outside:  # fmt: skip
    """Find what rules read of the world outside; refuse what is changed before they read it."""
    found: list[tuple[str, External]] = []
    own: Own = {}
    for reader in readers:
        start, trees = _looked_up(reader)
        behind = things_reached([*(place.value for place in start), *reader.classes])
        places = [p for p in start if not reader.spliced or place_key(p) not in handed]
        places += [place for thing in behind for place in _places_of(thing)]
        if any(r in stored for r in regions_reached([p.value for p in places], known)):
            raise reader.caller.error(
                reader.statement,
                f"the gradient function of '{reader.label}' reads what the function changes, "
                "and a pullback would find it as it is at the end",
                f"let '{reader.label}' take it as an argument, or call tl.grad",
            )
        functions = [thing for thing in behind if isinstance(thing, types.FunctionType)]
        texts = [text for text in map(text_of, functions) if text is not None]
        own.update(_changed_by(trees, reader.text.externals if reader.text else {}))
        for text in texts:
            own.update(_changed_by([text.tree], text.externals))
        found += [(reader.label, place) for place in places]
    return Outside(found, own)


def check_read_at_last(readers: Sequence[Reader], stored: Container[Region]) -> None:
    """Refuse rules that read in the reverse sweep what a class or module held before, and holds no more."""
    for reader in readers:
        start, _ = _looked_up(reader)
        behind = things_reached([*(place.value for place in start), *reader.classes])
        for place in [*start, *(place for thing in behind for place in _places_of(thing))]:
            held = module_with(place.owner) if isinstance(place.owner, dict) else place.owner
            if is_set_in_text(held, place.key) and attributes_of(held) in stored:
                raise reader.caller.error(
                    reader.statement,
                    f"the gradient function of '{reader.label}' reads `{place.key}`, which is bound anew "
                    "where it is differentiated, and would find it as it is at the end",
                    f"read it in '{reader.label}' itself, before the gradient function is defined",
                )


def _looked_up(reader: Reader) -> tuple[list[External], list[Any]]:
    """List where a rule looks up what it reads in a pullback, and the parts of its text that do."""
    if reader.text is None:
        called = reader.function
        called = called if isinstance(called, types.FunctionType) else type(called).__call__
        return list(_places_of(called)), []
    tree, externals = reader.text.tree, reader.text.externals
    grads = None if reader.primal is not None else grads_written(tree)
    trees = [tree] if grads is None else grads
    calls = [p.func for p in nodes(tree, nested=False) if type(p) is gast.Call]
    of_value = [f for f in calls if resolve(f, externals, set()) is reader.primal]
    places: list[External] = []
    todo = list(trees)
    while todo:
        part = todo.pop()
        if reader.spliced and any(part is func for func in of_value):
            continue  # the value is there already
        if type(part) is gast.Name:
            places += [externals[part.id]] if part.id in externals else []
            continue
        if type(part) is gast.Attribute:
            owner = resolve(part.value, externals, _local(tree))
            if isinstance(owner, (types.ModuleType, type)):
                places += [] if is_of_a_library(owner) else [attribute_place(owner, part.attr)]
                continue
        todo += children(part)
    return places, trees


def _local(tree: Tree) -> set[str]:
    return binds_in_block(tree.body) | set(parameters(tree))


def _places_of(thing: Any) -> Iterator[External]:
    """List where a function looks up names, and a class the attributes of its objects."""
    if isinstance(thing, types.FunctionType):
        yield from places_named(thing)
        if thing.__defaults__:
            yield External(thing, "__defaults__")
    elif isinstance(thing, type):
        yield from (External(thing, key) for key in vars(thing) if key[:2] != "__")


def _changed_by(trees: list[Any], externals: Any) -> Own:
    """List what texts change in place: things outside, attributes of them, attributes of any object."""
    found: Own = {}
    for tree in trees:
        local = set() if type(tree) is gast.Lambda else _local(tree)
        resolved = functools.partial(resolve, externals=externals, local=local)
        for part in nodes(tree):
            changed = changed_place(part, resolved)
            if changed is None:
                continue
            place, thing = changed
            if isinstance(thing, types.ModuleType):
                thing = vars(thing)
            attribute = part.attr if type(part) is gast.Attribute else None
            while thing is MISSING and attribute is None and type(place) is gast.Subscript:
                place = place.value
            if thing is MISSING and attribute is None and type(place) is gast.Attribute:
                attribute = place.attr
            if thing is not MISSING or attribute is not None:
                found[None if thing is MISSING else id(thing), attribute] = thing
    return found
