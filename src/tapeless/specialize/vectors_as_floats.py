"""Short vectors of fixed length are Python floats side by side.

    v = (a, b)               ->   p_0, p_1 = floats_of(p)
    k = np.array(v)               k_0 = a
    y = k * p                     k_1 = b
    return y                      y_0 = k_0 * p_0
                                  y_1 = k_1 * p_1
                                  return vector_of((y_0, y_1))

This happens before differentiation, so that both sweeps, forward mode and derivatives of derivatives are
made of the numbers. Which vectors it is worth while for is said in `small_vectors`; which operations go by
entries in `entry_forms`. Each computes what NumPy computes, to the last bit:

- `+`, `-`, `*` and signs are exact roundings in both. `y**2` is `y * y` in NumPy.
- A sum of up to seven entries goes from left to right in NumPy; more are added in another order.
- Python raises where it divides by zero, and NumPy gives an infinity. So a divisor that is zero is a number
  of NumPy's: `x_0 / (float(m) or np.float64(m))`.
- An entry by itself is a number of NumPy's, unless a Python float does as well (`number_types`).
- A product or a norm of short vectors, `dot_3(a_0, a_1, a_2, b_0, b_1, b_2)`, is NumPy's own: it may add the
  products with one rounding. Its adjoints are numbers.

All else (`np.sin(y)`: it may round otherwise in a vector) is given the array.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.facts import Facts
from tapeless.analysis.program import Program
from tapeless.kinds import Array, Integer, count_of
from tapeless.normalize.split_tuples import split_tuples
from tapeless.runtime import divisor, floats_of, vector_of
from tapeless.specialize.entry_forms import Form, Reading, form_of, head_of, is_square
from tapeless.specialize.number_types import Numbers, numbers_of
from tapeless.specialize.run import Specialization
from tapeless.specialize.second_names import without_second_names
from tapeless.specialize.small_vectors import candidates, chosen, statements_in
from tapeless.tree.build import assign, at_line_of, const, name, name_tuple, target, unshared
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.comments import comment, is_comment
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes
from tapeless.tree.signs import integer
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt


def with_vectors_as_floats(
    function: CoreFunction, facts: Facts, program: Program
) -> CoreFunction | None:
    """Write short vectors as numbers; None where there are none that gain by it."""
    lengths = candidates(function, facts)
    if not lengths:
        return None
    writer = VectorsAsFloats(function, facts, program)
    free = numbers_of(function, facts, lengths, writer.form).free
    picked = chosen(function, lengths, writer.form, free)
    if not picked:
        return None
    lengths = {key: lengths[key] for key in lengths if key in picked}
    return writer.written(lengths)


_BEGINS_WITH_ZERO = not np.signbit(np.sum(np.array([-0.0, -0.0])))


class VectorsAsFloats(Specialization):
    """Writes the statements of a function by the entries of its short vectors.

    Attributes
    ----------
    lengths, entries
        The vectors: how many entries they have, and the names of these.
    numbers
        Which numbers are NumPy's.
    whole
        The vectors that are bound once, as arrays: their names stay.
    squares
        Those whose entries are squares.
    shown
        The items of tuples that are written out, by name.
    """

    lengths: dict[str, int]
    entries: dict[str, list[str]]
    numbers: Numbers
    whole: set[str]
    squares: set[str]
    shown: dict[str, list[Any]]

    def form(self, s: Stmt, lengths: dict[str, int]) -> Form | None:
        """Return how a statement goes by entries if names are vectors of these lengths."""
        env = self.facts.before.get(s)
        if env is None:
            return None
        self.env = env
        return form_of(s, Reading(lengths, self.kind, self.function.resolve))

    def written(self, lengths: dict[str, int]) -> CoreFunction:
        """Write the function."""
        self.numbers = numbers_of(self.function, self.facts, lengths, self.form)
        self.lengths = lengths
        bound, apart = self.bound_whole()
        self.whole = {key for key in apart if bound[key] == 1}
        said = self.function.own_names | self.function.items
        self.names.taken -= said & (lengths.keys() - apart)  # no statement mentions them any more
        self.entries = {
            key: [self.names.fresh(f"{key}_{i}" if key in said else "v") for i in range(n)]
            for key, n in lengths.items()
        }
        self.squares = self.squared()
        self.shown = {
            s.targets[0].id: s.value.elts
            for s in nodes(self.function.tree, nested=False)
            if type(s) is gast.Assign
            and type(s.value) is gast.Tuple
            and type(s.targets[0]) is gast.Name
        }
        self.note_axes()
        listed = [key for key in lengths if self.function.wrote(key)]
        start: list[Any] = [comment(f"{', '.join(listed)} as floats")] if listed else []
        for key in self.function.parameters:
            if key in lengths:
                start += self.taken_apart(key)
        body = [*start, *self.block(self.function.tree.body)]
        items = {item for key, parts in self.entries.items() if key in said for item in parts}
        made = replace(self.function.with_body(body), items=self.function.items | items)
        made = split_tuples(made)
        named = [*made.parameters, *made.own_names, *made.items]
        return made.with_body(without_second_names(made.tree, made.own_names, set(named)))

    def bound_whole(self) -> tuple[dict[str, int], set[str]]:
        """Return how often each vector is bound, and those that are bound to arrays."""
        bound = dict.fromkeys(self.lengths, 0)
        apart = set(self.function.parameters) & set(bound)
        for key in apart:
            bound[key] = 1
        for s in statements_in(self.function.tree.body):
            for part in head_of(s):
                if type(part) is gast.Name and type(part.ctx) is gast.Store and part.id in bound:
                    bound[part.id] += 1
                    if self.form(s, self.lengths) is None:
                        apart.add(part.id)
        return bound, apart

    def squared(self) -> set[str]:
        """Return the vectors whose entries are squares wherever they are bound."""
        found: set[str] = set()
        others: set[str] = set(self.function.parameters)
        for s in statements_in(self.function.tree.body):
            form = self.form(s, self.lengths)
            square = form is not None and is_square(form)
            (found if square else others).update(
                p.id for p in head_of(s) if type(p) is gast.Name and type(p.ctx) is gast.Store
            )
        return found - others

    def note_axes(self) -> None:
        """Note which arguments are as long as they are: the text rests on it."""
        kinds = {
            env[key].kind for env in self.facts.before.values() for key in env.keys() & self.lengths
        }
        kinds |= {
            value.kind
            for s, value in self.facts.results.items()
            if getattr(getattr(s, "targets", [None])[0], "id", "") in self.lengths
        }
        for kind in kinds:
            dims = kind.dims if isinstance(kind, Array) else ()
            for dim in dims:
                count = count_of(dim)
                if count is not None:
                    self.interpreter.program.details |= count.axes

    # Statements

    def taken(self, s: Stmt) -> None:
        return None

    def inside(self, s: Stmt) -> Any:
        made = super().inside(s)
        if type(s) is not gast.For or getattr(s.target, "id", "") not in self.entries:
            return made
        apart = [at_line_of(part, s) for part in self.taken_apart(s.target.id)]
        return gast.copy_location(
            gast.For(s.target, s.iter, [*apart, *made.body], made.orelse, None), s
        )

    def statement(self, s: Stmt) -> list[Stmt] | None:
        if is_comment(s):
            return []  # of a function that was written in the place of its call
        here = [part for part in head_of(s) if type(part) is gast.Name and part.id in self.entries]
        if not here:
            return None
        form = self.form(s, self.lengths)
        if form is not None and form.what == "test":
            asked = _Items(self.entries).visit(unshared(s.test))
            return [self.inside(_with_test(s, asked))]
        if form is not None:
            return self.by_entries(s, form)
        before: list[Any] = []
        holes: dict[str, str] = {}
        for key in dict.fromkeys(part.id for part in here if type(part.ctx) is gast.Load):
            if key not in self.whole:
                holes[key] = self.names.fresh("v")
                before += self.put_together(holes[key], self.entries[key])
        bound = [part.id for part in here if type(part.ctx) is gast.Store]
        if not before and (not bound or type(s) is gast.For):
            return None
        read = _with_reads(s, holes)
        after = [] if type(s) is gast.For else [p for key in bound for p in self.taken_apart(key)]
        return [*before, self.inside(read), *after]

    def taken_apart(self, key: str) -> list[Any]:
        """Bind the entries of a vector that is there as an array."""
        v = self.names.fresh("v")
        call = gast.Call(name(self.external(floats_of)), [name(key)], [])
        return [assign(v, call), gast.Assign([_places(self.entries[key])], name(v), None)]

    def put_together(self, to: str, items: list[str]) -> list[Any]:
        """Bind a name to the array of numbers."""
        v = self.names.fresh("v")
        call = gast.Call(name(self.external(vector_of)), [name(v)], [])
        return [assign(v, name_tuple(items)), assign(to, call)]

    # What goes by entries

    def by_entries(self, s: Any, form: Form) -> list[Any]:
        """Write a statement that goes by entries."""
        place = s.targets[0]
        to = self.entries.get(getattr(place, "id", ""), [])
        vectors = [self.entries.get(getattr(x, "id", ""), []) for x in form.operands]
        if form.what == "operation":
            return self.operation(form, to)
        if form.what == "display":
            return self.displayed(form, to)
        if form.what == "cross":
            return self.crossed(to, *vectors)
        if form.what == "number":
            return self.computed(place.id, form.detail, [x for vector in vectors for x in vector])
        if form.what == "fill":
            return [assign(t, const(form.detail)) for t in to]
        [vector] = vectors
        if form.what == "sum":
            return self.added(place.id, form.operands[0].id)
        if form.what == "floats":
            return [assign(place.id, name_tuple(vector))]
        if form.what == "sign":
            return [
                assign(t, gast.UnaryOp(form.detail, name(x)))
                for t, x in zip(to, vector, strict=True)
            ]
        places = form.detail if form.what in ("items", "item") else range(len(vector))
        items = [vector[i] for i in places]
        if to:
            return [assign(t, name(x)) for t, x in zip(to, items, strict=True)]
        named = place.elts if type(place) in DISPLAYS else [place]
        return [
            part for p, x in zip(named, items, strict=True) for part in self.read(p.id, name(x))
        ]

    def read(self, to: str, number: Expr) -> list[Any]:
        """Bind a name to a number that was NumPy's."""
        if to in self.numbers.free:
            return [assign(to, number)]
        return [assign(to, self.numpys(number))]

    def computed(self, to: str, function: Any, items: list[str]) -> list[Any]:
        """Bind a name to a number that is computed of the entries as NumPy does it."""
        made: list[Any] = []
        value = gast.Call(name(self.external(function)), [name(x) for x in items], [])
        if to in self.numbers.free:
            value = self.pythons(name(self.bound("v", value, made)))
        return [*made, assign(to, value)]

    def numpys(self, number: Expr) -> Any:
        cls = gast.Attribute(name(self.external(np)), "float64", gast.Load())
        return gast.Call(cls, [number], [])

    def pythons(self, number: Expr) -> Any:
        return gast.Call(name("float"), [number], [])

    def bound(self, wish: str, value: Expr, made: list[Any]) -> str:
        """Bind a fresh name before what is written."""
        key = self.names.fresh(wish)
        made.append(assign(key, value))
        return key

    def operation(self, form: Form, to: list[str]) -> list[Any]:
        """Write `+`, `-`, `*` or `/` of vectors and numbers."""
        made: list[Any] = []
        divided = type(form.detail) is gast.Div
        left, right = form.operands
        firsts = self.sides(left, len(to), made)
        seconds = (
            self.divisors(right, len(to), made) if divided else self.sides(right, len(to), made)
        )
        for t, a, b in zip(to, firsts, seconds, strict=True):
            made.append(assign(t, gast.BinOp(a, form.detail, b)))
        return made

    def sides(self, tree: Expr, n: int, made: list[Any]) -> list[Any]:
        """Return an operand for each entry."""
        if getattr(tree, "id", "") in self.entries:
            return [name(x) for x in self.entries[tree.id]]
        if getattr(tree, "id", "") in self.numbers.numpys:
            tree = name(self.bound("v", self.pythons(tree), made))
        return [unshared(tree) for _ in range(n)]

    def divisors(self, tree: Expr, n: int, made: list[Any]) -> list[Any]:
        """Return a divisor for each entry: a literal, or a number that is NumPy's where it is zero."""
        if getattr(tree, "id", "") in self.entries:
            return [name(self.divisor(name(x), made)) for x in self.entries[tree.id]]
        if type(tree) is gast.Constant and tree.value != 0:
            return [unshared(tree) for _ in range(n)]
        key = self.divisor(tree, made)
        return [name(key) for _ in range(n)]

    def divisor(self, tree: Expr, made: list[Any]) -> str:
        call = gast.Call(name(self.external(divisor)), [unshared(tree)], [])
        return self.bound("v", call, made)

    def added(self, to: str, key: str) -> list[Any]:
        """Write a sum, from left to right; that of squares is not -0.0, with whatever NumPy begins."""
        made: list[Any] = []
        items = self.entries[key]
        total = items[0]
        if _BEGINS_WITH_ZERO and key not in self.squares:
            total = self.bound("v", gast.BinOp(const(0.0), gast.Add(), name(total)), made)
        for item in items[1:]:
            total = self.bound("v", gast.BinOp(name(total), gast.Add(), name(item)), made)
        return [*made, *self.read(to, name(total))]

    def crossed(self, to: list[str], a: list[str], b: list[str]) -> list[Any]:
        """Write the cross product."""
        made: list[Any] = []
        found = []
        for i, j in ((1, 2), (2, 0), (0, 1)):
            p = self.bound("v", gast.BinOp(name(a[i]), gast.Mult(), name(b[j])), made)
            q = self.bound("v", gast.BinOp(name(a[j]), gast.Mult(), name(b[i])), made)
            found.append(self.bound("v", gast.BinOp(name(p), gast.Sub(), name(q)), made))
        return [*made, *(assign(t, name(x)) for t, x in zip(to, found, strict=True))]

    def displayed(self, form: Form, to: list[str]) -> list[Any]:
        """Write what makes an array of numbers: whole ones and NumPy's become floats."""
        [given] = form.operands
        other = [isinstance(kind, Integer) for kind in form.detail]
        shown = self.shown.get(given.id, [])
        for i, x in enumerate(shown):
            other[i] = other[i] or getattr(x, "id", "") in self.numbers.numpys
        items = [self.names.fresh("v") if o else t for t, o in zip(to, other, strict=True)]
        made: list[Any] = [gast.Assign([_places(items)], given, None)]
        for t, x in zip(to, items, strict=True):
            if t != x:
                made.append(assign(t, self.pythons(name(x))))
        return made


