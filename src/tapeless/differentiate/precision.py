"""Partials in the precision of what they are multiplied with.

Beside an operand in double precision NumPy computes in double precision. A partial that is computed from
operands in single precision alone would be single, so they are converted first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.differentiate.writer import Writer
from tapeless.kinds import NOWHERE, UNKNOWN, Array, Kind, Real, dtype_code
from tapeless.tree.build import assign, name, quote_expression
from tapeless.tree.trees import Expr, Stmt, Tree

_NARROW = {"f2": np.float64, "f4": np.float64, "c8": np.complex128}


def in_precision_of(
    writer: Writer, s: Stmt, active: list[Expr], operands: list[Expr], env: dict[str, Value],
    statements: list[Stmt],
) -> list[Any]:  # fmt: skip
    """Return the operands of a call as partials in the `active` ones are to be computed from them.

    Beside an active operand in double precision those in single precision are converted first, as
    NumPy does: a partial that is computed from them alone would be single too.
    """
    if not any(is_double(writer.operand_kind(s, tree)) for tree in active):
        return operands
    return [_operand_widened(writer, s, tree, env, statements) for tree in operands]


def is_double(kind: Kind) -> bool:
    """Whether a value is known to be in double precision."""
    return isinstance(kind, (Array, Real)) and kind.dtype in ("f8", "c16")


def is_single(kind: Kind) -> bool:
    """Whether a value is known to be in a lower precision than double."""
    return isinstance(kind, (Array, Real)) and kind.dtype in _NARROW


def widened(writer: Writer, tree: Tree, kind: Any) -> Any:
    """Write the conversion to double precision of what `is_single`."""
    dtype = gast.Attribute(name(writer.numpy), _NARROW[kind.dtype].__name__, gast.Load())
    text = "x.astype(d)" if isinstance(kind, Array) else "d(x)"
    return quote_expression(text, x=tree, d=dtype)


def _operand_widened(
    writer: Writer, s: Stmt, tree: Tree, env: dict[str, Value], statements: list[Stmt]
) -> Any:
    """Return an operand in double precision, by a name of its own where it is in single precision."""
    if isinstance(tree, list):
        return [_operand_widened(writer, s, item, env, statements) for item in tree]
    kind: Any = writer.operand_kind(s, tree) if type(tree) is gast.Name else UNKNOWN
    if not is_single(kind):
        return tree
    key = writer.names.fresh(tree.id)
    statements.append(assign(key, widened(writer, tree, kind)))
    known = replace(kind, dtype=dtype_code(_NARROW[kind.dtype]))
    env[key] = Value(replace(known, regions=NOWHERE) if isinstance(known, Array) else known)
    return name(key)
