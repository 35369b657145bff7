"""What is written while a function is run on values: statements, blocks of memory, what is demanded.

The one shape of everything on arrays is `pointwise`: a formula on entries, under one loop per axis, into a
block of its own. Which of these blocks are needed at all is found later, when all loops are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gast

import tapeless.lower.precision as precision
from tapeless.lower.affine import Affine, symbol
from tapeless.lower.copies import Copies
from tapeless.lower.extents import Extents
from tapeless.lower.loops import (
    Alloc,
    Assign,
    Cell,
    Check,
    Expr,
    Loop,
    Num,
    Op,
    Program,
    Reduce,
    Stmt,
    Store,
    Var,
    Whole,
    cell_of,
    numeric,
)
from tapeless.lower.refused import NotLowered
from tapeless.lower.values import (
    Array,
    Number,
    Sort,
    Trip,
    Value,
    join,
    variable,
    whole_block,
)
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names

Formula = Callable[..., Expr]


@dataclass
class State:
    """What was written so far.

    Attributes
    ----------
    program
        The function of loops.
    names
        The names that are taken.
    extents
        What is known of sizes.
    sorts
        The sorts of the variables that are bound more than once, as an earlier run found them.
    mutable
        These variables, and the integers among them as symbols.
    out
        The block that is written.
    hint
        The name that what is computed next will have.
    line, statement
        The line that is being lowered, and the statement.
    is_part
        Whether other statements of Python go on with what is returned.
    loops
        The variables of the user's loops around.
    trips
        The user's loops and branches around.
    shadowed
        The blocks whose adjoints are found by their memory.
    counted
        The lists whose rows are counted, as an earlier run found them.
    shapes
        The shapes and dtypes of what lists of cotangents hold, as an earlier run found them.
    late
        What names are bound to that a loop binds first, as an earlier run found it.
    masks
        The masks whose places were counted, by the variable that holds how many there are.
    beginnings
        The blocks where lists begin that have items before a loop fills them.
    unrolled, listed
        The loops that are written out, trip by trip, and the lists that these fill item by item, as an
        earlier run found them: by the identity of statements and of displays.
    unrolling
        How many of these loops are around.
    allocs
        The statement that makes each block.
    copies
        Which blocks stand for the same array.
    triangular
        Blocks that were made as Cholesky factors.
    named
        The names that the author of the text wrote.
    lasting
        The blocks and variables that were made outside of loops, and are made once.
    renamed
        The names that temporary things get when the author of the text names them.
    cores
        The functions that were read.
    is_resorted
        Whether a variable turned out to hold numbers of another sort than was known.
    baked
        Constants from outside whose values are written into the text: function, expression, value.
    outside
        Arrays from outside, by the parameters that they become: function, expression, array.
    """

    program: Program
    names: Names
    sorts: dict[str, Sort]
    extents: Extents = field(default_factory=Extents)
    mutable: set[str] = field(default_factory=set)
    out: list[Stmt] = field(default_factory=list)
    hint: str = "v"
    line: int | None = None
    statement: Any = None
    is_part: bool = False
    loops: list[str] = field(default_factory=list)
    trips: list[Trip] = field(default_factory=list)
    shadowed: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    shapes: dict[str, tuple[tuple[Affine, ...], str]] = field(default_factory=dict)
    late: dict[str, Value] = field(default_factory=dict)
    masks: dict[str, Array] = field(default_factory=dict)
    beginnings: list[list[Stmt]] = field(default_factory=list)
    unrolled: set[int] = field(default_factory=set)
    listed: set[int] = field(default_factory=set)
    unrolling: int = 0
    allocs: dict[str, Alloc] = field(default_factory=dict)
    copies: Copies = field(default_factory=Copies)
    triangular: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    lasting: set[str] = field(default_factory=set)
    baked: list[tuple[Any, Any, object]] = field(default_factory=list)
    outside: dict[str, tuple[CoreFunction, Any, Any]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    cores: tuple[CoreFunction, ...] = ()
    is_resorted: bool = False

    def refused(self, reason: str) -> NotLowered:
        """Say why something is not lowered, at the line that is being lowered."""
        return NotLowered(reason, self.line, self.statement)

    def bake(self, function: CoreFunction, tree: Any, value: object) -> None:
        """Note that the value of a constant from outside is written into the text."""
        spelled = gast.unparse(tree)
        known = any(f is function and gast.unparse(t) == spelled for f, t, _ in self.baked)
        if not known:
            self.baked.append((function, tree, value))

    def known_better(self, found: set[int], what: int, reason: str) -> NotLowered:
        """Note what the next run knows; say why this one ends, if it did not know."""
        if what not in found:
            found.add(what)
            self.is_resorted = True
        return self.refused(reason)

    def emit(self, s: Stmt) -> None:
        """Write a statement."""
        s.line = self.line
        self.out.append(s)

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Write a block of its own."""
        outer, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = outer

    def fresh(self, hint: str | None = None) -> str:
        """Return a name that is not taken."""
        return self.names.fresh(hint or self.hint)

    # Numbers

    def is_stable(self, e: Expr) -> bool:
        """Whether an expression has the same value wherever it is evaluated later."""
        if isinstance(e, Num):
            return True
        if isinstance(e, Var):
            return e.name not in self.mutable
        return isinstance(e, Whole) and not e.form.symbols & self.mutable

    def frozen(self, x: Number, hint: str | None = None) -> Number:
        """Return a number as something that does not change: its variable is bound once."""
        if self.is_stable(x.expr):
            return x
        name = self.fresh(hint)
        if not self.loops:
            self.lasting.add(name)
        self.emit(Assign(name, x.expr))
        return variable(name, x.sort)

    def is_lasting(self, e: Expr) -> bool:
        """Whether an expression has the same value in all trips of the loops around."""
        return isinstance(e, Num) or isinstance(e, Var) and e.name in self.lasting

    def assign(self, name: str, x: Number) -> Number:
        """Bind a variable that is bound more than once."""
        known = self.sorts.get(name, x.sort)
        if {known, x.sort} == {
            "py",
            "f4",
        }:  # a sum that begins as 0.0 takes the precision of its terms
            self.sorts[name] = "f4"
            if x.sort == "py" and not precision.is_exact(x.expr):
                raise self.refused(f"`{name}`, which is a number of several precisions")
            x = Number(precision.cast(x.expr, None, "f4"), "f4")
        elif known != x.sort and {"bool", "np int", "f4"} & {known, x.sort}:
            raise self.refused(f"`{name}`, which is a number of several sorts")
        self.sorts[name] = join(self.sorts.get(name, x.sort), x.sort)
        self.is_resorted |= self.sorts[name] != known
        self.emit(Assign(name, x.expr))
        return variable(name, x.sort)

    def joined_sort(self, x: Value) -> Value:
        """Return a number as it is where control comes to from several places: of any of its sorts."""
        if isinstance(x, Number) and isinstance(x.expr, Var) and x.expr.name in self.sorts:
            return Number(x.expr, self.sorts[x.expr.name])
        return x

    def form(self, x: Value, what: str = "an index") -> Affine:
        """Return an integer as a linear form of what does not change."""
        if not isinstance(x, Number) or not x.is_whole:
            raise self.refused(f"{what} that is no integer")
        stable = self.frozen(x)
        if stable.form is not None:
            return stable.form
        assert isinstance(stable.expr, Var)
        return symbol(stable.expr.name)

    def product(self, a: Affine, b: Affine) -> Affine | None:
        """Return the product of sizes that are known at entry, as a symbol of its own."""
        extents = self.extents
        if not (a.symbols | b.symbols) <= extents.entry.keys():
            return None
        return self._at_entry(
            Op("*", (Whole(a), Whole(b))), extents.likely(a) * extents.likely(b), least=1
        )

    def quotient(self, a: Affine, b: Affine) -> Affine | None:
        """Return the integral quotient of what is known at entry, as a symbol of its own."""
        extents = self.extents
        a, b = extents.canonical(a), extents.canonical(b)
        if not (a.symbols | b.symbols) <= extents.entry.keys():
            return None
        if not (extents.follows_at_entry(a) and extents.follows_at_entry(b - 1)):
            return None
        likely = extents.likely(a) // max(extents.likely(b), 1)
        return self._at_entry(Op("//", (Whole(a), Whole(b))), likely, least=0)

    def _at_entry(self, value: Op, likely: int, least: int) -> Affine:
        """Return the symbol of an integer that is computed at entry."""
        for name, known in self.program.quotients:
            if known == value:
                return symbol(name)
        name = self.fresh()
        self.program.quotients.append((name, value))
        self.extents.least[name], self.extents.sample[name] = least, likely
        return symbol(name)

    def check(self, test: Expr, error: str, message: str) -> None:
        """Write a test of which the NumPy text runs if it fails."""
        self.emit(Check(test, error, message))

    # Arrays

    def made(self, dims: Sequence[Affine], dtype: str = "f8", hint: str | None = None) -> Array:
        """Make a block, of which no entry is written yet."""
        for dim in dims:
            self.extents.demand_positive(dim)
        name = self.fresh(hint)
        self.program.arrays[name], self.program.dtypes[name] = tuple(dims), dtype
        self.copies.made_in[name] = len(self.loops)
        if not self.loops:
            self.lasting.add(name)
        self.allocs[name] = Alloc(name, tuple(dims), dtype)
        self.emit(self.allocs[name])
        return whole_block(name, tuple(dims), dtype, fresh=True)

    def uniform(self, x: Number, dims: tuple[Affine, ...]) -> Array:
        """Return an array all of whose entries are one number, which lies nowhere."""
        dtype = precision.precision_of(x)
        return Array(None, (), dims, dtype, uniform=self.frozen(x, "t").expr)

    def over(
        self, dims: Sequence[Affine], body: Callable[[tuple[Affine, ...]], list[Stmt]]
    ) -> None:
        """Write loops over all positions; axes of size 1 need none."""
        variables = [self.names.fresh("_i") for _ in dims]
        index = tuple(
            Affine() if dim == Affine(1) else symbol(v)
            for v, dim in zip(variables, dims, strict=True)
        )
        inner = body(index)
        for s in inner:
            s.line = self.line
        for v, dim in reversed(list(zip(variables, dims, strict=True))):
            if dim != Affine(1):
                inner = [Loop(v, Affine(), dim, inner, line=self.line)]
        self.out.extend(inner)

    def pointwise(
        self, formula: Formula, operands: Sequence[Value], dtype: str | None = None
    ) -> Array:
        """Compute an array entry by entry from arrays and numbers; floats in their joint precision."""
        arrays = [x for x in operands if isinstance(x, Array)]
        dims = self.broadcast([a.dims for a in arrays])
        scalars = [self.frozen(x, "t") if isinstance(x, Number) else x for x in operands]
        floats = self.precision(operands)
        result = self.made(dims, dtype or floats)

        def body(index: tuple[Affine, ...]) -> list[Stmt]:
            value = formula(*(self.float_entry(x, index, dims, floats) for x in scalars))
            if floats == "f4":
                value = precision.with_single_constants(value)
            return [Store(cell_of(result.at(index)), value)]

        self.over(dims, body)
        return result

    def precision(self, operands: Sequence[Value]) -> str:
        """Return the precision in which NumPy computes with operands."""
        try:
            return precision.of_operands(operands)
        except NotLowered as refusal:
            raise self.refused(refusal.reason) from None

    def float_entry(
        self, x: Value, index: tuple[Affine, ...], dims: Sequence[Affine], floats: str
    ) -> Expr:
        """Return the entry of an operand; if it is a float, in a precision."""
        entry, dtype = self.entry(x, index, dims), precision.demanded(x)
        return entry if dtype in ("i", "b") else precision.cast(entry, dtype, floats)

    def broadcast(self, shapes: Sequence[tuple[Affine, ...]]) -> tuple[Affine, ...]:
        """Return the shape to which several are broadcast, and demand that they can be."""
        rank = max(map(len, shapes))
        one = Affine(1)
        made: list[Affine] = [one] * rank
        for shape in shapes:
            for k, dim in enumerate(shape, rank - len(shape)):
                if made[k] == one:
                    made[k] = dim
                elif dim != one:
                    self.demand_equal(made[k], dim)
        return tuple(made)

    def demand_equal(self, a: Affine, b: Affine) -> None:
        """Demand that sizes are equal where arrays meet."""
        try:
            self.extents.demand_equal(a, b)
        except NotLowered as refusal:
            raise self.refused(refusal.reason) from None

    def check_equal(self, a: Affine, b: Affine) -> None:
        """Demand that integers are equal at entry, or check it here."""
        form = self.extents.canonical(a - b)
        if form.is_const or form.symbols <= self.extents.entry.keys():
            self.demand_equal(a, b)
        else:
            self.check(Op("==", (Whole(a), Whole(b))), "ValueError", "lengths that differ")

    def entry(self, x: Value, index: tuple[Affine, ...], dims: Sequence[Affine]) -> Expr:
        """Return the entry of an operand that goes into an entry of a broadcast result."""
        if isinstance(x, Number):
            return x.expr
        if not isinstance(x, Array):
            raise self.refused("an operand that is no number and no array")
        own = index[len(index) - len(x.dims) :] if x.dims else ()
        one = Affine(1)
        return x.at(tuple(Affine() if d == one else i for i, d in zip(own, x.dims, strict=True)))

    def store(self, target: Array, value: Value, sign: str = "") -> None:
        """Store into all entries of an array, or add to them: what is stored may overlap with it."""
        if target.base is None:
            raise self.refused("a store into what cannot be written")
        self.demand_writable(target)
        self.touch(target.base)
        self.fill(target, value, sign)

    def fill(self, target: Array, value: Value, sign: str = "") -> None:
        """Write all entries of an array, or add to them."""
        if isinstance(value, Array):
            value = self.apart(value, target)
            if len(value.dims) > len(target.dims):
                raise self.refused("a store of an array of more axes")
            for mine, theirs in zip(reversed(target.dims), reversed(value.dims), strict=False):
                if theirs != Affine(1):
                    self.demand_equal(mine, theirs)
        elif isinstance(value, Number):
            value = self.frozen(value, "t")
        source = value
        self.over(
            target.dims,
            lambda index: [
                self.stored(
                    cell_of(target.at(index)), self.entry(source, index, target.dims), source, sign
                )
            ],
        )

    def stored(self, cell: Cell, value: Expr, source: Value, sign: str = "") -> Store:
        """Return the store of an entry of `source` into a cell, in the precision of the cell.

        What is added in double precision is added so, and the sum is brought to single.
        """
        dtype, theirs = self.program.dtypes[cell.array], precision.demanded(source)
        if dtype not in precision.FLOATS:
            return Store(cell, value, sign)
        if sign and dtype == "f4" and theirs in ("f8", "either"):
            exact = Op(sign, (precision.cast(cell, "f4", "f8"), value))
            return Store(cell, precision.cast(exact, "f8", "f4"))
        return Store(cell, precision.cast(value, theirs, dtype), sign)

    def apart(self, value: Array, target: Array) -> Array:
        """Copy what overlaps with the target otherwise than entry by entry."""
        if value.base != target.base or (value.axes == target.axes and value.dims == target.dims):
            return value
        return self.copied(value)

    def copied(self, value: Array) -> Array:
        """Copy an array into a block of its own."""
        return self.pointwise(lambda x: x, [value], value.dtype)

    def demand_writable(self, x: Array) -> None:
        """Refuse a store that NumPy refuses."""
        if x.read_only:
            raise self.refused("a store into what is read only")

    def touch(self, base: str) -> None:
        """Note that a block is stored into."""
        if not self.copies.may_store(base, self.trips):
            raise self.refused("a store into an array that another name stands for, too")
        if base in self.outside:
            raise self.refused(f"a store into `{base}`, which is an array outside of the function")
        self.copies.stored_in.setdefault(base, []).append(tuple(self.loops))
        if base in self.program.parameters:
            self.program.stored.add(base)

    def note_copy(self, value: Array, block: Array) -> None:
        """Note that a block stands for an array from here on."""
        if value.base is not None and block.base is not None:
            self.copies.note_copy(value.base, block.base)

    def seal(self, x: Array) -> None:
        """Refuse stores into an array from here on: a copy of it stands for it elsewhere."""
        assert x.base is not None
        if not self.copies.seal(x.base, self.loops):
            raise self.refused("a store into an array that another name stands for, too")

    def reduced(self, x: Array, axes: Sequence[int], how: str, start: Expr) -> Value:
        """Reduce along axes: the result has the others, or is a number where there are none."""
        kept = [k for k in range(len(x.dims)) if k not in axes]
        if not kept:
            return self._reduced_to_number(x, how, start)
        dims = tuple(x.dims[k] for k in kept)
        result = self.made(dims, x.dtype if x.dtype != "b" else "f8")
        start = precision.cast(start, None, result.dtype)
        self.over(dims, lambda index: [Store(cell_of(result.at(index)), start)])

        def body(index: tuple[Affine, ...]) -> list[Stmt]:
            target = cell_of(result.at(tuple(index[k] for k in kept)))
            return [Reduce(target, how, numeric(x.at(index), x.dtype), dtype=result.dtype)]

        self.over(x.dims, body)
        return result

    def _reduced_to_number(self, x: Array, how: str, start: Expr) -> Number:
        name = self.fresh()
        self.mutable.add(name)
        dtype = "f4" if x.dtype == "f4" else "f8"
        self.emit(Assign(name, precision.cast(start, None, dtype)))
        self.over(
            x.dims,
            lambda index: [Reduce(Var(name), how, numeric(x.at(index), x.dtype), dtype=dtype)],
        )
        self.mutable.discard(name)  # from here on nobody binds it
        if not self.loops:
            self.lasting.add(name)
        return Number(Var(name), precision.sort_of(dtype))
