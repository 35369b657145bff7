"""Forward mode, statement by statement: which function writes the tangent of which statement."""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.custom.marks import unmarked
from tapeless.differentiate.forward.statements import STATEMENTS, assignment
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.reverse import variables
from tapeless.differentiate.unreached import end_behind
from tapeless.differentiate.unseen import check_unseen
from tapeless.tree.build import at_line_of


class TangentRun(TangentWriter):
    """Writes each statement of a function beside its tangent."""

    def block(self, statements: list[Any]) -> list[Any]:
        """Write a block with its tangent statements."""
        made: list[Any] = []
        for s in statements:
            if s not in self.known.before:  # control never comes here
                made.append(s)
                continue
            end = end_behind(self, s)
            if end:
                return [*made, s, *end]
            check_unseen(self, s)
            s = unmarked(self, s)
            reads, s = variables.with_values_read(self, s)
            for read in reads:
                if self.varies(self.known.results[read]):
                    self.tracked.add(read.targets[0].id)
                made += assignment(self, read)
            write = STATEMENTS.get(type(s))
            for part in [s] if write is None else write(self, s):
                made.append(at_line_of(part, s) if not hasattr(part, "_comment") else part)
        return made or [gast.Pass()]
