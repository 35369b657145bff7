"""What wrote an entry: Python, NumPy and the tool. Another one may write another text.

A version does not say all of a tool that is being worked on, so the sizes and times of its files count
as well.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import sys

import numpy as np


@functools.cache
def versions() -> str:
    """Return what tells one set of tools from another."""
    python = platform.python_implementation(), sys.version, sys.flags.optimize
    files = "".join(sorted(_files(os.path.dirname(os.path.dirname(__file__)))))
    return f"{python} {np.__version__} {hashlib.sha256(files.encode()).hexdigest()}"


def _files(folder: str) -> list[str]:
    """List the files of the tool with their sizes and times."""
    found: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                told = entry.stat()
                found.append(f"{entry.name} {told.st_size} {told.st_mtime_ns} ")
            elif entry.name != "__pycache__" and entry.is_dir():
                found += _files(entry.path)
    return found
