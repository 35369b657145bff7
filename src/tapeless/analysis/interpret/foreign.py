"""Values of classes that give their operators a meaning of their own: another library's arrays.

What nothing varied reaches is left as it stands. Where one meets what varies, an operator or a function
would mean something that is not known.
"""

from __future__ import annotations

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import Foreign
from tapeless.sorts import plain_form
from tapeless.tree.trees import Tree


def foreign_result(interpreter: Interpreter, values: list[Value], tree: Tree) -> Value | None:
    """Return what an operation on a foreign value makes: another one; None where there is none.

    It is refused where another operand varies.
    """
    found = next((v.kind for v in values if isinstance(v.kind, Foreign)), None)
    if found is None:
        return None
    if any(interpreter.holds_varied(v) for v in values):
        what = f"a {found.cls.__name__}, whose class says itself what its operators mean"
        fix = f"pass {plain_form(found.cls, 'it')} instead"
        if found.dtype:
            what, fix = f"an array of {found.dtype}", "make it an array of floats"
        interpreter.refuse(tree, f"what varies meets {what}", fix)
    return Value(found)
