"""The kind of what a NumPy function returns, given the kinds of its arguments.

Only what follows from the kinds is said; everything else is a `Number`: a scalar or an array, which
one is not known. The functions of NumPy and the methods of arrays are known by their names. A
result that may share memory with an argument carries the argument's regions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import (
    BOOL,
    UNKNOWN,
    Array,
    Dim,
    Inert,
    Integer,
    Kind,
    Number,
    Real,
    Regions,
    Sequence,
    Size,
    Tuple,
    dtype_code,
    is_number,
    may_stay_scalar,
    not_one,
    regions_of,
    some_number,
)

Keywords = Mapping[str, Kind]
_MISSING = Inert("missing")


class Call:
    """One call as its kind is worked out: arguments, the place of the text, the fresh region."""

    def __init__(
        self, args: list[Kind], keywords: Keywords, place: Hashable, region: Regions
    ) -> None:
        self.args = args
        self.keywords = keywords
        self.place = place
        self.region = region

    def argument(self, position: int, key: str) -> Kind:
        """Return an argument by position or keyword, or the kind that says that it is missing."""
        if position < len(self.args):
            return self.args[position]
        return self.keywords.get(key, _MISSING)

    def array(self, dims: tuple[Dim, ...], dtype: str = "f8") -> Kind:
        """Return a new array of known rank, or a scalar for rank 0: NumPy computes scalars."""
        return Array(dims, dtype, self.region) if dims else scalar(dtype)

    def array_like(self, x: Kind, dims: tuple[Dim, ...], dtype: str) -> Kind:
        """Return what is moved or copied, not computed: of an array of rank 0 that is an array."""
        return Array(dims, dtype, self.region) if isinstance(x, Array) else self.array(dims, dtype)

    def size(self, *parts: Hashable) -> Size:
        """Return a dimension of which nothing is known."""
        return Size((self.place, *parts))

    @property
    def unknown(self) -> Number:
        """A number of unknown rank, made here."""
        return some_number(self.region, *self.args)


def scalar(dtype: str) -> Kind:
    """Return the kind of a scalar with a dtype code."""
    if dtype == "i":
        return Integer()
    return BOOL if dtype == "b" else Real(dtype)


def dtype_of(kind: Kind) -> str:
    """Return the dtype code of a number: "?" where it is not known, "c?" where it may be complex."""
    if isinstance(kind, Array | Real):
        return kind.dtype
    if isinstance(kind, Integer):
        return "i"
    return "b" if isinstance(kind, Inert) and kind.what == "bool" else "?"


def literal(kind: Kind) -> Any:
    """Return the value of a kind that has one, None for None; `...` where it is not known."""
    if isinstance(kind, Integer):
        return kind.value if isinstance(kind.value, int) else ...
    if isinstance(kind, Inert):
        if kind.what in ("None", "missing"):
            return None
        return ... if kind.value is None else kind.value
    if isinstance(kind, Tuple):
        values = tuple(literal(item) for item in kind.items)
        return ... if ... in values else values
    return ...


def broadcast_dim(a: Dim, b: Dim) -> Dim:
    """Return the size to which two dimensions broadcast."""
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if isinstance(a, int):
        return a
    if isinstance(b, int):
        return b
    if not a.stretches:
        return a
    if not b.stretches:
        return b
    return Size(("broadcast", a, b))


def broadcast_dims(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """Return the dimensions to which two shapes broadcast."""
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    return tuple(broadcast_dim(p, q) for p, q in zip(a, b, strict=True))


def same_dims(a: tuple[Dim, ...] | None, b: tuple[Dim, ...] | None) -> bool:
    """Whether two operands of one elementwise operation provably have the same shape.

    Two dimensions that are both known not to be 1 are equal, or the operation would have raised.
    """
    if a is None or b is None or len(a) != len(b):
        return False
    return all(p == q or (not_one(p) and not_one(q)) for p, q in zip(a, b, strict=True))


def dims_of(kind: Kind) -> tuple[Dim, ...] | None:
    """Return the dimensions of a scalar or array, None where the rank is not known."""
    if isinstance(kind, Array):
        return kind.dims
    if isinstance(kind, Real | Integer) or kind == BOOL:
        return ()
    return None


def promote(codes: list[str], weak: list[bool]) -> str:
    """Return the dtype code of an operation on operands of which some are Python scalars."""
    strong = [c for c, w in zip(codes, weak, strict=True) if not w] or codes
    if "c?" in codes:
        return "c?"
    if "?" in codes:  # what is computed with a complex number is complex, of whatever precision
        return "c?" if any(c[0] == "c" for c in codes) else "?"
    if any(c[0] == "c" for c in codes):
        return max((c for c in codes if c[0] == "c"), key=lambda c: int(c[1:]))
    floats = [c for c in strong if c[0] == "f"]
    if floats:
        if any(c == "i" for c in strong):
            return "f8" if "f8" in floats else "?"
        return max(floats, key=lambda c: int(c[1:]))
    if any(c[0] == "f" for c in codes):
        return "f8"
    return "b" if set(codes) == {"b"} else "i"


def elementwise_kind(call: Call, integers_become_floats: bool = True) -> Kind:
    """Return the kind of an operation that broadcasts its arguments."""
    numbers = [a for a in call.args if is_number(a)]
    if len(numbers) < len(call.args) or not numbers:
        return call.unknown
    shapes = [dims_of(a) for a in numbers]
    codes = [dtype_of(a) for a in numbers]
    weak = [isinstance(a, Real | Integer) and dtype_of(a) in ("f8", "i") for a in numbers]
    dtype = promote(codes, weak)
    if dtype in "ib" and integers_become_floats:
        dtype = "f8"
    dims: tuple[Dim, ...] = ()
    for shape in shapes:
        if shape is None:
            unknown = call.unknown
            scalar = may_stay_scalar(numbers)
            return replace(unknown, is_scalar_on_a_way=scalar) if scalar else unknown
        dims = broadcast_dims(dims, shape)
    return call.array(dims, dtype)


# Reductions


def reduced(call: Call, dtype: str | None = None) -> Kind:
    """Return the kind of a reduction over `axis` with `keepdims`."""
    x = call.argument(0, "a")
    dims = dims_of(x)
    axis = literal(call.argument(1, "axis"))
    keepdims = literal(call.keywords.get("keepdims", Inert("None")))
    code = dtype or dtype_of(x)
    if axis is None and not keepdims:
        return scalar(code)
    one = isinstance(call.argument(1, "axis"), Integer)
    if axis is ... and dims and (keepdims is True or (one and not keepdims)):
        rank = len(dims) if keepdims else len(dims) - 1
        return call.array(tuple(map(call.size, range(rank))), code)
    if axis is ...:
        return replace(call.unknown, is_scalar_on_a_way=True)
    if dims is None or keepdims is ...:
        return call.unknown
    axes = range(len(dims)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if any(not -len(dims) <= a < len(dims) for a in axes):
        return call.unknown
    gone = {a % len(dims) for a in axes}
    if keepdims:
        return call.array(tuple(1 if i in gone else d for i, d in enumerate(dims)), code)
    return call.array(tuple(d for i, d in enumerate(dims) if i not in gone), code)


def _float_reduced(call: Call) -> Kind:
    code = dtype_of(call.argument(0, "a"))
    return reduced(call, "f8" if code in "ib" else code)


def _average(call: Call) -> Kind:
    weights = call.argument(2, "weights")
    codes = [dtype_of(call.argument(0, "a")), *([dtype_of(weights)] if is_number(weights) else [])]
    code = promote(["f8" if code in "ib" else code for code in codes], [False] * len(codes))
    known = literal(weights) is None or is_number(weights)
    return reduced(call, code if known else "?")


def _index_reduced(call: Call) -> Kind:
    return reduced(call, "i")


def _truth_reduced(call: Call) -> Kind:
    return reduced(call, "b")


def _cumulative(call: Call) -> Kind:
    x = call.argument(0, "a")
    axis = literal(call.argument(1, "axis"))
    if isinstance(x, Array) and (axis is not None or len(x.dims) == 1):
        return call.array(x.dims, x.dtype)
    return call.array((call.size("flat"),), dtype_of(x))


# Shapes


def _view(call: Call, x: Kind, dims: tuple[Dim, ...]) -> Kind:
    """Return the kind of an array in another form; of a number it may be an array of rank 0."""
    if dims or isinstance(x, Array):
        return Array(dims, dtype_of(x), regions_of(x))
    made = some_number(regions_of(x) or call.region, x)
    return replace(made, scalar=dtype_of(x)) if isinstance(x, Real | Integer) else made


def _alias(call: Call) -> Kind:
    return some_number(regions_of(call.args[0]), call.args[0]) if call.args else call.unknown


def shape_literal(kind: Kind, call: Call) -> tuple[Dim, ...] | None:
    """Read the dimensions out of a shape argument."""
    if isinstance(kind, Integer):
        return (call.size(0) if kind.value is None or kind.value == -1 else kind.value,)
    if isinstance(kind, Tuple):
        parts = [shape_literal(item, replace_place(call, i)) for i, item in enumerate(kind.items)]
        return tuple(p[0] for p in parts if p) if all(parts) else None
    return None


def replace_place(call: Call, part: Hashable) -> Call:
    """Return the call with a place of its own for one part of its result."""
    return Call(call.args, call.keywords, (call.place, part), call.region)


def _reshape(call: Call) -> Kind:
    x = call.argument(0, "a")
    shape = call.argument(1, "shape")
    if len(call.args) > 2 or isinstance(shape, Integer):
        shape = Tuple(tuple(a for a in call.args[1:] if isinstance(a, Integer)))
    dims = shape_literal(shape, call)
    return _alias(call) if dims is None else _view(call, x, dims)


def _flat(call: Call) -> Kind:
    return _view(call, call.args[0], (call.size("flat"),))


def _transpose(call: Call) -> Kind:
    x = call.argument(0, "a")
    dims = dims_of(x)
    if dims is None:
        return _alias(call)
    axes_kind = call.argument(1, "axes")
    if len(call.args) > 2:
        axes_kind = Tuple(tuple(call.args[1:]))
    axes = literal(axes_kind)
    if axes is None:
        return _view(call, x, dims[::-1])
    if isinstance(axes, tuple) and len(axes) == len(dims):
        return _view(call, x, tuple(dims[a] for a in axes))
    return _view(call, x, tuple(call.size(i) for i in range(len(dims))))


def _swapaxes(call: Call) -> Kind:
    x, i, j = call.args[0], literal(call.argument(1, "axis1")), literal(call.argument(2, "axis2"))
    dims = dims_of(x)
    if dims is None or not isinstance(i, int) or not isinstance(j, int):
        return _alias(call)
    swapped = list(dims)
    swapped[i], swapped[j] = swapped[j], swapped[i]
    return _view(call, x, tuple(swapped))


def _same_rank_view(call: Call) -> Kind:
    dims = dims_of(call.args[0])
    if dims is None:
        return _alias(call)
    return _view(call, call.args[0], tuple(call.size(i) for i in range(len(dims))))


def _same_shape_view(call: Call) -> Kind:
    x = call.argument(0, "a")
    return some_number(regions_of(x), x) if dims_of(x) is None else x


def _same_shape(call: Call) -> Kind:
    x = call.argument(0, "a")
    dims = dims_of(x)
    return call.unknown if dims is None else call.array(dims, dtype_of(x))


def _rounded(call: Call) -> Kind:
    made = _same_shape(call)
    return call.unknown if dtype_of(made) == "b" else made  # truths become small floats


def _part(call: Call) -> Kind:
    """Return the kind of the real or imaginary part: a view of an array, and real."""
    x = call.argument(0, "a")
    if isinstance(x, Array):
        return replace(x, dtype=_REAL_CODE.get(x.dtype, x.dtype), regions=x.regions | call.region)
    return with_real_dtype(x if isinstance(x, Real) else _alias(call))


_REAL_CODE = {"c8": "f4", "c16": "f8", "c?": "f8"}


def with_real_dtype(kind: Kind) -> Kind:
    """Return the kind of the real numbers that come of complex ones, as by `abs`."""
    if isinstance(kind, Number):
        return Number(kind.regions)
    if not isinstance(kind, Array | Real):
        return kind
    return replace(kind, dtype=_REAL_CODE.get(kind.dtype, kind.dtype))


def _copied(call: Call) -> Kind:
    x = call.argument(0, "a")
    dims = dims_of(x)
    return call.unknown if dims is None else call.array_like(x, dims, dtype_of(x))


def _same_rank(call: Call) -> Kind:
    x = call.argument(0, "a")
    dims = dims_of(x)
    if dims is None:
        return call.unknown
    return call.array(tuple(call.size(i) for i in range(len(dims))), dtype_of(x))


def _squeeze(call: Call) -> Kind:
    x = call.argument(0, "a")
    axis = literal(call.argument(1, "axis"))
    dims = dims_of(x)
    if dims is None or axis is ...:
        return _alias(call)
    if axis is None:
        if any(not isinstance(d, int) and d.stretches for d in dims):
            return _alias(call)
        return _view(call, x, tuple(d for d in dims if d != 1))
    gone = {a % len(dims) for a in (axis if isinstance(axis, tuple) else (axis,))}
    return _view(call, x, tuple(d for i, d in enumerate(dims) if i not in gone))


def _expand_dims(call: Call) -> Kind:
    x, axis = call.args[0], literal(call.argument(1, "axis"))
    dims = dims_of(x)
    if dims is None or axis is ... or axis is None:
        return _alias(call)
    axes = axis if isinstance(axis, tuple) else (axis,)
    total = len(dims) + len(axes)
    new = {a % total for a in axes}
    rest = iter(dims)
    return _view(call, x, tuple(1 if i in new else next(rest) for i in range(total)))


def _atleast(least: int) -> Callable[[Call], Kind]:
    def kind(call: Call) -> Kind:
        dims = dims_of(call.args[0])
        if dims is None or len(call.args) != 1:
            return _alias(call)
        if len(dims) >= least:
            return call.args[0]
        if least == 3:
            return _alias(call)
        return Array((1,) * (least - len(dims)) + dims, dtype_of(call.args[0]),
                     regions_of(call.args[0]) or call.region)  # fmt: skip

    return kind


def _broadcast_to(call: Call) -> Kind:
    dims = shape_literal(call.argument(1, "shape"), call)
    return _alias(call) if dims is None else _view(call, call.args[0], dims)


# Joining


def item_kind(kind: Kind) -> Kind | None:
    """Return the kind of the items of a tuple, or of a list whose contents were put in its place."""
    if isinstance(kind, Sequence):
        return kind.item
    if isinstance(kind, Tuple) and kind.items:
        first = kind.items[0]
        same = all(type(i) is type(first) and dims_of(i) == dims_of(first) for i in kind.items)
        if same or all(isinstance(i, Real | Integer) for i in kind.items):
            found = next((i for i in kind.items if isinstance(i, Real)), first)
            codes = [dtype_of(i) for i in kind.items if isinstance(i, Real | Array)]
            if isinstance(found, Real | Array) and set(codes) != {found.dtype}:
                return replace(found, dtype=promote(codes, [False] * len(codes)))
            return found
        ranks = {None if (d := dims_of(i)) is None else len(d) for i in kind.items}
        if len(ranks) == 1 and None not in ranks:
            (n,) = ranks
            return Array(tuple(Size(("items", i)) for i in range(n or 0)), "?")
    return None


def _joined_arrays(call: Call, keyword: str) -> Kind:
    """Return the kind of the arrays that a call joins, of which NumPy makes arrays where they are lists."""
    given = call.argument(0, keyword)
    if not isinstance(given, Tuple):
        return given
    lists = {i: k for i, k in enumerate(given.items) if isinstance(k, Tuple | Sequence)}
    made = {i: _nested_array(k, replace_place(call, f"item {i}"), None) for i, k in lists.items()}
    return replace(given, items=tuple(made.get(i, k) for i, k in enumerate(given.items)))


def _concatenate(call: Call) -> Kind:
    item = item_kind(_joined_arrays(call, "arrays"))
    axis = literal(call.argument(1, "axis")) if len(call.args) > 1 or call.keywords else 0
    dims = None if item is None else dims_of(item)
    if item is None or dims is None or not dims or not isinstance(axis, int):
        return call.unknown
    axis %= len(dims)
    return call.array(tuple(call.size(i) for i in range(len(dims))), dtype_of(item))


def _stack(call: Call) -> Kind:
    arrays = _joined_arrays(call, "arrays")
    item = item_kind(arrays)
    dims = None if item is None else dims_of(item)
    axis = literal(call.keywords.get("axis", Integer(0)))
    if len(call.args) > 1:
        axis = literal(call.args[1])
    if item is None or dims is None or not isinstance(axis, int):
        return call.unknown
    count: Dim = len(arrays.items) if isinstance(arrays, Tuple) else call.size("count")
    axis %= len(dims) + 1
    return call.array((*dims[:axis], count, *dims[axis:]), dtype_of(item))


def _vstack(call: Call) -> Kind:
    return _joined(call, 2)


def _hstack(call: Call) -> Kind:
    return _joined(call, 1)


def _joined(call: Call, least_rank: int) -> Kind:
    """Return the kind of arrays that are joined after they were brought to a rank at least."""
    item = item_kind(_joined_arrays(call, "tup"))
    dims = None if item is None else dims_of(item)
    if item is None or dims is None:
        return call.unknown
    rank = max(least_rank, len(dims))
    return call.array(tuple(call.size(i) for i in range(rank)), dtype_of(item))


def _array(call: Call) -> Kind:
    x = call.argument(0, "object")
    code = _dtype_argument(call)
    if is_number(x):
        dims = dims_of(x)
        if dims is None:
            return call.unknown
        return Array(dims, code or dtype_of(x), call.region)
    return _nested_array(x, call, code)


def _nested_array(x: Kind, call: Call, code: str | None) -> Kind:
    item = item_kind(x)
    if item is None:
        return call.unknown
    count: Dim = len(x.items) if isinstance(x, Tuple) else call.size("count")
    if isinstance(item, Tuple | Sequence):
        inner = _nested_array(item, replace_place(call, "inner"), code)
        if not isinstance(inner, Array):
            return call.unknown
        return Array((count, *inner.dims), inner.dtype, call.region)
    dims = dims_of(item)
    if dims is None:
        return call.unknown
    return Array((count, *dims), code or dtype_of(item), call.region)


def _dtype_argument(call: Call, position: int = 1) -> str | None:
    """Return the code of the dtype that is asked for, None where none is."""
    given = call.argument(position, "dtype")
    if isinstance(given, Inert):
        if given.what in ("None", "missing"):
            return None
        if given.value is not None:
            try:
                return dtype_code(given.value)
            except TypeError:
                return "?"
    value = getattr(given, "value", None)
    if (
        is_one_of(value, (float, int, bool, complex))
        or isinstance(value, type)
        and _is_concrete(value)
    ):
        return dtype_code(value)
    return "?"


def _is_concrete(cls: type) -> bool:
    """Whether a class is that of scalars of one dtype of NumPy's."""
    return issubclass(cls, np.generic) and np.dtype(cls).type is cls


