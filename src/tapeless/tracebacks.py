"""What the traceback of an exception shows: the user's frames and the generated lines.

Between the line that asks for a derivative and the line that raises stand frames of the tool, which say
nothing to its user. Every public function takes them out of what leaves it. Set the environment
variable `TAPELESS_TRACEBACK=full` to see them; the tool's own bugs show them always.
"""

from __future__ import annotations

import functools
import os
import sys
import types
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tapeless.errors import GradientError, InternalError, TapelessError
from tapeless.origins import is_of_a_library, is_of_the_tool, is_users

_P = ParamSpec("_P")
_R = TypeVar("_R")
_RENAMED = {"argnums": "wrt", "argnum": "wrt"}  # as other libraries name it


def shows_all() -> bool:
    """Whether tracebacks are left as they are."""
    return os.environ.get("TAPELESS_TRACEBACK") == "full"


def trim(error: BaseException) -> None:
    """Take the tool's frames out of the traceback of an exception, and of those that it comes from.

    A frame of Python's own library that the tool called goes with it. To be called in an `except` that
    ends with a bare `raise`: this adds no frame of its own.
    """
    if shows_all() or isinstance(error, InternalError):
        return
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        each = todo.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        each.__traceback__ = _users_frames(each.__traceback__)
        todo += [each.__cause__, each.__context__]


def _users_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    kept: list[types.TracebackType] = []
    dropped = False
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        library = dropped and is_of_a_library(filename) and "numpy" not in filename
        dropped = is_of_the_tool(filename) or library
        if not dropped:
            kept.append(traceback)
        traceback = traceback.tb_next
    found: types.TracebackType | None = None
    for each in reversed(kept):
        found = types.TracebackType(found, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return found


def without_first(error: BaseException) -> None:
    """Take the outermost frame out of the traceback of an exception."""
    if error.__traceback__ is not None and not shows_all():
        error.__traceback__ = error.__traceback__.tb_next


def leave(error: BaseException, depth: int = 1) -> None:
    """Make an exception ready to leave a public function: its place is known, its traceback short.

    `depth` counts the frames between the one that calls this and the user's.
    """
    if isinstance(error, TapelessError) and error.filename is None:
        frame = sys._getframe(depth + 1)
        if is_users(frame.f_code.co_filename):
            error.point_to(frame.f_code.co_filename, frame.f_lineno)
    trim(error)


def public(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let exceptions leave a function as `leave` makes them."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            for key in _RENAMED.keys() & kwargs.keys():
                raise GradientError(
                    f"{function.__name__} takes no argument `{key}`", fix=f"use {_RENAMED[key]}="
                )
            return function(*args, **kwargs)
        except BaseException as error:
            leave(error)
            raise

    return call
