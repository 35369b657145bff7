"""What `__post_init__` makes of fields is made before they are put into the object.

    @dataclass
    class Body:                                   def __init__(self, x):
        x: np.ndarray                                 x = np.asarray(x)
                                         ->           norm = np.sqrt(x @ x)
        def __post_init__(self):                      self.x = x
            self.x = np.asarray(self.x)               self.norm = norm
            self.norm = np.sqrt(self.x @ self.x)

So a field is bound once, to what it holds in the end: a list that becomes an array is never taken for both.
Nobody sees the object in between, where the text does nothing with `self` but read and bind its attributes.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.externals import Externals, adopted
from tapeless.source.texts import text_of
from tapeless.tree.build import assign, name, quote_expression, unshared
from tapeless.tree.classes import FUNCTIONS, SCOPE_DECLARATIONS, YIELDS
from tapeless.tree.names import Names, binds_in_block, is_named, nodes, parameters
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

_KEPT_OUT = frozenset(
    {*FUNCTIONS, *YIELDS, *SCOPE_DECLARATIONS, gast.Return, gast.ClassDef, gast.Delete}
)


def fields_in_the_end(
    cls: Any, fields: dict[str, Any], given: list[str], externals: Externals
) -> list[Any] | None:
    """Write what `__init__` does from its fields to the end, where no field is bound twice.

    Parameters
    ----------
    cls
        A dataclass with `__post_init__`.
    fields
        What each field is bound to first, as a text.
    given
        What `__post_init__` is given, as texts.
    externals
        What names stand for in `__init__`; those of `__post_init__` are added.

    Returns
    -------
    The statements; None where `__post_init__` has to see the object, or binds no field.
    """
    text = text_of(cls.__post_init__)
    if text is None or any(type(part) in _KEPT_OUT for part in nodes(text.tree)[1:]):
        return None
    own, *passed = parameters(text.tree)
    body = _plainly_bound(text.tree.body, own)
    if len(passed) != len(given) or not _is_followed(body, own, set(fields)):
        return None
    bound = [part.attr for s in body for part in nodes(s) if _is_bound(part, own)]
    names = Names({own, *fields, *given, *bound, *externals})
    values = {key: key if key in fields else names.fresh(key) for key in dict.fromkeys(bound)}
    values = {**{key: key for key in fields}, **values}
    renamed = {key: names.fresh(key) for key in sorted(_local(text.tree) - {own})}
    for key, outer in text.externals.items():
        renamed[key] = adopted(key, outer, externals, values, names.fresh)
    written = [_Filler(own, values, renamed).visit(s) for s in body]
    start = [_bound_to(key, value) for key, value in fields.items() if key != value]
    start += [_bound_to(renamed[key], value) for key, value in zip(passed, given, strict=True)]
    return [*start, *written, *(_put(key, value) for key, value in values.items())]


def _plainly_bound(body: list[Any], own: str) -> list[Any]:
    """Write `object.__setattr__(self, "x", v)`, by which a frozen class binds a field, as `self.x = v`."""
    made = []
    for s in unshared(body):
        call: Any = s.value if type(s) is gast.Expr else None
        if type(call) is gast.Constant:
            continue  # a docstring
        if type(call) is gast.Call and _is_setattr(call, own):
            place = gast.Attribute(name(own), call.args[1].value, gast.Store())
            s = gast.copy_location(gast.Assign([place], call.args[2], None), s)
        made.append(s)
    return made


def _is_setattr(call: Expr, own: str) -> bool:
    func = call.func
    if type(func) is not gast.Attribute or getattr(func.value, "id", "") != "object":
        return False
    args = call.args
    named = len(args) == 3 and getattr(args[0], "id", "") == own and type(args[1]) is gast.Constant
    return func.attr == "__setattr__" and named and not call.keywords


def _is_followed(body: list[Any], own: str, fields: set[str]) -> bool:
    """Whether a text does nothing with an object but read what is bound, and bind, some field again."""
    known, again = set(fields), False
    for s in body:
        parts = nodes(s)
        attributes = [p for p in parts if type(p) is gast.Attribute and is_named(p.value, own)]
        if len(attributes) != sum(is_named(p, own) for p in parts):
            return False
        bound = {p.attr for p in attributes if _is_bound(p, own)}
        read = {p.attr for p in attributes if not _is_bound(p, own)}
        always = type(s) in (gast.Assign, gast.AnnAssign) and s.value is not None
        if not (read if always else read | bound) <= known:
            return False
        again |= bool(bound & fields)
        known |= bound
    return again


def _is_bound(part: Tree, own: str) -> bool:
    return (
        type(part) is gast.Attribute and type(part.ctx) is gast.Store and is_named(part.value, own)
    )


def _local(tree: Tree) -> set[str]:
    return binds_in_block(tree.body) | set(parameters(tree))


class _Filler(Transformer):
    """Puts names in the place of the attributes of an object, and other names for those of a text."""

    def __init__(self, own: str, values: dict[str, str], renamed: dict[str, str]) -> None:
        self.own, self.values, self.renamed = own, values, renamed

    def visit_Attribute(self, tree: Expr) -> Any:
        if not is_named(tree.value, self.own):
            return self.generic_visit(tree)
        return gast.copy_location(gast.Name(self.values[tree.attr], tree.ctx, None, None), tree)

    def visit_Name(self, tree: Expr) -> Any:
        tree.id = self.renamed.get(tree.id, tree.id)
        return tree


def _bound_to(key: str, value: str) -> Stmt:
    return assign(key, quote_expression(value))


def _put(key: str, value: str) -> Stmt:
    return gast.Assign([gast.Attribute(name("self"), key, gast.Store())], name(value), None)
