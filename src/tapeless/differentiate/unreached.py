"""What the analysis takes for never reached is an error where the derivative comes to it all the same.

    limit = options["limit"]           limit = options["limit"]
    y = limit * x               ->     raise unreached()

A dict that has no such item raises a KeyError in the first line, and what follows has no derivative that
could be written. If it is come to, the analysis has lost what is there: that is an error at once, and never
a derivative without a part.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.facts import binds_nothing
from tapeless.differentiate.writer import Writer
from tapeless.tree.build import at_line_of, name
from tapeless.tree.trees import Stmt, Tree


def end_behind(writer: Writer, s: Stmt) -> list[Any]:
    """Return what a block ends with behind what binds nothing that there is, as far as is known.

    A call of a function whose text is known to raise needs nothing: its own text ends so.
    """
    known = writer.known
    raises = binds_nothing(known.results, s) and s not in known.callees
    return [_error(writer, s)] if raises else []


def has_no_trips(writer: Writer, loop: Stmt) -> bool:
    """Whether what a `for` goes through is empty, as far as is known."""
    return type(loop) is gast.For and loop.body[0] not in writer.known.before


def without_trips(writer: Writer, loop: Tree) -> Stmt:
    """Return a loop that has no trips as one that ends in the first, without its `else`."""
    made = gast.For(loop.target, loop.iter, [_error(writer, loop)], [], None)
    return at_line_of(made, loop)


def _error(writer: Writer, s: Stmt) -> Stmt:
    error = gast.Call(name(writer.runtime("unreached")), [], [])
    return at_line_of(gast.Raise(error, None), s)
