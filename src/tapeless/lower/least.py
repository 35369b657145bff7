"""Numba is told what the variables of loops are at least.

    for i in range(start, stop):           for i in range(start, stop):
        y[i] = x[i] * x[i]          ->         i = at_least(i, 0)
                                               y[i] = x[i] * x[i]

What is negative counts from the end of an axis, so the place of an entry depends on a test wherever LLVM
does not see that an index is not negative. It sees that of a loop that begins at a literal; not of one over
a block of an axis, whose first number is a variable: only of these it is told. With the test it takes arrays
that lie one after the other for ones that may overlap, and runs entry by entry what it could run on several
at once.
"""

from __future__ import annotations

import ast
import functools
from typing import Any

NAME = "_at_least"


def with_least(text: str) -> ast.Module:
    """Return the module of a text, in which the least values of the variables of loops are told.

    Examples
    --------
    >>> print(ast.unparse(with_least('''
    ... for first in range(0, n, 128):
    ...     for i in range(first, n):
    ...         total += x[i]
    ... ''')))
    for first in range(0, n, 128):
        for i in range(first, n):
            i = _at_least(i, 0)
            total += x[i]
    """
    tree = ast.parse(text)
    bound = {
        part.id
        for s in ast.walk(tree)
        if isinstance(s, (ast.Assign, ast.AugAssign))
        for part in ast.walk(s)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    _tell(tree.body, {}, bound)
    return ast.fix_missing_locations(tree)


def _tell(body: list[ast.stmt], known: dict[str, int], bound: set[str]) -> None:
    """Tell the least values of variables of loops that begin at variables of loops around."""
    for s in body:
        around = known
        if isinstance(s, ast.For) and isinstance(s.target, ast.Name):
            key, least = s.target.id, _least_of(s.iter, known)
            around = {k: v for k, v in known.items() if k != key}
            if least is not None and key not in bound:
                around[key] = least
        for block in ("body", "orelse"):
            _tell(getattr(s, block, []), around, bound)
        if isinstance(s, ast.For) and around is not known and _begins_at_variable(s.iter):
            key = ast.unparse(s.target)
            if key in around:
                told = ast.parse(f"{key} = {NAME}({key}, {around[key]})").body[0]
                s.body.insert(0, ast.copy_location(told, s))


def _least_of(over: ast.expr, known: dict[str, int]) -> int | None:
    """Return the least number of a range, None where it is not known or negative."""
    assert isinstance(over, ast.Call)
    start, *others = over.args
    if not others:
        return 0
    if len(others) == 2 and ast.unparse(others[1]).startswith("-"):
        return None
    if isinstance(start, ast.Name):
        return known.get(start.id)
    if isinstance(start, ast.Constant) and isinstance(start.value, int):
        return start.value
    return None


def _begins_at_variable(over: ast.expr) -> bool:
    return isinstance(over, ast.Call) and len(over.args) > 1 and isinstance(over.args[0], ast.Name)


@functools.cache
def at_least() -> Any:
    """Return what compiled loops call by that name: the number itself, of which LLVM is told."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        known = builder.icmp_signed(">=", *arguments)
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(1)])
        builder.call(builder.module.declare_intrinsic("llvm.assume", (), kind), [known])
        return arguments[0]

    made: Any = intrinsic

    @made  # type: ignore[untyped-decorator,unused-ignore]
    def told(typing_context: Any, number: Any, least: Any) -> Any:
        return types.int64(types.int64, types.int64), generate

    return told