def _asarray(call: Call) -> Kind:
    x = call.argument(0, "a")
    code = _dtype_argument(call)
    if isinstance(x, Array) and code in (None, x.dtype):
        return x
    if isinstance(x, Number):
        return some_number(x.regions | call.region, x)
    made = _array(call)
    return replace(made, regions=made.regions | regions_of(x)) if isinstance(made, Array) else made


def _contiguous(call: Call) -> Kind:
    made = _asarray(call)
    return made if isinstance(made, Array) and made.dims else Number(call.region | regions_of(made))


def _astype(call: Call) -> Kind:
    x = call.args[0]
    dims = dims_of(x)
    return call.unknown if dims is None else call.array_like(x, dims, _dtype_argument(call) or "?")


# Creation


def _filled(call: Call) -> Kind:
    dims = shape_literal(call.argument(0, "shape"), call)
    code = _dtype_argument(call) or "f8"
    return call.unknown if dims is None else Array(dims, code, call.region)


def _full(call: Call) -> Kind:
    dims = shape_literal(call.argument(0, "shape"), call)
    code = _dtype_argument(call, 2) or dtype_of(call.argument(1, "fill_value"))
    return call.unknown if dims is None else Array(dims, code, call.region)


def _like(call: Call, position: int = 1) -> Kind:
    x = call.argument(0, "a")
    dims = dims_of(x)
    if dims is None:
        return call.unknown
    return Array(dims, _dtype_argument(call, position) or dtype_of(x), call.region)


