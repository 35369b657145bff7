"""The tangent of a name is bound wherever the name is, if need be to zero.

It is bound before the primal, which may bind the name anew; and after it where it needs the result, or
where the primal may raise and the exception be caught.
"""

from __future__ import annotations

import copy
from typing import Any

import gast
import numpy as np

from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.externals import is_one_of
from tapeless.kinds import Array
from tapeless.tree.build import assign, name
from tapeless.tree.names import reads
from tapeless.tree.trees import Expr, Stmt


def beside(
    writer: TangentWriter, s: Stmt, key: str, statements: list[Any], tangent: Expr
) -> list[Any]:
    """Put a tangent before its statement, or after it where it needs the result."""
    made = [*statements, assign(writer.dot(key), tangent)]
    late = writer.attempting or any(key in reads(part) for part in made)
    return [s, *made] if late else [*made, s]


def with_zero(writer: TangentWriter, s: Stmt, key: str) -> list[Any]:
    """Bind a zero tangent beside a statement that binds something without derivative."""
    value, kind = s.value, writer.result(s).kind
    if type(value) is gast.Call and is_one_of(writer.call(s).found, _MADE_OF_ZEROS):
        if isinstance(kind, Array) and kind.dtype[0] in "fc":
            return [assign(writer.dot(key), copy.deepcopy(value)), s]
    zero = writer.zero(name(key), kind)
    if writer.attempting or key in reads(zero):
        return [s, assign(writer.dot(key), zero)]
    return [assign(writer.dot(key), zero), s]


_MADE_OF_ZEROS = (np.zeros, np.zeros_like)
