"""Notebooks as targets: `book.ipynb:f`.

The cells of code are run one after the other, as `Run all` does, in one module. Lines for IPython, which
begin with `%`, `!` or `?`, are left out, and so are cells that begin with `%%`. Messages name a cell and a
line in it.
"""

from __future__ import annotations

import contextlib
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from tapeless.cli.messages import CommandError, told_as
from tapeless.origins import name_cell


def import_notebook(path: Path) -> ModuleType:
    """Run the cells of a notebook as a module that is named like the file."""
    present = sys.modules.get(path.stem)
    if present is not None:
        return present
    module = ModuleType(path.stem)
    module.__dict__["__tapeless_target__"] = True
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.resolve().parent))
    for number, text in cells_of(path):
        filename = f"<{path.name}, cell {number}>"
        name_cell(filename, f"{path.name}, cell {number}")
        linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
        with (
            told_as(f"running cell {number} of {path.name} failed"),
            contextlib.redirect_stdout(sys.stderr),
        ):
            exec(compile(text, filename, "exec"), module.__dict__)
    return module


def cells_of(path: Path) -> Iterator[tuple[int, str]]:
    """List the cells of code with their numbers, counted from 1 as `Run all` does."""
    try:
        import nbformat
    except ImportError:
        raise CommandError(
            "reading a notebook needs nbformat; pip install 'tapeless[notebook]'"
        ) from None
    if not path.is_file():
        raise CommandError(f"there is no file {path}")
    try:
        book = nbformat.read(path, as_version=4)
    except Exception as error:
        raise CommandError(f"{path} is not a notebook: {error}") from None
    for number, cell in enumerate((c for c in book.cells if c.cell_type == "code"), 1):
        if not cell.source.startswith("%%") or cell.source.startswith("%%derivative"):
            yield number, plain(cell.source)


def plain(text: str) -> str:
    r"""Leave out the lines that are IPython's; the others keep their numbers.

    Examples
    --------
    >>> plain("%load_ext tapeless\nx = 1\n!ls")
    '#%load_ext tapeless\nx = 1\n#!ls'
    """
    return "\n".join(
        f"#{line}" if line.startswith(("%", "!", "?")) else line for line in text.split("\n")
    )
