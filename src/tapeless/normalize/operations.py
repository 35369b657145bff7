"""Operations: each on atoms, and with a name for its result.

Tests, indices and other plain expressions that no derivative passes through stay whole; conditional
expressions become `if`s, comprehensions loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from tapeless.normalize.atoms import Atoms, rebound_by
from tapeless.normalize.expand_comprehensions import built_list
from tapeless.tree.build import assign, at_line_of, name
from tapeless.tree.trees import Tree


def _itself(flat: Atoms, tree: Tree) -> Any:
    return tree


def _binary(flat: Atoms, tree: Tree) -> Any:
    left = flat.steady_atom(tree.left, [tree.right])
    return gast.BinOp(left, tree.op, flat.atom(tree.right))


def _unary(flat: Atoms, tree: Tree) -> Any:
    return gast.UnaryOp(tree.op, flat.atom(tree.operand))


def _comparison(flat: Atoms, tree: Tree) -> Any:
    """`a < b < c` evaluates `b` once, and `c` only if `a < b`."""
    left, right = flat.atoms([tree.left, tree.comparators[0]])
    first = gast.Compare(left, tree.ops[:1], [right])
    if len(tree.ops) == 1:
        return first
    found = flat.names.fresh("v")
    rest = gast.Compare(right, tree.ops[1:], tree.comparators[1:])
    if type(right) is gast.Name and right.id in rebound_by(tree.comparators[1:]):
        kept = flat.names.fresh("v")
        flat.made.append(assign(kept, right))
        rest.left = name(kept)
    flat.made.append(assign(found, first))
    block = flat.block([at_line_of(assign(found, rest), tree)])
    flat.made.append(gast.If(name(found), block, []))
    return name(found)


def _text(flat: Atoms, tree: Tree) -> Any:
    """A text of what was computed before it: calls have statements of their own."""
    parts: list[Any] = []
    for i, part in enumerate(tree.values):
        if type(part) is gast.FormattedValue:
            value = flat.steady_atom(part.value, tree.values[i + 1 :])
            spec = None if part.format_spec is None else _text(flat, part.format_spec)
            part = gast.FormattedValue(value, part.conversion, spec)
        parts.append(part)
    return gast.JoinedStr(parts)


def _item(flat: Atoms, tree: Tree) -> Any:
    tree = flat.flat_item(tree)
    value = flat.steady_atom(tree.value, [tree.slice])
    return gast.Subscript(value, flat.index(tree.slice), gast.Load())


def _attribute(flat: Atoms, tree: Tree) -> Any:
    return gast.Attribute(flat.receiver(tree.value), tree.attr, gast.Load())


def _tuple(flat: Atoms, tree: Tree) -> Any:
    return gast.Tuple(flat.atoms(tree.elts), gast.Load())


def _list(flat: Atoms, tree: Tree) -> Any:
    return gast.List(flat.atoms(tree.elts), gast.Load())


def _dict(flat: Atoms, tree: Tree) -> Any:
    keys = [key if key is None else flat.index(key) for key in tree.keys]
    return gast.Dict(keys, flat.atoms(tree.values))


def _lambda(flat: Atoms, tree: Tree) -> Any:
    return flat.lambda_name(tree)


def _slice(flat: Atoms, tree: Tree) -> Any:
    return flat.index(tree)


def _choice(flat: Atoms, tree: Tree) -> Any:
    found = flat.names.fresh("v")
    yes = flat.block([at_line_of(assign(found, tree.body), tree)])
    no = flat.block([at_line_of(assign(found, tree.orelse), tree)])
    flat.made.append(gast.If(flat.test(tree.test), yes, no))
    return name(found)


def _first_deciding(flat: Atoms, tree: Tree) -> Any:
    """`a or b` is the first value that decides; the rest is not evaluated."""
    found = flat.names.fresh("v")
    flat.made.append(assign(found, flat.operation(tree.values[0])))
    rest = tree.values[1] if len(tree.values) == 2 else gast.BoolOp(tree.op, tree.values[1:])
    test = name(found)
    if type(tree.op) is gast.Or:
        test = gast.UnaryOp(gast.Not(), test)
    flat.made.append(gast.If(test, flat.block([at_line_of(assign(found, rest), tree)]), []))
    return name(found)


def comprehension(flat: Atoms, tree: Tree) -> Any:
    """Write a comprehension as a loop; return the name of what it fills."""
    statements, found = built_list(tree, flat.names)
    flat.write_out([at_line_of(s, tree) for s in statements])
    return found


def _set_comprehension(flat: Atoms, tree: Tree) -> Any:
    items = comprehension(flat, gast.copy_location(gast.ListComp(tree.elt, tree.generators), tree))
    return gast.Call(name("set"), [items], [])


def _set(flat: Atoms, tree: Tree) -> Any:
    return gast.Call(name("set"), [flat.atom(gast.List(tree.elts, gast.Load()))], [])


def _generator(flat: Atoms, tree: Tree) -> Any:
    flat.refuse(
        tree,
        "a generator that is not consumed where it is written cannot be differentiated",
        "write a list comprehension",
    )


OPERATIONS: dict[type, Callable[[Atoms, Tree], Any]] = {
    gast.Name: _itself,
    gast.Constant: _itself,
    gast.BinOp: _binary,
    gast.UnaryOp: _unary,
    gast.Compare: _comparison,
    gast.JoinedStr: _text,
    gast.Subscript: _item,
    gast.Attribute: _attribute,
    gast.Tuple: _tuple,
    gast.List: _list,
    gast.Dict: _dict,
    gast.Lambda: _lambda,
    gast.Slice: _slice,
    gast.IfExp: _choice,
    gast.BoolOp: _first_deciding,
    gast.ListComp: comprehension,
    gast.DictComp: comprehension,
    gast.SetComp: _set_comprehension,
    gast.Set: _set,
    gast.GeneratorExp: _generator,
}
