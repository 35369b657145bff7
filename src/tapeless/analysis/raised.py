"""Which exceptions a statement may raise, by the kinds of its operands.

What is not known may raise anything. A class stands for its children, too.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass

import gast
import numpy as np

from tapeless.analysis.exceptions import Exceptions, caught, may_catch
from tapeless.analysis.facts import Facts
from tapeless.externals import MISSING, is_one_of
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
from tapeless.tree.classes import ATOMS, POLYNOMIAL, TESTED
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt, Tree


@dataclass(frozen=True)
class Operands:
    """What is known of the operands of a function's statements.

    Attributes
    ----------
    facts
        What was found about the function.
    kind
        Tells what kind an operand is of where a statement stands.
    """

    facts: Facts
    kind: Callable[[Stmt, Tree], Kind]


def may_raise(here: Operands, s: Stmt, classes: Exceptions) -> bool:
    """Whether a statement may raise something of some classes, or of their children."""
    if type(s) is gast.FunctionDef:
        return False
    blocks = blocks_of(s)
    if blocks:
        inner = any(may_raise(here, part, classes) for block in blocks for part in block)
        return inner or head_may_raise(here, s, classes)
    return may_catch(_raised_by(here, s), classes)


def head_may_raise(here: Operands, s: Stmt, classes: Exceptions) -> bool:
    """Whether the test of a statement, or what a loop goes through, may raise something of some classes."""
    return may_catch(_raised_by_head(here, s), classes)


def _raised_by_head(here: Operands, s: Stmt) -> Exceptions:
    if type(s) in TESTED:
        return _raised_by(here, gast.Expr(s.test), s)
    if type(s) is gast.For:
        return () if _is_gone_through_plainly(here, s, s.iter) else (BaseException,)
    return () if type(s) is gast.Try else (BaseException,)


def _is_gone_through_plainly(here: Operands, s: Stmt, tree: Expr) -> bool:
    """Whether going through something runs no code that may raise."""
    found = here.facts.object_called(tree) if type(tree) is gast.Call else None
    if found is range:
        return True
    if is_one_of(found, (enumerate, zip, reversed)):
        gone_through = tree.args[:1] if found is enumerate else tree.args
        return all(_is_gone_through_plainly(here, s, part) for part in gone_through)
    return isinstance(here.kind(s, tree), _ITERATED)


def _raised_by(here: Operands, s: Stmt, at: Stmt | None = None) -> Exceptions:
    """Return the exceptions that a simple statement may raise; a class stands for its children."""
    at = s if at is None else at
    if s in here.facts.callees:
        return (BaseException,)
    found: list[type[BaseException]] = [AssertionError] if type(s) is gast.Assert else []
    if type(s) is gast.Raise:
        return _of_raise(here, s)
    if type(s) is gast.AugAssign:
        found += _of_operation(here, at, [s.target, s.value], s.op)
    for part in nodes(s):
        if type(part) is gast.Subscript:
            found += _of_operation(here, at, [part.value], gast.Add(), item=True)
        elif type(part) is gast.Attribute:
            found += _of_attribute(here, part, at)
        elif type(part) is gast.BinOp:
            found += _of_operation(here, at, [part.left, part.right], part.op)
        elif type(part) is gast.UnaryOp:
            found += _of_operation(here, at, [part.operand], gast.Add())
        elif type(part) is gast.Compare:
            found += _of_operation(here, at, [part.left, *part.comparators], gast.Add())
        elif type(part) is gast.Call:
            found += _of_call(here, part, at)
        elif type(part) is gast.Tuple and type(part.ctx) is gast.Store:
            found += [TypeError, ValueError]
    return tuple(found)


def _of_raise(here: Operands, s: Stmt) -> Exceptions:
    """Return the class that a `raise` names, where making its exception runs no code of its own."""
    tree = s.exc.func if type(s.exc) is gast.Call else s.exc
    given = list(s.exc.args) if tree is not s.exc else []
    if tree is None or not all(type(part) in ATOMS for part in given):
        return (BaseException,)
    [named] = caught(here.facts.function, [gast.ExceptHandler(tree, None, [])])
    makes_itself = isinstance(inspect.getattr_static(named, "__init__"), types.FunctionType)
    return (BaseException,) if makes_itself else (named,)


def _of_attribute(here: Operands, tree: Tree, s: Stmt) -> Exceptions:
    if here.facts.function.resolve(tree) is not MISSING:
        return ()
    owner = here.kind(s, tree.value)
    if isinstance(owner, Instance):
        static = inspect.getattr_static(owner.cls, tree.attr, None)
        hooks = [getattr(owner.cls, key, None) for key in ("__getattr__", "__setattr__")]
        hooked = hooks != [None, object.__setattr__] or hasattr(static, "__get__")
        return (BaseException,) if hooked else (AttributeError,)
    known = isinstance(owner, Array) or (isinstance(owner, List) and tree.attr == "append")
    known = known or (isinstance(owner, (Dict, List)) and tree.attr in _LOOKING_UP)
    return () if known else (BaseException,)


def _of_operation(
    here: Operands, s: Stmt, operands: list[Expr], op: Tree, item: bool = False
) -> list[type[BaseException]]:
    """Sums and products of numbers raise what flags ask for; those of arrays where shapes differ."""
    kinds = [here.kind(s, operand) for operand in operands]
    if not all(isinstance(k, _BUILT_IN) and not _holds_objects(k) for k in kinds):
        return [BaseException]
    if item:
        missing = KeyError if isinstance(kinds[0], Dict) else IndexError
        known = isinstance(kinds[0], (Array, Dict, List, Sequence, Tuple))
        return [missing if known else LookupError, TypeError, ValueError]
    found: list[type[BaseException]] = []
    if not all(isinstance(k, Integer) for k in kinds):
        found.append(FloatingPointError)
    if type(op) not in POLYNOMIAL:
        found += [ArithmeticError, ValueError]
    arrays = sum(isinstance(k, Array) for k in kinds)
    if arrays < 2 and all(isinstance(k, (Array, Real, Integer)) for k in kinds):
        return found
    return [*found, ValueError, TypeError]


def _of_call(here: Operands, tree: Tree, s: Stmt) -> list[type[BaseException]]:
    method = type(tree.func) is gast.Attribute
    owner = here.kind(s, tree.func.value) if method else Kind()
    if isinstance(owner, List) and tree.func.attr == "append":
        return []
    found = here.facts.object_called(tree)
    module = str(getattr(found, "__module__", None) or "")
    if module == "builtins" and not traits_of(found).pure:
        return [BaseException]
    operands = [here.kind(s, a) for a in tree.args]
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
