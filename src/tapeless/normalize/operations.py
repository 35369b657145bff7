"""Operations: each on atoms, and with a name for its result.

Tests, indices and other plain expressions that no derivative passes through stay whole; conditional
expressions become `if`s, comprehensions loops.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.normalize.atoms import Atoms, rebound_by
from tapeless.normalize.expand_comprehensions import built_list
from tapeless.tree.build import assign, at_line_of, name
from tapeless.tree.trees import Tree


class Operations(Atoms):
    """Brings each sort of expression to one operation on atoms."""

    def op_Name(self, tree: Tree) -> Any:
        return tree

    def op_Constant(self, tree: Tree) -> Any:
        return tree

    def op_BinOp(self, tree: Tree) -> Any:
        left = self.steady_atom(tree.left, [tree.right])
        return gast.BinOp(left, tree.op, self.atom(tree.right))

    def op_UnaryOp(self, tree: Tree) -> Any:
        return gast.UnaryOp(tree.op, self.atom(tree.operand))

    def op_Compare(self, tree: Tree) -> Any:
        """`a < b < c` evaluates `b` once, and `c` only if `a < b`."""
        left, right = self.atoms([tree.left, tree.comparators[0]])
        first = gast.Compare(left, tree.ops[:1], [right])
        if len(tree.ops) == 1:
            return first
        found = self.names.fresh("v")
        rest = gast.Compare(right, tree.ops[1:], tree.comparators[1:])
        if type(right) is gast.Name and right.id in rebound_by(tree.comparators[1:]):
            kept = self.names.fresh("v")
            self.made.append(assign(kept, right))
            rest.left = name(kept)
        self.made.append(assign(found, first))
        block = self.block([at_line_of(assign(found, rest), tree)])
        self.made.append(gast.If(name(found), block, []))
        return name(found)

    def op_JoinedStr(self, tree: Tree) -> Any:
        """A text of what was computed before it: calls have statements of their own."""
        parts: list[Any] = []
        for i, part in enumerate(tree.values):
            if type(part) is gast.FormattedValue:
                value = self.steady_atom(part.value, tree.values[i + 1 :])
                spec = None if part.format_spec is None else self.op_JoinedStr(part.format_spec)
                part = gast.FormattedValue(value, part.conversion, spec)
            parts.append(part)
        return gast.JoinedStr(parts)

    def op_Subscript(self, tree: Tree) -> Any:
        tree = self.flat_item(tree)
        value = self.steady_atom(tree.value, [tree.slice])
        return gast.Subscript(value, self.index(tree.slice), gast.Load())

    def op_Attribute(self, tree: Tree) -> Any:
        return gast.Attribute(self.receiver(tree.value), tree.attr, gast.Load())

    def op_Tuple(self, tree: Tree) -> Any:
        return gast.Tuple(self.atoms(tree.elts), gast.Load())

    def op_List(self, tree: Tree) -> Any:
        return gast.List(self.atoms(tree.elts), gast.Load())

    def op_Dict(self, tree: Tree) -> Any:
        keys = [key if key is None else self.index(key) for key in tree.keys]
        return gast.Dict(keys, self.atoms(tree.values))

    def op_Lambda(self, tree: Tree) -> Any:
        return self.lambda_name(tree)

    def op_Slice(self, tree: Tree) -> Any:
        return self.index(tree)

    def op_IfExp(self, tree: Tree) -> Any:
        found = self.names.fresh("v")
        yes = self.block([at_line_of(assign(found, tree.body), tree)])
        no = self.block([at_line_of(assign(found, tree.orelse), tree)])
        self.made.append(gast.If(self.test(tree.test), yes, no))
        return name(found)

    def op_BoolOp(self, tree: Tree) -> Any:
        """`a or b` is the first value that decides; the rest is not evaluated."""
        found = self.names.fresh("v")
        self.made.append(assign(found, self.operation(tree.values[0])))
        rest = tree.values[1] if len(tree.values) == 2 else gast.BoolOp(tree.op, tree.values[1:])
        test = name(found)
        if type(tree.op) is gast.Or:
            test = gast.UnaryOp(gast.Not(), test)
        self.made.append(gast.If(test, self.block([at_line_of(assign(found, rest), tree)]), []))
        return name(found)

    def op_ListComp(self, tree: Tree) -> Any:
        statements, found = built_list(tree, self.names)
        self.write_out([at_line_of(s, tree) for s in statements])
        return found

    op_DictComp = op_ListComp

    def op_SetComp(self, tree: Tree) -> Any:
        items = self.op_ListComp(gast.copy_location(gast.ListComp(tree.elt, tree.generators), tree))
        return gast.Call(name("set"), [items], [])

    def op_Set(self, tree: Tree) -> Any:
        return gast.Call(name("set"), [self.atom(gast.List(tree.elts, gast.Load()))], [])

    def op_GeneratorExp(self, tree: Tree) -> Any:
        self.refuse(
            tree,
            "a generator that is not consumed where it is written cannot be differentiated",
            "write a list comprehension",
        )
