"""Pullbacks inside a differentiated function: what `vjp(f, x)` of what varies is.

It is a value, and a function of which no more is known: the call is written out as a gradient afterwards.
"""

from __future__ import annotations

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.function_values import is_bound
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.closures import closes_over_varied
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import UNKNOWN, Kind, Tuple, differentiable, is_number
from tapeless.tree.classes import DOTTED

_FIX = (
    "give it a function and numbers or arrays by position, or call tl.grad, tl.jvp or tl.jacobian"
)


def pair_of_pullback(interpreter: Interpreter, site: CallSite) -> Value | None:
    """Interpret `vjp(f, x)` of what varies: a value, and a function; None where nothing varies."""
    tree, values = site.tree, site.values
    if not any(carries(interpreter, v) for v in values):
        return None
    plain = not tree.keywords and not any(type(a) is gast.Starred for a in tree.args)
    numbers = all(is_number(v.kind) and differentiable(v.kind) for v in values[1:])
    y = Value(UNKNOWN)
    if (
        plain
        and numbers
        and len(values) > 1
        and not is_bound(values[0].kind)
        and type(tree.args[0]) in DOTTED
    ):
        y = interpreter.eval(gast.Call(tree.args[0], tree.args[1:], []), interpreter.env)
        interpreter.callees.pop(interpreter.statement, None)
    if not _is_real(y.kind):
        interpreter.refuse(
            tree,
            "this `tl.vjp` of what varies is not supported inside a differentiated function",
            _FIX,
        )
    return Value(Tuple((y.kind, UNKNOWN)), True)


def carries(interpreter: Interpreter, value: Value) -> bool:
    """Whether a value varies, or is a function that closes over what does."""
    return bool(interpreter.is_varied(value) or closes_over_varied(interpreter, value.kind))


def _is_real(kind: Kind) -> bool:
    return is_number(kind) and getattr(kind, "dtype", "f8")[0] != "c"
