"""Temporaries are called after what they are.

    v_3 = np.exp(z)                        exp_z = np.exp(z)
    v_4 = np.sum(v_3)             ->       sum_exp = np.sum(exp_z)
    v_3_bar = s_bar * y                    exp_z_bar = s_bar * y

While a derivative is written and shortened, what the user gave no name is `v`, `v_1`, ...: which of them
need a name in the end, and what they stand for, is known only then. So all names are given here and
nowhere else, from the expressions that are left (`describe.py`). An adjoint is called after its primal,
also where that was folded away: then the function that is differentiated tells what it was. What is taken
out of a stack or a state is called as it was when it was put in.

Other names of the tool's own say what they are from the start; their numbers are given anew, so that
there is no `saved_2` without a `saved_1`. Names that anyone else wrote stay.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.optimize.describe import NOTHING, Words, describe, words_of_name
from tapeless.optimize.drop_unused_state import handed_over
from tapeless.optimize.values import is_stack_call
from tapeless.tree.blocks import all_statements
from tapeless.tree.build import unshared
from tapeless.tree.classes import FUNCTIONS, ITERATIONS, SCOPE_DECLARATIONS, SLOTS
from tapeless.tree.names import all_names, children, nodes, parameters
from tapeless.tree.trees import Expr, Tree

_ANONYMOUS = re.compile(r"(v(?:_\d+)?)((?:_(?:bar|dot|old|grad))*)(?:_\d+)*")
_NUMBERED = re.compile(r"(.+)_[1-9]\d*")
_NEVER = frozenset({*keyword.kwlist, *dir(builtins), "np", "math"})


@dataclass
class Naming:
    """What is known of one function whose temporaries are to be named.

    Attributes
    ----------
    function
        Its definition.
    own
        The names in it that somebody else wrote.
    primal
        The definition of the function that it is a derivative of.
    is_module
        Whether a name stands for a module.
    wishes
        What names should be, where another function tells.
    said
        What is said of names.
    names
        The new names, by the old ones.
    """

    function: Any
    own: frozenset[str] = frozenset()
    primal: Any = None
    is_module: Callable[[str], bool] = lambda key: key == "np"
    wishes: dict[str, str] = field(default_factory=dict)
    said: dict[str, Words] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def is_anonymous(self, key: str) -> bool:
        """Whether a name says nothing: that of a temporary, or of the adjoint of one."""
        found = _ANONYMOUS.fullmatch(key)
        return found is not None and not self.own & ({key, found[1]} if found[2] else {key})


def name_temporaries(function: Any, naming: Naming, taken: Iterable[str] = ()) -> Any:
    """Name the temporaries of a function.

    Parameters
    ----------
    function
        A function definition; it is not changed.
    naming
        What is known of it; names given before stay.
    taken
        What may not be hidden.

    Returns
    -------
    The function with other names, which are entered into `naming`.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_grad(z, y):
    ...     v_3 = np.exp(z)
    ...     v_4 = np.sum(v_3)
    ...     s_bar_1 = y / v_4
    ...     v_3_bar = s_bar_1 * y
    ...     return v_3_bar * v_3
    ... ''').body[0]
    >>> naming = Naming(function, own=frozenset(["z", "y"]))
    >>> print(unparse(name_temporaries(function, naming)), end="")
    def f_grad(z, y):
        exp_z = np.exp(z)
        sum_exp = np.sum(exp_z)
        s_bar = y / sum_exp
        exp_z_bar = s_bar * y
        return exp_z_bar * exp_z
    """
    _Namer(naming, {*taken, *_NEVER}).give()
    made = unshared(function)
    for part in nodes(made):
        if type(part) is gast.Name:
            part.id = naming.names.get(part.id, part.id)
    return made


def name_all_temporaries(
    namings: dict[str, Naming], halves: Mapping[str, str], taken: Iterable[str]
) -> list[Any]:
    """Name the temporaries of the functions of a module.

    Parameters
    ----------
    namings
        What is known of each function, by its name; the new names are entered.
    halves
        The forward half of each split derivative, by the reverse half.
    taken
        What may not be hidden.

    Returns
    -------
    The functions, in their order.
    """
    taken, made = set(taken), {}
    for key in sorted(namings, key=lambda key: key in halves):  # what is put in is named first
        naming = namings[key]
        if key in halves and halves[key] in namings:
            name_state(namings[halves[key]], naming)
        made[key] = name_temporaries(naming.function, naming, taken)
    return [made[key] for key in namings]


def name_state(forward: Naming, reverse: Naming) -> None:
    """Call what a reverse half takes out of its state as the forward half calls it."""
    handed = handed_over(forward.function, reverse.function)
    if handed is None:
        return
    unpacking, states = handed
    pushed, received = _pushed(nodes(forward.function)), {}
    stacks: dict[str, list[Any]] = {}
    for position, place in enumerate(unpacking.targets[0].elts):
        values = [state.elts[position] for state in states]
        received[place.id] = [v for v in values if type(v) is not gast.Constant]
        keys = [getattr(v, "id", "") for v in values]
        stacks[place.id] = [p for key in keys for p in pushed.get(key, ())]
        if len(keys) == 1:
            received |= _taken_apart(keys[0], forward.function, place.id, reverse.function)
    received |= _taken_out(nodes(reverse.function), stacks)
    speaker = _Speaker(forward)
    for key, values in received.items():
        reverse.said[key] = speaker.of_any(values)
        found = {forward.names.get(v.id, v.id) for v in values if type(v) is gast.Name}
        if len(found) == 1:
            reverse.wishes[key] = found.pop()


def _taken_apart(key: str, forward: Any, place: str, reverse: Any) -> dict[str, list[Any]]:
    """Collect what names are bound to by the branches that take apart what the same branches save."""
    saved = [s.value for s in all_statements(forward.body) if _binds(s, key, gast.Tuple)]
    taken = [
        s.targets[0]
        for s in all_statements(reverse.body)
        if type(s) is gast.Assign and getattr(s.value, "id", "") == place
    ]
    if len(saved) != len(taken):
        return {}
    found: dict[str, list[Any]] = {}
    for part, value in [p for both in zip(taken, saved, strict=True) for p in _paired(*both)]:
        found[part] = [value]
        found |= _taken_apart(getattr(value, "id", ""), forward, part, reverse)
    return found


def _binds(s: Any, key: str, to: type) -> bool:
    """Whether a statement binds a name to such an expression."""
    named = type(s) is gast.Assign and getattr(s.targets[0], "id", "") == key
    return named and type(s.value) is to


def _base_and_suffix(key: str) -> tuple[str, str]:
    """Return the name of a temporary, and what makes it that of its adjoint, tangent or old value."""
    found = _ANONYMOUS.fullmatch(key)
    return (found[1], found[2]) if found and found[2] else (key, "")


class _Speaker:
    """Says what the names of one function stand for."""

    def __init__(self, naming: Naming) -> None:
        self.naming = naming
        self.bound_to = _bindings(naming.function)
        self.in_primal = {} if naming.primal is None else _bindings(naming.primal)

    def words(self, key: str) -> Words:
        """Say what a name stands for."""
        said = self.naming.said
        if key not in said:
            said[key] = NOTHING  # of what is made of itself there is nothing to say
            said[key] = self._words(key)
        return said[key]

    def _words(self, key: str) -> Words:
        if self.naming.is_module(key):
            return NOTHING
        if not self.naming.is_anonymous(key):
            return words_of_name(key)
        base, _ = _base_and_suffix(key)
        if base != key and (base in self.bound_to or base in self.in_primal):
            return self.words(base)  # an adjoint is called after its primal
        values = self.bound_to.get(key) or self.in_primal.get(key) or []
        return self.of_any(v for v in values if not _is_itself(v, key))

    def of_any(self, values: Iterable[Expr]) -> Words:
        """Say what values are that are described alike."""
        found = [describe(value, self.words) for value in values]
        return found[0] if len({words.label for words in found}) == 1 else NOTHING


def _is_itself(value: Expr, key: str) -> bool:
    """Whether a value is what a name holds already: `m`, `float(m)` or `m or np.float64(m)`."""
    held = value.values[0] if type(value) is gast.BoolOp else value
    if type(held) is gast.Call and getattr(held.func, "id", "") == "float" and held.args:
        held = held.args[0]
    return getattr(held, "id", "") == key


class _Namer:
    """Gives names to the temporaries of one function."""

    def __init__(self, naming: Naming, taken: set[str]) -> None:
        self.naming = naming
        self.speaker = _Speaker(naming)
        self.local = _renamable(naming.function) - naming.own
        self.taken = {*taken, *naming.own, *(all_names(naming.function) - self.local)}
        self.stems = {self._stem(key) for key in self.local if not self.naming.is_anonymous(key)}

    def give(self) -> None:
        """Give all names, in the order in which they stand in the text."""
        unread = _unread_counters(self.naming.function)
        for key in dict.fromkeys(_in_order(self.naming.function)):
            if key in unread & self.local:
                self.naming.names[key] = "_"
            elif key in self.local:
                self._named(key)

    def _named(self, key: str) -> str:
        names, wishes = self.naming.names, self.naming.wishes
        if key in names:
            return names[key]
        if not self.naming.is_anonymous(key):
            wish = wishes.get(key, "")
            names[key] = self._fresh(self._stem(key) if wish in self.taken or not wish else wish)
        else:
            names[key] = self._fresh(wishes.get(key) or self._wish(key), self.stems)
        return names[key]

    def _stem(self, key: str) -> str:
        """Return a name without the number that made it unlike another one."""
        numbered = _NUMBERED.fullmatch(key)
        if numbered is None or numbered[1] in self.naming.own or f"{numbered[1]}_0" in self.local:
            return key
        return numbered[1]

    def _wish(self, key: str) -> str:
        base, suffix = _base_and_suffix(key)
        if base != key and base in self.local:
            return self._named(base) + suffix
        said = re.sub(rf"{suffix}(?=_|$)", "", self.speaker.words(key).label)
        speaks = said.isidentifier() and not keyword.iskeyword(said)
        return (said if speaks else "value") + suffix

    def _fresh(self, wish: str, kept: Container[str] = ()) -> str:
        found, count = wish, 0
        while found in self.taken or found in kept:
            count += 1
            found = f"{wish}_{count}"
        self.taken.add(found)
        return found


def _bindings(function: Tree) -> dict[str, list[Any]]:
    """Collect what each name is bound to.

    A result that is one of several is what it is stored as, if it is.
    """
    found: dict[str, list[Any]] = {}
    parts = nodes(function)
    assignments = [s for s in parts if type(s) is gast.Assign]
    stored = {
        s.value.id: s.targets[0]
        for s in assignments
        if type(s.value) is gast.Name and type(s.targets[0]) in SLOTS
    }
    for s in assignments:
        taken = type(s.value) is gast.Call and is_stack_call(s.value)
        for place in s.targets:
            for key, value in _paired(place, s.value):
                if type(place) is gast.Tuple and value is s.value:
                    value = stored.get(key, value)
                if not taken:
                    found.setdefault(key, []).append(value)
    for key, values in _taken_out(parts, _pushed(parts)).items():
        found.setdefault(key, []).extend(values)
    return found


def _pushed(parts: list[Any]) -> dict[str, list[Any]]:
    """Collect what is appended to each name in the parts of a function."""
    found: dict[str, list[Any]] = {}
    for part in parts:
        if type(part) is gast.Call and is_stack_call(part) and part.args:
            found.setdefault(part.func.value.id, []).append(part.args[0])
    return found


def _taken_out(parts: list[Any], pushed: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Collect what each name is bound to that is taken out of a stack."""
    found: dict[str, list[Any]] = {}
    for s in parts:
        takers = []
        if type(s) is gast.For:
            takers = _iterated(s.target, s.iter)
        elif type(s) is gast.Assign and type(s.value) is gast.Call and is_stack_call(s.value):
            takers = [(place, s.value.func.value) for place in s.targets]
        for place, stack in takers:
            for value in pushed.get(getattr(stack, "id", ""), ()):
                for key, part in _paired(place, value):
                    found.setdefault(key, []).append(part)
    return found


def _iterated(place: Tree, items: Expr) -> list[tuple[Any, Any]]:
    """List what a loop goes through side by side, each with its target."""
    call = getattr(items.func, "id", "") if type(items) is gast.Call else ""
    if call == "zip" and type(place) is gast.Tuple and len(place.elts) == len(items.args):
        pairs = zip(place.elts, items.args, strict=True)
        return [found for part, each in pairs for found in _iterated(part, each)]
    if call == "reversed" and items.args:
        return _iterated(place, items.args[0])
    return [(place, items)]


def _paired(place: Tree, value: Expr) -> Iterable[tuple[str, Any]]:
    """List the names in a place, each with what it is bound to, or with a whole that holds it."""
    if type(place) is gast.Name:
        yield place.id, value
    elif type(place) is gast.Tuple:
        whole = type(value) is gast.Tuple and len(value.elts) == len(place.elts)
        for i, part in enumerate(place.elts):
            yield from _paired(part, value.elts[i] if whole else value)


def _renamable(function: Tree) -> set[str]:
    """Collect the names that a function binds, but for those that something else refers to."""
    parts = nodes(function)
    bound = {p.id for p in parts if type(p) is gast.Name and type(p.ctx) is not gast.Load}
    inner = [p for p in parts if type(p) in FUNCTIONS and p is not function]
    fixed = {key for each in inner for key in parameters(each)}
    fixed |= {key for p in parts if type(p) in SCOPE_DECLARATIONS for key in p.names}
    return bound - fixed


def _in_order(tree: Tree) -> Iterable[str]:
    """List the names in a tree in the order of the text, more or less."""
    if type(tree) is gast.Name:
        yield tree.id
    for part in children(tree):
        yield from _in_order(part)


def _unread_counters(function: Tree) -> set[str]:
    """Collect the names that only count the trips of loops, if `_` may stand for them."""
    parts = nodes(function)
    everywhere = Counter(p.id for p in parts if type(p) is gast.Name)
    if any(type(p) is gast.Name and p.id == "_" and type(p.ctx) is gast.Load for p in parts):
        return set()
    targets = [p.target for p in parts if type(p) in ITERATIONS]
    counting = Counter(place.id for place in targets if type(place) is gast.Name)
    return {key for key, count in counting.items() if everywhere[key] == count}
