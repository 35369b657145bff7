"""Special methods of arrays that are called by their names: each is written as what Python calls it for.

    y = m.__add__(x)        ->   y = m + x
    y = m.__rsub__(x)       ->   y = x - m
    y = m.__getitem__(i)    ->   y = m[i]
    y = m.__float__()       ->   y = float(m)

Those that change the array are statements: `in_place.py` writes them.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.interpret.special_calls import written_as_operator
from tapeless.kinds import Array, Instance, Integer, Number, Real
from tapeless.rules.reasons import understood
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, quote_expression
from tapeless.tree.trees import Expr

_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and": "&", "or": "|", "xor": "^",
}  # fmt: skip
_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BY_NAME = {"abs": abs, "float": float, "int": int, "bool": bool, "complex": complex, "len": len}
_WRITTEN = {
    **{f"__{key}__": f"x {sign} y" for key, sign in {**_BINARY, **_COMPARED}.items()},
    **{f"__r{key}__": f"y {sign} x" for key, sign in _BINARY.items()},
    **{f"__{key}__": "f(x)" for key in _BY_NAME},
    "__divmod__": "f(x, y)",
    "__rdivmod__": "f(y, x)",
    "__neg__": "-x",
    "__pos__": "+x",
    "__invert__": "~x",
    "__getitem__": "x[y]",
    "__contains__": "y in x",
}

understood(
    "written as the operator or function that calls it",
    *(getattr(np.ndarray, method) for method in _WRITTEN),
)


def special_method(specializer: Specializer, tree: Expr, found: Any, to: str | None) -> Any:
    """Write a call of a special method of an array as an operator; None where it is another call.

    A function of `operator` that is given objects is written so, too: it calls their methods.
    """
    if to is not None and not tree.keywords:
        objects = [a for a in tree.args if isinstance(specializer.kind(a), Instance)]
        written = written_as_operator(found, tree.args) if objects else None
        if written is not None:
            return [assign(to, written)]
    text = _WRITTEN.get(tree.func.attr) if type(tree.func) is gast.Attribute else None
    if text is None or tree.keywords or any(type(a) is gast.Starred for a in tree.args):
        return None
    owner, given = specializer.kind(tree.func.value), [specializer.kind(a) for a in tree.args]
    of_numbers = isinstance(owner, Real) and all(isinstance(k, (Real, Integer)) for k in given)
    if not (of_numbers or isinstance(owner, (Array, Number))) or len(given) != ("y" in text):
        return None
    label = tree.func.attr.strip("_")
    called = _BY_NAME.get(label, divmod)
    parts = {"f": specializer.external(called)} if "f(" in text else {}
    if tree.args:
        parts["y"] = tree.args[0]
    made = quote_expression(text, x=tree.func.value, **parts)
    return [gast.Expr(made) if to is None else assign(to, made)]
