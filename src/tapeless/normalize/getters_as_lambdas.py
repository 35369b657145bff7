"""What `operator` makes of names and keys is the function that it stands for.

operator.itemgetter(1)        ->   lambda item: item[1]
operator.itemgetter("a", 2)   ->   lambda item: (item["a"], item[2])
operator.itemgetter(slice(3)) ->   lambda item: item[:3]
operator.attrgetter("b.c")    ->   lambda item: item.b.c
operator.methodcaller("sum")  ->   lambda item: item.sum()
"""

from __future__ import annotations

import operator
from typing import Any

import gast

from tapeless.externals import MISSING, is_one_of
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr

_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


class _Writer(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function

    def visit_Call(self, tree: Expr) -> Any:
        self.generic_visit(tree)
        made = written_out(self.function, tree)
        if made is None:
            return tree
        for part in nodes(made):
            part.lineno = getattr(tree, "lineno", None)
        return made


def written_out(function: CoreFunction, tree: Expr) -> Expr | None:
    """Return the lambda that a call of `itemgetter` and its like makes; None for another call."""
    found = function.resolve(tree.func)
    if found is MISSING or not is_one_of(found, _GETTERS) or tree.keywords or not tree.args:
        return None
    keys = [getattr(part, "value", None) for part in tree.args]
    if found is operator.itemgetter:
        indices = [_index(function, part) for part in tree.args]
        if None in indices:
            return None
        texts = [f"item[{index}]" for index in indices]
    elif found is operator.methodcaller and len(keys) > 1:
        return None
    elif all(isinstance(key, str) and key.replace(".", "a").isidentifier() for key in keys):
        texts = [f"item.{key}{'()' * (found is operator.methodcaller)}" for key in keys]
    else:
        return None
    body = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
    made: Expr = gast.parse(f"lambda item: {body}").body[0].value
    return made


def _index(function: CoreFunction, key: Expr) -> str | None:
    """Return a key as it stands between brackets, of a slice its ends; None where it is not written out."""
    ends = key.args if type(key) is gast.Call and function.resolve(key.func) is slice else [key]
    try:
        values = [gast.literal_eval(end) for end in ends]
    except ValueError:
        return None
    if not ends or ends == [key]:
        return repr(values[0]) if ends else None
    between = [None, *values] if len(values) == 1 else values
    return ":".join("" if value is None else repr(value) for value in between)


def getters_as_lambdas(function: CoreFunction) -> CoreFunction:
    """Write calls of `operator.itemgetter`, `attrgetter` and `methodcaller` out, where the keys are.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.externals import constant
    >>> tree = parse_function('def f(x):\\n    return itemgetter(0, 1)(x)')
    >>> f = CoreFunction(tree, {"itemgetter": constant(operator.itemgetter, "itemgetter")})
    >>> print(unparse(getters_as_lambdas(f).tree).strip())
    def f(x):
        return (lambda item: (item[0], item[1]))(x)
    """
    called = [p for p in nodes(function.tree) if type(p) is gast.Call]
    if not any(is_one_of(function.resolve(p.func), _GETTERS) for p in called):
        return function
    _Writer(function).generic_visit(function.tree)
    return function
