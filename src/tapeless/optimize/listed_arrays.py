"""Arrays that loops read and store entry by entry are lists.

    c = np.zeros(n)                         c = [0.0] * n
    for i in range(1, n):                   for i in range(1, n):
        c[i] = 0.5 * (c[i - 1] + a[i])  ->      c[i] = 0.5 * (c[i - 1] + a[i])
    return c                                return np.array(c)

NumPy makes a number of its own of each entry that is read, and takes three times as long for it as a list.
An array may be a list if nothing but entries of it is asked for in loops, it is seen under no other name,
and what is stored are doubles. To make a list of an array takes longer than to make the array, so some loop
must go along each axis of it. Rows of a length that the text rests on are read and added to as lists, too:

    for i in range(n):                      for i in range(n):
        p, q = x[i].tolist()                    p, q = x[i]
        ...                            ->       ...
        x_bar[i] += np.array([a, b])            row = x_bar[i]
                                                row[0] += a
                                                row[1] += b
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_one_of
from tapeless.kinds import Array, Integer, Size
from tapeless.optimize.context import Context
from tapeless.optimize.number_flow import NumberFlow, is_entrywise
from tapeless.optimize.rows import (
    items_of,
    listed_row,
    row_added_to,
    row_taken_apart,
    width_of,
)
from tapeless.optimize.values import is_adjoint, is_stack_call
from tapeless.runtime import divisor
from tapeless.tree.blocks import all_blocks
from tapeless.tree.build import assign, at_line_of, call, const, name, quote_expression
from tapeless.tree.classes import LOOPS, POLYNOMIAL
from tapeless.tree.comments import is_comment
from tapeless.tree.names import Names, all_names, binds, nodes, parameters, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt

_MAKERS = (np.zeros, np.ones, np.empty, np.full)
_LIKE = (np.zeros_like, np.ones_like)
_HARMLESS = (
    range, len, zip, reversed, enumerate, abs, min, max, float, int, bool, np.float64, np.array, np.sum,
    np.dot, np.linalg.norm, divisor, *_LIKE, *_MAKERS,
)  # fmt: skip


@dataclass
class Use:
    """How a name of an array is used.

    Attributes
    ----------
    made
        The statement outside all loops that binds it to a new array; None for a parameter.
    entries
        The entries that are read or stored in loops, each with the loops around it.
    known
        How many of its mentions are of a sort that a list allows.
    like
        The names of new arrays of its shape; None for one without a name.
    returned
        How many give it to the caller.
    stored, plainly_stored
        How many entries are stored into, or added to; and how many by statements of their own.
    refused
        Whether something is stored of which it is not known what an array makes of it.
    """

    made: Any = None
    entries: list[tuple[Expr, tuple[Any, ...]]] = field(default_factory=list)
    known: int = 0
    like: list[str | None] = field(default_factory=list)
    returned: int = 0
    stored: int = 0
    plainly_stored: int = 0
    refused: bool = False


class ListedArrays:
    """Finds the arrays of one function that may be lists, and writes them so.

    Attributes
    ----------
    listed
        Their names.

    Examples
    --------
    >>> from tapeless.kinds import Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(a, b):
    ...     n = len(a)
    ...     c = np.zeros(n)
    ...     for i in range(1, n):
    ...         c[i] = 0.5 * c[i - 1] + a[i] * b[i]
    ...     last = b[1:]
    ...     return c
    ... ''').body[0]
    >>> n = Size("n")
    >>> kinds = {**dict.fromkeys("abc", Array((n,))), "n": Integer(n), "i": Integer()}
    >>> known = {"np.zeros": np.zeros, "len": len, "range": range}
    >>> context = Context(lambda tree: known.get(gast.unparse(tree).strip()), kind_of=kinds.get)
    >>> arrays = ListedArrays(function, NumberFlow(function, context), context)
    >>> sorted(arrays.listed)  # of b there is a view
    ['a', 'c']
    >>> arrays.write("np")
    >>> print(unparse(function), end="")
    def f(a, b):
        a = a.tolist()
        n = len(a)
        c = [0.0] * n
        for i in range(1, n):
            c[i] = 0.5 * c[i - 1] + a[i] * b[i]
        last = b[1:]
        return np.array(c)
    """

    def __init__(self, function: Any, flow: NumberFlow, context: Context) -> None:
        self.function, self.flow, self.context = function, flow, context
        self.uses: dict[str, Use] = {}
        self.named: dict[int, str] = {}  # the names that hold the results of calls, by call
        self.led: dict[str, set[str]] = {}  # for what is read of an array, the names of its place
        self._look(function.body, ())
        mentions = Counter(p.id for p in flow.parts if type(p) is gast.Name)
        calm = self._leaves_arguments_alone()
        self.listed = {
            key
            for key, use in self.uses.items()
            if use.known + (key in flow.parameters) == mentions[key]
            if use.returned < 2 and not use.refused and use.stored == use.plainly_stored
            if use.made is not None or (calm and not use.stored and not use.returned)
        }
        self.listed = {key for key in self.listed if self._is_gone_along(key)}
        while shapeless := {key for key in self.listed if self._must_keep_shape(key)}:
            self.listed -= shapeless

    def _kind(self, key: str) -> Array | None:
        kind = self.context.kind_of(key)
        plain = isinstance(kind, Array) and kind.dtype == "f8" and len(kind.dims) in (1, 2)
        return kind if plain and isinstance(kind, Array) else None

    def _width(self, key: str) -> int | None:
        return width_of(key, self.context)

    def _use(self, tree: Any) -> Use | None:
        """Return the use of an array that a name holds."""
        if type(tree) is not gast.Name or self._kind(tree.id) is None:
            return None
        return self.uses.setdefault(tree.id, Use())

    # How arrays are used

    def _look(self, block: list[Any], loops: tuple[Any, ...]) -> None:
        for s in block:
            self._look_at(s, loops)
            inner = (*loops, s) if type(s) in LOOPS else loops
            for part in ("body", "orelse"):
                self._look(getattr(s, part, []), inner)

    def _look_at(self, s: Stmt, loops: tuple[Any, ...]) -> None:
        heads = [getattr(s, part, None) for part in ("test", "iter", "value", "target")]
        for place in getattr(s, "targets", []):
            if type(place) is gast.Name and place.id not in self.flow.parameters:
                self.named[id(s.value)] = place.id
                self._make(s, place, loops)
            heads.append(place)
        if type(s) is gast.Return:
            for item in items_of(s.value):
                use = self._use(item)
                if use is not None and (self._is_vector(item) or self._width(item.id)):
                    use.returned += 1
                    use.known += 1
        for head in filter(None, heads):
            for part in nodes(head):
                self._note(part, loops)
        if type(s) is gast.AugAssign and type(s.target) is gast.Name and not loops:
            if (use := self._use(s.value)) is not None:
                use.known += self._is_vector(s.value)
        if type(s) is gast.Assign and type(s.value) is gast.Subscript:
            for key in binds(s):
                self.led.setdefault(key, set()).update(reads(s.value.slice))
        row = row_taken_apart(s, self.context) or row_added_to(s, self.context)
        if row is not None and (use := self._use(row.value)) is not None:
            use.entries.append((row, loops))
            use.known += 1
            use.stored += type(s) is gast.AugAssign
        if type(s) in (gast.Assign, gast.AugAssign):
            for place in [*getattr(s, "targets", ()), getattr(s, "target", None)]:
                self._note_store(s, place)

    def _make(self, s: Stmt, place: Any, loops: tuple[Any, ...]) -> None:
        use = self._use(place)
        fresh = type(s.value) in (gast.BinOp, gast.UnaryOp) or self._is_made(s.value)
        fresh = fresh or self._is_computed(s.value) or self._copied(s.value) is not None
        if use is not None and fresh and len(s.targets) == 1 and s in self.function.body:
            use.refused = use.refused or use.made is not None
            use.made = s
            use.known += 1

    def _is_made(self, tree: Expr) -> bool:
        return type(tree) is gast.Call and is_one_of(
            self.context.resolve(tree.func), (*_MAKERS, *_LIKE)
        )

    def _is_computed(self, tree: Expr) -> bool:
        """Whether a call computes a new array, or a number, entry by entry."""
        if type(tree) is not gast.Call or tree.keywords:
            return False
        found = self.context.resolve(tree.func)
        return is_entrywise(found) and len(tree.args) == found.nin

    def _copied(self, tree: Expr) -> Any:
        """Return the name of the vector of which an expression is a copy."""
        if type(tree) is not gast.Call or type(tree.func) is not gast.Attribute:
            return None
        owner, plain = tree.func.value, tree.func.attr == "copy" and not tree.args
        if (
            not plain
            or tree.keywords
            or type(owner) is not gast.Name
            or self._kind(owner.id) is None
        ):
            return None
        return owner if self._is_vector(owner) else None

    def _is_vector(self, tree: Expr) -> bool:
        kind = self._kind(tree.id)
        return kind is not None and len(kind.dims) == 1

    def _note(self, part: Any, loops: tuple[Any, ...]) -> None:
        """Count the mentions that a list allows."""
        cls = type(part)
        if cls is gast.Subscript and (use := self._use(part.value)) is not None:
            if self.flow.is_entry(part):
                use.entries.append((part, loops))
                use.known += 1
                use.stored += type(part.ctx) is gast.Store
        elif cls is gast.Call and (owner := self._copied(part)) is not None:
            self.uses.setdefault(owner.id, Use()).known += not loops
        elif cls is gast.Call and len(part.args) == 1 and not part.keywords:
            if (use := self._use(part.args[0])) is not None:
                use.known += self._is_seen_whole(part, use, loops)
        elif cls is gast.BinOp and not loops and type(part.op) in (*POLYNOMIAL, gast.Div):
            for operand in (part.left, part.right):
                if (use := self._use(operand)) is not None:
                    use.known += self._is_vector(operand)

    def _is_seen_whole(self, call: Any, use: Use, loops: tuple[Any, ...]) -> bool:
        """Whether a function takes a whole array for which a list, or an array of it, will do.

        Functions of NumPy's may round otherwise where the entries of an argument do not lie side by side.
        """
        [array], found = call.args, self.context.resolve(call.func)
        if found is len:
            return True
        if is_one_of(found, _LIKE) and not loops:
            use.like.append(self.named.get(id(call)))
            return True
        computed = found is np.sum or (is_entrywise(found) and found.nin == 1)
        own = array.id not in self.flow.parameters and self._is_vector(array)
        return own and computed and not loops

    def _note_store(self, s: Stmt, place: Any) -> None:
        use = self._use(place.value) if type(place) is gast.Subscript else None
        if use is None:
            return
        use.plainly_stored += 1
        plain = type(s) is gast.Assign or type(s.op) in POLYNOMIAL
        double = self.flow.is_double(s.value) or (
            row_added_to(s, self.context) is not None
            and all(map(self.flow.is_double, s.value.args[0].elts))
        )
        if not plain or not double:
            use.refused = True

    # Whether lists may be seen instead, and are worth while

    def _must_keep_shape(self, key: str) -> bool:
        """Whether arrays are made of its shape: a list of no rows does not say how long they are."""
        return not self._is_vector(name(key)) and not self.listed.issuperset(self.uses[key].like)

    def _leaves_arguments_alone(self) -> bool:
        """Whether nothing is called, or stored into, by which an argument might change."""
        for part in self.flow.parts:
            cls = type(part)
            if cls is gast.Call:
                found = self.context.resolve(part.func)
                pushes = is_stack_call(part) and part.func.value.id in self.flow.takers
                plain = is_one_of(found, _HARMLESS) or self._is_computed(part)
                plain = plain or self._copied(part) is not None
                plain = plain or listed_row(part, self.context) is not None
                if part.keywords or not (plain or pushes):
                    return False
            if cls in (gast.Subscript, gast.Attribute) and type(part.ctx) is gast.Store:
                key = getattr(part.value, "id", "")
                use = self.uses.get(key)
                made = use is not None and use.made is not None and self.flow.stores[key] == 1
                if cls is gast.Attribute or not (made or is_adjoint(key, self.context)):
                    return False
            if cls is gast.AugAssign and type(part.target) is gast.Name:
                key = part.target.id
                if key not in self.flow.doubles and not is_adjoint(key, self.context):
                    return False
        return True

    def _is_gone_along(self, key: str) -> bool:
        """Whether the entries that loops ask for lie along each axis."""
        kind = self._kind(key)
        axes = range(len(kind.dims)) if kind else ()
        return all(self._is_axis_gone_along(key, axis) for axis in axes)

    def _is_axis_gone_along(self, key: str, axis: int) -> bool:
        for entry, loops in self.uses[key].entries:
            places = items_of(entry.slice)
            if axis == len(places):
                return True  # rows of known length
            names = self._led_by(places[axis])
            for loop in loops:
                if type(loop) is gast.For and names & _first_bound(loop):
                    if self._runs_along(loop, key, axis):
                        return True
        return False

    def _led_by(self, place: Expr) -> set[str]:
        """Collect the names in a place, and those by which these are read from arrays."""
        names = set(reads(place))
        return names.union(*(self.led.get(key, ()) for key in names))

    def _runs_along(self, loop: Any, key: str, axis: int) -> bool:
        """Whether a loop takes about as many turns as an array is long."""
        ranges = [
            part
            for part in nodes(loop.iter)
            if type(part) is gast.Call and self.context.resolve(part.func) is range
        ]
        ends = [part for found in ranges for part in nodes(found) if type(part) is gast.Name]
        sizes = {size for part in ends if (size := self._size(part.id)) is not None}
        key = self._model(key)
        has_adjoint = bool(self.uses[key].like) and key in self.flow.parameters
        return bool(self._extents(key, axis) & {*sizes, *(p.id for p in ends)}) or (
            has_adjoint and bool(sizes)
        )

    def _size(self, key: str) -> Any:
        """Return the symbol of the size of an array, or of what is such a size."""
        kind = self.context.kind_of(key)
        size = kind.value if isinstance(kind, Integer) else None
        if isinstance(kind, Array) and kind.dims:
            size = kind.dims[0]
        return size.symbol if isinstance(size, Size) else None

    def _extents(self, key: str, axis: int) -> set[Any]:
        """Collect what says how long an axis is: symbols, and names of numbers."""
        kind, found = self._kind(key), set()
        dim = kind.dims[axis] if kind else None
        if isinstance(dim, Size):
            found.add(dim.symbol)
        made = self.uses[key].made
        if made is not None and self._is_made(made.value):
            shape = items_of(made.value.args[0])
            found |= {p.id for p in nodes(shape[axis % len(shape)]) if type(p) is gast.Name}
        return found

    def _model(self, key: str) -> str:
        """Return the name of the array after whose shape others were made, and this one."""
        made = self.uses[key].made
        value: Any = made.value if made is not None else None
        if value is not None and (copied := self._copied(value)) is not None:
            return self._model(copied.id) if copied.id in self.uses else key
        if type(value) is gast.Call and is_one_of(self.context.resolve(value.func), _LIKE):
            given = getattr(value.args[0], "id", "") if value.args else ""
            return self._model(given) if given in self.uses else key
        return key

    # Written as lists

    def write(self, numpy: str, taken: Iterable[str] = ()) -> None:
        """Write them as lists; what is named anew has none of the names that are taken."""
        made = [use.made for key in self.listed if (use := self.uses[key]).made is not None]
        copied = {id(s): self._copied(s.value) for s in made}
        self._add_entry_by_entry(Names([*all_names(self.function), *taken]).fresh("row"))
        _Entries(self.listed, self.context, numpy).visit(self.function)
        for s in made:
            of = copied[id(s)]
            s.value = self._made_list(s.value) if of is None else self._copy(of)
        given = [key for key in parameters(self.function) if key in self.listed]
        at = next(i for i, s in enumerate(self.function.body) if not is_comment(s))
        made = [assign(key, quote_expression("a.tolist()", a=name(key))) for key in given]
        self.function.body[at:at] = [at_line_of(s, self.function.body[at]) for s in made]

    def _add_entry_by_entry(self, key: str) -> None:
        """Add to the entries of a row one by one, by this name, where a list of it is added to."""
        for block in list(all_blocks(self.function.body)):
            made: list[Any] = []
            for s in block:
                row = row_added_to(s, self.context)
                if row is None or row.value.id not in self.listed:
                    made.append(s)
                    continue
                read = gast.Subscript(row.value, row.slice, gast.Load())
                items = enumerate(s.value.args[0].elts)
                added = [
                    _added(gast.Subscript(name(key), const(i), gast.Store()), s.op, item)
                    for i, item in items
                ]
                made += [at_line_of(part, s) for part in (assign(key, read), *added)]
            block[:] = made

    def _copy(self, of: Any) -> Any:
        """Return the list of the entries of a copy."""
        key = "copy" if of.id in self.listed else "tolist"
        return call(gast.Attribute(of, key, gast.Load()))

    def _made_list(self, tree: Any) -> Any:
        """Return the list of the entries of a new array."""
        found = self.context.resolve(tree.func) if self._is_made(tree) else None
        like: Any = tree.args[0] if is_one_of(found, _LIKE) and not tree.keywords else None
        if type(like) is gast.Name and self._kind(like.id) is not None:
            entry = const(0.0 if found is np.zeros_like else 1.0)
            if self._is_vector(like):
                return quote_expression("[entry] * len(a)", entry=entry, a=like)
            if width := self._width(like.id):
                rows = "[[entry] * n for _ in a]"
                return quote_expression(rows, entry=entry, n=const(width), a=like)
        if found is np.zeros and len(tree.args) == 1 and not tree.keywords:
            n = tree.args[0]
            counted = type(n) is gast.Call and self.context.resolve(n.func) is len
            if counted or (type(n) is gast.Name and self._size(n.id) is not None):
                return quote_expression("[0.0] * n", n=n)
        return call(gast.Attribute(tree, "tolist", gast.Load()))


class _Entries(Transformer):
    """Writes entries of lists of lists, and arrays where whole lists are asked for."""

    def __init__(self, arrays: set[str], context: Context, numpy: str) -> None:
        self.arrays, self.context, self.numpy = arrays, context, numpy

    def visit_Subscript(self, tree: Any) -> Any:
        if getattr(tree.value, "id", "") not in self.arrays:
            return self.generic_visit(tree)
        *outer, last = [self.visit(place) for place in items_of(tree.slice)]
        owner = tree.value
        for place in outer:
            owner = gast.Subscript(owner, place, gast.Load())
        return gast.copy_location(gast.Subscript(owner, last, tree.ctx), tree)

    def visit_Call(self, tree: Any) -> Any:
        row = listed_row(tree, self.context)
        if row is not None and row.value.id in self.arrays:
            return self.visit(row)
        if is_one_of(self.context.resolve(tree.func), (len, *_LIKE)):
            if len(tree.args) == 1 and type(tree.args[0]) is gast.Name:
                return tree
        return self.generic_visit(tree)

    def visit_Name(self, tree: Any) -> Any:
        if tree.id in self.arrays and type(tree.ctx) is gast.Load:
            if width := width_of(tree.id, self.context):  # there may be no rows
                shaped = "np.reshape(a, (-1, n))"
                return quote_expression(shaped, np=name(self.numpy), a=tree, n=const(width))
            return quote_expression("np.array(a)", np=name(self.numpy), a=tree)
        return tree


def _first_bound(loop: Any) -> set[str]:
    """Return the names of the numbers that a loop counts by."""
    return {part.id for part in nodes(loop.target) if type(part) is gast.Name}


def _added(place: Any, op: Any, item: Any) -> Any:
    """Return the statement that adds an item in a place, or subtracts it."""
    if type(item) is gast.UnaryOp and type(item.op) is gast.USub:
        op = gast.Sub() if type(op) is gast.Add else gast.Add()
        item = item.operand
    return gast.AugAssign(place, op, item)
