"""The statements that go by entries where some names are short vectors of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import Integer, Kind, Real, Tuple
from tapeless.runtime import DOTS, NORMS, floats_of, vector_of
from tapeless.tree.classes import DISPLAYS, TESTED
from tapeless.tree.names import nodes
from tapeless.tree.signs import integer
from tapeless.tree.trees import Expr, Stmt

MOST_TERMS = 7  # that NumPy adds from left to right
EXACT = (gast.Add, gast.Sub, gast.Mult)
_TRUTHS = (
    gast.Compare, gast.BoolOp, gast.UnaryOp, gast.BinOp, gast.Name, gast.Constant, gast.Subscript,
)  # fmt: skip
_ARRAYS = (np.array, np.asarray, np.copy)
_PRODUCTS = (np.dot, np.inner, np.vdot, np.matmul)
_METHODS = {"sum": np.sum, "copy": np.copy, "dot": np.dot}
_FILLS = {np.zeros: 0.0, np.ones: 1.0}
_FILLS_LIKE = {np.zeros_like: 0.0, np.ones_like: 1.0}


@dataclass(frozen=True)
class Form:
    """How a statement goes by entries.

    Attributes
    ----------
    what
        "operation", "sign", "copy", "items", "item", "display", "sum", "cross", "fill", "floats", or
        "number" for one that a function computes of the entries.
    operands
        The operands: vectors by name, others as they are written.
    length
        How many entries the result has; None where it is a number, or several.
    detail
        The operator, the places of items, the number that fills the vector, or the function.
    named
        The entries of vectors that the statement names.
    """

    what: str
    operands: tuple[Any, ...]
    length: int | None = None
    detail: Any = None
    named: Mapping[str, range] = field(default_factory=dict)


FormOf = Callable[[Stmt, dict[str, int]], Form | None]


@dataclass(frozen=True)
class Reading:
    """What a form is read from: the lengths of vectors, and what is known of other names."""

    lengths: Mapping[str, int]
    kind: Callable[[Any], Kind]
    resolve: Callable[[Any], Any]

    def vector(self, tree: Expr) -> int | None:
        """Return the length of what is a vector of numbers."""
        return self.lengths.get(tree.id) if type(tree) is gast.Name else None

    def scalar(self, tree: Expr) -> bool:
        """Whether an atom is a number that a double meets as a double."""
        kind = self.kind(tree)
        return isinstance(kind, Integer) or isinstance(kind, Real) and kind.dtype == "f8"


def form_of(s: Stmt, reading: Reading) -> Form | None:
    """Return how a statement goes by entries; None for one that does not."""
    if type(s) in TESTED:
        return _test(s, reading)
    if type(s) is not gast.Assign:
        return None
    form = _FORMS.get(type(s.value), _nothing)(s.value, reading)
    place = s.targets[0]
    if type(place) in DISPLAYS:
        return _unpacked(s, reading)
    if form is None or type(place) is not gast.Name:
        return None
    return form if form.length == reading.vector(place) else None


def _nothing(tree: Expr, reading: Reading) -> None:
    return None


def _test(s: Stmt, reading: Reading) -> Form | None:
    """Return how a test goes by entries that asks of vectors nothing but single ones."""
    parts = nodes(s.test)
    items = [part for part in parts if type(part) is gast.Subscript]
    if any(type(part) is gast.BinOp and type(part.op) not in EXACT for part in parts):
        return None
    read = [part for part in parts if type(part) is gast.Name and part.id in reading.lengths]
    forms = [_item(part, reading) for part in items]
    if not read or any(type(part) not in _TRUTHS for part in parts) or len(read) != len(items):
        return None
    if any(form is None or form.what != "item" for form in forms):
        return None
    return Form("test", ())


def _unpacked(s: Stmt, reading: Reading) -> Form | None:
    [place], n = s.targets, reading.vector(s.value)
    plain = all(type(item) is gast.Name and item.id not in reading.lengths for item in place.elts)
    if n is None or not plain or len(place.elts) != n:
        return None
    return Form("items", (s.value,), None, range(n), {s.value.id: range(n)})


def _operation(tree: Expr, reading: Reading) -> Form | None:
    left, right = reading.vector(tree.left), reading.vector(tree.right)
    if type(tree.op) is gast.Pow:
        square = type(tree.right) is gast.Constant and type(tree.right.value) in (int, float)
        if left is None or not square or tree.right.value != 2:
            return None
        return Form("operation", (tree.left, tree.left), left, gast.Mult())
    if type(tree.op) is gast.MatMult:
        return _product([tree.left, tree.right], reading)
    if type(tree.op) not in (*EXACT, gast.Div) or (left or right) is None:
        return None
    if left is not None and right is not None:
        if left != right:
            return None
    elif not reading.scalar(tree.left if left is None else tree.right):
        return None
    return Form("operation", (tree.left, tree.right), left or right, tree.op)


def _sign(tree: Expr, reading: Reading) -> Form | None:
    n = reading.vector(tree.operand)
    if n is None or type(tree.op) not in (gast.USub, gast.UAdd):
        return None
    return Form("sign", (tree.operand,), n, tree.op)


def _copy(tree: Expr, reading: Reading) -> Form | None:
    n = reading.vector(tree)
    return None if n is None else Form("copy", (tree,), n)


def _item(tree: Expr, reading: Reading) -> Form | None:
    n = reading.vector(tree.value)
    if n is None:
        return None
    if type(tree.slice) is gast.Slice:
        bounds = [tree.slice.lower, tree.slice.upper, tree.slice.step]
        numbers = [None if b is None else integer(b) for b in bounds]
        written = all(b is None or i is not None for b, i in zip(bounds, numbers, strict=True))
        if not written or numbers[2] not in (None, 1):
            return None
        places = range(n)[numbers[0] : numbers[1]]
        form = Form("items", (tree.value,), len(places), places, {tree.value.id: places})
        return form if len(places) > 1 else None
    i = integer(tree.slice)
    if i is None or not -n <= i < n:
        return None
    return Form("item", (tree.value,), None, (i % n,), {tree.value.id: range(i % n, i % n + 1)})


def _call(tree: Expr, reading: Reading) -> Form | None:
    found, args = reading.resolve(tree.func), list(tree.args)
    method = tree.func.attr if type(tree.func) is gast.Attribute else ""
    if method in _METHODS and reading.vector(tree.func.value) is not None:
        found, args = _METHODS[method], [tree.func.value, *args]
    if tree.keywords or not args:
        return None
    if is_one_of(found, (np.cross,)) and [reading.vector(a) for a in args] == [3, 3]:
        named = {a.id: range(3) for a in args}
        return Form("cross", tuple(args), 3, None, named)
    if is_one_of(found, _PRODUCTS):
        return _product(args, reading)
    if len(args) != 1:
        return None
    n = reading.vector(args[0])
    if n is None:
        return _made(found, args[0], reading)
    if is_one_of(found, (floats_of,)):
        return Form("floats", (args[0],), None, None, {args[0].id: range(n)})
    if is_one_of(found, (np.sum,)) and n <= MOST_TERMS:
        return Form("sum", (args[0],))
    if is_one_of(found, (np.linalg.norm,)) and n in NORMS:
        return Form("number", (args[0],), None, NORMS[n])
    if is_one_of(found, _ARRAYS):
        return Form("copy", (args[0],), n)
    for like, fill in _FILLS_LIKE.items():
        if found is like:
            return Form("fill", (args[0],), n, fill)
    return None


def _product(vectors: list[Any], reading: Reading) -> Form | None:
    """Return how the inner product of two vectors is computed of their entries."""
    lengths = {reading.vector(each) for each in vectors}
    n = lengths.pop()
    if len(vectors) != 2 or lengths or n not in DOTS:
        return None
    return Form("number", tuple(vectors), None, DOTS[n])


def _made(found: Any, given: Expr, reading: Reading) -> Form | None:
    """Return how a vector is made of numbers."""
    kind = reading.kind(given)
    for make, fill in _FILLS.items():
        if found is make and isinstance(kind, Integer) and isinstance(kind.value, int):
            return Form("fill", (), kind.value, fill)
    if not is_one_of(found, (np.array, np.asarray, vector_of)) or not isinstance(kind, Tuple):
        return None
    numbers = all(isinstance(k, Integer) or k == Real() for k in kind.items)
    if kind.cls is not tuple or not numbers or Real() not in kind.items:
        return None
    return Form("display", (given,), len(kind.items), kind.items)


_FORMS: dict[type, Callable[[Any, Reading], Form | None]] = {
    gast.BinOp: _operation, gast.UnaryOp: _sign, gast.Name: _copy, gast.Subscript: _item,
    gast.Call: _call,
}  # fmt: skip


def is_square(form: Form) -> bool:
    """Whether the entries of the result are squares."""
    product = form.what == "operation" and type(form.detail) is gast.Mult
    return product and len({getattr(x, "id", x) for x in form.operands}) == 1


def head_of(s: Stmt) -> list[Any]:
    """List the parts of a statement that are not in its blocks."""
    blocks = [getattr(s, key, None) or [] for key in ("body", "orelse", "finalbody", "handlers")]
    inside = {id(part) for block in blocks for part in block}
    if not inside:
        return nodes(s)
    found: list[Any] = []
    for key in s._fields:
        parts = getattr(s, key, None)
        for part in parts if isinstance(parts, list) else [parts]:
            if isinstance(part, gast.AST) and id(part) not in inside:
                found += nodes(part)
    return found
