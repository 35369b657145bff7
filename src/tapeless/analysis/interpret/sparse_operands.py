"""Sparse arrays as operands of functions that know none: NumPy takes one for an object, not an array."""

from __future__ import annotations

from typing import Any

from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.externals import is_runtime
from tapeless.kinds import Sparse
from tapeless.rules.on_demand import subpackage_of


def refuse_sparse(interpreter: Interpreter, found: Any, site: CallSite) -> None:
    """Refuse a sparse array that a function which knows none is given, where something varies.

    A sparse array whose entries are stored into is refused, too: its own entries would not follow.
    """
    sparse = [v.kind for v in site.given if isinstance(v.kind, Sparse)]
    if not sparse or not any(map(interpreter.holds_varied, site.given)):
        return
    if is_runtime(found) or subpackage_of(found) == "scipy.sparse":
        return
    label = getattr(found, "__name__", "this function")
    interpreter.refuse(
        site.tree,
        f"`{label}` is given a sparse array, which it does not know",
        "write it with an operator or a method of the array, as in `A @ x` and `A.sum()`, "
        "or make it dense: A.toarray()",
    )
