"""What a shell proposes for a target: files, and after the colon what stands in them.

Nothing is imported for it, and nothing of the user's runs: the names are read off the text.
"""

from __future__ import annotations

import ast
import glob
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem


def complete_function(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Propose files, then the functions and methods in the one that is named."""
    return _completed(incomplete, functions_alone=True)


def complete_name(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Propose files, then all names in one."""
    return _completed(incomplete, functions_alone=False)


def _completed(incomplete: str, functions_alone: bool) -> list[CompletionItem]:
    place, colon, begun = incomplete.rpartition(":")
    if not colon:
        place, begun = _only_module(incomplete), ""
        if not place:
            return [CompletionItem(incomplete, type="file")]
    try:
        names = list(names_in(Path(place).read_text(encoding="utf-8"), functions_alone))
    except (OSError, ValueError, SyntaxError):
        return []
    return [CompletionItem(f"{place}:{name}") for name in names if name.startswith(begun)]


def _only_module(begun: str) -> str:
    """Return the only file that a path may become, if it is a module; "" otherwise."""
    folder, slash, start = begun.rpartition("/")
    found = [file.name for file in Path(f"{folder}{slash}" or ".").glob(f"{glob.escape(start)}*")]
    return f"{folder}{slash}{found[0]}" if len(found) == 1 and found[0].endswith(".py") else ""


def names_in(text: str, functions_alone: bool) -> Iterator[str]:
    """Name the functions and methods of a module, or all that it binds at its top.

    Examples
    --------
    >>> text = "n = 3\\ndef f(x): ...\\nclass Model:\\n    def energy(self): ..."
    >>> list(names_in(text, True)), list(names_in(text, False))
    (['f', 'Model.energy'], ['n', 'f'])
    """
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef):
            yield statement.name
        elif isinstance(statement, ast.ClassDef) and functions_alone:
            inside = [s.name for s in statement.body if isinstance(s, ast.FunctionDef)]
            yield from (f"{statement.name}.{name}" for name in inside)
        elif isinstance(statement, ast.Assign) and not functions_alone:
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
