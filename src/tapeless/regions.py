"""What the name of a region says: who made what lives there, and whose adjoint it is.

A region stands for all things that one program point can have made. Only names are compared, so a name
must hold what is asked of a thing later: whether it was there before the call, as an argument or as
state outside; whether it is of a class, and shared by all of its objects; which call made it. The names
that a recursion makes would grow with its depth; what the same call made before keeps its name, so
that there are finitely many. An adjoint memory mirrors the memory of the program, region by region.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from tapeless.kinds import Region

UNSEEN: Region = ("external", "unseen")  # attributes of classes, modules and what has no slots


def is_outside(region: Region) -> bool:
    """Whether a region is state outside the arguments: a captured object, a global, a default."""
    return region[0] in ("external", "default", "class", "attributes", "variable")


def attributes_of(owner: Any) -> Region:
    """Return the region of what a class or module itself holds, where texts store into it."""
    return ("attributes", id(owner))


def holds_attributes(region: Region) -> bool:
    """Whether a region is that of what a class or module itself holds, or of a thing there."""
    return region[0] == "attributes"


def is_holder(region: Region) -> bool:
    """Whether a region is a class or module itself, rather than a thing that one holds."""
    return holds_attributes(region) and len(region) == 2


def is_of_class(region: Region) -> bool:
    """Whether a region is what a class holds, and all of its objects share."""
    return region[0] == "class"


def mirror_of(region: Region) -> Region:
    """Return the region of the adjoints that an adjoint memory keeps for a region."""
    return ("adjoint", region)


def made_by_call(region: Region, point: Hashable) -> Region:
    """Name what a call at a program point made; what that call of a recursion made before keeps its name.

    Examples
    --------
    >>> made = made_by_call(("made", "build", 3), 7)
    >>> made
    ('made', 7, ('made', 'build', 3))
    >>> made_by_call(made, 7) == made
    True
    """
    inner: Any = region
    while isinstance(inner, tuple) and inner[0] == "made" and len(inner) > 2:
        if inner[1] == point:
            return region
        inner = inner[2]
    return ("made", point, region[:3])


def is_mirror(region: Region) -> bool:
    """Whether what lives in a region is an adjoint in an adjoint memory."""
    return region[0] == "adjoint"


def mirrored_by(region: Region) -> Region:
    """Return the region that a mirror, perhaps of a mirror, is in the end the mirror of."""
    while is_mirror(region):
        region = region[1]  # type: ignore[assignment]
    return region
