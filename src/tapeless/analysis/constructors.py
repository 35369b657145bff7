"""What the text of a constructor says of the attributes of the object that it is given."""

from __future__ import annotations

from collections.abc import Sequence

import gast

from tapeless.tree.names import nodes
from tapeless.tree.trees import Stmt, Tree


def stores_first(body: Sequence[Stmt], this: str, attribute: str) -> bool:
    """Whether an attribute of an object is stored before anything may read it.

    Examples
    --------
    >>> body = gast.parse("self.x = 1; self.reset(); self.y = 2").body
    >>> stores_first(body, "self", "x"), stores_first(body, "self", "y")
    (True, False)
    """
    for statement in body:
        if type(statement) is gast.Assign:
            place = statement.targets[0]
            if type(place) is gast.Attribute and place.attr == attribute:
                return type(place.value) is gast.Name and place.value.id == this
        if _hands_on(statement, this) or _reads(statement, attribute):
            return False
    return False


def _reads(statement: Stmt, attribute: str) -> bool:
    """Whether a statement mentions an attribute of that name."""
    return any(type(part) is gast.Attribute and part.attr == attribute for part in nodes(statement))


def _hands_on(statement: Stmt, this: str) -> bool:
    """Whether a statement calls a method of an object, or gives the object to anything."""
    owned = {id(part.value) for part in nodes(statement) if type(part) is gast.Attribute} - {
        id(part.func.value) for part in nodes(statement) if _is_method_call(part)
    }
    return any(
        type(part) is gast.Name and part.id == this and id(part) not in owned
        for part in nodes(statement)
    ) or any(type(part) is gast.Name and part.id == "super" for part in nodes(statement))


def _is_method_call(part: Tree) -> bool:
    return type(part) is gast.Call and type(part.func) is gast.Attribute
