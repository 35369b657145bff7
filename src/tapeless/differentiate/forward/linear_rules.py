"""Rules of linear functions: their `jvp` is the function itself, applied to the tangents.

    def np_cumsum(a, axis=None):                  def jvp(a_dot):
        y = np.cumsum(a, axis=axis)       ->          return np.cumsum(a_dot, axis=axis)
        ...
        return y, grad

Where the text of a rule does not show the value as one expression, the rule is called with the tangents
in place of the arguments: the value that it returns is the tangent.
"""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

import gast

from tapeless.rules.declare import Rule
from tapeless.source.texts import Text, text_of
from tapeless.tree.build import const, name
from tapeless.tree.names import binds, nodes, parameters
from tapeless.tree.trees import Tree


@lru_cache(maxsize=4096)
def text_with_jvp(rule: Rule) -> Text | None:
    """Return the text of a rule, with the `jvp` written out if the function is linear."""
    text = text_of(rule.function)
    if text is None or not rule.linear or _has_jvp(text):
        return text
    tree = copy.deepcopy(text.tree)
    returned = tree.body[-1]
    value = _value(tree.body, returned)
    if value is None:
        return text
    jvp = gast.FunctionDef(
        "jvp", _parameters(tree, rule.linear), [gast.Return(_of_tangents(value, rule.linear))],
        [], None, None, [],
    )  # fmt: skip
    tree.body.insert(-1, gast.copy_location(jvp, returned))
    returned.value.elts.append(name("jvp"))
    return Text(gast.fix_missing_locations(tree), text.externals)


def called_with_tangents(
    function: str, rule: Rule, args: list[Any], keywords: dict[str, Any], bound: dict[str, Any],
    tangents: dict[str, Any],
) -> Any:  # fmt: skip
    """Write the call of a linear rule with tangents, whose value is the tangent of the result."""
    moved: dict[int, Any] = {}
    for p in rule.linear:
        given = bound[p]
        pairs = zip(given, tangents[p].elts, strict=True) if isinstance(given, list) else ()
        moved |= {id(item): dot for item, dot in pairs} or {id(given): tangents[p]}

    def in_place_of(tree: Tree) -> Any:
        return moved[id(tree)] if id(tree) in moved else copy.deepcopy(tree)

    keys = [gast.keyword(k, in_place_of(v)) for k, v in keywords.items()]
    return gast.Subscript(
        gast.Call(name(function), [in_place_of(a) for a in args], keys), const(0), gast.Load()
    )


def _has_jvp(text: Text) -> bool:
    return any(type(p) is gast.FunctionDef and p.name == "jvp" for p in nodes(text.tree))


def _value(body: list[Any], returned: Any) -> Any:
    """Return the expression of the value of a rule, None where it is not one expression."""
    if type(returned) is not gast.Return or type(returned.value) is not gast.Tuple:
        return None
    value = returned.value.elts[0]
    if type(value) is not gast.Name:
        return value
    found = [s for s in body if value.id in binds(s)]
    one = len(found) == 1 and type(found[0]) is gast.Assign
    return found[0].value if one and type(found[0].targets[0]) is gast.Name else None


def _of_tangents(value: Any, linear: tuple[str, ...]) -> Any:
    tree = copy.deepcopy(value)
    for part in nodes(tree):
        if type(part) is gast.Name and part.id in linear:
            part.id = f"{part.id}_dot"
    return tree


def _parameters(tree: Tree, linear: tuple[str, ...]) -> Any:
    starred = tree.args.vararg.id if tree.args.vararg is not None else None
    plain = [p for p in parameters(tree) if p in linear and p != starred]
    made = [gast.Name(f"{p}_dot", gast.Param(), None, None) for p in plain]
    vararg = gast.Name(f"{starred}_dot", gast.Param(), None, None) if starred in linear else None
    return gast.arguments(made, [], vararg, [], [], None, [])
