"""Operators, items and built-in functions that call a special method of an object.

They are interpreted as the calls that they are spelled out as afterwards, so that the result is known
where a loop or a branch carries it on.

    s = s + u           as          s = s.__add__(u)               where s is an object
"""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any

from tapeless.analysis.abstract import Value, join_all
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.kinds import UNKNOWN, Instance, Kind
from tapeless.variables import is_variable

BINARY = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "Pow": "pow", "Mod": "mod",
    "MatMult": "matmul", "FloorDiv": "floordiv", "BitAnd": "and", "BitOr": "or", "BitXor": "xor",
    "LShift": "lshift", "RShift": "rshift",
}  # fmt: skip
UNARY = {"USub": "__neg__", "UAdd": "__pos__", "Invert": "__invert__"}
BUILT_IN = {abs: "__abs__", float: "__float__", round: "__round__"}


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


def has_method(kind: Kind, method: str) -> bool:
    """Whether objects of a kind have a method written in Python."""
    if not isinstance(kind, Instance) or is_variable(kind):
        return False
    found = inspect.getattr_static(kind.cls, method, None)
    module = str(getattr(found, "__module__", "")).split(".")[0]
    library = module == "numpy" or module in sys.stdlib_module_names
    return isinstance(found, types.FunctionType) and not library


def special_call(
    interpreter: Interpreter, method: str, args: list[Any], values: list[Value], tree: Any
) -> Value | None:
    """Interpret a call of a special method of the first argument; None where it has no such method.

    What stands whole within a comparison or a text is not spelled out, and no call then.
    """
    s = interpreter.statement
    if tree is not s and tree is not getattr(s, "value", None):
        return None
    owner, *others = values
    each = owner.kind.alternatives if isinstance(owner.kind, Instance) else []
    if not each or not all(has_method(kind, method) for kind in each):
        return None
    found = [
        call_function(
            interpreter, inspect.getattr_static(kind.cls, method), args,
            [Value(kind, owner.varied), *others], {}, {}, tree,
        )
        for kind in each
    ]  # fmt: skip
    return join_all(found, interpreter.place(tree))


def operator_call(
    interpreter: Interpreter, operator: str, args: list[Any], values: list[Value], tree: Any,
    in_place: bool,
) -> Value | None:  # fmt: skip
    """Interpret an operator between two operands of which one may be an object with a method for it."""
    stem = BINARY[operator]
    found = None
    if in_place:
        found = special_call(interpreter, f"__i{stem}__", args, values, tree)
    found = found or special_call(interpreter, f"__{stem}__", args, values, tree)
    if values[0].kind == UNKNOWN:
        return found  # it may have the method itself
    return found or special_call(interpreter, f"__r{stem}__", args[::-1], values[::-1], tree)
