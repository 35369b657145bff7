"""What a split forward sweep hands over and the reverse sweep does not read is not handed over.

    return y, (x, h)                 return y, (h,)
    x, h = saved               ->    (h,) = saved

A constant is not handed over either: the reverse sweep has it as well.

Both functions are changed together: each return of the forward sweep hands over the same places.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.blocks import all_statements, is_supported
from tapeless.tree.build import assign, is_same_tree
from tapeless.tree.classes import ATOMS
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import nodes, parameters, reads
from tapeless.tree.trees import Tree


def drop_unused_state(forward: gast.FunctionDef, reverse: gast.FunctionDef) -> bool:
    """Remove the parts of the state that the reverse sweep does not read or knows, from both halves.

    Returns
    -------
    Whether there were any.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> forward, reverse = gast.parse('''
    ... def f_fwd(x):
    ...     h = x * x
    ...     return h, (x, h)
    ...
    ... def f_rev(saved, y_bar):
    ...     x, h = saved
    ...     return 2.0 * y_bar * x
    ... ''').body
    >>> drop_unused_state(forward, reverse)
    True
    >>> for function in (forward, reverse):
    ...     print(unparse(function), end="")
    def f_fwd(x):
        h = x * x
        return h, (x,)
    def f_rev(saved, y_bar):
        (x,) = saved
        return 2.0 * y_bar * x
    """
    if not (is_supported(forward) and is_supported(reverse)):
        return False
    handed = handed_over(forward, reverse)
    if handed is None:
        return _hand_over_nothing(forward, reverse)
    unpacking, states = handed
    places = unpacking.targets[0].elts
    live = Liveness(reverse).live_after(unpacking)
    known = [_constant([state.elts[i] for state in states]) for i in range(len(places))]
    kept = [
        known[i] is None
        and (place.id in live or not all(_is_simple(state.elts[i]) for state in states))
        for i, place in enumerate(places)
    ]
    if all(kept) and kept:
        return False
    _bind_constants(reverse, unpacking, known)
    _hand_over_only(kept, unpacking, states, reverse)
    return True


def handed_over(forward: Tree, reverse: Tree) -> tuple[Any, list[Any]] | None:
    """Find where a reverse sweep takes its state apart, and the state tuples of the forward sweep."""
    unpacking = _unpacking(reverse)
    if unpacking is None:
        return None
    states = _states(forward, len(unpacking.targets[0].elts))
    return None if states is None else (unpacking, states)


def _hand_over_only(
    kept: list[bool], unpacking: Any, states: list[Any], reverse: gast.FunctionDef
) -> None:
    """Drop the other places of a state from its tuples, and the statement that takes an empty one apart."""
    for tree in [unpacking.targets[0], *states]:
        tree.elts = [item for item, keep in zip(tree.elts, kept, strict=True) if keep]
    if not any(kept):
        reverse.body.remove(unpacking)
        reverse.body = reverse.body or [gast.Pass()]


def _hand_over_nothing(forward: gast.FunctionDef, reverse: gast.FunctionDef) -> bool:
    """Empty a state that the reverse sweep does not take apart; return whether there was anything in it."""
    if parameters(reverse)[0] in reads(reverse):
        return False
    states = _states(forward)
    items = [item for state in states or () for item in state.elts]
    for state in states or () if all(map(_is_simple, items)) else ():
        state.elts = []
    return bool(items) and all(map(_is_simple, items))


def _bind_constants(reverse: Tree, unpacking: Any, known: list[Any]) -> None:
    """Bind the names that the reverse sweep reads to the constants that are known to be handed over."""
    live = Liveness(reverse).live_after(unpacking)
    after = reverse.body.index(unpacking) + 1
    reverse.body[after:after] = [
        assign(place.id, value)
        for place, value in zip(unpacking.targets[0].elts, known, strict=True)
        if value is not None and place.id in live
    ]


def _constant(values: list[Any]) -> Any:
    """Return the constant that is handed over in one place by all returns; None where there is none."""
    first = values[0]
    if type(first) is not gast.Constant or not all(is_same_tree(first, v) for v in values):
        return None
    return first


def _is_simple(tree: Tree) -> bool:
    return type(tree) in ATOMS


def _unpacking(reverse: Tree) -> Any:
    """Find the statement that takes the state apart, if nothing else reads the state."""
    state = parameters(reverse)[0]
    readings = sum(type(p) is gast.Name and p.id == state for p in nodes(reverse))
    for s in reverse.body:
        if type(s) is not gast.Assign or type(s.value) is not gast.Name:
            continue
        if s.value.id == state and type(s.targets[0]) is gast.Tuple:
            simple = all(type(place) is gast.Name for place in s.targets[0].elts)
            return s if simple and readings == 2 else None
    return None


def _states(forward: Tree, width: int | None = None) -> list[Any] | None:
    """List the state tuples of all returns; None if they do not all look alike, and are so wide."""
    found = []
    total = sum(type(p) is gast.Return for p in nodes(forward))
    for s in all_statements(forward.body):
        if type(s) is gast.Return:
            value = s.value
            if type(value) is not gast.Tuple or len(value.elts) != 2:
                return None
            state = value.elts[1]
            if type(state) is not gast.Tuple or width not in (None, len(state.elts)):
                return None
            found.append(state)
    return found if found and len(found) == total else None
