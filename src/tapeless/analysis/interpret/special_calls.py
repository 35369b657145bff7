"""Operators, items and built-in functions that call a special method of an object.

They are interpreted as the calls that they are spelled out as afterwards, so that the result is known
where a loop or a branch carries it on.

    s = s + u           as          s = s.__add__(u)               where s is an object
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value, join_all
from tapeless.analysis.function_values import method_of_record
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.analysis.special_methods import stores_something
from tapeless.externals import is_of_python, is_one_of, package_of
from tapeless.kinds import UNKNOWN, Instance, Kind, Tuple
from tapeless.rules.declare import find_written
from tapeless.tree.trees import Expr
from tapeless.variables import is_variable

BINARY = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "Pow": "pow", "Mod": "mod",
    "MatMult": "matmul", "FloorDiv": "floordiv", "BitAnd": "and", "BitOr": "or", "BitXor": "xor",
    "LShift": "lshift", "RShift": "rshift",
}  # fmt: skip
UNARY = {"USub": "__neg__", "UAdd": "__pos__", "Invert": "__invert__"}
_BY_NAME = {
    1: {method.strip("_"): getattr(gast, key) for key, method in UNARY.items()},
    2: {label: getattr(gast, key) for key, label in BINARY.items()},
}
_COMPARED = {
    "eq": gast.Eq, "ne": gast.NotEq, "lt": gast.Lt, "le": gast.LtE, "gt": gast.Gt, "ge": gast.GtE,
}  # fmt: skip
BUILT_IN = {
    abs: "__abs__", float: "__float__", round: "__round__", next: "__next__", divmod: "__divmod__",
    math.floor: "__floor__", math.ceil: "__ceil__", math.trunc: "__trunc__",
}  # fmt: skip
MAKING_ARRAYS = (
    np.asarray, np.array, np.ravel, np.linalg.det, np.linalg.slogdet, np.linalg.norm,
    np.linalg.eigvals, np.linalg.eigvalsh, np.linalg.cond, np.polyval, np.roots,
)  # fmt: skip


def methods_of(operator: str) -> list[str]:
    """List the special methods that an operator may call.

    Examples
    --------
    >>> methods_of("Add"), methods_of("USub")
    (['__add__', '__radd__', '__iadd__'], ['__neg__'])
    """
    if operator in UNARY:
        return [UNARY[operator]]
    return [f"__{prefix}{BINARY[operator]}__" for prefix in ("", "r", "i")]


def written_as_operator(found: Any, given: Sequence[Expr]) -> Expr | None:
    """Write the call of a function of `operator` as the operator; None for any other function.

    Examples
    --------
    >>> import operator
    >>> x, y = (gast.parse(key).body[0].value for key in "xy")
    >>> gast.unparse(written_as_operator(operator.matmul, [x, y]))
    'x @ y'
    >>> written_as_operator(abs, [x]) is None
    True
    """
    label = _label(found)
    if len(given) == 1 and label in _BY_NAME[1]:
        return gast.UnaryOp(_BY_NAME[1][label](), given[0])
    if len(given) == 2 and label in _BY_NAME[2]:
        return gast.BinOp(given[0], _BY_NAME[2][label](), given[1])
    if len(given) == 2 and label in _COMPARED:
        return gast.Compare(given[0], [_COMPARED[label]()], [given[1]])
    if len(given) == 2 and label == "getitem":
        return gast.Subscript(given[0], given[1], gast.Load())
    return None


def has_method(kind: Kind, method: str) -> bool:
    """Whether objects of a kind have a method written in Python, or written out."""
    if isinstance(kind, Tuple):
        return method_of_record(kind, method) is not None
    if not isinstance(kind, Instance) or is_variable(kind):
        return False
    found = inspect.getattr_static(kind.cls, method, None)
    if not isinstance(found, types.FunctionType):
        return False
    library = is_of_python(found) or package_of(found) == "numpy"
    return not library or find_written(found) is not None


def visited_by(kind: Kind) -> str | None:
    """Return the method by which Python goes through an object: its `__iter__`, or else its items.

    None for what is no object of a class with either, in Python; and where reading items or the length stores
    something, for how many are read depends on who goes through them.
    """
    if has_method(kind, "__iter__"):
        return "__iter__"
    if not isinstance(kind, Instance) or not has_method(kind, "__getitem__"):
        return None
    if _has_any(kind, "__iter__"):
        return None
    return "__getitem__" if _reads_plainly(kind) else None


def is_own_iterator(kind: Kind) -> bool:
    """Whether an object gives its items one by one itself."""
    return isinstance(kind, Instance) and has_method(kind, "__next__")


def is_sequence_like(kind: Kind) -> bool:
    """Whether NumPy takes an object for a sequence, of which it makes an array."""
    if not isinstance(kind, Instance) or kind.choices or kind.functions:
        return False
    asked = all(has_method(kind, method) for method in ("__len__", "__getitem__"))
    visited = asked and visited_by(kind) is not None and not _has_any(kind, "__array__")
    return visited and _reads_plainly(kind)


def is_made_array_of(found: Any, kind: Kind) -> bool:
    """Whether a function of NumPy's asks the object that it is given first for an array.

    A method that can be told to copy decides whether `np.array` makes a copy: that is not followed.
    """
    if not is_one_of(found, MAKING_ARRAYS) or not has_method(kind, "__array__"):
        return False
    method = inspect.getattr_static(kind.cls, "__array__")  # type: ignore[attr-defined]
    return found is not np.array or "copy" not in inspect.signature(method).parameters


def _reads_plainly(kind: Instance) -> bool:
    """Whether neither an item nor the length of an object is read by code that stores into anything."""
    methods = ("__getitem__", "__len__")
    return not any(stores_something(each.cls, m) for each in kind.alternatives for m in methods)


def _has_any(kind: Kind, method: str) -> bool:
    return inspect.getattr_static(getattr(kind, "cls", object), method, None) is not None


def special_call(interpreter: Interpreter, method: str, site: CallSite) -> Value | None:
    """Interpret a call of a special method of the first argument; None where it has no such method.

    What stands whole within a comparison or a text is not spelled out, and no call then.
    """
    s = interpreter.statement
    if site.tree is not s and site.tree is not getattr(s, "value", None):
        return None
    owner, *others = site.arguments
    kind, varied = owner.value.kind, owner.value.varied
    each: list[Any] = [kind] if isinstance(kind, Tuple) else []
    each = kind.alternatives if isinstance(kind, Instance) else each
    if not each or not all(has_method(one, method) for one in each):
        return None
    called = replace(site, arguments=tuple(others))
    found = [
        call_function(
            interpreter,
            inspect.getattr_static(one.cls, method),
            called.of(Argument(owner.tree, Value(one, varied))),
        )
        for one in each
    ]
    return join_all(found, interpreter.point(site.tree))


def operator_call(
    interpreter: Interpreter, operator: str, site: CallSite, in_place: bool
) -> Value | None:
    """Interpret an operator between two operands of which one may be an object with a method for it."""
    stem = BINARY[operator]
    found = None
    if in_place:
        found = special_call(interpreter, f"__i{stem}__", site)
    found = found or special_call(interpreter, f"__{stem}__", site)
    if found is not None or site.values[0].kind == UNKNOWN:
        return found  # what is not known may have the method itself
    reflected = CallSite(site.tree, site.arguments[::-1], site.keywords, site.env)
    return special_call(interpreter, f"__r{stem}__", reflected)


def operator_function_call(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a call of a function of `operator` that is given objects, as the operator; or None."""
    objects = any(isinstance(v.kind, Instance) for v in site.values)
    label = _label(found) if objects and not site.keywords and not site.is_starred else None
    if label is None:
        return None
    keys = {stem: key for key, stem in BINARY.items()}
    for stem, in_place in ((label, False), (label.removeprefix("i"), True)):
        if stem in keys and len(site.arguments) == 2:
            return operator_call(interpreter, keys[stem], site, in_place)
    return special_call(interpreter, f"__{label}__", site)


def _label(found: Any) -> str | None:
    """Return what a function of `operator` is called in the names of special methods; or None."""
    if not isinstance(found, types.BuiltinFunctionType) or found.__module__ != "_operator":
        return None
    return found.__name__.strip("_")