def _eye(call: Call) -> Kind:
    n = shape_literal(call.argument(0, "N"), call)
    m = call.argument(1, "M")
    columns = n if literal(m) is None else shape_literal(m, replace_place(call, 1))
    if n is None or columns is None:
        return call.unknown
    code = _dtype_argument(Call([], call.keywords, call.place, call.region))
    return Array((n[0], columns[0]), code or "f8", call.region)


def _arange(call: Call) -> Kind:
    if call.keywords:
        return Array((call.size("n"),), _dtype_argument(call, 3) or "?", call.region)
    whole = all(isinstance(a, Integer) for a in call.args)
    if whole and len(call.args) == 1:
        value = call.args[0].value  # type: ignore[attr-defined]
        return Array((call.size("n") if value is None else value,), "i", call.region)
    return Array((call.size("n"),), "i" if whole else "f8", call.region)


def _linspace(call: Call) -> Kind:
    count = literal(call.argument(2, "num")) if len(call.args) > 2 or "num" in call.keywords else 50
    if any(dims_of(a) != () for a in call.args[:2]) or "retstep" in call.keywords:
        return call.unknown
    codes = [dtype_of(a) for a in call.args[:2]]
    code = _dtype_argument(call, 5) or promote(["f8", *codes], [False] * 3)
    return Array((count if isinstance(count, int) else call.size("n"),), code, call.region)


