"""Lists, tuples and ranges that functions of arrays are given: an array is made of them, as NumPy makes one.

y = np.sin(row)           ->   v = np.array(row); y = np.sin(v)           where items of `row` vary
y = np.dot([1, 2], w)     ->   k = [1, 2]; v = np.array(k); y = np.dot(v, w)

Rules are written for arrays: they ask for the transpose, compare and multiply. What is no number, but
says how to compute, such as an axis, has no cotangent in a rule and is left as it is.
"""

from __future__ import annotations

import functools
from typing import Any

import gast
import numpy as np

from tapeless.externals import MISSING
from tapeless.joins import may_be_listed
from tapeless.kinds import RANGE, Kind, List, Sequence, Tuple, is_number
from tapeless.rules.declare import Rule, computes_with_all, find_rule
from tapeless.rules.traits import traits_of
from tapeless.source.texts import text_of
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, name, quote_expression
from tapeless.tree.names import nodes, parameters
from tapeless.tree.trees import Expr, Stmt

_OF_ARRAYS = (
    "numpy",
    *(f"scipy.{part}" for part in ("fft", "linalg", "ndimage", "signal", "special")),
)


def takes_arrays(found: Any) -> bool:
    """Whether a function turns the lists and tuples that it is given into arrays first."""
    if found is not MISSING and computes_with_all(found):
        return True
    rule = None if found is MISSING else find_rule(found)
    of_arrays = str(getattr(found, "__module__", "numpy")).startswith(_OF_ARRAYS)
    of_ufunc = any(isinstance(f, np.ufunc) for f in (found, getattr(found, "__self__", None)))
    known = rule is not None and rule.form != "zero" and (of_ufunc or of_arrays)
    return known and not traits_of(found).takes_sequences


def arrays_given(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Make arrays of the lists, tuples and ranges that a function of arrays is given, as it does.

    A method is given what stands behind its owner.
    """
    rule, owners = find_rule(found), 0 if specializer.function.resolve(tree.func) is found else 1
    parts = [*tree.args, *(k.value for k in tree.keywords)]
    owner = [tree.func.value] if owners else []
    varies = any(specializer.value(part).varied for part in (*owner, *parts))
    made: list[Any] = []

    def given(arg: Any, place: int | str | None) -> Any:
        value = specializer.value(arg)
        if type(arg) not in (gast.Name, gast.Tuple) or not may_be_listed(value.kind):
            return arg
        computed = computes_with_all(found) or _has_cotangent(rule, place)
        if not value.varied and not (varies and computed and _holds_numbers(specializer, arg)):
            return arg
        key = specializer.names.fresh("v")
        array = quote_expression("np.array(x)", np=specializer.external(np), x=arg)
        made.append(assign(key, array))
        return name(key)

    args = [given(a, i) for i, a in enumerate(tree.args, owners)]
    keywords = [gast.keyword(k.arg, given(k.value, k.arg)) for k in tree.keywords]
    call = gast.Call(tree.func, args, keywords)
    if not made:
        return None
    return [*made, gast.Expr(call) if to is None else assign(to, call)]


def arrays_first(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Make arrays of the lists that a function which was written out is given; None where there are none."""
    tree: Expr = getattr(s, "value", None)
    if type(tree) is not gast.Call or type(s) not in (gast.Assign, gast.Expr):
        return None
    found = specializer.function.resolve(tree.func)
    place = s.targets[0] if type(s) is gast.Assign else None
    if (
        found is MISSING
        or not computes_with_all(found)
        or type(place) not in (gast.Name, type(None))
    ):
        return None
    return arrays_given(specializer, tree, found, None if place is None else place.id)


def _holds_numbers(specializer: Specializer, tree: Expr) -> bool:
    """Whether a list, tuple or range holds numbers, or such lists and tuples."""

    def holds(kind: Kind, above: frozenset[Any]) -> bool:
        held: list[Kind] = []
        if kind == RANGE:
            return True
        if isinstance(kind, Tuple):
            held = list(kind.items)
        elif isinstance(kind, Sequence):
            held = [kind.item]
        elif isinstance(kind, List) and not kind.regions & above:
            slots = [specializer.facts.heap.get(region, {}) for region in kind.regions]
            held = [value.kind for each in slots for value in each.values()]
            above |= kind.regions
        return bool(held) and all(is_number(k) or holds(k, above) for k in held)

    return holds(specializer.kind(tree), frozenset())


def _has_cotangent(rule: Rule | None, place: int | str | None) -> bool:
    """Whether an argument is one of the numbers that a function computes with, by its rule."""
    if rule is None or place is None:
        return False
    if rule.form == "elementwise":
        return True
    names, found = _cotangents(rule)
    at = names.index(place) if isinstance(place, str) and place in names else place
    return at in found


@functools.lru_cache(maxsize=1024)
def _cotangents(rule: Rule) -> tuple[list[str], frozenset[int]]:
    """Return the parameters of a rule, and the places of those that `grad` returns a cotangent of."""
    text = text_of(rule.function)
    if text is None or text.tree.args.vararg is not None:
        return [], frozenset()
    names = parameters(text.tree)
    inner = [
        part for part in nodes(text.tree) if type(part) is gast.FunctionDef and part.name == "grad"
    ]
    returned = [part.value for g in inner for part in nodes(g) if type(part) is gast.Return]
    tuples = [
        value for value in returned if type(value) is gast.Tuple and len(value.elts) == len(names)
    ]
    if len(tuples) < len(returned):
        return names, frozenset([0] if len(names) == 1 else [])
    given = [i for value in tuples for i, item in enumerate(value.elts) if not _is_none(item)]
    return names, frozenset(given)


def _is_none(tree: Expr) -> bool:
    return type(tree) is gast.Constant and tree.value is None
