"""Which exceptions a statement may raise, by the kinds of its operands.

What is not known may raise anything. A class stands for its children, too.
"""

from __future__ import annotations

import inspect

import gast
import numpy as np

from tapeless.differentiate.reverse.exceptions import Exceptions, may_catch
from tapeless.differentiate.reverse.state import Sweep
from tapeless.externals import MISSING
from tapeless.kinds import (
    Array,
    Dict,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    Tuple,
)
from tapeless.rules.traits import traits_of
from tapeless.tree.classes import POLYNOMIAL, TESTED
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt, Tree


def may_raise(sweep: Sweep, s: Stmt, classes: Exceptions) -> bool:
    """Whether a statement may raise something of some classes, or of their children."""
    if type(s) is gast.FunctionDef:
        return False
    blocks = blocks_of(s)
    if blocks:
        inner = any(may_raise(sweep, part, classes) for block in blocks for part in block)
        return inner or may_catch(_raised_by_head(sweep, s), classes)
    return may_catch(_raised_by(sweep, s), classes)


def _raised_by_head(sweep: Sweep, s: Stmt) -> Exceptions:
    if type(s) in TESTED:
        return _raised_by(sweep, gast.Expr(s.test), s)
    if type(s) is not gast.For:
        return () if type(s) is gast.Try else (BaseException,)
    called = s.iter.func if type(s.iter) is gast.Call else None
    if isinstance(called, gast.Name) and called.id in ("range", "enumerate", "zip", "reversed"):
        return ()
    plain = isinstance(sweep.operand_kind(s, s.iter), _ITERATED)
    return () if plain else (BaseException,)


def _raised_by(sweep: Sweep, s: Stmt, at: Stmt | None = None) -> Exceptions:
    """Return the exceptions that a simple statement may raise; a class stands for its children."""
    at = s if at is None else at
    if s in sweep.known.callees or type(s) is gast.Raise:
        return (BaseException,)
    found: list[type[BaseException]] = [AssertionError] if type(s) is gast.Assert else []
    if type(s) is gast.AugAssign:
        found += _of_operation(sweep, at, [s.target, s.value], s.op)
    for part in nodes(s):
        if type(part) is gast.Subscript:
            found += _of_operation(sweep, at, [part.value], gast.Add(), item=True)
        elif type(part) is gast.Attribute:
            found += _of_attribute(sweep, part, at)
        elif type(part) is gast.BinOp:
            found += _of_operation(sweep, at, [part.left, part.right], part.op)
        elif type(part) is gast.UnaryOp:
            found += _of_operation(sweep, at, [part.operand], gast.Add())
        elif type(part) is gast.Compare:
            found += _of_operation(sweep, at, [part.left, *part.comparators], gast.Add())
        elif type(part) is gast.Call:
            found += _of_call(sweep, part, at)
        elif type(part) is gast.Tuple and type(part.ctx) is gast.Store:
            found += [TypeError, ValueError]
    return tuple(found)


def _of_attribute(sweep: Sweep, tree: Tree, s: Stmt) -> Exceptions:
    if sweep.function.resolve(tree) is not MISSING:
        return ()
    owner = sweep.operand_kind(s, tree.value)
    if isinstance(owner, Instance):
        static = inspect.getattr_static(owner.cls, tree.attr, None)
        hooks = [getattr(owner.cls, key, None) for key in ("__getattr__", "__setattr__")]
        hooked = hooks != [None, object.__setattr__] or hasattr(static, "__get__")
        return (BaseException,) if hooked else (AttributeError,)
    known = isinstance(owner, Array) or (isinstance(owner, List) and tree.attr == "append")
    known = known or (isinstance(owner, (Dict, List)) and tree.attr in _LOOKING_UP)
    return () if known else (BaseException,)


def _of_operation(
    sweep: Sweep, s: Stmt, operands: list[Expr], op: Tree, item: bool = False
) -> list[type[BaseException]]:
    """Sums and products of numbers raise what flags ask for; those of arrays where shapes differ."""
    kinds = [sweep.operand_kind(s, operand) for operand in operands]
    if not all(isinstance(k, _BUILT_IN) and not _holds_objects(k) for k in kinds):
        return [BaseException]
    if item:
        return [LookupError, TypeError, ValueError]
    found: list[type[BaseException]] = []
    if not all(isinstance(k, Integer) for k in kinds):
        found.append(FloatingPointError)
    if type(op) not in POLYNOMIAL:
        found += [ArithmeticError, ValueError]
    arrays = sum(isinstance(k, Array) for k in kinds)
    if arrays < 2 and all(isinstance(k, (Array, Real, Integer)) for k in kinds):
        return found
    return [*found, ValueError, TypeError]


def _of_call(sweep: Sweep, tree: Tree, s: Stmt) -> list[type[BaseException]]:
    method = type(tree.func) is gast.Attribute
    owner = sweep.operand_kind(s, tree.func.value) if method else Kind()
    if isinstance(owner, List) and tree.func.attr == "append":
        return []
    found = sweep.facts.object_called(tree)
    module = str(getattr(found, "__module__", None) or "")
    if module == "builtins" and not traits_of(found).pure:
        return [BaseException]
    operands = [sweep.operand_kind(s, a) for a in tree.args]
    if not all(isinstance(k, _BUILT_IN) and not _holds_objects(k) for k in operands):
        return [BaseException]
    if isinstance(owner, (Dict, List)) and tree.func.attr in _LOOKING_UP and not tree.keywords:
        return [LookupError, TypeError, ValueError]
    known = module in ("numpy", "numpy.linalg", "math", "builtins")
    if known or isinstance(owner, Array) or isinstance(found, np.ufunc):
        return [ArithmeticError, ValueError, TypeError, IndexError]  # LinAlgError: a ValueError
    return [BaseException]


_LOOKING_UP = {"get", "setdefault", "pop", "insert", "clear", "copy", "keys", "values", "items"}
_BUILT_IN = (Array, Dict, Inert, Integer, Tuple, List, Number, Real, Sequence)
_ITERATED = (Array, Dict, Tuple, List, Sequence)


def _holds_objects(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.dtype[:1] == "O"
