"""The cotangent of an array that is written out is read entry by entry where it lies.

    m = np.array(((c, s), (0.0, w)))
    m_items_bar = array_bar(m_bar, m_items)
    row_bar = full(m_items_bar[0], row)       ->      c_bar = m_bar[0, 0]
    c_bar = row_bar[0]

`array_bar` gives the cotangent the structure and the dtypes of what the array was made of. Where these are
known, numbers in double precision and rows of them, an entry of the structure is one of the array.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.externals import is_one_of
from tapeless.kinds import Array, Integer, Kind, Real, Tuple
from tapeless.optimize.analyses import body_of, effects_of
from tapeless.optimize.context import Context
from tapeless.optimize.drop_copies import only_computes
from tapeless.optimize.effects import Effects
from tapeless.runtime import array_bar, full
from tapeless.tree.blocks import all_statements
from tapeless.tree.build import const, name
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt

Path = tuple[int, ...]


def read_rows(function: gast.FunctionDef, context: Context) -> bool:
    """Read entries of the cotangent of an array in the place of those of its items.

    Examples
    --------
    >>> from tapeless.kinds import UNKNOWN
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(c, row, items, m):
    ...     items_bar = array_bar(2.0 * m, items)
    ...     row_bar = full(items_bar[1], row)
    ...     c_bar = full(items_bar[0], row)[0] + row_bar[1]
    ...     return c_bar
    ... ''').body[0]
    >>> row = Tuple((Real(), Real()))
    >>> kinds = {"items": Tuple((row, row)), "row": row}
    >>> found = {"array_bar": array_bar, "full": full}
    >>> context = Context(
    ...     lambda tree: found.get(getattr(tree, "id", "")), lambda key: key.endswith("_bar"),
    ...     lambda key: kinds.get(key, UNKNOWN), reverse=True,
    ... )
    >>> read_rows(function, context)
    True
    >>> print(unparse(function), end="")
    def f(c, row, items, m):
        items_bar = 2.0 * m
        row_bar = items_bar[1]
        c_bar = items_bar[0, 0] + items_bar[1, 1]
        return c_bar
    """
    if not any(_rows_of(s, context) for s in body_of(function, context).parts(gast.Assign)):
        return False
    effects = effects_of(function, context)
    changed = False
    for s in list(all_statements(function.body)):
        items = _rows_of(s, context)
        if items is None or not _stays(s.value.args[0], s, effects):
            continue
        rows = _Rows(s.targets[0].id, context)
        rows.find(function)
        if rows.serve(items, effects):
            s.value = s.value.args[0]
            rows.write(function)
            changed = True
    return changed


def _rows_of(s: Stmt, context: Context) -> Tuple | None:
    """Return the kind of the items of `items_bar = array_bar(g, items)`; None for anything else."""
    if type(s) is not gast.Assign or type(s.value) is not gast.Call or len(s.targets) != 1:
        return None
    call, place = s.value, s.targets[0]
    if type(place) is not gast.Name or not context.temporaries(place.id) or len(call.args) != 2:
        return None
    if (
        not is_one_of(context.resolve(call.func), (array_bar,))
        or type(call.args[1]) is not gast.Name
    ):
        return None
    kind = context.kind_of(call.args[1].id)
    return kind if isinstance(kind, Tuple) and _dtypes(kind) in _ALIKE else None


_ALIKE = ({"f8"}, {"?"}, {"f8", "?"})  # of annotations the precision is not known: nothing is cast


def _dtypes(kind: Kind) -> set[str]:
    """Collect the dtypes of the real numbers, and rows of them, that an array is made of."""
    if isinstance(kind, Tuple) and kind.cls is tuple and not kind.or_none:
        return set().union(*map(_dtypes, kind.items))
    if isinstance(kind, (Real, Array)):
        return {kind.dtype}
    return set() if isinstance(kind, Integer) else {"of another kind"}


def _stays(tree: Expr, reader: Stmt, effects: Effects) -> bool:
    """Whether a cotangent is new, or an array that nothing but `reader` shows, and nothing stores into."""
    if type(tree) is not gast.Name:
        return effects.is_fresh(tree)
    made = effects.values.get(tree.id, ())
    if len(made) != 1 or made[0] is None or not effects.is_fresh(made[0]):
        return False
    reading = [s.tree for s in effects.body.statements if tree.id in s.reads]
    return all(s is reader or only_computes(s, tree.id, effects) for s in reading)


@dataclass
class _Rows:
    """The names that stand for items of a cotangent, and where those are in the array."""

    key: str
    context: Context
    paths: dict[str, Path] = field(init=False)

    def __post_init__(self) -> None:
        self.paths = {self.key: ()}

    def path_of(self, tree: Expr) -> Path | None:
        """Return where in the array an expression reads; None for what reads no item of it."""
        if type(tree) is gast.Name:
            return self.paths.get(tree.id)
        if type(tree) is gast.Call:
            filled = len(tree.args) == 2 and is_one_of(self.context.resolve(tree.func), (full,))
            inner = self.path_of(tree.args[0]) if filled else None
            return inner or None
        if type(tree) is not gast.Subscript or type(tree.ctx) is not gast.Load:
            return None
        outer = self.path_of(tree.value)
        at = tree.slice.value if type(tree.slice) is gast.Constant else None
        return None if outer is None or type(at) is not int or at < 0 else (*outer, at)

    def find(self, function: gast.FunctionDef) -> None:
        """Note the names that are bound to rows."""
        for s in all_statements(function.body):
            if type(s) is gast.Assign and type(s.targets[0]) is gast.Name and len(s.targets) == 1:
                path = self.path_of(s.value)
                if path and self.context.temporaries(s.targets[0].id):
                    self.paths[s.targets[0].id] = path

    def serve(self, items: Tuple, effects: Effects) -> bool:
        """Whether all that is read of the names is entries of the array, each bound once."""
        rows = {k: p for k, p in self.paths.items() if isinstance(_at(items, p), Tuple)}
        self.paths = rows
        if any(
            _at(items, p) is None or len(effects.values.get(k, ())) != 1 for k, p in rows.items()
        ):
            return False
        mentions = [p for p in effects.parts(gast.Name) if p.id in rows]
        if any(p.id in effects.scoped for p in mentions):
            return False
        read = [s for s in effects.parts(gast.Subscript) if type(s.value) is gast.Name]
        at = [s for s in read if s.value.id in rows and self.path_of(s)]
        known = all(_at(items, self.path_of(s) or ()) is not None for s in at)
        return known and len(mentions) == len(at) + len(rows)

    def write(self, function: gast.FunctionDef) -> None:
        """Write what is read as entries of the array."""
        reader = _Reader(self)
        for s in all_statements(function.body):
            if getattr(s, "value", None) is not None:
                s.value = reader.visit(s.value)


class _Reader(Transformer):
    """Writes the reads of items as reads of the array."""

    def __init__(self, rows: _Rows) -> None:
        self.rows = rows

    def visit_Call(self, tree: Expr) -> Any:
        return self.entry(tree) or self.generic_visit(tree)

    def visit_Subscript(self, tree: Expr) -> Any:
        return self.entry(tree) or self.generic_visit(tree)

    def entry(self, tree: Expr) -> Any:
        path = self.rows.path_of(tree)
        if not path:
            return None
        at = [const(i) for i in path]
        index = at[0] if len(at) == 1 else gast.Tuple(at, gast.Load())
        return gast.Subscript(name(self.rows.key), index, gast.Load())


def _at(items: Tuple, path: Path) -> Kind | None:
    """Return the kind of an item within items; None where there is none."""
    kind: Kind = items
    for i in path:
        if not isinstance(kind, Tuple) or i >= len(kind.items):
            return None
        kind = kind.items[i]
    return kind
