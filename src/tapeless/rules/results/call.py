"""One call, as the kind of its result is worked out: what the kinds of its arguments say."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import (
    RANGE,
    Array,
    Dict,
    Dim,
    Dtype,
    Inert,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Regions,
    Sequence,
    Size,
    Tuple,
    dtype_code,
    some_number,
)
from tapeless.ranks import dims_of, dtype_of, promote, scalar

Keywords = Mapping[str, Kind]


MISSING_ARGUMENT = Inert("missing")


class Call:
    """One call as its kind is worked out: arguments, the program point, the fresh region.

    The `axes` of the caller's arguments are those whose sizes decide the kind.
    """

    def __init__(
        self, args: list[Kind], keywords: Keywords, point: Hashable, region: Regions
    ) -> None:
        self.args = args
        self.keywords = keywords
        self.point = point
        self.region = region
        self.axes: frozenset[tuple[int, int]] = frozenset()

    def argument(self, position: int, key: str) -> Kind:
        """Return an argument by position or keyword, or the kind that says that it is missing."""
        if position < len(self.args):
            return self.args[position]
        return self.keywords.get(key, MISSING_ARGUMENT)

    @property
    def first(self) -> Kind:
        """The first argument, or the kind that says that all are given by keyword."""
        return self.args[0] if self.args else MISSING_ARGUMENT

    def array(self, dims: tuple[Dim, ...], dtype: str = "f8") -> Kind:
        """Return a new array of known rank, or a scalar for rank 0: NumPy computes scalars."""
        return Array(dims, dtype, self.region) if dims else scalar(dtype)

    def array_like(self, x: Kind, dims: tuple[Dim, ...], dtype: str) -> Kind:
        """Return what is moved or copied, not computed: of an array of rank 0 that is an array."""
        return Array(dims, dtype, self.region) if isinstance(x, Array) else self.array(dims, dtype)

    def size(self, *parts: Hashable) -> Size:
        """Return a dimension of which nothing is known."""
        return Size((self.point, *parts))

    @property
    def unknown(self) -> Number:
        """A number of unknown rank, made here, complex where an argument is or a dtype asks for it."""
        given = [*self.args, *self.keywords.values()]
        made = some_number(self.region, *given)
        asked = dtype_argument(self, len(self.args)) or ""
        return self.unknown_complex if asked[:1] == "c" or _asks(given) else made

    @property
    def unknown_complex(self) -> Number:
        """A number of unknown rank, made here, that may be complex where no argument is."""
        return Number(self.region, may_be_complex=True)


def _asks(given: list[Kind]) -> bool:
    """Whether one of the arguments is the dtype of complex numbers."""
    codes = [kind.code for kind in given if isinstance(kind, Dtype)]
    values = [kind.value for kind in given if type(kind) is Inert]
    asked = any(is_one_of(value, (complex, np.complex128, np.complex64)) for value in values)
    return asked or any(code[0] == "c" for code in codes)


KindOf = Callable[[Call], Kind]


def length(kind: Kind, call: Call, *parts: Hashable) -> Dim:
    """Return the length of an axis that an argument says."""
    value = kind.value if isinstance(kind, Integer) else None
    given = isinstance(value, Size) or (isinstance(value, int) and value >= 0)
    return value if given and value is not None else call.size(*parts)


def shape_literal(kind: Kind, call: Call) -> tuple[Dim, ...] | None:
    """Read the dimensions out of a shape argument."""
    if isinstance(kind, Integer):
        return (call.size(0) if kind.value is None or kind.value == -1 else kind.value,)
    if isinstance(kind, Tuple):
        parts = [shape_literal(item, part_of_call(call, i)) for i, item in enumerate(kind.items)]
        return tuple(p[0] for p in parts if p) if all(parts) else None
    if isinstance(kind, Array) and len(kind.dims) == 1 and isinstance(kind.dims[0], int):
        return tuple(call.size(i) for i in range(kind.dims[0]))
    return None


def part_of_call(call: Call, part: Hashable) -> Call:
    """Return the call with a program point of its own for one part of its result."""
    return Call(call.args, call.keywords, (call.point, part), call.region)


def dtype_argument(call: Call, position: int = 1) -> str | None:
    """Return the code of the dtype that is asked for, None where none is.

    A dtype of which nothing is known may be that of complex numbers; one that is spelled out as a list
    is that of records.
    """
    given = call.argument(position, "dtype")
    if isinstance(given, Dtype):
        return given.code
    if isinstance(given, (List, Tuple, Dict)):
        return "V"
    if isinstance(given, Inert):
        if given.what in ("None", "missing"):
            return None
        if given.value is not None:
            try:
                return dtype_code(given.value)
            except TypeError:
                return "c?"
    value = getattr(given, "value", None)
    if (
        is_one_of(value, (float, int, bool, complex))
        or isinstance(value, type)
        and is_concrete(value)
    ):
        return dtype_code(value)
    return "c?"


def is_concrete(cls: type) -> bool:
    """Whether a class is that of scalars of one dtype of NumPy's."""
    return issubclass(cls, np.generic) and np.dtype(cls).type is cls


def item_kind(kind: Kind, call: Call) -> Kind | None:
    """Return the kind of the items of a tuple or range, or of a list whose contents were put in its place."""
    if kind == RANGE:
        return Integer()
    if isinstance(kind, Sequence):
        return kind.item
    if isinstance(kind, Tuple) and kind.items:
        first = kind.items[0]
        if all(isinstance(row, (Tuple, Sequence)) for row in kind.items):
            return _row_kind(kind.items, call)
        same = all(type(i) is type(first) and dims_of(i) == dims_of(first) for i in kind.items)
        if same or all(isinstance(i, (Real, Integer)) for i in kind.items):
            found = next((i for i in kind.items if isinstance(i, Real)), first)
            codes = [dtype_of(i) for i in kind.items if isinstance(i, (Real, Array))]
            if isinstance(found, (Real, Array)) and set(codes) != {found.dtype}:
                return replace(found, dtype=promote(codes, [False] * len(codes)))
            return found
        ranks = {None if (d := dims_of(i)) is None else len(d) for i in kind.items}
        if len(ranks) == 1 and None not in ranks:
            (n,) = ranks
            code = promote([dtype_of(i) for i in kind.items], [False] * len(kind.items))
            return Array(tuple(call.size("items", i) for i in range(n or 0)), code)
    return None


def _row_kind(rows: tuple[Kind, ...], call: Call) -> Kind | None:
    """Return the kind of what each of some rows is: its items are what the items of all rows may be."""
    parts = [row.items if isinstance(row, Tuple) else (row.item,) for row in rows]  # type: ignore[attr-defined]
    item = item_kind(Tuple(sum(parts, ())), call)
    if item is None:
        return None
    counted = next((row for row in rows if isinstance(row, Tuple)), None)
    return Sequence(item) if counted is None else Tuple((item,) * len(counted.items))


def promoted(call: Call) -> str:
    """Return the dtype of a product of the first two arguments."""
    codes = [dtype_of(kind) for kind in call.args[:2]]
    return promote(codes, [False] * len(codes))
