"""Names: which a tree reads and binds, and fresh ones that clash with none.

Fresh names are computed from the tree at hand, so the same input always gets the same names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import gast

from tapeless.tree.classes import FUNCTIONS, SIMPLE
from tapeless.tree.fields import PARTS
from tapeless.tree.trees import Tree

# what generated code may call: a user's name that hides one of these gets another
CALLED_BUILTINS = frozenset(
    {
        "abs", "any", "bool", "complex", "dict", "divmod", "enumerate", "float", "getattr",
        "hasattr", "int", "isinstance", "len", "list", "max", "min", "object", "pow", "range",
        "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "type", "zip",
    }
)  # fmt: skip


def unshadowed(parameter: str) -> str:
    """Return the name in generated code of a parameter, which may not hide a builtin.

    Examples
    --------
    >>> unshadowed("len"), unshadowed("length")
    ('len_', 'length')
    """
    return f"{parameter}_" if parameter in CALLED_BUILTINS else parameter


class Names:
    """The names taken in a function; hands out fresh ones: `v`, `v_1`, `v_2`, ..."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)

    @property
    def taken(self) -> set[str]:
        """The names that are taken."""
        return self._taken

    @taken.setter
    def taken(self, taken: set[str]) -> None:
        self._taken = taken
        self._counts: dict[
            str, int
        ] = {}  # how many names like a wish are taken one after the other

    def fresh(self, wish: str) -> str:
        """Return `wish`, or `wish_1`, ... and remember it as taken."""
        found, count = wish, self._counts.get(wish, 0)
        while found in self._taken:
            count += 1
            found = f"{wish}_{count}"
        self._taken.add(found)
        self._counts[wish] = count
        return found


def nodes(tree: Tree, nested: bool = True) -> list[Any]:
    """List a tree and all parts of it that have parts or names: operators are left out.

    Without `nested`, functions that are defined in the tree are listed and not entered.
    """
    if not nested:
        return _outside_functions(tree)
    found = [tree]
    for part in found:
        cls = type(part)
        if cls is not _NAME and cls is not _CONSTANT:
            found += PARTS[cls](part)
    return found


def _outside_functions(tree: Tree) -> list[Any]:
    found = [tree]
    for part in found:
        if part is tree or type(part) not in FUNCTIONS:
            found += PARTS[type(part)](part)
    return found


# they stop most walks: to ask for them is to cost little
_NAME, _CONSTANT, _LOAD = gast.Name, gast.Constant, gast.Load


def is_named(tree: Any, key: str) -> bool:
    """Whether a part of a tree is a name, and this one."""
    return type(tree) is gast.Name and tree.id == key


def children(tree: Tree) -> Sequence[Any]:
    """List the parts that a tree consists of: operators are left out.

    Examples
    --------
    >>> [type(part).__name__ for part in children(gast.parse("x + y(z)").body[0].value)]
    ['Name', 'Call']
    """
    return PARTS[type(tree)](tree)


def functions_within(tree: Tree) -> list[Any]:
    """List the functions and lambdas that are written inside a tree, itself left out.

    Examples
    --------
    >>> [f] = gast.parse("def f(x):\\n    def g(y):\\n        return y\\n    return g, lambda z: z").body
    >>> [type(part).__name__ for part in functions_within(f)]
    ['FunctionDef', 'Lambda']
    """
    found = (part for part in nodes(tree) if part is not tree)
    return [part for part in found if type(part) in FUNCTIONS]


def all_names(tree: Tree) -> set[str]:
    """Collect every identifier that occurs in a tree."""
    found: set[str] = set()
    todo = [tree]
    for part in todo:
        cls = type(part)
        if cls is _NAME:
            found.add(part.id)
        elif cls is not _CONSTANT:
            if cls is gast.FunctionDef:
                found.add(part.name)
            todo += PARTS[cls](part)
    return found


def reads(tree: Tree) -> list[str]:
    """List the names that a tree reads, in order, nested functions included."""
    found, todo = [], [tree]
    for part in todo:
        cls = type(part)
        if cls is _NAME:
            if type(part.ctx) is _LOAD:
                found.append(part.id)
        elif cls is not _CONSTANT:
            todo += PARTS[cls](part)
    return found


