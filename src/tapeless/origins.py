"""Whose lines the lines of generated text are.

A derivative of a derivative reads text that no user wrote. What is refused there is refused for a line
of the user's, so every text that is loaded leaves here which of its lines come from where. Texts are
made of texts: a line is followed until a file is reached that was not generated.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
import types
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

GENERATED = "<tapeless "
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_ORIGINS: dict[str, Mapping[int, tuple[str, int]]] = {}
_SWEEPS: dict[str, Mapping[int, str]] = {}
_PARTS: dict[str, Mapping[int, Sequence[Part]]] = {}
_OF_A_PART = 1_000_000  # is added to the number of a line for each of its parts


class Line(int):
    """The number of a line that also says its file: what is spliced in may be of another.

    What was spliced in the place of calls says also from where it is called: `callers` are files and
    lines, the innermost first.

    Examples
    --------
    >>> Line(7, "model.py") == 7, file_of(Line(7, "model.py"), "main.py"), file_of(7, "main.py")
    (True, 'model.py', 'main.py')
    """

    filename: str
    callers: tuple[tuple[str, int], ...]

    def __new__(cls, number: int, filename: str, callers: tuple[tuple[str, int], ...] = ()) -> Line:
        made = super().__new__(cls, number)
        made.filename = filename
        made.callers = callers
        return made

    def __deepcopy__(self, memo: object) -> Line:
        return self


def file_of(line: int | None, around: str) -> str:
    """Return the file of a line: the one that it says, else that of the text around it."""
    return line.filename if type(line) is Line else around


def callers_of(line: int | None) -> tuple[tuple[str, int], ...]:
    """Return the files and lines that call what stands in a line, the innermost first."""
    return line.callers if type(line) is Line else ()


_CELLS: dict[str, str] = {}


def name_cell(filename: str, label: str) -> None:
    """Say how messages name a file that is a cell of a notebook."""
    _CELLS[filename] = label


def shown_location(filename: str, lineno: int | None, folder: bool = True) -> str:
    """Write a file and a line as messages show them; without `folder` the name of the file alone.

    A cell of a notebook is named by its number, which IPython tells.

    Examples
    --------
    >>> name_cell("<a cell>", "Cell 9")
    >>> shown_location("<a cell>", 2), shown_location("models/model.py", 2, folder=False)
    ('Cell 9, line 2', 'model.py:2')
    """
    cell = _CELLS.get(filename) or _cell_of_ipython(filename)
    if cell is not None:
        return cell if lineno is None else f"{cell}, line {lineno}"
    name = filename if folder else filename.replace("\\", "/").rpartition("/")[2]
    return name if lineno is None else f"{name}:{lineno}"


def _cell_of_ipython(filename: str) -> str | None:
    """Return the number of the cell that IPython compiled under a name; None for other files."""
    found = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    told = getattr(getattr(found, "compile", None), "format_code_name", lambda name: None)(filename)
    return None if told is None else f"Cell {told[1].removeprefix('In[').removesuffix(']')}"


class Part(NamedTuple):
    """A part of a generated line, between two columns, and the file and line that it comes from."""

    start: int
    end: int
    origin: tuple[str, int]


def remember_origins(
    filename: str, origins: Mapping[int, tuple[str, int]],
    sweeps: Mapping[int, str] | None = None, parts: Mapping[int, Sequence[Part]] | None = None,
) -> None:  # fmt: skip
    """Keep, for the lines of a generated file, the file and line that they come from.

    Parameters
    ----------
    filename, origins
        The file, and where its statements come from, by line.
    sweeps
        The sweep that lines belong to.
    parts
        The parts of lines that come from several.
    """
    _ORIGINS[filename] = origins
    _SWEEPS[filename] = sweeps or {}
    _PARTS[filename] = parts or {}


def line_of_part(filename: str, lineno: int, column: int) -> int:
    """Return the number that stands for a part of a generated line: `origin_of` knows it.

    Examples
    --------
    >>> parts = {2: [Part(4, 8, ("model.py", 7)), Part(8, 12, ("model.py", 5))]}
    >>> remember_origins("<tapeless g 0>", {2: ("model.py", 7)}, None, parts)
    >>> number = line_of_part("<tapeless g 0>", 2, 9)
    >>> origin_of("<tapeless g 0>", number), origin_of("<tapeless g 0>", 2)
    (('model.py', 5), ('model.py', 7))
    >>> forget_origins("<tapeless g 0>")
    """
    for i, part in enumerate(_PARTS.get(filename, {}).get(lineno, ()), 1):
        if part.start <= column < part.end:
            return lineno + i * _OF_A_PART
    return lineno


def forget_origins(filename: str) -> None:
    """Forget a generated file."""
    _ORIGINS.pop(filename, None)
    _SWEEPS.pop(filename, None)
    _PARTS.pop(filename, None)


def sweep_of(filename: str, lineno: int) -> str:
    """Return the sweep that a line of a generated file belongs to; "" where it belongs to none.

    Examples
    --------
    >>> remember_origins("<tapeless g 0>", {}, {2: "reverse sweep"})
    >>> sweep_of("<tapeless g 0>", 2), sweep_of("model.py", 2)
    ('reverse sweep', '')
    >>> forget_origins("<tapeless g 0>")
    """
    return _SWEEPS.get(filename, {}).get(lineno % _OF_A_PART, "")


def is_generated(filename: str | None) -> bool:
    """Whether a file is text that was generated and loaded."""
    return filename is not None and filename.startswith(GENERATED)


def is_of_the_tool(filename: str | None) -> bool:
    """Whether a file is one of the tool's own."""
    return filename is not None and filename.startswith(_OWN)


