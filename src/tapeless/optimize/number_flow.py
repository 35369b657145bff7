"""What the names of numbers are bound to, through the stacks of a derivative: double, and whose.

A name holds doubles if all that it is bound to are doubles, given that the other names that are taken to do;
so does it hold numbers of NumPy's, surely. Both are the largest such sets. What is popped was pushed: a name
that takes an item of a stack is bound to the items that are pushed in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import Array, Integer, Real
from tapeless.optimize.context import Context
from tapeless.optimize.rows import entry_of, is_place, is_vector_of_doubles, items_of
from tapeless.optimize.values import is_stack_call
from tapeless.runtime import divisor, floats_of
from tapeless.tree.classes import DISPLAYS, POLYNOMIAL
from tapeless.tree.names import nodes, parameters
from tapeless.tree.trees import Expr, Tree

_OF_ARGUMENTS = (abs, min, max)
_A_FLOAT = gast.Constant(0.5, None)  # stands for one of Python's of which nothing else is known


class NumberFlow:
    """What the numbers of one function are bound to.

    Attributes
    ----------
    bound
        What each name is bound to; None where the text does not say.
    takers, taken
        The names that take each item of a stack, by stack and place; and what each takes.
    doubles
        The names that only ever hold doubles, or integers.
    numpys
        Those of the doubles that are NumPy's, surely.
    floating
        Those of the doubles that are never integers.

    Examples
    --------
    >>> function = gast.parse('''
    ... def f(x, n):
    ...     y = np.sin(x)
    ...     s = 0.0
    ...     for i in range(n):
    ...         saved.append(y)
    ...         s = s + y * x
    ...     return s
    ... ''').body[0]
    >>> known = {"np.sin": np.sin, "range": range}
    >>> context = Context(
    ...     lambda tree: known.get(gast.unparse(tree).strip()),
    ...     kind_of=lambda key: Real() if key == "x" else None,
    ... )
    >>> flow = NumberFlow(function, context)
    >>> sorted(flow.doubles), sorted(flow.numpys)
    (['s', 'x', 'y'], ['y'])
    >>> [gast.unparse(value).strip() for value in flow.bound["s"]]
    ['0.0', 's + y * x']
    """

    def __init__(self, function: Tree, context: Context) -> None:
        self.context = context
        self.parts = nodes(function)
        self.parameters = set(parameters(function))
        self.bound: dict[str, list[Any]] = {}
        self.seen: Counter[str] = Counter()  # how often names are bound by statements of their own
        stores = [p.id for p in self.parts if type(p) is gast.Name and type(p.ctx) is gast.Store]
        self.stores = Counter(stores)
        self.takers: dict[str, dict[int, set[str]]] = {key: {} for key in self._stacks()}
        self.taken: dict[str, list[Any]] = {}
        self.pushed: dict[str, list[Any]] = {key: [] for key in self.takers}
        self._bind()
        self.doubles: set[str]
        self.numpys: set[str]
        self.floating: set[str]
        self.divisors: set[str]
        self.doubles = self._names_of("doubles", self.is_double)
        self.doubles |= {key for key in self.parameters if self._says_double(key)}
        self.numpys = self._names_of("numpys", self.is_numpys) & self.doubles
        self.floating = self._names_of("floating", self.is_floating)
        self.divisors = self._names_of("divisors", self.is_divisor)

    # What names are bound to

    def _stacks(self) -> set[str]:
        """Find the lists that nothing but pushes, pops, tests and loops over what was pushed sees."""
        allowed: Counter[str] = Counter()
        for part in self.parts:
            if type(part) is gast.Assign and type(part.value) is gast.List and not part.value.elts:
                allowed.update(t.id for t in part.targets if type(t) is gast.Name)
            elif type(part) is gast.Call and is_stack_call(part):
                allowed[part.func.value.id] += 1
            elif type(part) is gast.While and type(part.test) is gast.Name:
                allowed[part.test.id] += 1
            elif type(part) is gast.For:
                allowed.update(filter(None, map(self._reversed, self._at_once(part.iter))))
        mentions = Counter(part.id for part in self.parts if type(part) is gast.Name)
        own = self.context.temporaries
        return {key for key, count in allowed.items() if count == mentions[key] and own(key)}

    def _bind(self) -> None:
        for part in self.parts:
            if type(part) is gast.Call and is_stack_call(part) and part.args:
                if part.func.value.id in self.pushed:
                    self.pushed[part.func.value.id].append(part.args[0])
        for part in self.parts:
            if type(part) is gast.Assign:
                for place in part.targets:
                    self._bind_to(place, part.value)
                if self._names_one(part) and self._popped(part.value) is None:
                    self.seen[part.targets[0].id] += 1
            elif type(part) is gast.AugAssign:
                if type(part.target) is gast.Name:
                    self.seen[part.target.id] += 1
                self._bind_to(part.target, gast.BinOp(part.target, part.op, part.value))
            elif type(part) is gast.For:
                self._bind_in_turn(part.target, part.iter)
            elif type(part) is gast.Name and type(part.ctx) is gast.Store:
                self.bound.setdefault(part.id, [])

    def _bind_to(self, place: Tree, value: Any) -> None:
        if type(place) is gast.Name:
            taken = self._popped(value)
            if taken is not None:
                self._take(place, taken)
            else:
                self.bound.setdefault(place.id, []).append(value)
        elif type(place) in DISPLAYS:
            taken = self._popped(value)
            if taken is not None:
                self._take(place, taken)
                return
            alike = type(value) in DISPLAYS and len(value.elts) == len(place.elts)
            alike = alike and not any(type(p) is gast.Starred for p in (*place.elts, *value.elts))
            items = value.elts if alike else self._entries(value, len(place.elts))
            for each, item in zip(place.elts, items, strict=True):
                self._bind_to(each, item)
        elif type(place) is gast.Starred:
            self._bind_to(place.value, None)

    def _entries(self, value: Any, count: int) -> list[Any]:
        """List what is known of the entries of what is taken apart."""
        if type(value) in (gast.Name, gast.Subscript) and is_vector_of_doubles(value, self.context):
            return [entry_of(value, i) for i in range(count)]
        return [_A_FLOAT if self._gives_floats(value) else None] * count

    def _gives_floats(self, value: Any) -> bool:
        """Whether an expression gives a vector of doubles as Python's."""
        if type(value) is not gast.Call:
            return False
        listed = type(value.func) is gast.Attribute and value.func.attr == "tolist"
        if listed:
            return is_vector_of_doubles(value.func.value, self.context)
        return self.context.resolve(value.func) is floats_of

    def _bind_in_turn(self, place: Tree, iterated: Expr) -> None:
        each = self._at_once(iterated)
        places = [place]
        if each != [iterated]:
            alike = type(place) in DISPLAYS and len(place.elts) == len(each)
            places = place.elts if alike else [place] * len(each)
        for one, of in zip(places, each, strict=True):
            stack = self._reversed(of)
            if stack in self.pushed:
                self._take(one, stack)
            else:
                self._bind_to(one, None)

    def _at_once(self, tree: Expr) -> list[Any]:
        """List what a loop goes through at once."""
        if type(tree) is gast.Call and not tree.keywords and self.context.resolve(tree.func) is zip:
            return list(tree.args)
        return [tree]

    def _reversed(self, tree: Expr) -> str | None:
        """Return the name that a loop goes through from the end."""
        if type(tree) is not gast.Call or len(tree.args) != 1:
            return None
        found = self.context.resolve(tree.func)
        return getattr(tree.args[0], "id", None) if found is reversed else None

    @staticmethod
    def _names_one(s: Any) -> bool:
        return len(s.targets) == 1 and type(s.targets[0]) is gast.Name

    def _popped(self, value: Any) -> str | None:
        """Return the stack of which a value is popped."""
        if type(value) is gast.Call and is_stack_call(value) and not value.args:
            key: str = value.func.value.id
            return key if key in self.pushed else None
        return None

    def _take(self, place: Tree, stack: str) -> None:
        """Bind the names of a place to what is pushed where they take it."""
        places = place.elts if type(place) in DISPLAYS else [place]
        for i, one in enumerate(places):
            if type(one) is not gast.Name:
                self._bind_to(one, None)
                continue
            self.seen[one.id] += 1
            self.takers[stack].setdefault(i, set()).add(one.id)
            for pushed in self.pushed[stack]:
                given = items_of(pushed)
                alike = (type(place) is gast.Tuple) == (type(pushed) is gast.Tuple)
                item = given[i] if alike and len(given) == len(places) else None
                self.bound.setdefault(one.id, []).append(item)
                self.taken.setdefault(one.id, []).append(item)

    def bound_plainly(self, key: str) -> bool:
        """Whether a name is only bound by assignments of their own, and from stacks."""
        return self.seen[key] == self.stores[key]

    def computed_from(self, begun: Callable[[Any], bool]) -> set[str]:
        """Return the names that are bound to what is begun with, or computed from such names."""
        found: set[str] = set()
        readers: dict[str, set[str]] = {}
        for key, values in self.bound.items():
            for part in [part for value in values if value is not None for part in nodes(value)]:
                if begun(part):
                    found.add(key)
                if type(part) is gast.Name:
                    readers.setdefault(part.id, set()).add(key)
        waiting = list(found)
        for key in waiting:
            more = readers.get(key, set()) - found
            found |= more
            waiting += more
        return found

    # What they hold

    def _names_of(self, holding: str, holds: Callable[[Any], bool]) -> set[str]:
        """Return the largest set of names all of whose values hold if those of the others do."""
        found = {k for k, values in self.bound.items() if values and k not in self.parameters}
        setattr(self, holding, found)  # while it is looked for, all are taken to
        before = len(found) + 1
        while len(found) < before:
            before = len(found)
            for key in self.bound:  # in the order of the text: most names are bound by those before
                if key in found and not all(map(holds, self.bound[key])):
                    found.discard(key)
        return found

    def _says_double(self, key: str) -> bool:
        kind = self.context.kind_of(key)
        return kind == Real() or isinstance(kind, Integer)

    def is_double(self, tree: Any) -> bool:
        """Whether an expression gives a double, or an integer."""
        cls = type(tree)
        if cls is gast.Constant:
            return type(tree.value) in (float, int)
        if cls is gast.Name:
            return self._says_double(tree.id) or tree.id in self.doubles
        if cls is gast.BinOp:
            plain = type(tree.op) in (*POLYNOMIAL, gast.Div, gast.Pow)
            return plain and self.is_double(tree.left) and self.is_double(tree.right)
        if cls is gast.UnaryOp:
            return type(tree.op) in (gast.USub, gast.UAdd) and self.is_double(tree.operand)
        if cls is gast.IfExp:
            return self.is_double(tree.body) and self.is_double(tree.orelse)
        if cls is gast.Call:
            return self._gives_double(tree)
        return cls is gast.Subscript and self.is_entry(tree)

    def _gives_double(self, tree: Expr) -> bool:
        if tree.keywords or not tree.args or not all(map(self.is_double, tree.args)):
            return False
        found = self.context.resolve(tree.func)
        if is_one_of(found, (*_OF_ARGUMENTS, float, np.float64, divisor)):
            return True
        plain = is_entrywise(found) and len(tree.args) == found.nin
        return plain and not all(is_place(arg, self.context) for arg in tree.args)

    def is_entry(self, tree: Expr) -> bool:
        """Whether a read takes one entry out of an array of doubles."""
        kind = self.context.kind_of(tree.value.id) if type(tree.value) is gast.Name else None
        if not isinstance(kind, Array) or kind.dtype != "f8":
            return False
        places = items_of(tree.slice)
        return len(places) == len(kind.dims) > 0 and all(
            is_place(each, self.context) for each in places
        )

    def is_numpys(self, tree: Any) -> bool:
        """Whether an expression gives a number of NumPy's, surely."""
        cls = type(tree)
        if cls is gast.Name:
            return tree.id in self.numpys
        if cls is gast.BinOp:
            both = self.is_double(tree.left) and self.is_double(tree.right)
            return both and (self.is_numpys(tree.left) or self.is_numpys(tree.right))
        if cls is gast.UnaryOp:
            return self.is_numpys(tree.operand)
        if cls is gast.IfExp:
            return self.is_numpys(tree.body) and self.is_numpys(tree.orelse)
        if cls is gast.Call:
            found = self.context.resolve(tree.func)
            if not self._gives_double(tree) or is_one_of(found, (float, divisor)):
                return False
            return not is_one_of(found, _OF_ARGUMENTS) or all(map(self.is_numpys, tree.args))
        return cls is gast.Subscript and self.is_entry(tree)

    def is_divisor(self, tree: Any) -> bool:
        """Whether an expression gives a double that is Python's, but NumPy's where it is zero."""
        if type(tree) is gast.Name:
            return tree.id in self.divisors
        return type(tree) is gast.Call and self.context.resolve(tree.func) is divisor

    def is_floating(self, tree: Any) -> bool:
        """Whether an expression that gives a double, or an integer, gives a double."""
        cls = type(tree)
        if cls is gast.Constant:
            return type(tree.value) is float
        if cls is gast.Name:
            given = tree.id in self.parameters and self.context.kind_of(tree.id) == Real()
            return given or tree.id in self.floating
        if cls is gast.BinOp:
            either = self.is_floating(tree.left) or self.is_floating(tree.right)
            return either and self.is_double(tree)
        if cls is gast.IfExp:
            return self.is_floating(tree.body) and self.is_floating(tree.orelse)
        if cls is gast.UnaryOp:
            return self.is_floating(tree.operand)
        if cls is gast.Call:
            found = self.context.resolve(tree.func)
            given = not is_one_of(found, _OF_ARGUMENTS) or all(map(self.is_floating, tree.args))
            return given and self._gives_double(tree)
        return cls is gast.Subscript and self.is_entry(tree)


def is_entrywise(found: Any) -> bool:
    """Whether something is a function of NumPy's that makes a double of doubles."""
    return (
        isinstance(found, np.ufunc) and found.nout == 1 and "d" * found.nin + "->d" in found.types
    )
