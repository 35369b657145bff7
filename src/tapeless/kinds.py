"""The kind of a value: what the tool knows of it before it exists.

A kind says whether a value can carry a derivative and of what shape. Sizes are symbols: a dimension
is a literal, or a named symbol less a cut (`n - 2` is what `u[1:-1]` leaves of `n`), so that two
shapes can be proved equal without being known. Two dimensions of one operation are equal where
neither can be 1, or it would have raised; so it is known of a symbol how much can be cut off before
a 1 may be left. Kinds of mutable things (arrays, lists, dicts, instances) also carry *regions*: the
program points at which the thing can have been made. Two names can share memory only if their
regions meet.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tapeless.details import Text

Region = tuple[Hashable, ...]
Regions = frozenset[Region]
RegionsOf = Callable[["Kind"], Regions]
NOWHERE: Regions = frozenset()


@dataclass(frozen=True)
class Count:
    """The number that a dimension is for arguments with these axes: each is `(position, axis)`.

    A text that rests on it serves only arguments whose axes have the same sizes.
    """

    number: int
    axes: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Size:
    """A dimension `max(symbol - cut, 0)`, where the symbol is 0 or at least `least`.

    Where the symbol is that of a short axis of an argument, `count` says how long it is.
    """

    symbol: Hashable
    cut: int = 0
    least: int = 1
    count: Count | None = None

    @property
    def broadcastable(self) -> bool:
        """Whether it may be 1."""
        return self.least - self.cut < 2


Dim = int | Size


def count_of(dim: Dim) -> Count | None:
    """Return the number that a dimension is, and the axes of arguments that say so."""
    if isinstance(dim, int):
        return Count(dim)
    return dim.count and replace(dim.count, number=max(dim.count.number - dim.cut, 0))


def not_one(dim: Dim) -> bool:
    """Whether a dimension is known not to be 1."""
    return dim != 1 if isinstance(dim, int) else not dim.broadcastable


@dataclass(frozen=True)
class Kind:
    """What is known of a value; this class itself says: nothing.

    Attributes
    ----------
    may_be
        The classes of the objects that a value of which nothing is known may be, among others.
    among
        The regions that a value of which nothing is known may live in, among others.
    """

    may_be: frozenset[type] = field(default=frozenset(), compare=False, repr=False, kw_only=True)
    among: Regions = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Unreached(Kind):
    """The kind of what no path has defined yet, or of a mark that stands for it."""

    is_mark: bool = False


@dataclass(frozen=True)
class Inert(Kind):
    """A value without derivative that is no array and holds none: bool, str, None, dtype, module ..."""

    what: str = "inert"
    value: Any = field(default=None)
    text: Text | None = field(default=None, kw_only=True)  # what it says for the arguments at hand


@dataclass(frozen=True)
class Dtype(Inert):
    """The dtype of a number, by its code."""

    what: str = "dtype"
    code: str = "c?"


@dataclass(frozen=True)
class Opaque(Inert):
    """A value without derivative of which nothing is known but its class, if that: perhaps an array.

    What it holds is not known either.
    """

    what: str = "something"
    cls: type = object


@dataclass(frozen=True)
class Member(Inert):
    """A member of an enumeration that adds no code; which one is not known."""

    cls: type = object


@dataclass(frozen=True)
class Integer(Kind):
    """An integer, with its value or the symbol that it equals where known.

    One that may be `of_numpy` is no `int` then, and one that `may_be_truth` is True or False on some way.
    """

    value: Dim | None = None
    of_numpy: bool = False
    may_be_truth: bool = False


@dataclass(frozen=True)
class Real(Kind):
    """A Python or NumPy real (or complex) number; `dtype` is "f8", "f4", "c16", "c?" or "?".

    It `may_be_integer` where another way gives one: its class is asked when the program runs.
    """

    dtype: str = "f8"
    may_be_integer: bool = False


@dataclass(frozen=True)
class Array(Kind):
    """An array of known rank; dtype as for `Real`, and "i" (integers), "b" (booleans), "O"."""

    dims: tuple[Dim, ...]
    dtype: str = "f8"
    regions: Regions = NOWHERE


@dataclass(frozen=True)
class Sparse(Kind):
    """A sparse array of SciPy's, or a matrix, for which `*` is the product of matrices.

    Its adjoint is an array of its stored entries. They may share memory with what lives in the regions.
    """

    dims: tuple[Dim, ...]
    dtype: str = "f8"
    format: str = ""
    is_matrix: bool = False
    regions: Regions = NOWHERE


@dataclass(frozen=True)
class Number(Kind):
    """A number or a float array, which one is not known; real unless it `may_be_complex`.

    It `is_scalar_on_a_way` where it was joined from a scalar and an array, or is computed from such, and
    has `most_dims` dimensions at most where that is known. With an `operand` it is of that kind, or None,
    or an array of rank 0 for a scalar: what is computed with it is computed with the operand, whose
    regions are those of the number.
    """

    regions: Regions = NOWHERE
    may_be_complex: bool = False
    is_scalar_on_a_way: bool = False
    operand: Real | Array | None = None
    most_dims: int | None = None


@dataclass(frozen=True)
class Tuple(Kind):
    """A tuple, or perhaps None; `cls` is the class of a named tuple.

    The items at the places that are `still` carry no derivative, whatever the others do.
    """

    items: tuple[Kind, ...]
    cls: type = tuple
    or_none: bool = False
    still: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Sequence(Kind):
    """A tuple of unknown length whose items are alike, or a list that a library made."""

    item: Kind
    may_be_list: bool = False


@dataclass(frozen=True)
class Iterator(Kind):
    """What is visited item by item, once, and whose items carry no derivative."""

    item: Kind


@dataclass(frozen=True)
class List(Kind):
    """A list, or perhaps None; what its slots hold is looked up by its regions."""

    regions: Regions
    or_none: bool = False


@dataclass(frozen=True)
class Dict(Kind):
    """A dict, or perhaps None; what its slots hold is looked up by its regions.

    Where it `fills_gaps`, reading an entry that is missing makes one, as in a `defaultdict`; where it
    `counts`, such an entry reads as 0 and is not made, as in a `Counter`.
    """

    regions: Regions
    or_none: bool = False
    fills_gaps: bool = False
    counts: bool = False


@dataclass(frozen=True)
class Instance(Kind):
    """An object of a class written in Python; its attributes are looked up by its regions.

    Where it is of one of several classes they are its `choices`, and `cls` is `Several`; so, too, where
    one of the `functions` may stand in its place: a list of layers holds both. Or None may stand there.
    """

    cls: type
    regions: Regions
    choices: tuple[type, ...] = ()
    functions: frozenset[Function] = frozenset()
    or_none: bool = False

    @property
    def alternatives(self) -> list[Instance]:
        """The same object for each of the classes that it may be of."""
        return [Instance(cls, self.regions) for cls in self.choices or [self.cls]]


@dataclass(frozen=True)
class Foreign(Kind):
    """A value of a class that gives its operators a meaning of its own, or an array of objects.

    It is left as it is.
    """

    cls: type
    dtype: str = ""


class Several:
    """Stands for the class of an object that is of one of several classes: it has no attributes."""


@dataclass(frozen=True)
class Function(Kind):
    """A callable known by identity; `captured` are the names a local function closes over.

    It is `settled` if each of these is bound once and for all: what they hold can be taken along.
    With `again` nothing is kept of a call for the derivative: `recompute_grad` was applied to it.
    """

    value: Any
    captured: tuple[str, ...] = ()
    again: bool = False
    settled: bool = field(default=False, compare=False)

    def __hash__(self) -> int:
        own = self.value if isinstance(self.value, Hashable) else id(self.value)
        return hash((own, self.captured, self.again))

    @property
    def is_told_by_identity(self) -> bool:
        """Whether the function can be asked for where it is not defined: it is not a local one."""
        return callable(self.value) and not self.captured and not self.again


@dataclass(frozen=True)
class Memory(Kind):
    """The adjoint memory of a derivative that is differentiated again: a map from things to mirrors.

    The mirror of what lives in a region `r` lives in the region `("adjoint", r)`, so what the memory
    gives is known wherever the thing is, on both sides of a call. `varied` are the mirrors of which
    a callee is told that they vary.
    """

    varied: Regions = NOWHERE


@dataclass(frozen=True)
class Functions(Kind):
    """One of several functions, or perhaps None."""

    choices: frozenset[Function]
    or_none: bool = False

    @property
    def options(self) -> list[Function]:
        """The functions, in an order that only the text decides."""
        return in_order(self.choices)


def in_order(functions: Iterable[Function]) -> list[Function]:
    """List functions in an order that only the text decides."""
    return sorted(functions, key=_label_of)


def _label_of(function: Function) -> tuple[str, str, int, int]:
    value = function.value
    label = getattr(value, "__qualname__", getattr(value, "name", getattr(value, "__name__", "")))
    code = getattr(value, "__code__", value)
    line = getattr(code, "co_firstlineno", 0)
    return str(getattr(value, "__module__", "")), str(label), int(line), _column_of(code)


def _column_of(code: Any) -> int:
    """Return where on its lines a function begins, which tells two lambdas on one line apart."""
    positions = code.co_positions() if isinstance(code, types.CodeType) else ()
    return min((column for _, _, column, _ in positions if column), default=0)


UNKNOWN = Kind()
UNREACHED = Unreached()
PLACEHOLDER = Unreached(is_mark=True)
NONE = Inert("None")
BOOL = Inert("bool")
STR = Inert("str")
RANGE = Inert("range")
TEXT_OF_VARIED = Inert("text of what varies")
LOG = Inert("log")  # what writes messages
SETS = (Inert("set"), Inert("frozenset"))
CHANGING = (Inert(), Inert("set"), Inert("bytearray"))
SOMETHING = Opaque()
HASHABLE = Opaque("hashable")  # a member of a set: no set or array
REAL_LIMITS = Inert("limits of real numbers")  # what `np.finfo` gives
INTEGER_LIMITS = Inert("limits of integers")
GRAD = Inert("grad")  # the gradient function in the value of a custom gradient


def moving(kind: Kind) -> Kind:
    """Return the kind of what varies from now on as a whole, as an argument of a derivative does.

    Examples
    --------
    >>> moving(Tuple((Real(), Real()), still=frozenset({0}))).still
    frozenset()
    """
    if not isinstance(kind, Tuple):
        return kind
    return replace(kind, items=tuple(map(moving, kind.items)), still=frozenset())


def regions_of(kind: Kind) -> Regions:
    """Return the regions that a value of this kind may live in."""
    return getattr(kind, "regions", NOWHERE)


def regions_within(kind: Kind) -> Regions:
    """Return the regions that a value, or an item of a tuple, may live in."""
    has_items = isinstance(kind, (Tuple, Sequence))
    return NOWHERE.union(*alternatives_within(kind)) if has_items else regions_of(kind)


def regions_among(kind: Kind) -> Regions:
    """Return the regions that a value, or what it holds or visits, may live in, be it known or not."""
    parts = kind.items if isinstance(kind, Tuple) else ()
    parts = (kind.item,) if isinstance(kind, (Sequence, Iterator)) else parts
    return NOWHERE.union(regions_of(kind), kind.among, *map(regions_among, parts))


def alternatives_within(kind: Kind) -> list[Regions]:
    """Return the regions that a value may live in; those of each item, if it is a tuple."""
    if isinstance(kind, Tuple):
        return [regions for item in kind.items for regions in alternatives_within(item)]
    if isinstance(kind, Sequence):
        return alternatives_within(kind.item)
    return [regions_of(kind)]


_WITHOUT_DERIVATIVE = (Inert, Integer, Function, Functions, Iterator, Memory, Foreign, Unreached)


def differentiable(kind: Kind) -> bool:
    """Whether values of this kind can carry a derivative."""
    if isinstance(kind, (Array, Sparse)):
        return kind.dtype[0] in "fcO?"
    if isinstance(kind, Tuple):
        return any(differentiable(item) for item in kind.items)
    if isinstance(kind, Sequence):
        return differentiable(kind.item)
    if isinstance(kind, Number) and kind.operand is not None:
        return differentiable(kind.operand)
    return not isinstance(kind, _WITHOUT_DERIVATIVE)


def may_be_complex(kind: Kind) -> bool:
    """Whether a value of this kind may be complex; a number of unknown origin counts as real."""
    if isinstance(kind, (Real, Array, Sparse)):
        return kind.dtype[0] == "c"
    if isinstance(kind, Tuple):
        return any(map(may_be_complex, kind.items))
    if isinstance(kind, Sequence):
        return may_be_complex(kind.item)
    return kind == UNKNOWN or isinstance(kind, Number) and kind.may_be_complex


def some_number(regions: Regions, *of: Kind) -> Number:
    """Return the kind of a number or array of unknown rank that is computed from others."""
    return Number(regions, any(map(may_be_complex, of)))


def is_listed(kind: Kind) -> bool:
    """Whether a value is a list, a tuple or a range."""
    return isinstance(kind, (List, Tuple, Sequence)) or kind == RANGE


def may_change(kind: Kind) -> bool:
    """Whether a value without derivative may be of a class whose values change in place: a set."""
    return kind != HASHABLE and (isinstance(kind, Opaque) or kind in CHANGING)


def is_no_array(kind: Kind) -> bool:
    """Whether a value surely is a scalar, or another thing that is no array.

    Examples
    --------
    >>> is_no_array(STR), is_no_array(Opaque()), is_no_array(UNKNOWN)
    (True, False, False)
    """
    plain = isinstance(kind, Inert) and not isinstance(kind, Opaque)
    return plain or isinstance(kind, (Real, Integer))


def is_truth(kind: Kind) -> bool:
    """Whether a value surely is a truth, known or not: a number, for arithmetic.

    Examples
    --------
    >>> is_truth(BOOL), is_truth(Inert("bool", True)), is_truth(NONE)
    (True, True, False)
    """
    return isinstance(kind, Inert) and kind.what == "bool"


def is_number(kind: Kind) -> bool:
    """Whether a kind is a scalar or an array (of known or unknown rank)."""
    return isinstance(kind, (Real, Array, Number, Integer)) or is_truth(kind)


def is_container(kind: Kind) -> bool:
    """Whether a kind has slots: a list, a dict or an instance."""
    return isinstance(kind, (List, Dict, Instance))


def is_structure(kind: Kind) -> bool:
    """Whether a value has parts with adjoints of their own: a container or a tuple."""
    return is_container(kind) or isinstance(kind, (Tuple, Sequence))


def functions_in(kind: Kind) -> list[Function]:
    """List the functions that a value is, may be or holds in a tuple."""
    if isinstance(kind, Tuple):
        return [found for item in kind.items for found in functions_in(item)]
    if isinstance(kind, Sequence):
        return functions_in(kind.item)
    if isinstance(kind, Functions):
        return kind.options
    return [kind] if isinstance(kind, Function) else []


def dtype_code(dtype: Any) -> str:
    """Return the short code of a NumPy dtype: f8, f4, c16, i, b, O, V (records), S (anything else)."""
    dtype = np.dtype(dtype)
    if dtype.kind in "fc":
        return f"{dtype.kind}{dtype.itemsize}"
    return {"i": "i", "u": "i", "b": "b", "O": "O", "V": "V"}.get(dtype.kind, "S")
