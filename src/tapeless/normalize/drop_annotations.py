"""Annotations of inner functions say nothing to a derivative, and may name what it does not import."""

from __future__ import annotations

import gast

from tapeless.tree.function import CoreFunction
from tapeless.tree.names import functions_within


def drop_annotations(function: CoreFunction) -> CoreFunction:
    """Leave out the annotations of functions that are defined in a function.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> tree = gast.parse('''
    ... def f(x: float):
    ...     def g(y: Real, *rest: Real) -> Real:
    ...         return x * y
    ...     return g(x)
    ... ''').body[0]
    >>> print(unparse(drop_annotations(CoreFunction(tree, {}, "f.py")).tree), end="")
    def f(x: float):
    <BLANKLINE>
        def g(y, *rest):
            return x * y
        return g(x)
    """
    for inner in functions_within(function.tree):
        if type(inner) is gast.FunctionDef:
            inner.returns = None
            a = inner.args
            for parameter in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]:
                if parameter is not None:
                    parameter.annotation = None
    return function
