"""The fields of trees: which hold parts, and how all are fetched at once.

Walking over trees is most of what this library does. To ask a tree for all its fields in one call is
several times as fast as to ask for each by its name, and to ask for those only that hold parts spares
a look at what each of them holds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

import gast

from tapeless.tree.trees import Tree

Getter = Callable[[Any], tuple[Any, ...]]

_SAYS_NOTHING = ("ctx", "kind", "type_comment", "annotation")
# what says something of a tree and is none: texts, numbers, operators, and types, which do not run
_OF_NO_PARTS = frozenset(
    {
        *_SAYS_NOTHING, "op", "ops", "id", "attr", "arg", "is_async", "conversion", "simple", "str",
        "module", "level", "asname", "rest", "kwd_attrs", "type_ignores",
    }
)  # fmt: skip
_TEXTS: dict[str, tuple[type, ...]] = {
    "name": (
        gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.alias, gast.MatchStar,
        gast.MatchAs, gast.TypeVar, gast.ParamSpec, gast.TypeVarTuple,
    ),
    "names": (gast.Global, gast.Nonlocal),
    "value": (gast.Constant, gast.MatchSingleton),
}  # fmt: skip

_FIELD = re.compile(r"(\w+)([*?]?) (\w+)[,)]")
_WITH_GAPS = frozenset({"keys", "kw_defaults"})  # lists that hold None where something is left out

_GETTER = """
def fetched(part):
    try:
        return ({listed})
    except AttributeError:
        return incomplete(part)
"""


def getter(fields: Sequence[str]) -> Getter:
    """Write what lists some fields of a tree, None for one that is not there.

    Examples
    --------
    >>> part = gast.BinOp(gast.Constant(1, None), gast.Add(), gast.Constant(2, None))
    >>> [type(x).__name__ for x in getter(["left", "op"])(part)]
    ['Constant', 'Add']
    >>> getter(["body"])(part), getter([])(part)
    ((None,), ())
    """

    def incomplete(part: Tree) -> tuple[Any, ...]:
        return tuple([getattr(part, field, None) for field in fields])

    return _compiled("".join(f"part.{field}, " for field in fields), incomplete)


def _compiled(listed: str, incomplete: Getter) -> Getter:
    made: dict[str, Any] = {"incomplete": incomplete}
    exec(_GETTER.format(listed=listed), made)
    found: Getter = made["fetched"]
    return found


def parts_getter(cls: type, fields: Sequence[str]) -> Getter:
    """Write what lists the parts of the trees of a class, those in lists one by one.

    What may be a list, or not be there, is read from the grammar that Python tells of its own classes.

    Examples
    --------
    >>> call = gast.parse("f(x, k=y)").body[0].value
    >>> [type(x).__name__ for x in parts_getter(gast.Call, ["func", "args", "keywords"])(call)]
    ['Name', 'Name', 'keyword']
    >>> parts_getter(gast.Return, ["value"])(gast.Return(None))
    ()
    """

    def incomplete(part: Tree) -> tuple[Any, ...]:
        found = [getattr(part, field, None) for field in fields]
        listed = [x if isinstance(x, list) else [x] for x in found]
        return tuple([x for each in listed for x in each if x is not None])

    grammar = str(getattr(getattr(ast, cls.__name__, None), "__doc__", None))
    said = {field: (kind, mark) for kind, mark, field in _FIELD.findall(grammar)}
    said.setdefault("type_params", ("type_param", "*"))  # of Python 3.12
    if not said.keys() >= set(fields):
        return incomplete
    listed = "".join(f"{'*' if said[f][1] == '*' else ''}part.{f}, " for f in fields)
    if any(
        mark == "?" or kind == "arguments" or f in _WITH_GAPS for f, (kind, mark) in said.items()
    ):
        listed = f"*filter(None, ({listed})),"
    return _compiled(listed, incomplete)


def _holds_parts(cls: type, field: str) -> bool:
    return field not in _OF_NO_PARTS and cls not in _TEXTS.get(field, ())


_CLASSES: list[Any] = [
    c for c in vars(gast).values() if isinstance(c, type) and issubclass(c, gast.AST)
]
# For each class of tree the fields that hold a part, None, or a list of parts and None.
PART_FIELDS: dict[type, tuple[str, ...]] = {
    c: tuple(f for f in c._fields if _holds_parts(c, f)) for c in _CLASSES
}


class _Getters(dict[type, Getter]):
    """What fetches something of the trees of each class; it is written for a class when one is met."""

    def __init__(self, write: Callable[[Any], Getter]) -> None:
        super().__init__()
        self.write = write

    def __missing__(self, cls: type) -> Getter:
        if cls not in PART_FIELDS:
            raise KeyError(cls)
        return self.setdefault(cls, self.write(cls))


# For each class of tree what lists its parts.
PARTS = _Getters(lambda cls: parts_getter(cls, PART_FIELDS[cls]))
# For each class of tree what lists all that it says.
SAID = _Getters(lambda cls: getter([f for f in cls._fields if f not in _SAYS_NOTHING]))
