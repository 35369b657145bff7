"""What wrote an entry: Python, NumPy and the tool. Another one may write another text.

A version does not say all of a tool that is being worked on, so the sizes and times of its files count
as well.
"""

from __future__ import annotations

import functools
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np


@functools.cache
def versions() -> str:
    """Return what tells one set of tools from another."""
    python = platform.python_implementation(), sys.version, sys.flags.optimize
    return f"{python} {np.__version__} {sorted(_files(str(Path(__file__).parents[1])))}"


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            elif entry.name.endswith(".py"):
                told = entry.stat()
                yield entry.name, told.st_size, told.st_mtime_ns
