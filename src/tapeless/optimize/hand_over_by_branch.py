"""What one branch of a forward sweep saves for the same branch of the reverse sweep is handed over as one.

    u = None                                  if c:
    a = None                                      u = x * x
    b = None                                      saved_branch = (u,)
    if c:                                     else:
        u = x * x                   ->            a, b = x - 1.0, x + 1.0
    else:                                         saved_branch = (a, b)
        a, b = x - 1.0, x + 1.0
    return y, (c, u, a, b)                    return y, (c, saved_branch)

A name that is not bound on every way to the return starts as None. Where nothing reads it but the branch that
binds it, and that branch of the reverse sweep, it need not: the branch takes it apart. Both branches are the
same if both sweeps ask the same of the same names. This is done last, for it hides from other passes what is
saved.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.optimize.drop_unused_state import handed_over
from tapeless.tree.blocks import is_supported
from tapeless.tree.build import assign, is_same_tree, name, name_tuple, target, unshared
from tapeless.tree.endings import ends_in_jump
from tapeless.tree.names import Names, all_names, binds, binds_none, nodes
from tapeless.tree.trees import Expr

_CONSTANT = ("type", "isinstance", "callable", "bool", "is_function")  # of what names hold


def hand_over_by_branch(forward: gast.FunctionDef, reverse: gast.FunctionDef) -> bool:
    """Hand over together what a branch saves for the same branch of the reverse sweep.

    Returns
    -------
    Whether there was anything.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> forward, reverse = gast.parse('''
    ... def f_fwd(x, c):
    ...     u = None
    ...     v = None
    ...     if c:
    ...         u = np.sin(x)
    ...         v = np.cos(x)
    ...         y = u * v
    ...     else:
    ...         y = x
    ...     return y, (c, u, v)
    ...
    ... def f_rev(saved, y_bar):
    ...     c, u, v = saved
    ...     if c:
    ...         y_bar = y_bar * (v * v - u * u)
    ...     return y_bar
    ... ''').body
    >>> hand_over_by_branch(forward, reverse)
    True
    >>> for function in (forward, reverse):
    ...     print(unparse(function), end="")
    def f_fwd(x, c):
        saved_branch = None
        if c:
            u = np.sin(x)
            v = np.cos(x)
            y = u * v
            saved_branch = (u, v)
        else:
            y = x
        return y, (c, saved_branch)
    def f_rev(saved, y_bar):
        c, saved_branch = saved
        if c:
            u, v = saved_branch
            y_bar = y_bar * (v * v - u * u)
        return y_bar
    """
    handed = handed_over(forward, reverse) if is_supported(forward) else None
    if handed is None or not is_supported(reverse) or len(handed[1]) != 1:
        return False
    unpacking, [state] = handed
    if type(forward.body[-1]) is not gast.Return:
        return False
    branches = _Branches(forward, reverse, unpacking, state)
    return branches.write(forward.body, reverse.body)


@dataclass
class _Branches:
    """Finds what branches hand over to the same branches of the reverse sweep.

    Attributes
    ----------
    forward, reverse
        Both sweeps.
    unpacking, state
        Where the reverse sweep takes its state apart, and what the forward sweep hands over.
    """

    forward: gast.FunctionDef
    reverse: gast.FunctionDef
    unpacking: Any
    state: Any

    def called(self) -> dict[str, str]:
        """Return the names that the reverse sweep has for those that are handed over once."""
        places = [place.id for place in self.unpacking.targets[0].elts]
        given = [getattr(item, "id", "") for item in self.state.elts]
        once = {key for key, count in Counter(given).items() if key and count == 1}
        return {g: p for g, p in zip(given, places, strict=True) if g in once}

    def nothing(self) -> dict[str, Any]:
        """Return the statements that begin names as None, by name."""
        return {s.targets[0].id: s for s in self.forward.body if binds_none(s)}

    def write(self, block: list[Any], other: list[Any]) -> bool:
        """Join what the branches in a block save for those in a block of the reverse sweep."""
        changed = False
        for s in [s for s in block if type(s) is gast.If]:
            asking = (
                o for o in other if type(o) is gast.If and self._asks_the_same(s.test, o.test)
            )
            same = next(asking, None)
            if same is None or not self.nothing():
                continue
            pairs = [(s.body, same.body), (s.orelse, same.orelse)]
            for pair in pairs:
                changed = self.write(*pair) or changed
            groups = [self._saved(*pair) for pair in pairs]
            if sum(map(len, groups)) > 1:
                self._hand_over(block, pairs, groups)
                changed = True
        return changed

    def _asks_the_same(self, test: Expr, asked: Expr) -> bool:
        """Whether a test of the reverse sweep is one of the forward sweep, of names bound once."""
        made, called, nothing = unshared(test), self.called(), self.nothing()
        bound, again = _stored(self.forward), _stored(self.reverse)
        for part in nodes(made):
            if type(part) is gast.Name:
                key = part.id
                times = bound[key] - (key in nothing)
                if times > 1 or (times and key not in called):
                    return False
                part.id = called.get(key, key)
                if again[part.id] > times:
                    return False
            elif type(part) in (gast.Subscript, gast.Attribute, gast.Lambda):
                return False  # what it gives may have changed
            elif type(part) is gast.Call and getattr(part.func, "id", "") not in _CONSTANT:
                return False
        return is_same_tree(made, asked)

    def _saved(self, block: list[Any], other: list[Any]) -> list[str]:
        """List the names that nothing but a block binds, and nothing but it and the other one reads."""
        if not other or not block or ends_in_jump(block):
            return []
        bound = set().union(*map(binds, block))
        inside, read = _mentions(block), _mentions(other)
        everywhere, everywhere_read = _mentions(self.forward.body), _mentions(self.reverse.body)
        nothing = self.nothing()
        return [
            key
            for key, place in self.called().items()
            if key in bound and everywhere[key] == inside[key] + 1 + (key in nothing)
            if read[place] and everywhere_read[place] == read[place] + 1
        ]

    def _hand_over(self, within: list[Any], pairs: list[Any], groups: list[list[str]]) -> None:
        taken = {*all_names(self.forward), *all_names(self.reverse)}
        key, called, nothing = Names(taken).fresh("saved_branch"), self.called(), self.nothing()
        for (block, other), group in zip(pairs, groups, strict=True):
            surely = _surely_bound(block)
            begun = [nothing[each] for each in group if each in nothing]
            self.forward.body[:] = [s for s in self.forward.body if not _is_one_of(s, begun)]
            if group:
                block[:0] = [s for s in begun if s.targets[0].id not in surely]
                block.append(assign(key, name_tuple(group)))
                places = [target(called[each]) for each in group]
                other.insert(0, gast.Assign([gast.Tuple(places, gast.Store())], name(key), None))
        gone = {each for group in groups for each in group}
        elts = self.unpacking.targets[0].elts
        kept = [getattr(item, "id", "") not in gone for item in self.state.elts]
        elts[:] = [e for e, keep in zip(elts, kept, strict=True) if keep]
        self.state.elts = [i for i, keep in zip(self.state.elts, kept, strict=True) if keep]
        self.state.elts.append(name(key))
        elts.append(target(key))
        if not all(groups) or within is not self.forward.body:
            self.forward.body.insert(0, assign(key, gast.Constant(None, None)))


def _is_one_of(s: Any, statements: list[Any]) -> bool:
    return any(s is each for each in statements)


def _surely_bound(block: list[Any]) -> set[str]:
    """Collect the names that a block binds whichever way it goes."""
    found: set[str] = set()
    for s in block:
        if type(s) is gast.If:
            found |= _surely_bound(s.body) & _surely_bound(s.orelse)
        elif type(s) in (gast.Assign, gast.AugAssign):
            found |= binds(s)
    return found


def _stored(function: Any) -> Counter[str]:
    """Count how often names are bound."""
    parts = nodes(function)
    return Counter(p.id for p in parts if type(p) is gast.Name and type(p.ctx) is not gast.Load)


def _mentions(block: list[Any]) -> Counter[str]:
    """Count how often names are mentioned."""
    return Counter(p.id for s in block for p in nodes(s) if type(p) is gast.Name)
