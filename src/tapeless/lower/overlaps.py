"""Compiled loops look themselves whether an array that they store into shares memory with another.

    def f_apart(x, y):
        if meet(x, y):
            raise ValueError("arguments share memory")
        return f(x, y)

NumPy answers that for one pair in the time that a short loop takes as a whole; and there are as many pairs as
arrays. It is asked about the bytes between the first and the last one of each array, as
`np.may_share_memory` does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

PREFIX = "_apart_"
_MEET = "_meet"


def with_test(
    tree: ast.Module, name: str, count: int, apart: Sequence[int], arrays: Sequence[int]
) -> ast.Module:
    """Return a module with a function more, which calls one of its functions where no memory is shared.

    Parameters
    ----------
    tree
        The module.
    name, count
        The function, and the number of its parameters.
    apart
        The positions of the parameters whose memory must be told apart from that of all others.
    arrays
        The positions of those that are arrays.

    Examples
    --------
    >>> tree = with_test(ast.parse("def f(x, y, k): ..."), "f", 3, [0], [0, 1])
    >>> print(ast.unparse(tree.body[1]))
    def _apart_f(x0, x1, x2):
        if _meet(x0, x1):
            raise ValueError('arguments share memory')
        return f(x0, x1, x2)
    """
    given = ", ".join(f"x{k}" for k in range(count))
    pairs = [(i, k) for i in apart for k in arrays if k != i and not (k in apart and k < i)]
    test = " or ".join(f"{_MEET}(x{i}, x{k})" for i, k in pairs) or "False"
    added = ast.parse(
        f"def {PREFIX}{name}({given}):\n"
        f"    if {test}:\n"
        "        raise ValueError('arguments share memory')\n"
        f"    return {name}({given})\n"
    )
    last = max((getattr(s, "end_lineno", 0) or 0 for s in tree.body), default=0)
    for part in added.body:
        tree.body.append(ast.increment_lineno(part, last + 2))
    return tree


def names_of_test(jit: Callable[[Any], Any]) -> dict[str, Any]:
    """Return what the function more calls, to be put among the names of its module."""
    extent = jit(_extent)

    def meet(x: Any, y: Any) -> bool:
        first, last = extent(x)
        other_first, other_last = extent(y)
        return bool(first < other_last and other_first < last)

    return {_MEET: jit(meet)}


def _extent(x: Any) -> tuple[int, int]:
    """Return the addresses of the first byte of an array and behind its last one."""
    first = x.ctypes.data
    last = first + x.itemsize
    for k in range(x.ndim):
        if x.shape[k] == 0:
            return first, first
        reach = (x.shape[k] - 1) * x.strides[k]
        if reach < 0:
            first += reach
        else:
            last += reach
    return first, last
