"""What is known of a value that is one of two: the join of their kinds.

    n = 0                       an integer
    while x > n:
        n = n + 0.5             a real number        ->      here `n` is a real number

What both kinds say holds, and what only one says is forgotten. Regions unite, because the thing may have been
made at either program point. A dimension that differs becomes a symbol of the point where the ways meet.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from tapeless.details import both
from tapeless.kinds import (
    BOOL,
    NONE,
    NOWHERE,
    SETS,
    SOMETHING,
    TEXT_OF_VARIED,
    UNKNOWN,
    UNREACHED,
    Array,
    Count,
    Dict,
    Dim,
    Function,
    Functions,
    Inert,
    Instance,
    Integer,
    Iterator,
    Kind,
    List,
    Number,
    Opaque,
    Real,
    Regions,
    Sequence,
    Several,
    Size,
    Sparse,
    Tuple,
    Unreached,
    count_of,
    is_listed,
    is_number,
    is_truth,
    may_be_complex,
    regions_among,
    regions_of,
    some_number,
)
from tapeless.ranks import may_be_integer, most_dims
from tapeless.sizes import least
from tapeless.texts import text_of


def join_dtypes(a: str, b: str) -> str:
    """Return the dtype code of what is one of two."""
    if a == b:
        return a
    return "c?" if "c" in (a[0], b[0]) else "?"


def join(a: Kind, b: Kind, point: Hashable) -> Kind:
    """Return the kind of a value that is of one of two kinds, at a program point."""
    alike = a is b or a == b
    if alike and (b.may_be or b.among):
        return _one_of(a, b)
    if alike or b == UNREACHED:
        return a
    if isinstance(a, Unreached):
        return b
    if isinstance(b, Unreached):
        return a
    if isinstance(a, Array) and isinstance(b, Array):
        return _join_arrays(a, b, point)
    if isinstance(a, Sparse) and isinstance(b, Sparse) and a.is_matrix == b.is_matrix:
        return _join_sparse(a, b, point)
    if isinstance(a, List) and isinstance(b, List):
        return List(a.regions | b.regions, a.or_none or b.or_none)
    if isinstance(a, Dict) and isinstance(b, Dict):
        fills = a.fills_gaps or b.fills_gaps
        counts = a.counts or b.counts
        return Dict(a.regions | b.regions, a.or_none or b.or_none, fills, counts)
    if isinstance(a, Instance) and isinstance(b, Instance):
        return _join_instances(a, b)
    if isinstance(a, (Function, Functions)) and isinstance(b, Instance):
        return _or_function(b, a)
    if isinstance(a, Instance) and isinstance(b, (Function, Functions)):
        return _or_function(a, b)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and a.cls is not b.cls:
        return _one_of(a, b)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        pairs = zip(a.items, b.items, strict=True)
        parts = tuple(join(p, q, (point, i)) for i, (p, q) in enumerate(pairs))
        return Tuple(parts, a.cls, a.or_none or b.or_none, a.still & b.still)
    if NONE in (a, b) and (_may_be_no_tuple(a) or _may_be_no_tuple(b)):
        return b if a == NONE else a
    if _may_be_no_tuple(a) or _may_be_no_tuple(b):
        return _one_of(a, b)
    if isinstance(a, (Tuple, Sequence)) and isinstance(b, (Tuple, Sequence)):
        lists = any(isinstance(k, Sequence) and k.may_be_list for k in (a, b))
        return Sequence(join(any_item(a, point), any_item(b, point), point), lists)
    if isinstance(a, Iterator) and isinstance(b, Iterator):
        return Iterator(join(a.item, b.item, point))
    if a == NONE or b == NONE:
        return _or_none(b if a == NONE else a)
    if isinstance(a, (Function, Functions)) and isinstance(b, (Function, Functions)):
        return Functions(_choices_of(a) | _choices_of(b), _may_be_none(a) or _may_be_none(b))
    if is_number(a) and is_number(b):
        return _join_numbers(a, b, point)
    if isinstance(a, (Inert, Integer)) and isinstance(b, (Inert, Integer)):
        return _join_inert(a, b)
    return _one_of(a, b)


def _or_none(other: Kind) -> Kind:
    """Return the kind of what is of another kind, or None."""
    if isinstance(other, (List, Dict, Instance)):
        return replace(other, or_none=True)
    if isinstance(other, (Function, Functions)):
        return Functions(_choices_of(other), or_none=True)
    if isinstance(other, Tuple) and _may_be_left_out(other):
        return replace(other, or_none=True)
    if isinstance(other, (Array, Number, Real)):
        return _number_or_none(other)
    if isinstance(other, (Inert, Integer)):
        return _join_inert(other, NONE)
    return _one_of(other, other)


def _join_inert(a: Kind, b: Kind) -> Kind:
    if TEXT_OF_VARIED in (a, b):
        return TEXT_OF_VARIED
    texts = [kind for kind in (a, b) if isinstance(kind, Inert) and kind.what == "str"]
    if len(texts) == 2:
        value = texts[0].value if texts[0].value == texts[1].value else None
        return Inert("str", value, text=both(*map(text_of, texts)))
    truths = all(isinstance(kind, Inert) and kind.what == "bool" for kind in (a, b))
    if any(isinstance(kind, Opaque) or kind in SETS for kind in (a, b)):
        return SOMETHING
    return BOOL if truths else Inert()


def _one_of(a: Kind, b: Kind) -> Kind:
    """Return the kind of what is one of two that have nothing in common."""
    classes = frozenset().union(*(classes_of(kind) | _class_of_items(kind) for kind in (a, b)))
    return Kind(may_be=classes, among=regions_among(a) | regions_among(b))


def _class_of_items(kind: Kind) -> frozenset[type]:
    """Return list or tuple where a value is one: operators join these, and compute with arrays."""
    if isinstance(kind, List) or isinstance(kind, Sequence) and kind.may_be_list:
        return frozenset([list])
    return frozenset([tuple] if isinstance(kind, (Tuple, Sequence)) else [])


def may_be_listed(kind: Kind) -> bool:
    """Whether a value is a list or tuple, or not known otherwise than as something that may be one."""
    return is_listed(kind) or bool(kind.may_be & {list, tuple})


def is_tuple(kind: Kind) -> bool:
    """Whether a value is a tuple for sure, be it of unknown length."""
    if isinstance(kind, Sequence):
        return not kind.may_be_list
    return isinstance(kind, Tuple) and not kind.or_none


def are_joined_tuples(a: Kind, b: Kind) -> bool:
    """Whether two tuples, added, make one of unknown length."""
    return is_tuple(a) and is_tuple(b) and Sequence in (type(a), type(b))


_DEPTH = 3  # of tuples that may be None, one within the other


def _may_be_left_out(kind: Tuple) -> bool:
    """Whether None can stand for a tuple: for one of which it is known what each item is.

    What a recursion returns holds what it returned before, or None: that must have an end.
    """
    return _is_known(kind) and _nones_within(kind) < _DEPTH


def _is_known(kind: Kind) -> bool:
    if isinstance(kind, Tuple):
        return all(map(_is_known, kind.items))
    return type(kind) is not Kind


def _nones_within(kind: Kind) -> int:
    """Count how deep the tuples of a kind that may be None are within each other."""
    if not isinstance(kind, Tuple):
        return 0
    return kind.or_none + max(map(_nones_within, kind.items), default=0)


def _may_be_no_tuple(kind: Kind) -> bool:
    return isinstance(kind, Tuple) and kind.or_none


def classes_of(kind: Kind) -> frozenset[type]:
    """Return the classes of the objects that a value may be, or hold as an item of a tuple."""
    if isinstance(kind, Instance):
        return frozenset(each.cls for each in kind.alternatives)
    if isinstance(kind, Tuple):
        return frozenset().union(*map(classes_of, kind.items))
    if isinstance(kind, (Sequence, Iterator)):
        return classes_of(kind.item)
    return kind.may_be


def _join_instances(a: Instance, b: Instance) -> Kind:
    """Join two objects: what the tool itself makes is of no other class."""
    regions, functions = a.regions | b.regions, a.functions | b.functions
    or_none = a.or_none or b.or_none
    if a.cls is b.cls and a.choices == b.choices:
        return replace(a, regions=regions, functions=functions, or_none=or_none)
    classes = {kind.cls for kind in [*a.alternatives, *b.alternatives]}
    if any(cls.__module__.partition(".")[0] == "tapeless" for cls in classes):
        return UNKNOWN
    ordered = sorted(classes, key=lambda cls: (cls.__module__, cls.__qualname__))
    return Instance(Several, regions, tuple(ordered), functions, or_none)


def _choices_of(kind: Function | Functions) -> frozenset[Function]:
    return kind.choices if isinstance(kind, Functions) else frozenset([kind])


def _may_be_none(kind: Function | Functions) -> bool:
    return isinstance(kind, Functions) and kind.or_none


def _or_function(instance: Instance, kind: Function | Functions) -> Kind:
    """Join an object that can be called and a function; which of them it is must be asked."""
    functions = _choices_of(kind)
    classes = tuple(each.cls for each in instance.alternatives)
    if not all(f.is_told_by_identity for f in functions) or not all(map(callable_class, classes)):
        return _one_of(instance, kind)
    every = instance.functions | functions
    or_none = instance.or_none or _may_be_none(kind)
    return Instance(Several, instance.regions, classes, every, or_none)


def callable_class(cls: type) -> bool:
    """Whether objects of a class can be called."""
    return "__call__" in {key for base in cls.__mro__ for key in vars(base)}


def _number_or_none(kind: Kind) -> Kind:
    scalar = isinstance(kind, Real) or _is_scalar_on_a_way(kind)
    made = replace(some_number(regions_of(kind), kind), is_scalar_on_a_way=scalar)
    operand = as_operand(kind)
    if isinstance(operand, Array):
        operand = replace(operand, regions=NOWHERE)
    return replace(made, operand=operand) if isinstance(operand, (Real, Array)) else made


def as_operand(kind: Kind) -> Kind:
    """Return what is known of a value that is computed with: it is not None there."""
    found = kind.operand if isinstance(kind, Number) else None
    if isinstance(found, Array):
        return replace(found, regions=regions_of(kind))
    return kind if found is None else found


def as_array(kind: Kind) -> Kind:
    """Return the array that a value is unless it is None; an array of rank 0 may change in place, too."""
    found = as_operand(kind)
    return found if isinstance(found, Array) else kind


def _join_numbers(a: Kind, b: Kind, point: Hashable) -> Kind:
    p, q = as_operand(a), as_operand(b)
    held = regions_of(a) | regions_of(b)
    if isinstance(p, Array) and isinstance(q, Array) and len(p.dims) == len(q.dims):
        return _number_or_none(_join_arrays(p, q, point))
    if is_truth(p) and is_truth(q):
        return BOOL
    if all(isinstance(k, (Real, Integer, Inert)) for k in (p, q)):
        found = _join_scalars(p, q)
        if p is a and q is b or isinstance(found, Integer):
            return found
        return _scalar_or_none(found, held)
    if isinstance(p, (Real, Array)) and isinstance(q, (Real, Array)) and _is_scalar(p, q):
        return _scalar_or_none(Real(join_dtypes(p.dtype, q.dtype)), held)
    unknown = some_number(held, a, b)
    scalar = any(isinstance(k, Real) or _is_scalar_on_a_way(k) for k in (a, b))
    return replace(unknown, is_scalar_on_a_way=scalar, most_dims=most_dims(p, q))


def _join_scalars(p: Kind, q: Kind) -> Real | Integer:
    """Return the kind of what is one of two real numbers, integers or truths."""
    if not isinstance(p, Real) and not isinstance(q, Real):
        return _join_integers(p, q)
    codes = [k.dtype if isinstance(k, Real) else "b" for k in (p, q) if type(k) is not Integer]
    return Real(join_dtypes(codes[0], codes[-1]), may_be_integer(p) or may_be_integer(q))


def _join_integers(p: Kind, q: Kind) -> Integer:
    """Return the kind of what is one of two integers, or a truth instead of one of them."""
    integers = [k for k in (p, q) if isinstance(k, Integer)]
    may_be_truth = len(integers) < 2 or any(k.may_be_truth for k in integers)
    return Integer(None, any(k.of_numpy for k in integers), may_be_truth)


def _scalar_or_none(operand: Real, held: Regions) -> Number:
    """Return the kind of what is computed with as a scalar: None, or perhaps an array of rank 0."""
    return Number(held, may_be_complex(operand), is_scalar_on_a_way=True, operand=operand)


def _is_scalar(*kinds: Real | Array) -> bool:
    """Whether NumPy computes scalars with values of these kinds, be they arrays of rank 0."""
    return not any(isinstance(k, Array) and k.dims for k in kinds)


def _is_scalar_on_a_way(kind: Kind) -> bool:
    return isinstance(kind, Number) and kind.is_scalar_on_a_way


def may_stay_scalar(kinds: Iterable[Kind]) -> bool:
    """Whether what is computed entry by entry is a scalar where one of its operands is on a way."""
    found = list(kinds)
    scalars = all(isinstance(k, (Real, Integer)) or _is_scalar_on_a_way(k) for k in found)
    return scalars and any(map(_is_scalar_on_a_way, found))


def any_item(kind: Kind, point: Hashable) -> Kind:
    """Return the kind of what is one of the items of a tuple."""
    if isinstance(kind, Sequence):
        return kind.item
    found: Kind = UNREACHED
    for item in kind.items if isinstance(kind, Tuple) else ():
        found = join(found, item, point)
    return found


def _least(dim: Dim) -> int:
    return least(dim) if isinstance(dim, int) else max(dim.least - dim.cut, 1)


def _join_arrays(a: Array, b: Array, point: Hashable) -> Kind:
    regions = a.regions | b.regions
    if len(a.dims) != len(b.dims):
        return some_number(regions, a, b)
    dims = _join_dims(a.dims, b.dims, point)
    return Array(dims, join_dtypes(a.dtype, b.dtype), regions)


def _join_sparse(a: Sparse, b: Sparse, point: Hashable) -> Sparse:
    dims, code = _join_dims(a.dims, b.dims, point), join_dtypes(a.dtype, b.dtype)
    form = a.format if a.format == b.format else ""
    return Sparse(dims, code, form, a.is_matrix, a.regions | b.regions)


def _join_dims(a: tuple[Dim, ...], b: tuple[Dim, ...], point: Hashable) -> tuple[Dim, ...]:
    return tuple(
        p if p == q else Size(("join", point, i), 0, min(_least(p), _least(q)), _same_count(p, q))
        for i, (p, q) in enumerate(zip(a, b, strict=True))
    )


def _same_count(a: Dim, b: Dim) -> Count | None:
    p, q = count_of(a), count_of(b)
    if p is None or q is None or p.number != q.number:
        return None
    return Count(p.number, p.axes | q.axes)
