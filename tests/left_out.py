"""Which modules of the package cannot be imported here, because a library that they are for is not installed.

Doctests import every module. One that is for a library that is not there is left out, by that reason and no
other: anything else that cannot be imported fails the run.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
OPTIONAL = frozenset(
    ["dask", "distributed", "jax", "numba", "pandas", "scipy", "sklearn", "torch", "xarray"]
)


def missing_libraries() -> frozenset[str]:
    """Return the optional libraries that are not installed."""
    return frozenset(name for name in OPTIONAL if importlib.util.find_spec(name) is None)


@functools.cache
def libraries_of(path: Path) -> frozenset[str]:
    """Return the optional libraries that a module of the package imports, by itself or by its imports."""
    return frozenset(
        name.partition(".")[0]
        for file in _imported_with(path)
        for name in _names_imported(file)
        if name.partition(".")[0] in OPTIONAL
    )


def _imported_with(path: Path) -> set[Path]:
    """Return the files of the package that are run when a module is imported."""
    found, waiting = set(), [path]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        waiting += [init for init in _packages_around(file) if init.is_file()]
        waiting += [own for name in _names_imported(file) for own in _files_of(name)]
    return found


def _packages_around(file: Path) -> list[Path]:
    return [folder / "__init__.py" for folder in file.parents if SOURCE in folder.parents]


def _files_of(name: str) -> list[Path]:
    if name.partition(".")[0] != "tapeless":
        return []
    place = SOURCE.joinpath(*name.split("."))
    return [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]


@functools.cache
def _names_imported(file: Path) -> tuple[str, ...]:
    """Return what a file imports as it is run: not within functions, nor where it may fail."""
    return tuple(_names_in(ast.parse(file.read_text(encoding="utf-8"))))


def _names_in(module: ast.Module) -> Iterator[str]:
    for statement in module.body:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            yield statement.module
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


def left_out() -> dict[Path, frozenset[str]]:
    """Return the files that are left out here, each with the libraries that it lacks."""
    missing = missing_libraries()
    lacking = {file: libraries_of(file) & missing for file in sorted(SOURCE.rglob("*.py"))}
    return {file: names for file, names in lacking.items() if names}
