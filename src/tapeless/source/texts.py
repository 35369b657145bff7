"""The text of a function, with what its free names stand for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gast

from tapeless.errors import TapelessError
from tapeless.externals import Externals, externals_of
from tapeless.origins import Line, is_of_the_tool
from tapeless.source.reader import read
from tapeless.tree.names import binds_in_block, free_names, reads


@dataclass(frozen=True, eq=False)
class Text:
    """The source of a function: its tree and what its free names stand for."""

    tree: gast.FunctionDef
    externals: Externals

    @functools.cached_property
    def reads(self) -> tuple[str, ...]:
        """The names that it reads, in the order of the text."""
        return tuple(dict.fromkeys(reads(self.tree)))

    @functools.cached_property
    def bound(self) -> frozenset[str]:
        """The names that its body binds."""
        return frozenset(binds_in_block(self.tree.body))


@lru_cache(maxsize=4096)
def text_of(function: Callable[..., Any], generators: bool = False) -> Text | None:
    """Read the source of a function, or of a generator; None where it has none that can be spliced."""
    try:
        source = read(function, generators)
    except TapelessError:
        return None
    tell_lines(source.tree, source.filename)
    return Text(source.tree, externals_of(function, free_names(source.tree)))


def tell_lines(tree: gast.FunctionDef, filename: str) -> None:
    """Let the lines of a text say their file; those of the tool's own say nothing to a user."""
    own = is_of_the_tool(filename)
    for part in gast.walk(tree):
        line = getattr(part, "lineno", None)
        if line is not None:
            part.lineno = None if own else Line(line, filename)
