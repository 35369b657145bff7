"""Operators, items and built-in functions that call a special method of an object.

They are interpreted as the calls that they are spelled out as afterwards, so that the result is known
where a loop or a branch carries it on.

    s = s + u           as          s = s.__add__(u)               where s is an object
"""

from __future__ import annotations

import inspect
import types
from dataclasses import replace
from typing import Any

from tapeless.analysis.abstract import Value, join_all
from tapeless.analysis.function_values import method_of_record
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.externals import is_of_python, package_of
from tapeless.kinds import UNKNOWN, Instance, Kind, Tuple
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
    if isinstance(kind, Tuple):
        return method_of_record(kind, method) is not None
    if not isinstance(kind, Instance) or is_variable(kind):
        return False
    found = inspect.getattr_static(kind.cls, method, None)
    library = is_of_python(found) or package_of(found) == "numpy"
    return isinstance(found, types.FunctionType) and not library


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
