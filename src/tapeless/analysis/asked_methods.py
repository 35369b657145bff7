"""Which special methods an operation asks of its operands, where the text shows no call.

    x in y     `y.__contains__`, or else what goes through `y`; `__eq__` of what is compared
    y[i]       `y.__getitem__`; `__hash__`, `__eq__` and `__index__` of `i`
    len(y)     `y.__len__`

A function that is not looked into may ask for any of them.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Set
from functools import lru_cache
from typing import Any

import gast

from tapeless.externals import MISSING, Externals, is_one_of
from tapeless.source.texts import text_of
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Tree

_TRUTH = frozenset({"__bool__", "__len__"})
_EQUAL = frozenset({"__eq__", "__ne__"})
_ORDER = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})
_KEY = frozenset({"__hash__", "__eq__", "__index__"})
_TEXT = frozenset({"__format__", "__str__", "__repr__"})
_VISITED = frozenset({"__iter__", "__next__", "__len__", "__getitem__", "__length_hint__"})
_SEARCHED = _VISITED | {"__contains__", "__eq__"}
_NUMBER = frozenset(
    {"__int__", "__index__", "__float__", "__complex__", "__abs__", "__round__"}
)  # fmt: skip
ASKED = _TRUTH | _EQUAL | _ORDER | _KEY | _TEXT | _SEARCHED | _NUMBER | {"__reversed__"}
_BY_NAME: dict[Any, Set[str]] = {
    len: {"__len__"}, bool: _TRUTH, any: _TRUTH | _VISITED, all: _TRUTH | _VISITED, iter: _VISITED,
    next: {"__next__"}, str: _TEXT, repr: _TEXT, print: _TEXT, format: _TEXT, hash: {"__hash__"},
    int: _NUMBER, float: _NUMBER, abs: _NUMBER, round: _NUMBER, range: _NUMBER, set: _KEY | _VISITED,
    frozenset: _KEY | _VISITED, sorted: _ORDER | _VISITED, max: _ORDER | _VISITED,
    min: _ORDER | _VISITED, list: _VISITED, tuple: _VISITED,
}  # fmt: skip
# What looks at an object without calling a method of its class.
_LOOKING = (
    isinstance, issubclass, type, id, getattr, setattr, hasattr, delattr, vars, callable, super, zip,
    enumerate, list.append, list.insert, list.extend,
)  # fmt: skip
_METHODS: dict[Any, Set[str]] = {
    gast.Eq: _EQUAL, gast.NotEq: _EQUAL, gast.In: _SEARCHED, gast.NotIn: _SEARCHED,
    gast.Is: frozenset(), gast.IsNot: frozenset(),
}  # fmt: skip
OF_METHODS = _EQUAL | _TEXT | _ORDER
_OPERATORS = frozenset(
    f"__{prefix}{label}__" for prefix in ("", "r") for label in
    ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul", "and", "or", "xor",
     "lshift", "rshift", "neg", "pos", "invert")
)  # fmt: skip
_MANAGERS = frozenset({"__enter__", "__exit__"})
ANYTHING = ASKED | _OPERATORS | _MANAGERS | {"__call__"}


def operands_asked(part: Tree) -> Iterator[tuple[Any, Set[str], bool]]:
    """List the operands that Python asks where it comes to a part, what for, and whether what they hold too.

    Examples
    --------
    >>> part = gast.parse("not x").body[0].value
    >>> [(tree.id, sorted(methods), held) for tree, methods, held in operands_asked(part)]
    [('x', ['__bool__', '__len__'], False)]
    """
    if isinstance(part, (gast.If, gast.While, gast.Assert, gast.IfExp)):
        yield part.test, _TRUTH, False
    elif isinstance(part, (gast.For, gast.comprehension)):
        yield part.iter, _VISITED, False
        yield from ((test, _TRUTH, False) for test in getattr(part, "ifs", ()))
    elif type(part) in (gast.Starred, gast.YieldFrom) or _is_unpacking(part):
        yield part.value, _VISITED, False
    elif type(part) is gast.BoolOp:
        yield from ((value, _TRUTH, False) for value in part.values)
    elif type(part) is gast.UnaryOp and type(part.op) is gast.Not:
        yield part.operand, _TRUTH, False
    elif type(part) is gast.Compare:
        methods = frozenset[str]().union(*(_METHODS.get(type(op), _ORDER) for op in part.ops))
        yield from ((tree, methods, True) for tree in (part.left, *part.comparators))
    elif type(part) is gast.FormattedValue:
        yield part.value, _TEXT, True
    elif type(part) is gast.BinOp and type(part.op) is gast.Mod:
        yield part.right, _TEXT, True
    elif type(part) is gast.Subscript:
        yield part.slice, _KEY, False
        yield part.value, {"__getitem__"}, False
    elif type(part) is gast.Dict:
        yield from ((key, _KEY, False) for key in part.keys)
    elif type(part) is gast.Set:
        yield from ((item, _KEY, False) for item in part.elts)


def _is_unpacking(part: Tree) -> bool:
    """Whether a statement takes a value apart that is not written out."""
    places = part.targets if type(part) is gast.Assign else ()
    return any(type(p) in DISPLAYS for p in places) and type(part.value) not in DISPLAYS


def asked_by_function(found: Any) -> Set[str]:
    """Return what a function of Python's or of a library may ask of what it is given.

    Examples
    --------
    >>> sorted(asked_by_function(len)), asked_by_function(isinstance)
    (['__len__'], frozenset())
    """
    if is_one_of(found, _LOOKING):
        return frozenset()
    return next((methods for f, methods in _BY_NAME.items() if f is found), ASKED)


def answering(cls: type, methods: Set[str]) -> Set[str]:
    """Return those of the methods that an operation asks in turn which it comes to in a class.

    Examples
    --------
    >>> sorted(answering(list, _SEARCHED))
    ['__contains__', '__eq__']
    """
    if methods >= ASKED:
        return methods
    if "__contains__" in methods and hasattr(cls, "__contains__"):
        return methods - _VISITED
    return (
        methods - {"__getitem__"} if "__iter__" in methods and hasattr(cls, "__iter__") else methods
    )


@lru_cache(maxsize=4096)
def asked_in_text(function: Any) -> Set[Set[str]]:
    """Return what the operations of a function may run, one set for each kind of operation."""
    text = text_of(function)
    if text is None or any(type(part).__name__ == "Match" for part in nodes(text.tree)):
        return {ANYTHING}
    asked: set[Set[str]] = set()
    for part in nodes(text.tree):
        asked |= {frozenset(methods) for _, methods, _ in operands_asked(part)}
        if type(part) in (gast.BinOp, gast.UnaryOp, gast.AugAssign):
            asked.add(_OPERATORS)
        elif type(part) is gast.With:
            asked.add(_MANAGERS)
        elif type(part) is gast.Call:
            asked.add(frozenset(_asked_by_call(part, text.externals)))
    return asked


def _asked_by_call(call: Expr, externals: Externals) -> Set[str]:
    """Return what a call in a text may run; a function that is known by its name is looked into as such."""
    if type(call.func) is gast.Attribute and not call.args and not call.keywords:
        return OF_METHODS | {"__call__"}
    key = getattr(call.func, "id", "")
    found = externals[key].value if key in externals else getattr(builtins, key, MISSING)
    methods = asked_by_function(found)
    return ANYTHING if methods == ASKED else methods