def _meshgrid(call: Call) -> Kind:
    n = len(call.args)
    dims = tuple(call.size(i) for i in range(n))
    codes = {dtype_of(a) for a in call.args}
    return Sequence(Array(dims, codes.pop() if len(codes) == 1 else "?", call.region))


# Products


def _matmul(call: Call) -> Kind:
    a, b = call.args[:2]
    p, q = dims_of(a), dims_of(b)
    if p is None or q is None:
        return call.unknown
    code = _promoted(call)
    if not p or not q:  # np.dot with a scalar
        return call.array(broadcast_dims(p, q), code)
    rows = p[:-1] if len(p) == 1 or len(p) == 2 else p[:-2] + p[-2:-1]
    if len(q) == 1:
        return call.array(rows, code)
    if len(p) <= 2 and len(q) == 2:
        return call.array((*rows, q[-1]), code)
    if len(p) == 1:
        return call.array((*q[:-2], q[-1]), code)
    batch = broadcast_dims(p[:-2], q[:-2])
    return call.array((*batch, p[-2], q[-1]), code)


def _promoted(call: Call) -> str:
    """Return the dtype of a product of the first two arguments."""
    return promote([dtype_of(kind) for kind in call.args[:2]], [False, False])


def _inner(call: Call) -> Kind:
    p, q = dims_of(call.args[0]), dims_of(call.args[1])
    if p is None or q is None:
        return call.unknown
    dims = broadcast_dims(p, q) if not p or not q else p[:-1] + q[:-1]
    return call.array(dims, _promoted(call))


