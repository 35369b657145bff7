"""Trees that are rewritten in place, part by part.

`Transformer` is `ast.NodeTransformer` for trees whose operators and contexts are of no interest: it
visits the fields that hold parts, and looks up once for each class of tree what visits it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tapeless.tree.fields import PART_FIELDS
from tapeless.tree.trees import Tree


class Transformer:
    """Visits a tree and puts what the visitors give in place of what they were given.

    A subclass defines `visit_Name`, `visit_Call`, ... for the classes of trees that it rewrites. They
    return a tree, a list of statements, or None for a statement that is left out.

    Examples
    --------
    >>> import gast
    >>> class Negate(Transformer):
    ...     def visit_Name(self, tree):
    ...         return gast.UnaryOp(gast.USub(), tree)
    >>> print(gast.unparse(Negate().visit(gast.parse("y + 2").body[0])).strip())
    -y + 2
    """

    _visitors: ClassVar[dict[type, Callable[[Any, Any], Any]]]

    def __init_subclass__(cls) -> None:
        cls._visitors = {}

    def visit(self, tree: Tree) -> Any:
        """Return what stands in place of a tree."""
        kind = type(tree)
        visitor: Any = self._visitors.get(kind)
        if visitor is None:
            visitor = getattr(type(self), f"visit_{kind.__name__}", type(self).generic_visit)
            self._visitors[kind] = visitor
        return visitor(self, tree)

    def generic_visit(self, tree: Tree) -> Any:
        """Visit the parts of a tree, which itself stays."""
        fields = tree.__dict__
        for field in PART_FIELDS[type(tree)]:
            part = fields.get(field)
            if type(part) is list:
                if part:
                    part[:] = self.listed(part)
            elif part is not None:
                fields[field] = self.visit(part)
        return tree

    def listed(self, parts: list[Any]) -> list[Any]:
        """Return what stands in place of the parts of a list: each may become several, or none."""
        made: list[Any] = []
        for part in parts:
            found = self.visit(part) if type(part) in PART_FIELDS else part
            if type(found) is list:
                made += found
            elif found is not None or part is None:
                made.append(found)
        return made


class Replacer(Transformer):
    """Puts other trees, by the identity of those that they are to stand for, in their places.

    Examples
    --------
    >>> import gast
    >>> tree = gast.parse("y + 2", mode="eval").body
    >>> made = gast.parse("x * x", mode="eval").body
    >>> print(gast.unparse(Replacer({id(tree.left): made}).visit(tree)).strip())
    x * x + 2
    """

    def __init__(self, made: dict[int, Any]) -> None:
        self.made = made

    def visit(self, tree: Tree) -> Any:
        """Return what stands in place of a tree."""
        found = self.made.get(id(tree))
        return super().visit(tree) if found is None else found
