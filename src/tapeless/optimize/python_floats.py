"""Expressions of numbers, written so that as much as may be is computed with Python's floats.

What is asked of an expression is whether its number *may be either*: Python's or NumPy's. Where it may not,
the names in it have to stay as they were; so the names that are *free* are found by writing all statements
again until no name has to be taken back.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from enum import Enum
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import Array, Integer
from tapeless.optimize.context import Context
from tapeless.optimize.nonzero import is_never_zero
from tapeless.optimize.number_flow import NumberFlow, is_entrywise
from tapeless.runtime import divisor, vector_of
from tapeless.tree.build import call, name
from tapeless.tree.classes import ARITHMETIC, DISPLAYS, POLYNOMIAL
from tapeless.tree.fields import PART_FIELDS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr


class Whose(Enum):
    """Whose number an expression gives."""

    PYTHONS = "Python's"
    NUMPYS = "NumPy's"
    EITHER = "not known"


# About what is taken compared to an operation on numbers of NumPy's: by one on Python's, by one on both
# sorts, to make one of the other, and to read an entry of an array.
_PYTHONS, _MIXED, _CONVERSION, _ENTRY = 0.3, 1.3, 0.6, 0.6
_COMPARED = (gast.Eq, gast.NotEq, gast.Lt, gast.LtE, gast.Gt, gast.GtE)
_MADE_OF_NUMBERS = (np.array, np.asarray, vector_of)
Written = tuple[Any, Whose]


class PythonFloats:
    """Writes the expressions of one function.

    Attributes
    ----------
    free
        The names that may hold either, as far as was seen.
    listed
        The arrays that become lists.
    computed_with
        The names by which loops multiply, or which they add: worth to be Python's.
    maybe_numpys
        The names that are computed from numbers of NumPy's.
    unsure
        The free names that are bound to what may still be NumPy's.
    divisors
        The names that divide, and must be NumPy's where they are zero.
    in_loop, wanted, in_adjoint
        Whether the expressions stand in a loop, give what loops compute with, and give adjoints.
    before, after
        About what a turn of all loops took, and takes; an operation on numbers of NumPy's is 1.

    Examples
    --------
    >>> from tapeless.kinds import Real
    >>> function = gast.parse('''
    ... def f(x, a):
    ...     while x > 1.0:
    ...         y = np.sin(x)
    ...         x = a / (y * x)
    ... ''').body[0]
    >>> known = {"np.sin": np.sin, "float": float}
    >>> context = Context(
    ...     lambda tree: known.get(gast.unparse(tree).strip()),
    ...     kind_of=lambda key: Real() if key in ("x", "a") else None,
    ... )
    >>> floats = PythonFloats(NumberFlow(function, context), context, "np", set())
    >>> floats.in_loop = True
    >>> sine, quotient = (s.value for s in function.body[0].body)
    >>> print(gast.unparse(floats.wanted_float(sine)))
    float(np.sin(x))
    >>> written, whose = floats.number(quotient, either=True)
    >>> print(gast.unparse(written), whose.value)
    a / np.float64(y * x) NumPy's
    """

    def __init__(self, flow: NumberFlow, context: Context, numpy: str, listed: set[str]) -> None:
        self.flow, self.context, self.numpy, self.listed = flow, context, numpy, listed
        integers = {k for k in flow.doubles if isinstance(context.kind_of(k), Integer)}
        self.free = flow.doubles - integers
        self.computed_with: set[str] = set()
        self.divisors: set[str]
        self.maybe_numpys: set[str] = set()
        self.unsure: set[str] = set()
        self.in_loop = False
        self.wanted = False
        self.in_adjoint = False
        self.begin()

    def begin(self) -> None:
        """Begin to write all statements."""
        self.divisors = set()
        self.before = self.after = 0.0

    # Numbers

    def number(self, tree: Expr, either: bool) -> Written:
        """Write an expression that gives a number."""
        cls = type(tree)
        if cls is gast.Name:
            return self._name(tree, either)
        if cls is gast.BinOp:
            if type(tree.op) is gast.Div:
                return self._quotient(tree, either)
            return self._sum_or_product(tree, either)
        if cls is gast.UnaryOp:
            operand, whose = self.number(tree.operand, either)
            return with_parts(tree, operand=operand), whose
        if cls is gast.IfExp:
            body, orelse = self._alike([tree.body, tree.orelse], either)
            made = with_parts(tree, test=self.test(tree.test), body=body[0], orelse=orelse[0])
            return made, one_of([body, orelse])
        if cls is gast.Call:
            return self._call(tree, either)
        if cls is gast.Subscript:
            made = with_parts(tree, slice=self.kept(tree.slice))
            self.note_entry(tree.value)
            if tree.value.id not in self.listed:
                return made, Whose.NUMPYS
            return (made, Whose.PYTHONS) if either else self.as_numpys((made, Whose.PYTHONS))
        return tree, Whose.PYTHONS

    def _name(self, tree: Expr, either: bool) -> Written:
        key = tree.id
        if not either:
            self.free.discard(key)
        if key in self.free or isinstance(self.context.kind_of(key), Integer):
            idle = key in self.flow.numpys and key not in self.computed_with
            return tree, Whose.EITHER if idle or key in self.unsure else Whose.PYTHONS
        return tree, Whose.NUMPYS if key in self.flow.numpys else Whose.EITHER

    def _alike(self, trees: list[Any], either: bool) -> list[Written]:
        """Write numbers that are computed with, or chosen from: all Python's if that takes calls alone."""
        written = [self.number(tree, either) for tree in trees]
        pythons = any(whose is Whose.PYTHONS for _, whose in written)
        alone = all(type(made) is gast.Call or whose is not Whose.NUMPYS for made, whose in written)
        if not (either and self.in_loop and pythons and alone):
            return written
        if self.wanted or any(map(self._floats, trees)):
            return [self.as_float(each) if type(each[0]) is gast.Call else each for each in written]
        return written

    def _floats(self, tree: Expr) -> bool:
        """Whether an expression is a name of Python's floats, or computed from one."""
        if type(tree) is gast.BinOp:
            return self._floats(tree.left) or self._floats(tree.right)
        if type(tree) is gast.UnaryOp:
            return self._floats(tree.operand)
        key = getattr(tree, "id", "")
        return key in self.free and self._name(tree, True)[1] is Whose.PYTHONS

    def _sum_or_product(self, tree: Expr, either: bool) -> Written:
        either = either and type(tree.op) in POLYNOMIAL
        written = left, right = self._alike([tree.left, tree.right], either)
        whose = Whose.NUMPYS if Whose.NUMPYS in (left[1], right[1]) else one_of(written)
        self._note_operation(tree, whose, left[1] is right[1])
        return with_parts(tree, left=left[0], right=right[0]), whose

    def _quotient(self, tree: Expr, either: bool) -> Written:
        """Write a quotient: what divides is NumPy's where it is zero, if that did not raise before."""
        by = tree.right
        never_zero = is_never_zero(by, self.context) or self.flow.is_divisor(by)
        if not (either and (never_zero or self._goes_on(tree))):
            left, right = self.number(tree.left, False), self.number(by, False)
            whose = self.as_it_was(tree)
        elif never_zero:
            left, right = written = self._alike([tree.left, by], True)
            whose = Whose.NUMPYS if Whose.NUMPYS in (left[1], right[1]) else one_of(written)
        else:
            left, right = self.number(tree.left, True), self.number(by, True)
            if self._follows_divisor(by, right[1]):
                left = self.as_float(left)
                whose = left[1]
            else:
                right = right if left[1] is Whose.NUMPYS else self.as_numpys(right)
                whose = Whose.NUMPYS
        self._note_operation(tree, whose, left[1] is right[1])
        return with_parts(tree, left=left[0], right=right[0]), whose

    def _goes_on(self, tree: Expr) -> bool:
        """Whether a quotient did not raise where what divides is zero, or need not have.

        That of an adjoint need not: the forward sweep has divided by the same number.
        """
        names = {part.id for part in nodes(tree) if type(part) is gast.Name}
        need_not = self.in_adjoint and bool(names & self.maybe_numpys)
        return need_not or self.flow.is_numpys(tree)

    def _follows_divisor(self, by: Expr, whose: Whose) -> bool:
        """Whether a divisor is a name that can be made NumPy's wherever it is bound to a zero."""
        if not self.in_loop or type(by) is not gast.Name or whose is not Whose.PYTHONS:
            return False
        if self._divides(by.id, set()):
            self._note_divisor(by.id)
            return True
        return False

    def as_it_was(self, tree: Expr) -> Whose:
        """Return whose number is given by an expression in which nothing is changed."""
        return Whose.NUMPYS if self.flow.is_numpys(tree) else Whose.EITHER

    def _divides(self, key: str, seen: set[str]) -> bool:
        """Whether each statement that binds a name can be followed by one that looks at it."""
        if key in seen:
            return True
        taken = self.flow.taken.get(key, [])
        names = [item.id if type(item) is gast.Name else "" for item in taken]
        free = key in self.free and self.flow.bound_plainly(key)
        return free and all(self._divides(each, {*seen, key}) for each in names)

    def _note_divisor(self, key: str) -> None:
        if key not in self.divisors:
            self.divisors.add(key)
            for item in self.flow.taken.get(key, []):
                self._note_divisor(item.id)

    def _call(self, tree: Expr, either: bool) -> Written:
        found = self.context.resolve(tree.func)
        entrywise = is_entrywise(found) or is_one_of(found, (float, np.float64, divisor))
        written = [self.number(arg, either or entrywise) for arg in tree.args]
        made = with_parts(tree, args=[arg for arg, _ in written])
        if is_one_of(found, (float, divisor)):
            return made, Whose.PYTHONS
        return made, Whose.NUMPYS if entrywise else one_of(written)

    def reads_lists(self, tree: Expr) -> bool:
        """Whether an expression reads an entry of a list."""
        entries = [part.value for part in nodes(tree) if type(part) is gast.Subscript]
        return any(getattr(owner, "id", "") in self.listed for owner in entries)

    def as_float(self, written: Written) -> Written:
        """Return a number as Python's float, where it is NumPy's, or may be where names are kept."""
        tree, whose = written
        names = {part.id for part in nodes(tree) if type(part) is gast.Name}
        kept = type(tree) in ARITHMETIC | {gast.Name} and names & self.maybe_numpys - self.free
        if whose is Whose.PYTHONS or (whose is Whose.EITHER and not kept):
            return written
        if self.in_loop:
            self.after += _CONVERSION
        return call("float", tree), Whose.PYTHONS

    def as_numpys(self, written: Written) -> Written:
        """Return a number as NumPy's."""
        tree, whose = written
        if whose is Whose.NUMPYS:
            return written
        if self.in_loop:
            self.after += 2.0 * _CONVERSION
        float64 = gast.Attribute(name(self.numpy), "float64", gast.Load())
        return call(float64, tree), Whose.NUMPYS

    def wanted_float(self, tree: Expr, keys: Iterable[str] = ()) -> Any:
        """Write a number that loops compute with, and that names hold."""
        self.wanted = True
        written = self.number(tree, True)
        self.wanted = False
        made, whose = self.as_float(written)
        if whose is not Whose.PYTHONS:
            self.unsure.update(keys)
        return made

    # What it takes

    def _note_operation(self, tree: Expr, whose: Whose, alike: bool) -> None:
        """Note what an operation takes: one on numbers of both sorts takes the longest."""
        if not self.in_loop:
            return
        before = 1.0 if self.flow.is_numpys(tree) else _PYTHONS
        mixed = 1.0 if alike else _MIXED
        of = {Whose.PYTHONS: _PYTHONS, Whose.NUMPYS: mixed, Whose.EITHER: before}
        self.before += before
        self.after += of[whose]

    def note_entry(self, owner: Any) -> None:
        """Note what it takes to read or store an entry of an array, or a list."""
        if self.in_loop:
            self.before += _ENTRY
            self.after += _PYTHONS if getattr(owner, "id", "") in self.listed else _ENTRY

    # Tests, and all else

    def test(self, tree: Expr) -> Any:
        """Write what is only asked whether it holds."""
        cls = type(tree)
        if cls is gast.BoolOp:
            return with_parts(tree, values=[self.test(value) for value in tree.values])
        if cls is gast.UnaryOp and type(tree.op) is gast.Not:
            return with_parts(tree, operand=self.test(tree.operand))
        if cls is gast.Compare and all(type(op) in _COMPARED for op in tree.ops):
            compared = [tree.left, *tree.comparators]
            if all(self.flow.is_double(each) or self._is_array(each) for each in compared):
                left, *others = map(self.operand, compared)
                return with_parts(tree, left=left, comparators=others)
        return self.number(tree, True)[0] if self.flow.is_double(tree) else self.kept(tree)

    def operand(self, tree: Expr) -> Any:
        """Write what may be either if it is a number."""
        return self.number(tree, True)[0] if self.flow.is_double(tree) else self.kept(tree)

    def kept(self, tree: Any) -> Any:
        """Write what must give what it gave."""
        cls = type(tree)
        if self.flow.is_double(tree):
            return self.number(tree, False)[0]
        if cls is gast.BinOp and type(tree.op) in (*POLYNOMIAL, gast.Div):
            if any(self._is_array(part) for part in (tree.left, tree.right)):
                return with_parts(
                    tree, left=self.operand(tree.left), right=self.operand(tree.right)
                )
        if cls is gast.Call and [type(arg) in DISPLAYS for arg in tree.args] == [True]:
            if is_one_of(self.context.resolve(tree.func), _MADE_OF_NUMBERS):
                [given] = tree.args
                display = with_parts(given, elts=[self.operand(item) for item in given.elts])
                return with_parts(tree, args=[display])
        changed = {}
        for field in PART_FIELDS.get(cls, ()):
            part = getattr(tree, field, None)
            if type(part) is list:
                changed[field] = [self.kept(p) if isinstance(p, gast.AST) else p for p in part]
            elif isinstance(part, gast.AST):
                changed[field] = self.kept(part)
        return with_parts(tree, **changed)

    def _is_array(self, tree: Expr) -> bool:
        return type(tree) is gast.Name and self.holds_doubles(tree.id)

    def holds_doubles(self, key: str) -> bool:
        """Whether a name holds an array of doubles."""
        kind = self.context.kind_of(key)
        return isinstance(kind, Array) and kind.dtype == "f8" and bool(kind.dims)


def one_of(written: list[Written]) -> Whose:
    """Return whose number it is that is one of some."""
    found = {whose for _, whose in written}
    return found.pop() if len(found) == 1 else Whose.EITHER


def with_parts(tree: Any, **parts: Any) -> Any:
    """Return a tree with other parts: itself where they are the same."""
    if all(_is_same(getattr(tree, field, None), part) for field, part in parts.items()):
        return tree
    made = copy.copy(tree)
    for field, part in parts.items():
        setattr(made, field, part)
    return made


def _is_same(a: Any, b: Any) -> bool:
    if type(a) is list:
        return all(x is y for x, y in zip(a, b, strict=True))
    return a is b