def _dot(call: Call) -> Kind:
    p, q = dims_of(call.args[0]), dims_of(call.args[1])
    if p is not None and q is not None and len(p) <= 2 and len(q) <= 2:
        return _matmul(call)
    return call.unknown


def _outer(call: Call) -> Kind:
    a, b = call.args[:2]
    p, q = dims_of(a), dims_of(b)
    if p is None or q is None:
        return call.unknown
    rows = p[0] if len(p) == 1 else call.size("a")
    columns = q[0] if len(q) == 1 else call.size("b")
    return call.array((rows, columns), _promoted(call))


def _einsum(call: Call) -> Kind:
    text = literal(call.args[0])
    if not isinstance(text, str) or "." in text:
        return call.unknown
    text = text.replace(" ", "")
    inputs, _, output = text.partition("->")
    sizes: dict[str, Dim] = {}
    for letters, kind in zip(inputs.split(","), call.args[1:], strict=False):
        dims = dims_of(kind)
        if dims is None or len(dims) != len(letters):
            return call.unknown
        sizes.update(zip(letters, dims, strict=True))
    if "->" not in text:
        letters = inputs.replace(",", "")
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    codes = [dtype_of(kind) for kind in call.args[1:]]
    return call.array(tuple(sizes[c] for c in output), promote(codes, [False] * len(codes)))


def _tensordot(call: Call) -> Kind:
    axes = literal(call.argument(2, "axes")) if len(call.args) > 2 or call.keywords else 2
    p, q = dims_of(call.args[0]), dims_of(call.args[1])
    if p is None or q is None or not isinstance(axes, int):
        return call.unknown
    return Array(p[: len(p) - axes] + q[axes:], _promoted(call), call.region)


def _diag(call: Call) -> Kind:
    x = call.args[0]
    if isinstance(x, Array):
        if len(x.dims) == 1:
            n = x.dims[0] if len(call.args) == 1 and not call.keywords else call.size("n")
            return call.array((n, n), x.dtype)
        if len(x.dims) == 2:
            return Array((call.size("diagonal"),), x.dtype, x.regions)
        return some_number(x.regions, x)
    return call.unknown


def _triangle(call: Call) -> Kind:
    x = call.args[0]
    if isinstance(x, Array) and len(x.dims) == 1:
        return call.array(x.dims * 2, x.dtype)
    return _same_shape(call)


def _pinv(call: Call) -> Kind:
    dims = dims_of(call.argument(0, "a"))
    if dims is None or len(dims) < 2:
        return call.unknown
    return call.array((*dims[:-2], dims[-1], dims[-2]), dtype_of(call.argument(0, "a")))


def _norm(call: Call) -> Kind:
    x = call.args[0]
    rest = {k: v for k, v in call.keywords.items() if k != "ord"}
    axis = call.argument(2, "axis")
    if literal(axis) is None and "keepdims" in rest:
        return call.unknown
    return with_real_dtype(_float_reduced(Call([x, axis], rest, call.place, call.region)))


def _solve(call: Call) -> Kind:
    dims = dims_of(call.args[1])
    return call.unknown if dims is None else call.array(dims, _promoted(call))


def _spectrum(call: Call, real: bool = False, changes: bool = True) -> Kind:
    """Return the kind of a Fourier transform; `changes` if it changes the length by itself."""
    x = call.argument(0, "a")
    dims, code = dims_of(x), dtype_of(x)
    if not dims:
        return Number(call.region, may_be_complex=not real)
    code = "?" if code == "?" else "f4" if code in ("f4", "c8") else "f8"
    if not real:
        code = {"f4": "c8", "f8": "c16"}.get(code, code)
    if not changes and literal(call.argument(1, "n" if "n" in call.keywords else "s")) is None:
        return call.array(dims, code)
    return call.array(tuple(call.size(i) for i in range(len(dims))), code)


def _block(call: Call) -> Kind:
    """Return the kind of a block: of the depth of its lists, or the highest rank in them."""
    rank = _block_rank(call.argument(0, "arrays"))
    if rank is None:
        return call.unknown
    return call.array(tuple(call.size(i) for i in range(rank)), "?")


def _block_rank(part: Kind, depth: int = 0) -> int | None:
    if isinstance(part, Tuple | Sequence):
        items = part.items if isinstance(part, Tuple) else (part.item,)
        ranks = [_block_rank(item, depth + 1) for item in items]
        return None if None in ranks else max((r for r in ranks if r is not None), default=None)
    dims = dims_of(part)
    return None if dims is None else max(depth, len(dims))


def _resize(call: Call) -> Kind:
    dims = shape_literal(call.argument(1, "new_shape"), call)
    return call.unknown if dims is None else call.array(dims, dtype_of(call.args[0]))


def _running(call: Call) -> Kind:
    """Return the kind of running sums and products, which may begin with that of nothing."""
    x = call.args[0]
    dims = dims_of(x)
    if not dims:
        return call.unknown
    return call.array(tuple(call.size(i) for i in range(len(dims))), dtype_of(x))


