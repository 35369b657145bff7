"""What the passes are told about a function besides its text."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import gast

from tapeless.analysis.private import Private
from tapeless.externals import MISSING
from tapeless.kinds import UNKNOWN, Kind
from tapeless.tree.body import Body
from tapeless.tree.names import binds_in_block, parameters
from tapeless.tree.trees import Tree


def _unresolved(tree: Tree) -> Any:
    return MISSING


def _no_temporary(identifier: str) -> bool:
    return False


def _unknown(identifier: str) -> Kind:
    return UNKNOWN


Found = TypeVar("Found")


@dataclass
class Analyses:
    """What was found of one state of a function.

    Attributes
    ----------
    body
        Its statements.
    version
        How often it was seen to have changed.
    found
        The analyses made of this state, by what makes them.
    seen
        The function that was looked at; one that was edited since has to be looked at again.
    """

    body: Body | None = None
    version: int = 0
    found: dict[Hashable, Any] = field(default_factory=dict)
    seen: Any = None

    def renew(self, function: Tree) -> Body:
        """Return the statements; forget what was found if they are others, or have changed."""
        if self.body is not None and self.seen is function:
            return self.body
        self.seen = function
        body = Body(function, self.body.known if self.body else {})
        if self.body is None or body.shape != self.body.shape:
            self.found = {}
            self.version += 1
            self.body = body
        return self.body

    def get(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """Return an analysis of this state."""
        if key not in self.found:
            self.found[key] = make()
        found: Found = self.found[key]
        return found


@dataclass(frozen=True)
class Context:
    """What is known of the names of a function.

    Attributes
    ----------
    resolve
        Gives the object that a dotted name stands for, `MISSING` where the text does not say.
    temporaries
        Says whether a name was introduced by the tool.
    kind_of
        Gives the kind of what a name holds wherever it is bound; `UNKNOWN` where nothing is known.
    reverse
        Whether the whole function is a reverse sweep: none of its statements is the user's.
    reads_only
        The functions of the module that write to nothing.
    returning
        The user's lines of the `if`s that return early.
    tangents
        The names of tangents: none of the statements that bind them is the user's.
    private
        The names that may hold arrays which nothing else reads while the function runs.
    analyses
        What was found of the function as it stands.
    """

    resolve: Callable[[Any], Any] = _unresolved
    temporaries: Callable[[str], bool] = _no_temporary
    kind_of: Callable[[str], Kind] = _unknown
    reverse: bool = False
    reads_only: frozenset[str] = frozenset()
    returning: frozenset[int] = frozenset()
    tangents: frozenset[str] = frozenset()
    private: Private = field(default_factory=Private)
    analyses: Analyses = field(default_factory=Analyses, compare=False)


def context_within(local: gast.FunctionDef, context: Context) -> Context:
    """Tell what is known of the names of a function that is defined within another one.

    What it captures is to it like what stands outside of the module: what it calls may change it.
    """
    own = binds_in_block(local.body) | set(parameters(local))

    def resolve(tree: Any) -> Any:
        root = tree
        while type(root) is gast.Attribute:
            root = root.value
        return MISSING if type(root) is gast.Name and root.id in own else context.resolve(tree)

    return Context(resolve=resolve, temporaries=lambda key: key in own and context.temporaries(key))
