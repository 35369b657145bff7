"""Derivatives as functions: their text is loaded, and what it depends on is watched."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tapeless.cache import (
    Watched,
    places_of,
    watch,
)
from tapeless.derivative import Derivative
from tapeless.externals import MISSING, External, Identity, attribute_place
from tapeless.rules.declare import epoch
from tapeless.source.loader import load

if TYPE_CHECKING:
    from tapeless.specialize.program import AnalysedProgram


@dataclass(eq=False)
class Built:
    """A derivative that was loaded, and what it depends on."""

    derivative: Derivative
    function: Callable[..., Any]
    watched: list[Watched]
    epoch: int

    def is_current(self) -> bool:
        """Whether nothing that it depends on was redefined."""
        return self.epoch == epoch() and all(w.is_current() for w in self.watched)


def loaded(derivative: Derivative, program: AnalysedProgram) -> Built:
    """Load a derivative and watch what it depends on."""
    places = [place for core in program.cores.values() for place in places_of(core)]
    places += [attribute_place(cls, key) for cls, key in sorted(program.methods, key=repr)]
    inner = list(dict.fromkeys(program.watched))
    return bound(derivative, places, inner, bool(program.wrt_variables))


def bound(
    derivative: Derivative, places: Iterable[External], inner: Sequence[Watched] = (),
    variables: bool = False,
) -> Built:  # fmt: skip
    """Load a derivative and watch these places, beside those that its text names.

    What the derivatives depend on that were made on the way is watched already: `inner`. With
    `variables` it also counts which Variables are held where.
    """
    found = {key: external.value for key, external in derivative.externals.items()}
    values = {key: value for key, value in found.items() if value is not MISSING}
    written = derivative.provenance
    namespace = load(
        derivative.text, derivative.name, values, written.lines, derivative.externals,
        written.sweeps, written.parts(),
    )  # fmt: skip
    watched: dict[Identity, Watched] = {}
    for external in places:
        if not _is_of_the_tool(external):
            watched.setdefault(external.identity, watch(external, variables))
    for key, external in derivative.externals.items():
        if external.owner is not None and not _is_of_the_tool(external):
            asked = watched.setdefault(external.identity, watch(external, variables))
            asked.places.append((namespace, key))
    return Built(derivative, namespace[derivative.name], [*inner, *watched.values()], epoch())


def _is_of_the_tool(external: External) -> bool:
    """Whether a free name belongs to a module of the tool, where nothing is redefined."""
    owner = external.owner
    if isinstance(owner, (type, types.FunctionType)):
        return str(owner.__module__).startswith("tapeless.")
    module = "" if isinstance(owner, types.CellType) else str(owner.get("__name__", ""))
    return module.startswith("tapeless.")
