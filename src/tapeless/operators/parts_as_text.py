"""A derivative that runs in parts as a module: its loops, and the statements of Python between them.

Which parts there are is found out by a run on copies of the arguments, in which no loops are used.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import gast

from tapeless.lower import Lowered, NotLowered
from tapeless.operators.parts import Opened, Origin, Part, Parts, written
from tapeless.source.printer import unparse
from tapeless.tree.names import nodes


def text_in_parts(
    text: str, refusal: NotLowered, plain: Callable[..., Any], origin: Origin,
    arguments: Sequence[Any],
) -> str | None:  # fmt: skip
    """Write a derivative in parts; None where none of them has loops.

    Parameters
    ----------
    text
        Its module.
    refusal
        Why it is not lowered as a whole.
    plain
        The derivative, loaded.
    origin
        Returns the user's line that a line of it comes from.
    arguments
        One value per parameter. They are copied.
    """
    parts = Parts(origin, loops="unused")
    opened = parts.opened(refusal, plain)
    if opened is None:
        return None
    opened.run(*copy.deepcopy(list(arguments)))
    return None if not parts.has_loops else _module(text, opened)


def _module(text: str, opened: Opened) -> str:
    settled = opened.settled()  # parts that have loops for several kinds are written as they are
    label = opened.function.name
    named = {part.name: part for part in settled.parts.values() if part.loops}
    new = {name: f"{label}_{k}" for k, name in enumerate(named, 1)}
    loops = {new[name]: _renamed(part.loops[0], new[name]) for name, part in named.items()}
    pieces = {name: _without_imports(found) for name, found in loops.items()}
    for function in settled.functions:
        pieces[function.name] = unparse(_called(written(function), named, new)).rstrip("\n")
    others = {name: found for name, found in _definitions(text).items() if name not in pieces}
    called = _names_in(pieces.values())
    while reached := {name: found for name, found in others.items() if name in called - {*pieces}}:
        pieces = {**reached, **pieces}
        called = _names_in(pieces.values())
    imports = [line for found in (text, *loops.values()) for line in _imports(found, called)]
    return "\n\n\n".join(["\n".join(dict.fromkeys(imports)), *pieces.values()]) + "\n"


def _renamed(loops: Lowered, name: str) -> str:
    return loops.text.replace(f"def {loops.name}(", f"def {name}(", 1)


def _without_imports(text: str) -> str:
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("def "))
    return "\n".join(lines[start:])


def _definitions(text: str) -> dict[str, str]:
    """Return the functions of a module as it spells them."""
    found = [s for s in ast.parse(text).body if isinstance(s, ast.FunctionDef)]
    return {s.name: ast.get_source_segment(text, s) or "" for s in found}


def _imports(text: str, used: set[str]) -> Iterator[str]:
    """Write the imports of a module of which a name is used, one name each."""
    for s in ast.parse(text).body:
        if isinstance(s, (ast.Import, ast.ImportFrom)):
            s.names = [alias for alias in s.names if (alias.asname or alias.name) in used]
            if s.names:
                yield ast.unparse(s)


def _names_in(texts: Iterable[str]) -> set[str]:
    trees = [ast.parse(text) for text in texts]
    return {p.id for tree in trees for p in ast.walk(tree) if isinstance(p, ast.Name)}


def _called(tree: Any, named: dict[str, Part], new: dict[str, str]) -> Any:
    """Write the calls of loops as they are in the text, with the arrays outside that are given to them."""
    for call in nodes(tree):
        if isinstance(call, gast.Call) and isinstance(call.func, gast.Name):
            part = named.get(call.func.id)
            if part is not None:
                call.func.id = new[part.name]
                outside = [gast.parse(x.expression, mode="eval") for x in part.loops[0].outside]
                call.args += [tree.body for tree in outside]
    return tree
