"""Statements and blocks: the shape of a function, without what its expressions mean.

A *simple* statement has no blocks. `if`, `for` and `while` have a head, evaluated on entry, and
blocks; so has `with np.errstate(...)`, whose block always runs. Everything else that has blocks
(`try`, other `with`s, `match`, nested definitions) is *opaque*: nothing inside it is changed, and
every name in it counts as read and as bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast

from tapeless.tree.classes import (
    ASSIGNMENTS,
    ATTEMPTS,
    BRANCHING,
    COMPOUND,
    DEFINITIONS,
    FUNCTIONS,
    JUMPS,
    LOOPS,
    SCOPE_DECLARATIONS,
    SIMPLE,
    TESTED,
    UNDERSTOOD,
    YIELDS,
)
from tapeless.tree.comments import Role, role_of
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import free_names, nodes, reads
from tapeless.tree.trees import Expr, Stmt, Tree

Block = list[Any]
_WITH_HEADS = BRANCHING | ASSIGNMENTS
_SCOPES = FUNCTIONS | DEFINITIONS
SCOPING = (*_SCOPES, gast.comprehension)
_UNSUPPORTED = frozenset({gast.NamedExpr, *YIELDS, gast.Await, *SCOPE_DECLARATIONS, gast.Delete})


def is_supported(function: Tree) -> bool:
    """Whether the passes understand how a function binds its names."""
    return _UNSUPPORTED.isdisjoint(map(type, nodes(function)))


def is_errstate(statement: Stmt) -> bool:
    """Whether a statement is a `with np.errstate(...)`: it runs its block and swallows nothing."""
    return type(statement) is gast.With and all(
        item.optional_vars is None
        and type(item.context_expr) is gast.Call
        and getattr(item.context_expr.func, "attr", None) == "errstate"
        for item in statement.items
    )


def is_opaque(statement: Stmt) -> bool:
    """Whether a statement has blocks that are not looked into."""
    return not (type(statement) in UNDERSTOOD or is_errstate(statement))


def inner_blocks(statement: Stmt) -> list[Block]:
    """List the blocks of an `if`, a loop or `with np.errstate`; others have none to look into."""
    if type(statement) in BRANCHING:
        return [statement.body, statement.orelse]
    return [statement.body] if is_errstate(statement) else []


def all_blocks(block: Block) -> Iterator[Block]:
    """Walk a block and the blocks in it, outer ones first."""
    yield block
    for statement in block:
        if type(statement) in COMPOUND:
            for inner in inner_blocks(statement):
                yield from all_blocks(inner)


def every_block(block: Block) -> Iterator[tuple[Block, bool]]:
    """Walk a block and all blocks in it, those of `try` included.

    Yields
    ------
    Each block, and whether a handler may take over in the midst of it.
    """

    def walk(block: Block, interrupted: bool) -> Iterator[tuple[Block, bool]]:
        yield block, interrupted
        for statement in block:
            if type(statement) in ATTEMPTS and not is_errstate(statement):
                left = getattr(statement, "finalbody", []) and not statement.handlers
                caught = interrupted or not left
                for inner in blocks_of(statement):
                    yield from walk(inner, caught if inner is statement.body else interrupted)
            for inner in inner_blocks(statement):
                yield from walk(inner, interrupted)

    return walk(block, False)


def all_statements(block: Block) -> Iterator[Any]:
    """Walk the statements of a block and of the blocks in it, in order."""
    for statement in block:
        yield statement
        if type(statement) in COMPOUND:
            for inner in inner_blocks(statement):
                yield from all_statements(inner)


def heads(statement: Stmt) -> list[Any]:
    """List the parts of a statement that are evaluated before its blocks, in order."""
    if type(statement) in TESTED:
        return [statement.test]
    if type(statement) is gast.For:
        return [statement.iter, statement.target]
    if is_errstate(statement):
        return [item.context_expr for item in statement.items]
    if type(statement) is gast.Assign:
        return [statement.value, *statement.targets]
    if type(statement) is gast.AugAssign:
        return [statement.target, statement.value]
    return [statement]


def stored_names(place: Expr) -> set[str]:
    """Collect the names that an assignment to a place binds."""
    cls = type(place)
    if cls is gast.Name:
        return {place.id}
    if cls is gast.Tuple or cls is gast.List:
        return set().union(*(stored_names(item) for item in place.elts))
    return stored_names(place.value) if cls is gast.Starred else set()


def after(block: Block, statement: Stmt) -> Block:
    """List the statements of a block that come after one of them."""
    start = next(i for i, other in enumerate(block) if other is statement)
    return block[start + 1 :]


def binds_one_name(statement: Stmt) -> bool:
    """Whether a statement is `x = ...`, with one name on the left."""
    one = type(statement) is gast.Assign and len(statement.targets) == 1
    return one and type(statement.targets[0]) is gast.Name


def is_whole(item: Expr) -> bool:
    """Whether an item of an index is `:`."""
    return type(item) is gast.Slice and item.lower is item.upper is item.step is None


def is_ellipsis(index: Expr) -> bool:
    """Whether an index is `...`, which takes all of an array."""
    return type(index) is gast.Constant and index.value is Ellipsis


def bound(statement: Stmt) -> set[str]:
    """Collect the names that a statement, without its blocks, binds for sure when it runs."""
    cls = type(statement)
    if cls is gast.Assign:
        return set().union(*(stored_names(place) for place in statement.targets))
    if cls is gast.AugAssign or cls is gast.For:
        return stored_names(statement.target)
    return {statement.name} if cls is gast.FunctionDef or cls is gast.ClassDef else set()


def may_bind(statement: Stmt) -> set[str]:
    """Collect the names that a statement with its blocks may bind."""
    if type(statement) in BRANCHING or is_errstate(statement):
        inner = (may_bind(s) for block in inner_blocks(statement) for s in block)
        return bound(statement).union(*inner)
    if type(statement) in SIMPLE:
        return bound(statement)
    return _identifiers(statement)


def _identifiers(tree: Tree) -> set[str]:
    found: set[str] = set()
    for part in nodes(tree):
        if type(part) is gast.Name:
            found.add(part.id)
        for field in ("name", "asname", "rest"):
            value = getattr(part, field, None)
            if isinstance(value, str):
                found.add(value)
    return found


def head_reads(statement: Stmt) -> list[str]:
    """List the names that a statement, without its blocks, reads; one entry per reading."""
    cls = type(statement)
    if cls in _WITH_HEADS or is_errstate(statement):
        found = [name for part in heads(statement) for name in reads(part)]
        if cls is gast.AugAssign:
            found += sorted(stored_names(statement.target))
        return found
    if type(statement) in SIMPLE:
        return reads(statement)
    if cls is gast.FunctionDef:
        return sorted(free_names(statement))
    return sorted(_identifiers(statement))


def may_read(statement: Stmt) -> set[str]:
    """Collect the names that a statement with its blocks may read."""
    found = set(head_reads(statement))
    for block in inner_blocks(statement):
        for inner in block:
            found |= may_read(inner)
    return found


def scoped_names(function: Tree) -> set[str]:
    """Collect the names that a nested function, lambda or comprehension binds or captures."""
    return scoped_in(part for part in nodes(function) if part is not function)


def scoped_in(parts: Iterable[Any]) -> set[str]:
    """Collect the names that the functions, lambdas and comprehensions among some parts bind or capture."""
    found: set[str] = set()
    for part in parts:
        if type(part) in _SCOPES:
            found |= _identifiers(part)
        elif type(part) is gast.comprehension:
            found |= {name.id for name in nodes(part.target) if type(name) is gast.Name}
    return found


def leaves(block: Block) -> bool:
    """Whether a block never reaches its end."""
    for statement in block:
        if type(statement) in JUMPS:
            return True
        if type(statement) is gast.If and leaves(statement.body) and leaves(statement.orelse):
            return True
        if is_errstate(statement) and leaves(statement.body):
            return True
    return False


def has_jump(statement: Stmt) -> bool:
    """Whether control may leave a statement other than by its end."""
    if type(statement) in JUMPS:
        return True
    if type(statement) is gast.If or is_errstate(statement):
        return any(has_jump(s) for block in inner_blocks(statement) for s in block)
    if type(statement) in LOOPS:
        inner = [s for block in inner_blocks(statement) for s in block]
        return any(has_jump(s) for s in inner)
    return type(statement) not in SIMPLE and type(statement) is not gast.FunctionDef


def generated_statements(function: Tree, reverse: bool) -> set[int]:
    """Collect the ids of the statements that the tool wrote: those of the reverse sweep."""
    found: set[int] = set()

    def visit(block: Block, generated: bool) -> None:
        for statement in block:
            if not generated and role_of(statement) is Role.REVERSE:
                generated = True
            if generated:
                found.add(id(statement))
            if type(statement) in COMPOUND:
                for inner in inner_blocks(statement):
                    visit(inner, generated)

    visit(function.body, reverse)
    return found
