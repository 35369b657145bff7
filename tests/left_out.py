"""Which modules of the package cannot be imported here, because a library that they are for is not installed.

Doctests import every module. One that is for a library that is not there is left out, by that reason and no
other: anything else that cannot be imported fails the run.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
OPTIONAL = frozenset(
    ["dask", "distributed", "jax", "numba", "pandas", "scipy", "sklearn", "torch", "xarray"]
)


def missing_libraries() -> frozenset[str]:
    """Return the optional libraries that are not installed."""
    return frozenset(name for name in OPTIONAL if importlib.util.find_spec(name) is None)


def _packages_around(file: Path) -> list[Path]:
    return [folder / "__init__.py" for folder in file.parents if SOURCE in folder.parents]


@functools.cache
def _files_of(name: str) -> list[Path]:
    if name.partition(".")[0] != "tapeless":
        return []
    place = SOURCE.joinpath(*name.split("."))
    return [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]


def _names_imported(file: Path) -> tuple[str, ...]:
    """Return what a file imports as it is run: not within functions, nor where it may fail."""
    return tuple(_names_in(ast.parse(_with_imports(file.read_text(encoding="utf-8")))))


def _with_imports(text: str) -> str:
    """Return a module up to its first function or class, if nothing is imported behind it.

    To parse all bodies would take longer than most tests.
    """
    head = re.split(r"^(?:def|class|async|@)", text, maxsplit=1, flags=re.MULTILINE)[0]
    complete = head.count('"""') % 2 == 0
    return (
        head if complete and not re.search(r"^(?:import|from)\b", text[len(head) :], re.M) else text
    )


def _names_in(module: ast.Module) -> Iterator[str]:
    for statement in module.body:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            yield statement.module
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


def left_out() -> dict[Path, frozenset[str]]:
    """Return the files that are left out here, each with the libraries that it lacks.

    A file lacks what it imports itself, and what any file lacks that is run when it is imported.
    """
    missing = missing_libraries()
    lacking: dict[Path, frozenset[str]] = {}
    run_by: dict[Path, list[Path]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        names = _names_imported(file)
        lacking[file] = frozenset(name.partition(".")[0] for name in names) & missing
        imported = [own for name in names for own in _files_of(name)]
        around = [init for init in _packages_around(file) if init.is_file()]
        for other in {*imported, *around}:
            run_by.setdefault(other, []).append(file)
    waiting = [file for file, names in lacking.items() if names]
    while waiting:
        file = waiting.pop()
        for other in run_by.get(file, ()):
            if not lacking[file] <= lacking[other]:
                lacking[other] |= lacking[file]
                waiting.append(other)
    return {file: names for file, names in lacking.items() if names}