def _places(items: list[str]) -> Any:
    return gast.Tuple([target(item) for item in items], gast.Store())


def _with_test(s: Any, test: Expr) -> Any:
    made = type(s)(**{key: getattr(s, key, None) for key in s._fields})
    made.test = test
    return gast.copy_location(made, s)


def _with_reads(s: Any, holes: dict[str, str]) -> Any:
    """Return a statement whose head reads other names; what is in its blocks stays."""
    if not holes:
        return s
    made = type(s)(**{key: getattr(s, key, None) for key in s._fields})
    for key in s._fields:
        if key not in _BLOCKS:
            setattr(made, key, _Reads(holes).visited(getattr(s, key, None)))
    return gast.copy_location(made, s)


_BLOCKS = ("body", "orelse", "finalbody", "handlers")


class _Reads(Transformer):
    """Writes other names for those that are read."""

    def __init__(self, holes: dict[str, str]) -> None:
        self.holes = holes

    def visited(self, part: Any) -> Any:
        if isinstance(part, list):
            return [self.visited(item) for item in part]
        return self.visit(unshared(part)) if isinstance(part, gast.AST) else part

    def visit_Name(self, tree: Any) -> Any:
        if type(tree.ctx) is gast.Load and tree.id in self.holes:
            return gast.copy_location(name(self.holes[tree.id]), tree)
        return tree


class _Items(Transformer):
    """Writes the entries of vectors for their items."""

    def __init__(self, entries: dict[str, list[str]]) -> None:
        self.entries = entries

    def visit_Subscript(self, tree: Any) -> Any:
        items = self.entries.get(getattr(tree.value, "id", ""))
        i = integer(tree.slice)
        return self.generic_visit(tree) if items is None or i is None else name(items[i])