def _insert(call: Call) -> Kind:
    x, axis = call.argument(0, "arr"), literal(call.argument(3, "axis"))
    dims = dims_of(x)
    if dims is None or axis is ...:
        return call.unknown
    count = 1 if axis is None else len(dims)
    return call.array(tuple(call.size(i) for i in range(count)), dtype_of(x))


def _table_of_powers(call: Call) -> Kind:
    x = call.argument(0, "x")
    dims = dims_of(x)
    if dims is None:
        return call.unknown
    code = "f8" if dtype_of(x) in "ib" else dtype_of(x)
    return call.array((*(dims or (1,)), call.size("degree")), code)


def _coefficients(call: Call) -> Kind:
    """Return the kind of the coefficients that arithmetic of polynomials gives."""
    ranks = [dims_of(x) for x in call.args if not isinstance(x, Integer)]
    if any(dims is None or len(dims) != 1 for dims in ranks) or not ranks:
        return call.unknown
    return call.array((call.size("n"),), "?")


def _histogram(call: Call) -> Kind:
    code = "i"
    if "weights" in call.keywords:
        of = dtype_of(call.keywords["weights"])
        code = {"i": "f8", "b": "f8", "f4": "f8", "c8": "c16"}.get(of, of)
    if "density" in call.keywords or len(call.args) > 3:
        return call.unknown
    return Tuple((call.array((call.size("n"),), code), call.array((call.size("edges"),), "?")))


def _series_value(call: Call) -> Kind:
    """Return the kind of the values of one series: elementwise in its first argument."""
    c = dims_of(call.argument(1, "c"))
    if c is None or len(c) != 1 or call.keywords:
        return call.unknown
    return elementwise_kind(Call(call.args[:1], {}, call.place, call.region))


def _quantile(call: Call) -> Kind:
    """Return the kind of quantiles: those of one place are reduced as by the median."""
    if dims_of(call.argument(1, "q")) != ():
        return call.unknown
    keywords = {k: v for k, v in call.keywords.items() if k != "q"}
    return _float_reduced(Call([call.args[0], *call.args[2:]], keywords, call.place, call.region))


def _covariance(call: Call) -> Kind:
    """Return the kind of the covariances of several rows; of one row they are a number."""
    x = call.args[0]
    dims = dims_of(x)
    if len(call.args) > 1 or call.keywords or dims is None or len(dims) < 2 or not not_one(dims[0]):
        return call.unknown
    return call.array((dims[0], dims[0]), "c16" if dtype_of(x)[0] == "c" else "f8")


def _bincount(call: Call) -> Kind:
    weighted = literal(call.argument(1, "weights")) is not None
    return call.array((call.size("n"),), "f8" if weighted else "i")


def _stacked_scalar(call: Call) -> Kind:
    x = call.args[0]
    dims = dims_of(x)
    return call.unknown if dims is None else call.array(dims[:-2], dtype_of(x))


def _eigenvalues(call: Call) -> Kind:
    """Return the kind of eigenvalues: whether they are real depends on the matrix."""
    dims = dims_of(call.argument(0, "a"))
    return UNKNOWN if dims is None or len(dims) < 2 else call.array(dims[:-1], "c?")


def _eig(call: Call) -> Kind:
    dims = dims_of(call.argument(0, "a"))
    if dims is None or len(dims) < 2:
        return UNKNOWN
    pair = (call.array(dims[:-1], "c?"), call.array(dims, "c?"))
    return Tuple(pair, type(np.linalg.eig(np.eye(1))))


def _eigh(call: Call) -> Kind:
    a = call.argument(0, "a")
    dims = dims_of(a)
    if dims is None or len(dims) < 2:
        return call.unknown
    values = with_real_dtype(call.array(dims[:-1], dtype_of(a)))
    return Tuple((values, call.array(dims, dtype_of(a))), type(np.linalg.eigh(np.eye(1))))


def _eigvalsh(call: Call) -> Kind:
    pair = _eigh(call)
    return pair.items[0] if isinstance(pair, Tuple) else pair


def _svd(call: Call) -> Kind:
    a = call.argument(0, "a")
    values = _singular_values(Call([a], {}, call.place, call.region))
    if literal(call.argument(2, "compute_uv")) is False:
        return values
    if not isinstance(values, Array) or literal(call.argument(2, "compute_uv")) not in (None, True):
        return call.unknown
    left, right = (
        call.array((*values.dims[:-1], call.size(part, 0), call.size(part, 1)), dtype_of(a))
        for part in ("u", "vh")
    )
    return Tuple((left, values, right), type(np.linalg.svd(np.eye(1))))


def _qr(call: Call) -> Kind:
    a = call.argument(0, "a")
    dims = dims_of(a)
    if dims is None or len(dims) < 2 or literal(call.argument(1, "mode")) not in (None, "reduced"):
        return call.unknown
    q = call.array((*dims[:-1], call.size("k")), dtype_of(a))
    r = call.array((*dims[:-2], call.size("k"), dims[-1]), dtype_of(a))
    return Tuple((q, r), type(np.linalg.qr(np.eye(1))))


def _singular_values(call: Call) -> Kind:
    dims = dims_of(call.args[0])
    if dims is None or len(dims) < 2:
        return call.unknown
    return with_real_dtype(call.array((*dims[:-2], call.size("s")), dtype_of(call.args[0])))


def _lstsq(call: Call) -> Kind:
    a, b = dims_of(call.argument(0, "a")), dims_of(call.argument(1, "b"))
    code = _promoted(Call([call.argument(0, "a"), call.argument(1, "b")], {}, None, call.region))
    solution: Kind = call.unknown
    if a is not None and b is not None and len(a) == 2 and len(b) > 0:
        solution = call.array((a[1], *b[1:]), code)
    residuals, values = call.array((call.size("r"),), code), call.array((call.size("s"),), code)
    return Tuple((solution, residuals, Integer(), values))


