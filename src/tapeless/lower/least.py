"""Numba is told what the variables of loops are at least.

    for i in range(start, stop):           for i in range(start, stop):
        y[i] = x[i] * x[i]          ->         i = at_least(i, 0)
                                               y[i] = x[i] * x[i]

What is negative counts from the end of an axis, so the place of an entry depends on a test wherever LLVM
does not see that an index is not negative. It sees that of a loop that begins at a literal; not of one over
a block of an axis, whose first number is a variable. With the test it takes arrays that lie one after the
other for ones that may overlap, and runs entry by entry what it could run on several at once.
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
        first = _at_least(first, 0)
        for i in range(first, n):
            i = _at_least(i, 0)
            total += x[i]
    """
    tree: ast.Module = _Tells().visit(ast.parse(text))
    return ast.fix_missing_locations(tree)


class _Tells(ast.NodeTransformer):
    """Writes what is known of the variable of a loop before the body of it."""

    def __init__(self) -> None:
        self.least: dict[str, int] = {}  # of the variables of the loops around

    def visit_For(self, loop: ast.For) -> ast.For:
        """Tell the least value of the variable of a loop, where it is known and not negative."""
        least = self.least_of(loop.iter)
        if least is None or not isinstance(loop.target, ast.Name):
            self.generic_visit(loop)
            return loop
        key = loop.target.id
        outer = self.least
        self.least = {**outer, key: least}
        self.generic_visit(loop)
        self.least = outer
        told = ast.parse(f"{key} = {NAME}({key}, {least})").body[0]
        loop.body.insert(0, ast.copy_location(told, loop))
        return loop

    def least_of(self, over: ast.expr) -> int | None:
        """Return the least number of a range, None where it is not known or negative."""
        assert isinstance(over, ast.Call)
        if len(over.args) == 1:
            return 0
        start, stop = over.args[:2]
        if len(over.args) == 3 and ast.unparse(over.args[2]).startswith("-"):
            return 0 if ast.unparse(stop) == "-1" else None
        if isinstance(start, ast.Name):
            return self.least.get(start.id)
        if isinstance(start, ast.Constant) and isinstance(start.value, int):
            return start.value
        return None


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
