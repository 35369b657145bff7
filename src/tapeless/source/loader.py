"""From text to functions that a debugger can step through.

The text is compiled under a name of its own and put where Python looks for the lines of a file that
does not exist, `linecache`. So tracebacks show generated lines, `inspect.getsource` returns them
and pdb steps through them. An entry without a time of modification is never checked against a disk;
it is taken out again when the module that it belongs to is no longer used.

An exception in generated code shows a line that the user did not write. `add_origin_note` adds to
it the line of the user's file that the generated line comes from.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import traceback
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from tapeless.errors import TapelessError
from tapeless.externals import Externals
from tapeless.origins import (
    GENERATED,
    Part,
    forget_origins,
    is_generated,
    origin_of,
    remember_origins,
    shown_location,
)

_numbers = itertools.count(1)


class GeneratedText:
    """The text of one loaded module: its `__loader__`, and what keeps its lines to be shown."""

    def __init__(self, filename: str, text: str, externals: Externals | None = None) -> None:
        self.filename = filename
        self.text = text
        self.externals = externals or {}

    def get_source(self, fullname: str) -> str:
        """The text of the module, as the import system asks for it."""
        return self.text


def load(
    text: str, name: str, namespace: Mapping[str, Any] | None = None,
    origins: Mapping[int, tuple[str, int]] | None = None, externals: Externals | None = None,
    sweeps: Mapping[int, str] | None = None, parts: Mapping[int, Sequence[Part]] | None = None,
) -> dict[str, Any]:  # fmt: skip
    r"""Run the text of a module and return its namespace.

    Parameters
    ----------
    text : str
        A complete module.
    name : str
        Its `__name__`, also shown in tracebacks.
    namespace : mapping, optional
        Names that the text may use without importing them. An import of such a name is not run:
        the value given here is the one that counts.
    origins : mapping, optional
        The file and line that generated lines come from.
    externals : dict, optional
        Where the names that the text uses are looked up.
    sweeps : mapping, optional
        The sweep that generated lines belong to.
    parts : mapping, optional
        The parts of generated lines that come from several lines.

    Returns
    -------
    dict
        The module's global names. Its functions keep it alive.

    Examples
    --------
    >>> import inspect
    >>> module = load("def square(x):\n    return x * x\n", "squares")
    >>> module["square"](3.0)
    9.0
    >>> print(inspect.getsource(module["square"]), end="")
    def square(x):
        return x * x
    """
    filename = f"{GENERATED}{name} {next(_numbers)}>"
    generated = GeneratedText(filename, text, externals)
    _show_lines(generated)
    remember_origins(filename, origins or {}, sweeps, parts)
    module = {"__name__": name, "__loader__": generated, **(namespace or {})}
    tree = ast.parse(text)
    tree.body = [s for s in tree.body if not _binds_only(s, module)]
    exec(compile(tree, filename, "exec", dont_inherit=True), module)
    return module


def _binds_only(statement: ast.stmt, known: Mapping[str, Any]) -> bool:
    """Whether a statement only imports names that are known already."""
    if not isinstance(statement, (ast.Import, ast.ImportFrom)):
        return False
    return all((alias.asname or alias.name) in known for alias in statement.names)


def _show_lines(generated: GeneratedText) -> None:
    text, filename = generated.text, generated.filename
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    for forget in (
        weakref.finalize(generated, linecache.cache.pop, filename, None),
        weakref.finalize(generated, forget_origins, filename),
    ):
        forget.atexit = False


def add_origin_note(exception: BaseException, line_map: Mapping[int, tuple[str, int]]) -> None:
    r"""Add to an exception the user's line that the generated line which raised comes from.

    Parameters
    ----------
    exception : BaseException
        An exception that was raised, with its traceback.
    line_map : mapping of int to (str, int)
        For lines of the generated text, the user's file and line.

    Examples
    --------
    >>> module = load("def f(x):\n    return 1 / x\n", "inverse")
    >>> try:
    ...     module["f"](0)
    ... except ZeroDivisionError as error:
    ...     add_origin_note(error, {2: ("model.py", 14)})
    ...     print(error.__notes__)
    ['generated from model.py:14']
    """
    origin = _origin(exception, line_map)
    if origin is None:
        return
    if is_generated(origin[0]):
        origin = origin_of(*origin)
    if origin is None:
        return
    filename, lineno = origin
    if isinstance(exception, TapelessError):
        exception.point_to(filename, lineno)
        return
    text = linecache.getline(filename, lineno).strip()
    note = f"generated from {shown_location(filename, lineno)}" + (f": {text}" if text else "")
    if note not in getattr(exception, "__notes__", ()):
        exception.add_note(note)


def _origin(
    exception: BaseException, line_map: Mapping[int, tuple[str, int]]
) -> tuple[str, int] | None:
    """The origin of the innermost generated line that has one."""
    origin = None
    for frame, lineno in traceback.walk_tb(exception.__traceback__):
        if is_generated(frame.f_code.co_filename):
            origin = line_map.get(lineno, origin)
    return origin