def _matrix_norm(call: Call) -> Kind:
    dims = dims_of(call.args[0])
    if dims is None or "keepdims" in call.keywords:
        return call.unknown
    return with_real_dtype(call.array(dims[:-2], dtype_of(call.args[0])))


def _vector_norm(call: Call) -> Kind:
    keywords = {k: v for k, v in call.keywords.items() if k != "ord"}
    if "axis" not in keywords and "keepdims" in keywords:
        return call.unknown
    return with_real_dtype(_float_reduced(Call(call.args, keywords, call.place, call.region)))


def _vecdot(call: Call) -> Kind:
    p, q = dims_of(call.args[0]), dims_of(call.args[1])
    if not p or not q or call.keywords:
        return call.unknown
    return call.array(broadcast_dims(p, q)[:-1], _promoted(call))


def _matvec(call: Call) -> Kind:
    p, q = dims_of(call.args[0]), dims_of(call.args[1])
    if p is None or q is None or len(p) < 2 or not q:
        return call.unknown
    return call.array((*broadcast_dims(p[:-2], q[:-1]), p[-2]), _promoted(call))


def _vecmat(call: Call) -> Kind:
    p, q = dims_of(call.args[0]), dims_of(call.args[1])
    if not p or q is None or len(q) < 2:
        return call.unknown
    return call.array((*broadcast_dims(p[:-1], q[:-2]), q[-1]), _promoted(call))


def _slogdet(call: Call) -> Kind:
    one = _stacked_scalar(call)
    return Tuple((one, one), type(np.linalg.slogdet(np.eye(1))))


def _where(call: Call) -> Kind:
    if len(call.args) != 3:
        return Sequence(Array((call.size("n"),), "i", call.region))
    made = elementwise_kind(Call(call.args[1:], {}, call.place, call.region), False)
    dims = dims_of(call.args[0])
    if dims is None:
        return call.unknown
    if isinstance(made, Array):
        return replace(made, dims=broadcast_dims(made.dims, dims))
    if isinstance(made, Real | Integer):
        return Array(dims, dtype_of(made), call.region)
    return call.unknown


def _integers(call: Call) -> Kind:
    dims = dims_of(call.args[0])
    if dims is None:
        return Array((call.size("n"),), "i", call.region)
    return call.array(dims, "i") if dims else call.unknown


def _places(call: Call) -> Kind:
    """Return the kind of the places in a sorted array: one for each value that is looked for."""
    dims = dims_of(call.argument(1, "v"))
    return call.unknown if dims is None else call.array(dims, "i")


def _trace(call: Call) -> Kind:
    x = call.args[0]
    return scalar(dtype_of(x)) if isinstance(x, Array) and len(x.dims) == 2 else call.unknown


def _item(call: Call) -> Kind:
    return scalar(dtype_of(call.args[0]))


def _float(call: Call) -> Kind:
    return Real()


def _truths(call: Call) -> Kind:
    made = elementwise_kind(call)
    if isinstance(made, Array):
        return replace(made, dtype="b")
    return BOOL if isinstance(made, Real) else Inert()


def _shape(call: Call) -> Kind:
    dims = dims_of(call.args[0])
    if dims is None:
        return Sequence(Integer())
    return Tuple(tuple(Integer(d) for d in dims))


def _ndim(call: Call) -> Kind:
    dims = dims_of(call.args[0])
    return Integer(None if dims is None else len(dims))


