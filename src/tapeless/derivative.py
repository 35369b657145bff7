"""What is written: the text of a derivative, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tapeless.analysis.outside import Outside
from tapeless.details import NO_DETAILS, Details
from tapeless.externals import Externals
from tapeless.source.spans import Provenance

if TYPE_CHECKING:
    from tapeless.kinds import Region


@dataclass(frozen=True)
class Derivative:
    """A written derivative.

    Attributes
    ----------
    text
        A complete module.
    name
        The function in it that was asked for.
    externals
        What the module's global names stand for.
    stored
        Positions of the parameters that are stored into.
    stored_places
        The regions, in arguments, that are stored into.
    varied
        The parameters that carry a derivative.
    provenance
        Where the parts of the text come from, and to which sweep its lines belong.
    outside
        What rules of the user's read of the world outside when a pullback runs them.
    details
        What arguments must have in common with those for which it was written, beside their kinds.
    """

    text: str
    name: str
    externals: Externals
    stored: frozenset[int] = frozenset()
    stored_places: frozenset[Region] = frozenset()
    varied: frozenset[str] = frozenset()
    provenance: Provenance = field(default_factory=Provenance)
    outside: Outside | None = None
    details: Details = NO_DETAILS
