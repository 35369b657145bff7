"""The protocol of a split derivative: what crosses the call, and in which place.

The cotangent of a parameter crosses in one of two ways. A thing that is mutated, or of which the callee
reads a part, has a shadow: the caller hands its adjoint over, the callee adds to it in place, and the
cost is that of the part. A value crosses back: the callee returns its cotangent, and the caller adds
it. Both sides must agree for each parameter, so it is decided once, before either of them is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.analysis.facts import Callee
from tapeless.joins import as_array
from tapeless.kinds import Array, Number, Region, differentiable, is_container, regions_of
from tapeless.tree.names import nodes


@dataclass
class Split:
    """The split derivative of a function for given kinds: its names and its protocol.

    Attributes
    ----------
    forward, reverse
        The names of the two functions.
    shadows
        Positions of the parameters whose shadows `reverse` receives.
    values
        Positions of the parameters whose cotangents `reverse` returns.
    fresh
        Which of these are seen by nothing else.
    result_active
        Whether `reverse` reads the cotangent of the result.
    seed_apart
        Whether the cotangent of the result is apart from those of the arguments even where the
        result is one of them, as it is for a caller outside.
    memory
        Whether `reverse` receives the caller's adjoint memory.
    undoes
        Whether `reverse` undoes stores into what the caller sees.
    foreign
        Whether what is handed over may hold something that others can change.
    undone
        The regions, as the function names them, in which it does; None while it is being written.
    undoes_result
        Whether it undoes stores into what the function returned, which its caller may still read.
    """

    forward: str
    reverse: str
    shadows: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    fresh: list[bool] = field(default_factory=list)
    result_active: bool = True
    seed_apart: bool = False
    memory: bool = False
    undoes: bool = False
    foreign: bool = True
    undone: set[Region] | None = None
    undoes_result: bool = False

    @property
    def works_without_seed(self) -> bool:
        """Whether `reverse` has something to do where nothing depends on the result itself.

        It takes cotangents out of shadows and of the adjoint memory, and undoes stores.
        """
        return bool(self.shadows) or self.memory or self.undoes

    @property
    def reads_only(self) -> bool:
        """Whether nothing that the caller sees is another one after `reverse`."""
        return not (self.works_without_seed or self.undoes_result)


def decide_crossings(split: Split, callee: Callee, memory: frozenset[Region]) -> None:
    """Decide how each parameter's adjoint crosses the call.

    What is added to a shadow in place would be lost where a number comes in: only what is stored into,
    or surely is an array, has one. What has its adjoint in the adjoint `memory` crosses with that.
    """
    defined = callee.function.definitions
    for i, (key, value) in enumerate(zip(callee.function.parameters, callee.values, strict=True)):
        kind = value.kind
        varied = value.varied or bool(regions_of(kind) & callee.facts.varied)
        if not differentiable(kind) or not varied:
            continue
        if regions_of(kind) & memory:
            continue
        stored = isinstance(kind, (Array, Number)) and callee.facts.is_stored(kind)
        in_part = isinstance(as_array(kind), Array) and _reads_in_part(callee, key, set())
        if is_container(kind) or (len(defined[key]) == 1 and (stored or in_part)):
            split.shadows.append(i)
        else:
            split.values.append(i)
            split.fresh.append(False)


def _reads_in_part(callee: Callee, key: str, seen: set[Any]) -> bool:
    """Whether a function reads parts of an array that a parameter holds."""
    if (callee.function, key) in seen:
        return False
    seen.add((callee.function, key))
    for part in nodes(callee.function.tree):
        owner = None
        if type(part) is gast.Subscript:
            owner = part.value
        elif type(part) is gast.For:
            owner = part.iter
        if isinstance(owner, gast.Name) and owner.id == key:
            return True
    for inner in callee.facts.callees.values():
        for position, arg in enumerate(inner.arguments):
            if type(arg) is gast.Name and arg.id == key:
                parameter = inner.function.parameters[position]
                if _reads_in_part(inner, parameter, seen):
                    return True
    return False
