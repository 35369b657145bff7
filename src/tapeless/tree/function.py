"""A function on its way through the house: its tree and what its free names stand for."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from tapeless.errors import GradientError, TapelessError, caret_location
from tapeless.externals import Externals, resolve
from tapeless.origins import is_generated
from tapeless.tree.definitions import definitions_in
from tapeless.tree.names import all_names, binds_in_block, parameters
from tapeless.tree.trees import Tree


@dataclass(frozen=True, eq=False)
class CoreFunction:
    """A function definition with its surroundings.

    Attributes
    ----------
    tree
        The definition; from `normalize` on it is in the core language.
    externals
        What its free names stand for.
    filename, lines
        The user's file and its lines, for messages.
    primal
        The Python function that it was read from, or None for generated code.
    captured
        Names of an enclosing function that were added as trailing parameters.
    own_names
        The names that the author wrote, as against those that desugaring added.
    returning
        The lines of the `if`s in which the author returned early and which now have one way out.
    initializes
        Whether it is called on an object, its first argument, that has no attribute yet.
    generators
        The names of the functions, itself or inside, that were written with `yield`.
    items
        The names of what the author named otherwise: items of tuples, and what would hide a builtin. They
        are bound where these are.
    cancelling
        The assignments whose value has no influence on the result, to first order.
    settled
        The assignments of one name to another after which nobody stores into the array of both.
    """

    tree: gast.FunctionDef
    externals: Externals = field(default_factory=dict)
    filename: str = "<text>"
    lines: tuple[str, ...] = ()
    primal: Any = None
    captured: tuple[str, ...] = ()
    own_names: frozenset[str] = frozenset()
    definition: Any = None
    returning: frozenset[int] = frozenset()
    initializes: bool = False
    generators: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()
    cancelling: frozenset[Any] = frozenset()
    settled: frozenset[Any] = frozenset()

    @property
    def yields(self) -> bool:
        """Whether it was written with `yield`, and now returns the list of what it yields."""
        return self.name in self.generators

    @property
    def gives_items(self) -> bool:
        """Whether it is the `__iter__` of a class: it gives what is visited, in place of an iterator."""
        return self.name == "__iter__"

    @property
    def written_as(self) -> Any:
        """What the author wrote: the same for all forms of the function; None for generated code."""
        return self.primal if self.definition is None else self.definition

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(self.tree.name)

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters in order, captured names last."""
        own = [p for p in parameters(self.tree) if p not in self.captured]
        return [*own, *self.captured]

    @functools.cached_property
    def local(self) -> set[str]:
        """The names that the function binds, parameters included."""
        return binds_in_block(self.tree.body) | set(parameters(self.tree))

    @functools.cached_property
    def definitions(self) -> Mapping[str, list[Any]]:
        """For every name the statements that bind it; a parameter counts as one."""
        return definitions_in(self.tree.body, self.parameters)

    def resolve(self, tree: Tree) -> Any:
        """Return the object that a dotted name stands for, or `MISSING`."""
        return resolve(tree, self.externals, self.local)

    def error(
        self, part: Tree, reason: str, fix: str, kind: type[TapelessError] = GradientError
    ) -> TapelessError:
        """Build an error that points to a part of the function, or to all of it, in the user's file."""
        place = self.tree if getattr(part, "lineno", None) is None else part
        return kind(reason, fix=fix, **caret_location(self, place))

    def wrote(self, key: str) -> bool:
        """Whether the user wrote a name, as against those that the tool added.

        In the text of a derivative nothing is the user's but what it finds outside.
        """
        own = key in self.own_names and not is_generated(self.filename)
        return own or key in self.externals

    def spelled(self, tree: Tree, otherwise: str) -> str:
        """Return an expression as a message shows it, if all its names are the user's."""
        names = {part.id for part in gast.walk(tree) if type(part) is gast.Name}
        return f"`{gast.unparse(tree).strip()}`" if all(map(self.wrote, names)) else otherwise

    def names(self) -> set[str]:
        """All identifiers in the tree and among the externals."""
        return self._identifiers | set(self.externals)

    @functools.cached_property
    def _identifiers(self) -> set[str]:
        return all_names(self.tree)

    def with_body(self, body: list[Any]) -> CoreFunction:
        """Return the same function with another body."""
        tree = gast.FunctionDef(self.tree.name, self.tree.args, body, [], None, None, [])
        tree.lineno = getattr(self.tree, "lineno", 1)
        return replace(self, tree=tree)


def make_function(
    label: str, parameters: list[str], body: list[Any], function: CoreFunction
) -> Any:
    """Make a function definition, at the line of the function that it is made of."""
    arguments = gast.arguments(
        [gast.Name(p, gast.Param(), None, None) for p in parameters], [], None, [], [], None, []
    )
    made = gast.FunctionDef(label, arguments, body, [], None, None, [])
    made.lineno = getattr(function.tree, "lineno", 1)
    return made
