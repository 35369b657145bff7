"""Special methods of objects that stand where something else may stand, too.

    for o in [2.0, Money(x)]:
        y = y + o * x               a product of numbers, or a call of `Money.__mul__`

What such a value is, is not known; so the call is not seen. It is refused.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tapeless.analysis.interpret.state import Interpreter
from tapeless.sorts import is_of_a_library
from tapeless.tree.trees import Tree
from tapeless.variables import Variable

if TYPE_CHECKING:
    from tapeless.kinds import Kind


def refuse_hidden(
    interpreter: Interpreter, kinds: Iterable[Kind], methods: list[str], tree: Tree
) -> None:
    """Refuse to go on where a special method of the user's may be called, or something else done."""
    for cls in (cls for kind in kinds for cls in sorted(kind.may_be, key=lambda c: c.__name__)):
        if issubclass(cls, Variable) or is_of_a_library(cls):
            continue
        for method in methods:
            if isinstance(inspect.getattr_static(cls, method, None), types.FunctionType):
                interpreter.refuse(
                    tree,
                    f"this may call `{method}` of class {cls.__name__}, or be about something else "
                    "than an object of it",
                    "keep objects of this class apart from what is none",
                )