_BY_NAME: dict[str, Callable[[Call], Kind]] = {
    **dict.fromkeys(["sum", "prod", "max", "amax", "min", "amin", "ptp", "nansum",
                     "nanmax", "nanmin", "nanprod"], reduced),
    **dict.fromkeys(["mean", "nanmean", "median", "nanmedian"], _float_reduced),
    "average": _average,
    **dict.fromkeys(["quantile", "percentile", "nanquantile", "nanpercentile"], _quantile),
    **dict.fromkeys(["cov", "corrcoef"], _covariance),
    **dict.fromkeys(["polyvander", "chebvander", "legvander", "hermvander"], _table_of_powers),
    "vander": _table_of_powers,
    **dict.fromkeys(["chebval", "legval", "hermval"], _series_value),
    **dict.fromkeys(["polyder", "polyint", "polyadd", "polysub", "polymul", "chebder", "legder",
                     "hermder"], _coefficients),
    "histogram": _histogram,
    "resize": _resize, "insert": _insert, "block": _block,
    **dict.fromkeys(["cumulative_sum", "cumulative_prod"], _running),
    "unique": lambda c: c.array(
        (c.size("n"),), dtype_of(c.args[0])) if len(c.args) == 1 and not c.keywords else c.unknown,
    "bincount": _bincount, "eig": _eig, "eigvals": _eigenvalues, "svdvals": _singular_values,
    "eigh": _eigh, "eigvalsh": _eigvalsh, "svd": _svd, "qr": _qr,
    "lstsq": _lstsq, "cond": lambda c: with_real_dtype(_stacked_scalar(c)),
    "matrix_norm": _matrix_norm, "vector_norm": _vector_norm, "vecdot": _vecdot,
    "matvec": _matvec, "vecmat": _vecmat,
    **dict.fromkeys(["var", "std", "nanvar", "nanstd"], lambda c: with_real_dtype(_float_reduced(c))),
    **dict.fromkeys(["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn"],
                    lambda c: _spectrum(c, changes=False)),
    **dict.fromkeys(["rfft", "rfft2", "rfftn", "ihfft"], _spectrum),
    **dict.fromkeys(["irfft", "irfft2", "irfftn", "hfft"], lambda c: _spectrum(c, real=True)),
    **dict.fromkeys(["fftshift", "ifftshift"], _same_shape),
    "angle": lambda c: with_real_dtype(elementwise_kind(Call(c.args[:1], {}, c.place, c.region))),
    **dict.fromkeys(["argmax", "argmin", "count_nonzero"], _index_reduced),
    **dict.fromkeys(["all", "any"], _truth_reduced),
    **dict.fromkeys(["cumsum", "cumprod", "nancumsum", "nancumprod"], _cumulative),
    **dict.fromkeys(["transpose", "permute_dims", "T"], _transpose),
    **dict.fromkeys(["ravel"], _flat),
    **dict.fromkeys(["flip", "fliplr", "flipud"], _same_shape_view),
    **dict.fromkeys(["copy", "roll"], _copied),
    **dict.fromkeys(["inv", "cholesky", "sort", "partition",
                     "nan_to_num", "conj", "conjugate"], _same_shape),
    **dict.fromkeys(["moveaxis", "rollaxis", "rot90", "mT"], _same_rank_view),
    **dict.fromkeys(["pad", "gradient_", "take_along_axis"], _same_rank),
    **dict.fromkeys(["zeros", "ones", "empty"], _filled),
    **dict.fromkeys(["zeros_like", "ones_like", "empty_like"], _like),
    "full_like": lambda c: _like(c, 2),
    **dict.fromkeys(["array", "asfarray"], _array),
    **dict.fromkeys(["asarray", "asanyarray"], _asarray),
    **dict.fromkeys(["vstack", "column_stack"], _vstack),
    **dict.fromkeys(["matmul"], _matmul),
    **dict.fromkeys(["argsort", "digitize"], _integers),
    **dict.fromkeys(["isnan", "isfinite", "isinf", "logical_and", "logical_or", "logical_not",
                     "greater", "less", "equal", "not_equal", "greater_equal", "less_equal",
                     "isclose"], _truths),
    "reshape": _reshape, "swapaxes": _swapaxes, "squeeze": _squeeze,
    "expand_dims": _expand_dims, "broadcast_to": _broadcast_to, "atleast_1d": _atleast(1),
    "atleast_2d": _atleast(2), "atleast_3d": _atleast(3), "flatten": lambda c: c.array(
        (c.size("flat"),), dtype_of(c.args[0])),
    "concatenate": _concatenate, "stack": _stack, "hstack": _hstack, "full": _full,
    "eye": _eye, "identity": _eye, "arange": _arange, "linspace": _linspace,
    "meshgrid": _meshgrid, "dot": _dot, "inner": _inner, "searchsorted": _places, "pinv": _pinv,
    "ascontiguousarray": _contiguous, "round": _rounded,
    "tril": _triangle, "triu": _triangle, "outer": _outer, "einsum": _einsum,
    "vdot": lambda c: scalar(_promoted(c)),
    "tensordot": _tensordot, "diag": _diag, "diagonal": _diag, "norm": _norm, "solve": _solve,
    "det": _stacked_scalar, "slogdet": _slogdet, "where": _where, "trace": _trace,
    "item": _item, "astype": _astype, "float64": _float,
    "clip": lambda c: elementwise_kind(c, False),
    "diff": _same_rank, "real": _part, "imag": _part,
    "imaginary_part": lambda c: with_real_dtype(_copied(c)),
    "shape": _shape, "ndim": _ndim, "size": lambda c: Integer(),
}  # fmt: skip

_KEEP_INTEGERS = {
    "add", "subtract", "multiply", "negative", "positive", "absolute", "square", "maximum",
    "minimum", "power", "floor_divide", "remainder", "sign", "fmax", "fmin", "abs", "mul", "sub",
    "neg", "pos", "pow", "floordiv", "mod", "fmod",
}  # fmt: skip
_REAL = {"abs", "absolute", "fabs", "hypot"}
_ALIASING = {
    "reshape", "ravel", "transpose", "squeeze", "expand_dims", "swapaxes", "moveaxis", "T",
    "asarray", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "diagonal", "diag",
    "flip", "fliplr", "flipud", "rot90", "asanyarray", "ascontiguousarray", "split",
    "array_split", "vsplit", "hsplit", "dsplit", "unstack", "trim_zeros",
    "real", "imag", "view", "flat", "broadcast_arrays",
    "rollaxis", "permute_dims", "mT", "matrix_transpose", "nan_to_num_",
}  # fmt: skip


def may_return_view(name: str) -> bool:
    """Whether the result of a NumPy function may share memory with its argument."""
    return name in _ALIASING


def kind_of_call(function: Any, name: str, form: str, call: Call) -> Kind:
    """Return the kind of the result of a NumPy, math or operator function."""
    module = getattr(function, "__module__", "") or ""
    if module == "math":
        return _math_kind(function, call)
    if name in _BY_NAME and (call.args or name in ("zeros", "ones", "empty", "full", "array")):
        return _BY_NAME[name](call)
    if isinstance(function, np.ufunc) and function.signature is not None:
        return call.unknown  # it works on more than elements
    if form == "elementwise" or isinstance(function, np.ufunc):
        made = elementwise_kind(call, name not in _KEEP_INTEGERS)
        made = with_real_dtype(made) if name in _REAL else made
        outputs = function.nout if isinstance(function, np.ufunc) else 1
        return made if outputs == 1 else Tuple((made,) * outputs)
    aliased = [regions_of(a) for a in call.args if name in _ALIASING]
    return some_number(call.region.union(*aliased), *call.args)


def _math_kind(function: Any, call: Call) -> Kind:
    if is_one_of(
        function, (math.floor, math.ceil, math.trunc, math.factorial, math.gcd, math.comb)
    ):
        return Integer()
    if is_one_of(function, (math.isnan, math.isfinite, math.isinf, math.isclose)):
        return BOOL
    if is_one_of(function, (math.modf, math.frexp)):
        return Tuple((Real(), Integer() if function is math.frexp else Real()))
    return Real()
