"""Whether a rule may raise in the reverse sweep: a handler of the user's would catch it there.

What computes with arrays alone is taken not to.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from tapeless.analysis.facts import Body
from tapeless.analysis.logs import grads_of
from tapeless.externals import MISSING, package_around, resolve
from tapeless.kinds import Function
from tapeless.source.texts import text_of
from tapeless.tree.classes import RAISING
from tapeless.tree.names import functions_within, nodes
from tapeless.tree.trees import Tree


def grad_may_raise(body: Body) -> bool:
    """Whether the `grad` of a custom gradient may raise: it does more than to compute with arrays."""
    callee = body.callee
    if callee is None or not all(isinstance(grad, Function) for grad in grads_of(callee)):
        return True
    inner = functions_within(callee.function.tree)
    return any(_may_raise(callee.function.resolve, part) for grad in inner for part in nodes(grad))


def rule_may_raise(function: Any) -> bool:
    """Whether a rule that a user registered may raise in a reverse sweep."""
    text = text_of(function)
    if text is None:
        return True
    resolved = functools.partial(resolve, externals=text.externals, local=set())
    inner = functions_within(text.tree) or [text.tree]
    return any(_may_raise(resolved, part) for grad in inner for part in nodes(grad))


def _may_raise(resolved: Callable[[Any], Any], part: Tree) -> bool:
    """Whether a part of a text raises, looks up an item, or calls what is not NumPy's or Python's."""
    if type(part) is gast.Subscript:
        return type(part.slice) is not gast.Slice
    if type(part) is not gast.Call:
        return type(part) in RAISING
    found = resolved(part.func)
    if found is MISSING:
        return not hasattr(np.ndarray, getattr(part.func, "attr", ""))
    return package_around(found) not in ("numpy", "math", "cmath", "builtins", "scipy")
