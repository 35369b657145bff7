"""Numbers to divide by are written out: Python's, but for a zero, by which NumPy divides.

This is done when all temporaries have their names, so that a divisor is named after what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from tapeless.runtime import divisor
from tapeless.tree.blocks import all_blocks
from tapeless.tree.build import assign, at_line_of, name, quote_expression


def plain_divisors(function: gast.FunctionDef, resolve: Callable[[Any], Any], numpy: str) -> None:
    """Write divisors out, where NumPy goes by this name.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, a, b):
    ...     divisor_a = divisor(a)
    ...     divisor_a_b = divisor(a + b)
    ...     return x / divisor_a / divisor_a_b
    ... ''').body[0]
    >>> plain_divisors(function, lambda tree: divisor, "np")
    >>> print(unparse(function), end="")
    def f(x, a, b):
        divisor_a = float(a) or np.float64(a)
        divisor_a_b = a + b
        divisor_a_b = float(divisor_a_b) or np.float64(divisor_a_b)
        return x / divisor_a / divisor_a_b
    """
    for block in all_blocks(function.body):
        block[:] = [at_line_of(made, s) for s in block for made in _written_out(s, resolve, numpy)]


def _written_out(s: Any, resolve: Callable[[Any], Any], numpy: str) -> list[Any]:
    if type(s) is not gast.Assign or type(s.value) is not gast.Call:
        return [s]
    if type(s.targets[0]) is not gast.Name or resolve(s.value.func) is not divisor:
        return [s]
    [given], key = s.value.args, s.targets[0].id
    first = [] if type(given) is gast.Name else [assign(key, given)]
    m = given if type(given) is gast.Name else name(key)
    made = quote_expression("float(m) or np.float64(m)", m=m, np=name(numpy))
    return [*first, assign(key, made)]
