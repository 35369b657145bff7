"""What a Python function says by itself: its code, its lines in the file, the names that it looks up.

The text alone does not say what runs: the file may have changed since it was imported, and an import
hook may have added to the code. The code alone does not say what is read: comments and annotations are
not in it. So both count. Lines are counted too, for a text may mention the line that it comes from.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import importlib
import linecache
import textwrap
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tapeless.origins import is_generated, is_of_the_tool, is_users
from tapeless.source.reader import codes_within

_NAMED = {
    code
    for name, code in dis.opmap.items()
    if name in ("LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
}
_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_EXTENDED = dis.EXTENDED_ARG
_IMPORT = dis.opmap["IMPORT_NAME"]


def code_line(code: types.CodeType) -> str:
    """Describe a code, with those of the functions defined in it."""
    return _hash(repr(_traits(code)))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _traits(code: types.CodeType) -> tuple[Any, ...]:
    return (
        code.co_name, code.co_qualname, code.co_flags, code.co_argcount, code.co_posonlyargcount,
        code.co_kwonlyargcount, code.co_firstlineno, code.co_code, code.co_linetable,
        code.co_exceptiontable, code.co_names, code.co_varnames, code.co_freevars,
        code.co_cellvars, tuple(map(_constant, code.co_consts)),
    )  # fmt: skip


def _constant(x: Any) -> Any:
    """Write a constant so that what differs is written differently, in every process alike."""
    if isinstance(x, types.CodeType):
        return _traits(x)
    if isinstance(x, tuple):
        return "tuple", *map(_constant, x)
    if isinstance(x, frozenset):
        return "frozenset", *sorted(repr(_constant(item)) for item in x)
    return type(x).__name__, repr(x)


_files: set[str] = set()


def files_described() -> list[str]:
    """Return the files in which functions stand that were described."""
    return list(_files)


def lines_of(f: types.FunctionType) -> range:
    """Return the lines of a function in its file."""
    code = f.__code__
    lines = linecache.getlines(code.co_filename, f.__globals__)
    return range(code.co_firstlineno, last_line(code, lines) + 1)


def source_of(f: types.FunctionType) -> str:
    """Describe where a function is written, and its lines there.

    The folder does not count, but the name of the file and the line do.
    """
    filename = f.__code__.co_filename
    linecache.checkcache(filename)
    _files.add(filename)
    text = _text_of(f)
    label = "generated" if is_generated(filename) else Path(filename).name
    whose = is_users(filename), is_of_the_tool(filename)
    return f"{label} {whose} {_hash(text)}"


def _text_of(f: types.FunctionType) -> str:
    lines = linecache.getlines(f.__code__.co_filename, f.__globals__)
    return "".join(lines[f.__code__.co_firstlineno - 1 : last_line(f.__code__, lines)])


def names_of_defaults(f: types.FunctionType) -> set[str]:
    """Name what the defaults of a function are written with: they are evaluated outside its code."""
    if not (f.__defaults__ or f.__kwdefaults__):
        return set()
    try:
        [tree] = ast.parse(textwrap.dedent(_text_of(f))).body
    except (SyntaxError, ValueError):
        return set()
    if not isinstance(tree, ast.FunctionDef):
        return set()
    defaults = filter(None, [*tree.args.defaults, *tree.args.kw_defaults])
    parts = [part for default in defaults for part in ast.walk(default)]
    return {part.id for part in parts if isinstance(part, ast.Name)}


def last_line(code: types.CodeType, lines: list[str]) -> int:
    """Return the last line of a function: all that is indented more than its first line."""
    last = max(
        (place[1] for each in (code, *codes_within(code)) for place in each.co_positions() if place[1]),
        default=code.co_firstlineno,
    )  # fmt: skip
    first = lines[code.co_firstlineno - 1] if code.co_firstlineno <= len(lines) else ""
    for number, line in enumerate(lines[last:], last + 1):
        if line.strip():
            if _indent(line) <= _indent(first):
                break
            last = number
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def names_within(code: types.CodeType) -> tuple[set[str], set[str]]:
    """Name what a function looks up in its module, and all names in it: attributes among them.

    Examples
    --------
    >>> read, names = names_within(last_line.__code__)
    >>> sorted(read), "co_positions" in names
    (['_indent', 'codes_within', 'enumerate', 'len', 'max'], True)
    """
    read: set[str] = set()
    names: set[str] = set()
    for each in (code, *codes_within(code)):
        names.update(each.co_names)
        for step, place in _steps(each):
            if step == _LOAD_GLOBAL:
                read.add(each.co_names[place >> 1])
            elif step in _NAMED:
                read.add(each.co_names[place])
    return read, names


def _steps(code: types.CodeType) -> Iterator[tuple[int, int]]:
    """List the instructions of a code with their arguments; `dis` takes a hundred times as long."""
    argument = 0
    text = code.co_code
    for step, low in zip(text[::2], text[1::2], strict=True):
        argument = argument << 8 | low
        if step != _EXTENDED:
            yield step, argument
            argument = 0


def imports_within(code: types.CodeType, module: dict[str, Any]) -> list[types.ModuleType]:
    """Import the modules that a function imports where it runs, as its derivative would."""
    found: list[types.ModuleType] = []
    for each in (code, *codes_within(code)):
        if _IMPORT in each.co_code[::2]:
            found += _imported(dis.get_instructions(each), module)
    return found


def _imported(steps: Iterable[Any], module: dict[str, Any]) -> Iterator[types.ModuleType]:
    before: list[Any] = [None, None]
    for step in steps:
        if step.opname == "IMPORT_NAME":
            level, names = (one.argval for one in before[-2:])
            for path in ["", *(f".{name}" for name in names or ())]:
                dots = "." * (level or 0)
                try:
                    yield importlib.import_module(
                        f"{dots}{step.argval}{path}" if step.argval else f"{dots}{path[1:]}",
                        module.get("__package__"),
                    )
                except (ImportError, TypeError, ValueError):
                    continue  # a name in a module, or what fails where it runs as well
        before.append(step)
