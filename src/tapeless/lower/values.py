"""What a name stands for while a function is lowered.

The function is run once on these values, and what has to happen when it runs for good is written down as
loops. So tuples, slices, ranges and functions are there only now. An array is an index into memory: the
name of a block, and for each axis of that block a linear form in the positions along the array's own
axes. A view is the same block with other forms, so a view of what changes later is right by construction.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tapeless.lower.affine import Affine, symbol
from tapeless.lower.loops import Cell, Expr, Num, Stmt, Var, Whole

Sort = Literal["int", "bool", "py", "np", "f4", "either", "np int"]


@dataclass(frozen=True)
class Number:
    """A number: how to compute it, and whose arithmetic it follows.

    `sort` is "int" or "py" for numbers of Python's, "np", "f4" and "np int" for NumPy's in double and
    single precision and integers, "bool" for truth values, and "either" for a float of which it is not
    known. Division by zero is an error of the first two alone.
    """

    expr: Expr
    sort: Sort

    @property
    def form(self) -> Affine | None:
        """The linear form that an integer equals, where it has one."""
        if isinstance(self.expr, Whole):
            return self.expr.form
        if isinstance(self.expr, Num) and type(self.expr.value) is int:
            return Affine(self.expr.value)
        return None

    @property
    def is_whole(self) -> bool:
        """Whether it is an integer."""
        return self.sort in ("int", "np int")


@dataclass(frozen=True)
class Array:
    """An array: the block that it lies in, where, and its sizes.

    Attributes
    ----------
    base
        The name of the block; None where all entries are one number, `uniform`.
    axes
        For each axis of the block a linear form in `axis(0)`, `axis(1)`, ...
    dims
        The sizes.
    dtype
        "f8", "f4", "b" or "i".
    fresh
        Whether the function made it and it is the whole block.
    uniform
        The number that all entries are.
    read_only
        Whether NumPy lets nobody store into it.
    """

    base: str | None
    axes: tuple[Affine, ...]
    dims: tuple[Affine, ...]
    dtype: str = "f8"
    fresh: bool = False
    uniform: Expr | None = None
    read_only: bool = False

    def at(self, index: tuple[Affine, ...]) -> Expr:
        """Return the entry at an index."""
        if self.base is None:
            assert self.uniform is not None
            return self.uniform
        put = {axis_key(k): form for k, form in enumerate(index)}
        return Cell(self.base, tuple(form.put(put) for form in self.axes))


def axis_key(k: int) -> str:
    """Return the symbol for the position along an axis."""
    return f"@{k}"


def axis(k: int) -> Affine:
    """Return the position along an axis as a linear form."""
    return symbol(axis_key(k))


def whole_block(
    base: str, dims: tuple[Affine, ...], dtype: str = "f8", fresh: bool = False
) -> Array:
    """Return the array that is a whole block."""
    return Array(base, tuple(map(axis, range(len(dims)))), dims, dtype, fresh)


@dataclass(frozen=True)
class Masked:
    """The entries of an array where a mask holds along its first axes, which stay at their places.

    Attributes
    ----------
    values
        An array of which nobody reads the other entries.
    mask
        Truth values.
    """

    values: Array
    mask: Array


@dataclass(frozen=True)
class Items:
    """A tuple, or a list that nobody changes."""

    items: tuple[Value, ...]


class Display(Items):
    """A list that nobody changes: as an index it is an array of places, where a tuple is one place."""


class Places(Items):
    """A vector of integers that are known, such as the shifts of `np.roll`; not a tuple."""


@dataclass(eq=False)
class Listed:
    """A list of which it is known at every place what it holds.

    Attributes
    ----------
    items
        What it holds now.
    level
        The number of loops and branches around the place where it was made.
    """

    items: list[Value]
    level: int


@dataclass(frozen=True)
class Known:
    """Something that is known now: None, a text, a dtype, a module, a function."""

    value: Any


@dataclass(frozen=True)
class Label:
    """A text that is given: loops that read it are written for what it says now."""

    value: str


@dataclass(frozen=True)
class Maybe:
    """What is a number or an array on some ways to a place, and None on others.

    Attributes
    ----------
    value
        What it is where it is not None.
    there
        The test that it is not.
    is_unbound
        Whether it is a name that is not bound on the other ways.
    """

    value: Value
    there: Expr
    is_unbound: bool = False


@dataclass(frozen=True)
class Span:
    """`range(start, stop, step)`, with a step of 1 or -1."""

    start: Affine
    stop: Affine
    step: int = 1

    @property
    def reversed(self) -> Span:
        """The same numbers from the last to the first."""
        if self.step == 1:
            return Span(self.stop - 1, self.start - 1, -1)
        return Span(self.stop + 1, self.start + 1, 1)

    @property
    def length(self) -> Affine:
        """How many numbers it holds, if that is not negative."""
        return (self.stop - self.start) * self.step

    def place(self, var: Affine) -> Affine:
        """Return which of the numbers one is, counted from 0."""
        return (var - self.start) * self.step


@dataclass(frozen=True)
class Iterated:
    """What a loop runs over besides a range: "zip", "enumerate", "reversed" of other values."""

    how: str
    of: tuple[Value, ...]


@dataclass(frozen=True)
class Trip:
    """A loop of the user's around a place, or a branch, which has no variable.

    Attributes
    ----------
    var
        The variable of the loop.
    span
        The numbers that it runs over at most, where they are known.
    is_each
        Whether each trip comes to this place once.
    """

    var: str
    span: Span | None = None
    is_each: bool = False


@dataclass(eq=False)
class Stack:
    """A list that is filled in one nest of loops and emptied in another: rows of blocks.

    Attributes
    ----------
    name
        Its name, by which its blocks are named.
    level
        The number of loops and branches around the place where it was made.
    place
        What stands for the row in `items`.
    top
        The variable that counts its rows, where they are not those of the trips.
    items
        What is kept in a row.
    rows
        The blocks that hold it.
    integers
        Of views that are kept: what stands for an integer in `items`, and the block that holds it.
    filled_by
        The loops that fill it.
    taken
        In how many places it is emptied.
    is_whole
        Whether it was made at once, of cotangents, and no loop fills it.
    made_by
        The display that made it, by identity.
    ahead
        The items that it begins with, before a loop fills it.
    beginning
        The block in which these are written into rows, where the list began.
    """

    name: str
    level: int
    place: str
    made_by: int = 0
    top: str | None = None
    items: list[Value] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    integers: dict[str, Cell] = field(default_factory=dict)
    filled_by: tuple[Trip, ...] = ()
    taken: int = 0
    is_whole: bool = False
    ahead: tuple[Value, ...] = ()
    beginning: list[Stmt] = field(default_factory=list)


@dataclass(eq=False)
class Shadows:
    """An `AdjointMemory`: the block of the adjoint for each block, made at a place in the text."""

    out: list[Stmt]
    place: int
    found: dict[str, str] = field(default_factory=dict)


@dataclass(eq=False)
class Cotangents:
    """A list of as many zeros as another list has items, which cotangents are added to.

    Attributes
    ----------
    name
        Its name, which its block has.
    count
        How many items it has.
    label
        What it is known by when the function is run again.
    out, place
        Where it is made in the text.
    block
        The rows, once something was put into one.
    taken
        In how many places it is emptied.
    is_read
        Whether a loop or a branch read an item while there were no rows.
    """

    name: str
    count: Affine
    label: str
    out: list[Stmt]
    place: int
    block: Array | None = None
    taken: int = 0
    is_read: bool = False


Value = (
    Number
    | Array
    | Masked
    | Items
    | Listed
    | Known
    | Label
    | Maybe
    | Span
    | Iterated
    | Stack
    | Shadows
    | Cotangents
)


def number(value: float | int | bool) -> Number:
    """Return a literal number."""
    if isinstance(value, bool):
        return Number(Num(value), "bool")
    if isinstance(value, int):
        return Number(Whole(Affine(value)), "int")
    return Number(Num(value), "py")


def whole(form: Affine) -> Number:
    """Return a linear form as one of Python's integers."""
    return Number(Whole(form), "int")


def variable(name: str, sort: Sort) -> Number:
    """Return a variable as a number."""
    if sort == "int":
        return Number(Whole(symbol(name)), "int")
    return Number(Var(name), sort)


def zero_like(x: Number) -> Number:
    """Return a zero of the sort of a number."""
    zero = False if x.sort == "bool" else 0 if x.is_whole else 0.0
    return Number(Num(zero, single=x.sort == "f4"), x.sort)


def join(a: Sort, b: Sort) -> Sort:
    """Return the sort of what is one of two."""
    return a if a == b else "either"


def with_axis(x: Array, place: int) -> Array:
    """Return an array with an axis of size 1 more.

    Examples
    --------
    >>> x = whole_block("x", (Affine(3),))
    >>> print(with_axis(x, 0).at((Affine(0), symbol("i"))).index[0])
    i
    """
    put = {f"@{k}": axis(k + (k >= place)) for k in range(len(x.dims))}
    axes = tuple(form.put(put) for form in x.axes)
    dims = (*x.dims[:place], Affine(1), *x.dims[place:])
    return replace(x, axes=axes, dims=dims, fresh=False)
