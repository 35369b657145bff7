"""Makes a find small: drops and unwraps statements as long as its outcome stays the same."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from pathlib import Path

from tests.random_programs.checks import CRASHED, Outcome, check_program
from tests.random_programs.program import Program

BODIES = ("body", "orelse", "finalbody")


def minimized(program: Program, outcome: Outcome, folder: Path, seconds: float = 60.0) -> Program:
    """Return a smaller program with the same find."""
    found = outcome.find()
    if found is None:
        return program
    mode = found[0]
    wanted = mark(outcome)
    modes = ("reverse", "second") if mode == "second" else (mode,)
    if mode not in ("reverse", "forward", "second", "replay"):
        return program
    end = time.monotonic() + seconds
    best = program.with_text(ast.unparse(ast.parse(program.text)))
    if mark(check_program(best, folder, modes)) != wanted:
        return program
    start = 0  # what was tried before the last success is tried again at the very end
    while time.monotonic() < end:
        for at, text in enumerate(smaller(best.text)):
            if at < start or time.monotonic() > end:
                continue
            candidate = best.with_text(text)
            if mark(check_program(candidate, folder, modes)) == wanted:
                best, start = candidate, at
                break
        else:
            if start == 0:
                break
            start = 0
    return best


def mark(outcome: Outcome) -> tuple[str, str, str] | None:
    """Return what makes two finds the same: mode, status, and what happened, with names blanked.

    A derivative that is nothing but zeros is told apart from one that is another number, so that
    making a find small does not slip into another one too easily.
    """
    found = outcome.find()
    if found is None:
        return None
    mode, verdict = found
    if verdict.status == CRASHED:
        names = r"[\w.]*\d[\w.]*|'[^']*'|\"[^\"]*\"|`[^`]*`"
        return mode, verdict.status, re.sub(names, "_", verdict.detail)[:60]
    got = re.search(r"got (.*), want", verdict.detail)
    zeros = got is not None and not re.search("[1-9]", got[1].replace("float64", ""))
    return mode, verdict.status, verdict.detail[:16] + (" zeros" if zeros else "")


def smaller(text: str) -> Iterator[str]:
    """Return texts with one part less, the largest cuts first."""
    tree = ast.parse(text)
    sites = list(_statement_lists(tree))
    # whole definitions and late statements first: they are needed least
    for path, field, at in sorted(sites, key=lambda site: (len(site[0]), -site[2])):
        for edit in (_dropped, _unwrapped, _unwrapped_else):
            changed = _edited(text, path, field, at, edit)
            if changed is not None:
                yield changed
    yield from _simpler_expressions(text)


Path_ = tuple[tuple[str, int], ...]


def _statement_lists(tree: ast.AST, path: Path_ = ()) -> Iterator[tuple[Path_, str, int]]:
    for field in (*BODIES, "handlers"):
        for at, child in enumerate(getattr(tree, field, None) or []):
            if isinstance(getattr(tree, field), list):
                yield path, field, at
                yield from _statement_lists(child, (*path, (field, at)))


def _edited(text: str, path: Path_, field: str, at: int, edit: object) -> str | None:
    tree = ast.parse(text)
    owner: ast.AST = tree
    for name, i in path:
        owner = getattr(owner, name)[i]
    statements = getattr(owner, field)
    new = edit(statements[at])  # type: ignore[operator]
    if new is None or (isinstance(statements[at], (ast.Import, ast.ImportFrom))):
        return None
    statements[at : at + 1] = new
    if not statements and field == "body":
        if isinstance(owner, ast.Module):
            return None
        statements.append(ast.Pass())
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    except ValueError:
        return None


def _dropped(statement: ast.AST) -> list[ast.stmt] | None:
    return None if isinstance(statement, ast.Pass) else []


def _unwrapped(statement: ast.AST) -> list[ast.stmt] | None:
    if isinstance(statement, (ast.If, ast.For, ast.While, ast.Try, ast.With)):
        return statement.body
    return None


def _unwrapped_else(statement: ast.AST) -> list[ast.stmt] | None:
    if isinstance(statement, (ast.If, ast.For, ast.While, ast.Try)) and statement.orelse:
        return statement.orelse
    return None


def _simpler_expressions(text: str) -> Iterator[str]:
    """Replace an operation by one of its operands, a call by its argument."""
    count = sum(1 for node in ast.walk(ast.parse(text)) if isinstance(node, ast.expr))
    for at in range(count):
        for choice in range(2):
            tree = ast.parse(text)
            target = [node for node in ast.walk(tree) if isinstance(node, ast.expr)][at]
            new = _operand(target, choice)
            if new is None:
                break
            yield ast.unparse(ast.fix_missing_locations(_Replace(target, new).visit(tree)))


def _operand(node: ast.expr, choice: int) -> ast.expr | None:
    match node:
        case ast.BinOp(left=left, right=right):
            return (left, right)[choice]
        case ast.IfExp(body=body, orelse=orelse):
            return (body, orelse)[choice]
        case ast.UnaryOp(operand=operand) if choice == 0:
            return operand
        case ast.BoolOp(values=values):
            return values[choice]
        case ast.Compare() if choice == 0 or choice == 1:
            return ast.Constant(choice == 0)
        case ast.Call(args=[first, *_]) if choice == 0 and not isinstance(first, ast.Starred):
            return first
        case ast.Call(args=[_, second, *_]) if choice == 1 and not isinstance(second, ast.Starred):
            return second
    return None


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.old:
            return self.new
        return super().generic_visit(node)
