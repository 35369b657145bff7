"""A variable that an inner function rebinds becomes the one item of a list that both share.

def f(x):                             def f(x):
    n = 0.0                               n = [0.0]
    def add(v):                           def add(v):
        nonlocal n                ->          n[0] = n[0] + v
        n = n + v
    add(x)                                add(x)
    return n                              return n[0]
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.build import assign, at_line_of, const, name
from tapeless.tree.classes import FUNCTIONS, SCOPE_DECLARATIONS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, all_names, binds, children, nodes, parameters, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Stmt, Tree


def box_nonlocals(function: CoreFunction) -> CoreFunction:
    """Put the variables that inner functions rebind into lists.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function(
    ...     'def f(x):\\n    n = x\\n    def g():\\n        nonlocal n\\n        n = 2.0 * n\\n'
    ...     '    g()\\n    return n'))
    >>> print(unparse(box_nonlocals(f).tree).strip())
    def f(x):
        n_cell = [x]
    <BLANKLINE>
        def g():
            n_cell[0] = 2.0 * n_cell[0]
        g()
        return n_cell[0]
    """
    if not any(type(part) in SCOPE_DECLARATIONS for part in nodes(function.tree)):
        return function
    names = Names(function.names())
    tree = _boxed_scope(function.tree, names)
    return function.with_body(_Undeclared().visit(gast.Module(tree.body, [])).body)


class _Undeclared(Transformer):
    """Drops what only says where a name is read: it is bound nowhere in the function."""

    def visit_Nonlocal(self, tree: Tree) -> Any:
        return at_line_of(gast.Pass(), tree)

    visit_Global = visit_Nonlocal


def _boxed_scope(tree: Tree, names: Names) -> Any:
    """Box the variables of one function, inner functions first."""
    for inner in _inner_functions(tree):
        _boxed_scope(inner, names)
    rebound = set().union(*(_rebound_within(inner) for inner in _inner_functions(tree)))
    own = rebound & variables_of(tree)
    if own:
        tree.body = [part for s in tree.body for part in _one_by_one(s)]
    for key in sorted(own):
        box = names.fresh(f"{key}_cell")
        _Boxer(key, box).enter(tree)
        _create(tree, key, box)
    return tree


def _one_by_one(s: Stmt) -> list[Any]:
    """Part `a, b = 0.0, 0` into an assignment of each name, where no value has to do with a name."""
    place: Any = s.targets[0] if type(s) is gast.Assign and len(s.targets) == 1 else None
    if type(place) is not gast.Tuple or type(s.value) is not gast.Tuple:
        return [s]
    plain = all(type(each) is gast.Name for each in place.elts)
    calls = any(type(part) in (gast.Call, gast.Starred) for part in nodes(s.value))
    if not plain or calls or len(place.elts) != len(s.value.elts) or binds(s) & set(reads(s.value)):
        return [s]
    pairs = zip(place.elts, s.value.elts, strict=True)
    return [gast.copy_location(gast.Assign([each], value, None), s) for each, value in pairs]


def _create(tree: Tree, key: str, box: str) -> None:
    """Make the list where the variable is first bound, or at the start of the function."""
    if key in parameters(tree):
        first = at_line_of(assign(box, gast.List([name(key)], gast.Load())), tree)
        tree.body.insert(0, first)
        return
    holders: set[str] = set()  # the functions before that see the variable
    for i, s in enumerate(tree.body):
        if type(s) is gast.FunctionDef:
            if {box, *holders} & all_names(s):
                holders.add(s.name)
        elif _binds_item(s, box) and not {box, *holders} & all_names(s.value):
            tree.body[i] = at_line_of(assign(box, gast.List([s.value], gast.Load())), s)
            return
        elif {box, *holders} & all_names(s):
            break
    tree.body.insert(0, at_line_of(assign(box, gast.List([const(None)], gast.Load())), tree))


def _binds_item(s: Stmt, box: str) -> bool:
    """Whether a statement binds the item of a box and nothing else."""
    place = s.targets[0] if type(s) is gast.Assign and len(s.targets) == 1 else None
    return isinstance(place, gast.Subscript) and getattr(place.value, "id", None) == box


class _Boxer(Transformer):
    """Replaces a variable by an item of its box, in its own scope and where inner ones see it."""

    def __init__(self, key: str, box: str) -> None:
        self.key = key
        self.box = box

    def enter(self, tree: Tree) -> None:
        body = self.listed(tree.body)
        tree.body = body or [at_line_of(gast.Pass(), tree)]

    def visit_Name(self, tree: Tree) -> Any:
        if tree.id != self.key or type(tree.ctx) is gast.Param:
            return tree
        made = gast.Subscript(name(self.box), const(0), tree.ctx)
        return gast.copy_location(made, tree)

    def visit_Nonlocal(self, tree: Tree) -> Any:
        tree.names = [key for key in tree.names if key != self.key]
        return tree if tree.names else []

    def visit_FunctionDef(self, tree: Tree) -> Any:
        tree.args.defaults = [self.visit(d) for d in tree.args.defaults]
        tree.args.kw_defaults = [d and self.visit(d) for d in tree.args.kw_defaults]
        if self.key in _nonlocals_of(tree) or self.key not in _bound_in(tree):
            self.enter(tree)
        return tree

    def visit_Lambda(self, tree: Tree) -> Any:
        return tree if self.key in parameters(tree) else self.generic_visit(tree)


def _inner_functions(tree: Tree) -> list[Any]:
    """List the functions defined directly in a function."""
    found: list[Any] = []
    for part in children(tree):
        if type(part) is gast.FunctionDef:
            found.append(part)
        else:
            found += _inner_functions(part)
    return found


def _own_parts(tree: Tree) -> list[Any]:
    found: list[Any] = []
    for part in children(tree):
        found.append(part)
        if type(part) not in FUNCTIONS:
            found += _own_parts(part)
    return found


def variables_of(tree: Tree) -> set[str]:
    """Return the variables that a function has itself: what it binds, and does not declare `nonlocal`."""
    return _bound_in(tree) - _nonlocals_of(tree)


def _nonlocals_of(tree: Tree) -> set[str]:
    return {k for p in _own_parts(tree) if type(p) is gast.Nonlocal for k in p.names}


def _rebound_within(tree: Tree) -> set[str]:
    """Collect the names that a function, or one defined in it, declares `nonlocal`."""
    return _nonlocals_of(tree).union(*(_rebound_within(i) for i in _inner_functions(tree)))


def _bound_in(tree: Tree) -> set[str]:
    return set(parameters(tree)).union(*(binds(s) for s in tree.body))
