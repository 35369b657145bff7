"""Draws of entries that vary, as reads of the entries at drawn places.

NumPy draws places and reads what stands there: the numbers taken from the generator are the same.

    y = rng.permutation(x)       ->   order = rng.permutation(len(x)); y = x[order]
    y = rng.choice(x, 3, p=p)    ->   places = rng.choice(len(x), 3, p=p); y = x[places]
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.interpret.draws import drawing_method, draws_from
from tapeless.externals import MISSING
from tapeless.kinds import Array, Number
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, quote_expression
from tapeless.tree.trees import Expr

_WISHES = {"permutation": "order", "choice": "places"}


def entries_drawn(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Any] | None:
    """Write a draw of entries that vary; None for any other call."""
    wish = _WISHES.get(_draw(specializer, tree, found) or "")
    if wish is None or to is None or not tree.args or any(k.arg == "axis" for k in tree.keywords):
        return None
    pool = tree.args[0]
    value = specializer.value(pool)
    if not value.varied or not isinstance(value.kind, (Array, Number)):
        return None
    key = specializer.names.fresh(wish)
    count = quote_expression("np.shape(x)[0]", np=specializer.external(np), x=pool)
    drawn = gast.Call(tree.func, [count, *tree.args[1:]], tree.keywords)
    return [assign(key, drawn), assign(to, quote_expression("x[i]", x=pool, i=key))]


def _draw(specializer: Specializer, tree: Expr, found: Any) -> str | None:
    """Return the name of a draw of NumPy's generators, None for any other call."""
    if found is not MISSING:
        return draws_from(found)
    if type(tree.func) is not gast.Attribute:
        return None
    method = drawing_method(specializer.kind(tree.func.value), tree.func.attr)
    return None if method is None else str(tree.func.attr)
