"""Derivatives as loops on disk: their text beside the derivative's, and the machine code beside that.

The loops of a derivative follow from its text and the kinds of its arguments, if all that they were made of
stands in that text. So an entry is found by a hash of both. Its text is also written into a file of its
own, in a folder that only the user can write into: beside such a file Numba keeps the machine code.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tapeless.disk
from tapeless.disk import folder
from tapeless.disk.versions import versions
from tapeless.lower import Constant, Lowered, vector_math
from tapeless.lower.given import Outside
from tapeless.lower.loops import Result
from tapeless.source.watchers import is_watched

FOLDER = "loops"
PACKAGE = Path(tapeless.disk.__path__[0]).parent
LONG = 8  # from here on the size of an axis makes no difference


def key_of(function: Callable[..., Any], text: str, arguments: Sequence[Any]) -> str:
    """Return the name of the entry for the loops of a derivative."""
    kinds = [_kind(x) for x in arguments]
    asked = repr((versions(), function.__name__, text, kinds))
    return "loops-" + hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()


def _kind(x: Any) -> object:
    if isinstance(x, np.ndarray):
        return type(x), x.dtype.str, tuple(min(n, LONG) for n in x.shape)
    return (type(x), x) if isinstance(x, bool) or x is None else type(x)


def find(key: str, function: Callable[..., Any]) -> Lowered | None:
    """Read the loops of a derivative; None where there are none that can be read."""
    if not folder.is_on() or is_watched():
        return None
    try:
        entry = folder.read(key)
        return None if entry is None else _lowered(json.loads(entry), function)
    except Exception:  # whatever a file may hold: it is written anew
        return None


def _lowered(entry: dict[str, Any], function: Callable[..., Any]) -> Lowered | None:
    namespace = function.__globals__

    def reader(expression: str) -> Callable[[], object]:
        code = compile(expression, "<outside>", "eval")
        return lambda: eval(code, namespace)

    def constant(expression: str, value: str) -> Constant:
        return Constant(reader(expression), expression, ast.literal_eval(value))

    def outside(expression: str, dtype: str, ndim: int) -> Outside:
        return Outside(reader(expression), expression, dtype, ndim)

    found = tuple(outside(*told) for told in entry["outside"])
    if [repr(_kind(x.now())) for x in found] != entry["kinds outside"]:
        return None
    return Lowered(
        entry["text"], entry["name"], tuple(entry["stored"]), tuple(entry["apart"]),
        tuple(entry["arrays"]), entry["raises"],
        _result(entry["result"]), tuple(constant(*told) for told in entry["baked"]), found,
        tuple((i, text) for i, text in entry["texts"]), entry["measured from"], (),
    )  # fmt: skip


def _result(told: Any) -> Result:
    return tuple(map(_result, told)) if isinstance(told, list) else str(told)


def keep(key: str, function: Callable[..., Any], loops: Lowered) -> None:
    """Keep the loops of a derivative, if they were made of its text alone."""
    if not folder.is_on() or is_watched():
        return
    text = function.__code__.co_filename
    if any(core.filename != text and not _is_of_the_tool(core.filename) for core in loops.cores):
        return
    baked = [(constant.expression, repr(constant.value)) for constant in loops.baked]
    if not all(_is_literal(constant.value) for constant in loops.baked):
        return
    folder.write(key, json.dumps({
        "text": loops.text, "name": loops.name, "stored": loops.stored, "apart": loops.apart,
        "arrays": loops.arrays, "raises": loops.raises,
        "result": loops.result, "baked": baked,
        "texts": loops.texts, "measured from": loops.measured_from,
        "outside": [(x.expression, x.dtype, x.ndim) for x in loops.outside],
        "kinds outside": [repr(_kind(x.now())) for x in loops.outside],
    }))  # fmt: skip


def _is_of_the_tool(filename: str) -> bool:
    """Whether a file is one of the tool's, whose version is part of the key."""
    return Path(filename).is_relative_to(PACKAGE)


def _is_literal(value: object) -> bool:
    if type(value) in (tuple, list):
        return all(map(_is_literal, value))  # type: ignore[call-overload]
    return type(value) in (bool, int) or type(value) is float and value - value == 0.0


def file_of(text: str) -> str | None:
    """Return a file that holds a text, for machine code to be kept beside it; None where none can be."""
    if not folder.is_on():
        return None
    try:
        home = folder.place() / FOLDER
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.obstacle() or not folder.is_owned(os.lstat(home), stat.S_ISDIR):
            return None
        asked = f"{vector_math.mark()} {versions()} {text}"
        path = home / (hashlib.sha256(asked.encode("utf-8")).hexdigest()[:32] + ".py")
        if not path.exists():
            folder.write_whole(path, text)
        is_own = folder.is_owned(os.lstat(path), stat.S_ISREG)
        return str(path) if is_own and path.read_text(encoding="utf-8") == text else None
    except (OSError, ValueError, RuntimeError):
        return None


def clear() -> None:
    """Remove the texts of loops and their machine code."""
    home: Path = folder.place() / FOLDER
    if home.exists():
        shutil.rmtree(home)