def is_users(filename: str | None) -> bool:
    """Whether a file is neither the tool's own, nor generated, nor of Python or a library.

    Examples
    --------
    >>> is_users("model.py"), is_users(os.__file__), is_users(__file__)
    (True, False, False)
    """
    if filename is None or filename.startswith(("<tapeless ", "<frozen ", "<string>")):
        return False
    return not is_of_the_tool(filename) and not is_of_a_library(filename)


def path_of(code: types.CodeType, module: dict[str, Any]) -> str:
    """Return the file of a function, given the globals of its module.

    Modules that Python starts with stand under names of their own.

    Examples
    --------
    >>> import collections.abc
    >>> method = collections.abc.Mapping.get
    >>> path_of(method.__code__, method.__globals__).endswith("_collections_abc.py")
    True
    """
    filename = code.co_filename
    return str(module.get("__file__", filename)) if filename.startswith("<frozen ") else filename


def is_of_a_library(filename: str) -> bool:
    """Whether a file belongs to Python itself or to what was installed."""
    return filename.startswith(("<frozen ", *_library_folders()))


@functools.cache
def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple({paths[name] + os.sep for name in names})


def origin_of(filename: str, lineno: int | None) -> tuple[str, int] | None:
    """Return the file and line that a line of a generated file comes from; None where none is known.

    A line that comes from nowhere, such as the seed of a reverse sweep, or from a text of which nothing is
    known, counts as the one before.

    Examples
    --------
    >>> remember_origins("<tapeless g 0>", {2: ("model.py", 7)})
    >>> origin_of("<tapeless g 0>", 3)
    ('model.py', 7)
    >>> forget_origins("<tapeless g 0>")
    """
    origins = _ORIGINS.get(filename, {})
    if not origins:
        return None
    part, lineno = (0, None) if lineno is None else divmod(lineno, _OF_A_PART)
    if part and lineno is not None:
        return _followed(_PARTS[filename][lineno][part - 1].origin)
    lines = sorted(origins)
    after = len(lines) if lineno is None else bisect_right(lines, lineno)
    nearest = (_followed(origins[line]) for line in (*lines[:after][::-1], *lines[after:]))
    return next((found for found in nearest if found is not None), None)


def _followed(place: tuple[str, int]) -> tuple[str, int] | None:
    """Follow a place in a generated file to where it comes from; any other stays as it is."""
    return origin_of(*place) if is_generated(place[0]) else place
