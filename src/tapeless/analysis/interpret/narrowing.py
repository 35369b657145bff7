"""What a test of an object's class tells about the object in the branches of an `if`.

if isinstance(s, Disk):    ->      s is a Disk here
else:                              s is of one of its other classes here
"""

from __future__ import annotations

from dataclasses import replace

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import Instance, Kind
from tapeless.tree.trees import Expr


def narrowed(
    interpreter: Interpreter, test: Expr, env: Environment
) -> tuple[Environment, Environment]:
    """Return what is known where a test holds, and where it does not."""
    if type(test) is gast.UnaryOp and type(test.op) is gast.Not:
        yes, no = narrowed(interpreter, test.operand, env)
        return no, yes
    key, classes, exact = _asked(interpreter, test)
    kind = env[key].kind if key in env else None
    if not isinstance(kind, Instance) or not kind.choices:
        return dict(env), dict(env)
    fits = [c for c in kind.choices if (c in classes if exact else issubclass(c, classes))]
    others = [c for c in kind.choices if c not in fits]
    return _with(env, key, kind, fits), _with(env, key, kind, others)


def _asked(interpreter: Interpreter, test: Expr) -> tuple[str, tuple[type, ...], bool]:
    """Read `type(s) is C` or `isinstance(s, C)`: the name, the classes, whether exactly these."""
    exact = type(test) is gast.Compare and type(test.ops[0]) is gast.Is
    call, asked = (test.left, test.comparators[0]) if exact else (test, None)
    if type(call) is not gast.Call or len(call.args) != (1 if exact else 2):
        return "", (), exact
    if interpreter.function.resolve(call.func) is not (type if exact else isinstance):
        return "", (), exact
    asked = asked or call.args[1]
    parts = asked.elts if type(asked) is gast.Tuple else [asked]
    classes = tuple(interpreter.function.resolve(part) for part in parts)
    known = type(call.args[0]) is gast.Name and all(isinstance(c, type) for c in classes)
    return (call.args[0].id, classes, exact) if known else ("", (), exact)


def _with(env: Environment, key: str, kind: Instance, classes: list[type]) -> Environment:
    if not classes or len(classes) == len(kind.choices):
        return dict(env)
    narrow: Kind = (
        Instance(classes[0], kind.regions)
        if len(classes) == 1
        else replace(kind, choices=tuple(classes))
    )
    return {**env, key: Value(narrow, env[key].varied)}
