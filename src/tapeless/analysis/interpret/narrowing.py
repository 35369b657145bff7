"""What a test of what an object is tells about the object in the branches of an `if`.

if isinstance(s, Disk):    ->      s is a Disk here
else:                              s is of one of its other classes here
if s is np.tanh:           ->      s is this function here
else:                              s is another one, or an object, here
if is_function(s, "g"):    ->      s was made by the local `def g` here
else:                              s is another one here
if s is None:              ->      s is None here
else:                              s is an object, or a function, here
if f:                      ->      f is a function here
else:                              f is None here
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import NONE, Function, Functions, Instance, Kind
from tapeless.runtime import is_function
from tapeless.tree.trees import Expr


def narrowed(
    interpreter: Interpreter, test: Expr, env: Environment
) -> tuple[Environment, Environment]:
    """Return what is known where a test holds, and where it does not."""
    if type(test) is gast.UnaryOp and type(test.op) is gast.Not:
        yes, no = narrowed(interpreter, test.operand, env)
        return no, yes
    key, classes, exact = _asked(interpreter, test)
    function = _function_asked_for(interpreter, test)
    asked_none = type(test) is gast.Compare and _is_of_none(test)
    key = test.left.id if function is not None or asked_none else key
    kind = env[key].kind if key in env else None
    if kind is None or isinstance(kind, Functions):
        return _narrowed_function(interpreter, test, env)
    if not isinstance(kind, Instance) or not (kind.choices or kind.or_none):
        return dict(env), dict(env)
    if asked_none:
        here, there = _parted(env, key, kind, set(), set(), kind.or_none)
        return (here, there) if type(test.ops[0]) is gast.Is else (there, here)
    if function is not None:
        return _parted(env, key, kind, set(), {function} & kind.functions)
    own = {each.cls for each in kind.alternatives}
    if exact:
        functions = {f for f in kind.functions if type(f.value) in classes}
        return _parted(env, key, kind, own & set(classes), functions, type(None) in classes)
    functions = {f for f in kind.functions if isinstance(f.value, classes)}
    among = {c for c in own if issubclass(c, classes)}
    return _parted(env, key, kind, among, functions, bool(classes) and isinstance(None, classes))


def _narrowed_function(
    interpreter: Interpreter, test: Expr, env: Environment
) -> tuple[Environment, Environment]:
    """Tell what a test says of a name that holds one of several functions, or perhaps None."""
    key, functions, none = _functions_asked_for(interpreter, test, env)
    kind = env[key].kind if key in env else None
    if not isinstance(kind, Functions):
        return dict(env), dict(env)
    among = kind.choices if functions is None else kind.choices & functions
    yes, no = (
        {**env, key: Value(_some_of(kind, *part), env[key].varied)}
        for part in (
            (among, kind.or_none and none),
            (kind.choices - among, kind.or_none and not none),
        )
    )
    negated = type(test) is gast.Compare and type(test.ops[0]) is gast.IsNot
    return (no, yes) if negated else (yes, no)


def _functions_asked_for(
    interpreter: Interpreter, test: Expr, env: Environment
) -> tuple[str, frozenset[Function] | None, bool]:
    """Read `f`, `callable(f)`, `f is None`, `f is sin` or `is_function(f, "g")`.

    Returns
    -------
    The name, the functions, and whether None is asked for.

    All functions are asked for where there are none of which it would say that they are.
    """
    if type(test) is gast.Name:
        return test.id, None, False
    if type(test) is gast.Compare and _is_of_none(test):
        return test.left.id, frozenset(), True
    function = _function_asked_for(interpreter, test)
    if function is not None:
        return test.left.id, frozenset([function]), False
    if type(test) is not gast.Call or not test.args or type(test.args[0]) is not gast.Name:
        return "", None, False
    called, key = interpreter.function.resolve(test.func), test.args[0].id
    if called is callable and len(test.args) == 1:
        return key, None, False
    kind = env[key].kind if key in env else None
    if called is is_function and isinstance(kind, Functions):
        return key, _meant_by(interpreter, test.args[1], kind.choices), False
    return "", None, False


def _meant_by(
    interpreter: Interpreter, asked: Expr, choices: frozenset[Function]
) -> frozenset[Function]:
    """Return which functions are another one, or made by the local `def` of a name."""
    if type(asked) is gast.Constant:
        return frozenset(f for f in choices if getattr(f.value, "name", None) == asked.value)
    return choices & {Function(interpreter.function.resolve(asked))}


def _some_of(kind: Functions, choices: frozenset[Function], or_none: bool) -> Kind:
    """Narrow a kind to some of its functions, or to None; as it is where there are none."""
    if not choices:
        return NONE if or_none else kind
    alone = len(choices) == 1 and not or_none
    return next(iter(choices)) if alone else Functions(choices, or_none)


def _is_of_none(test: Expr) -> bool:
    """Whether a comparison is `s is None` or `s is not None`."""
    [other, *more] = test.comparators
    plain = type(test.left) is gast.Name and not more
    is_none = type(other) is gast.Constant and other.value is None
    return plain and is_none and type(test.ops[0]) in (gast.Is, gast.IsNot)


def _function_asked_for(interpreter: Interpreter, test: Expr) -> Function | None:
    """Read `s is f`, where `f` is known outside: the function."""
    if type(test) is not gast.Compare or type(test.ops[0]) is not gast.Is:
        return None
    found = interpreter.function.resolve(test.comparators[0])
    return Function(found) if type(test.left) is gast.Name and callable(found) else None


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


def _parted(
    env: Environment,
    key: str,
    kind: Instance,
    classes: Set[type],
    functions: Set[Function],
    none: bool = False,
) -> tuple[Environment, Environment]:
    """Tell what something is that is of one of some classes, or one of some functions, and if not."""
    own = {each.cls for each in kind.alternatives}
    others = own - classes, kind.functions - functions, kind.or_none and not none
    yes, no = (
        {**env, key: Value(_one_of(kind, *among), env[key].varied)}
        for among in ((classes, functions, kind.or_none and none), others)
    )
    return yes, no


def _one_of(kind: Instance, classes: Set[type], functions: Set[Function], or_none: bool) -> Kind:
    """Narrow a kind to some of its classes and functions; as it is where there are none."""
    choices = tuple(each.cls for each in kind.alternatives if each.cls in classes)
    if len(choices) == 1 and not functions:
        return Instance(choices[0], kind.regions, or_none=or_none)
    if choices:
        return replace(kind, choices=choices, functions=frozenset(functions), or_none=or_none)
    if not functions:
        return NONE if or_none else kind
    return _some_of(Functions(frozenset(functions)), frozenset(functions), or_none)