def binds(tree: Tree) -> set[str]:
    """Collect the names that a tree binds in the scope that it stands in."""
    return binds_in_block([tree])


_NAMED = frozenset({gast.FunctionDef, gast.MatchAs, gast.MatchStar})


def binds_none(s: Any) -> bool:
    """Whether a statement gives a name to None, as what begins where a branch may leave it unbound.

    Examples
    --------
    >>> binds_none(gast.parse("v = None").body[0]), binds_none(gast.parse("v = 0").body[0])
    (True, False)
    """
    if type(s) is not gast.Assign or type(s.value) is not gast.Constant:
        return False
    return len(s.targets) == 1 and type(s.targets[0]) is gast.Name and s.value.value is None


def binds_in_block(block: Iterable[Any]) -> set[str]:
    """Collect the names that the statements of a block bind."""
    found: set[str] = set()
    todo = list(block)
    for part in todo:
        cls = type(part)
        if cls is _NAME:
            if type(part.ctx) is not _LOAD:
                found.add(part.id)
            continue
        if cls is _CONSTANT:
            continue
        if cls in _NAMED:
            found.add(part.name)
        elif cls is gast.MatchMapping:
            found.add(part.rest)
        if cls not in FUNCTIONS:
            todo += PARTS[cls](part)
    found.discard(None)  # of a pattern that binds nothing
    return found


def parameters(function: gast.FunctionDef) -> list[str]:
    """List the names of a function's parameters in signature order."""
    a = function.args
    ordered = [*a.posonlyargs, *a.args]
    if a.vararg:
        ordered.append(a.vararg)
    ordered += a.kwonlyargs
    if a.kwarg:
        ordered.append(a.kwarg)
    return [p.id for p in ordered]


def free_names(tree: Tree) -> set[str]:
    """Collect the names that a tree reads and does not bind, nested functions seen with their own.

    Examples
    --------
    >>> sorted(free_names(gast.parse("y = [f(a) for a in x]")) - {"a"})
    ['f', 'x']
    """
    if type(tree) not in FUNCTIONS:
        return _free_in([tree])
    own = set(parameters(tree))
    body = tree.body if type(tree) is gast.FunctionDef else [tree.body]
    own |= binds_in_block(body) if type(tree) is gast.FunctionDef else set()
    outside = [*tree.args.defaults, *tree.args.kw_defaults]
    outside += list(getattr(tree, "decorator_list", []))
    return (_free_in(body) - own) | _free_in(part for part in outside if part is not None)


def _free_in(parts: Iterable[Any]) -> set[str]:
    found: set[str] = set()
    todo = list(parts)
    for part in todo:
        cls = type(part)
        if cls is _NAME:
            if type(part.ctx) is _LOAD:
                found.add(part.id)
        elif cls in FUNCTIONS:
            found |= free_names(part)
        elif cls is not _CONSTANT:
            todo += PARTS[cls](part)
    return found


def captured_names(function: Tree) -> set[str]:
    """Collect the names that the functions defined in a function read and do not bind.

    Examples
    --------
    >>> sorted(captured_names(gast.parse("def f(x):\\n    return x + y\\ng = lambda: f(a)")))
    ['a', 'f', 'y']
    """
    parts = nodes(function, nested=False)[1:]
    inside = (p for p in parts if type(p) in FUNCTIONS)
    return set().union(*map(free_names, inside))


def bound_for_good(function: Tree) -> frozenset[str]:
    """Collect the names of a function that are bound once, by its head or by a plain statement of its body.

    What a branch or a loop binds may not be bound, or be bound anew.

    Examples
    --------
    >>> [f] = gast.parse("def f(x, y):\\n    a = x\\n    y = a\\n    for i in y:\\n        b = i").body
    >>> sorted(bound_for_good(f))
    ['a', 'x']
    """
    parts = nodes(function, nested=False)[1:]
    bound = [p.id for p in parts if type(p) is gast.Name and type(p.ctx) is not gast.Load]
    bound += [p.name for p in parts if type(p) is gast.FunctionDef]
    plain = [s for s in function.body if type(s) in SIMPLE or type(s) is gast.FunctionDef]
    counts = Counter(bound)
    return frozenset(key for key in counts if counts[key] == 1).intersection(
        [*parameters(function), *binds_in_block(plain)]
    )
