"""Why the forward body of a custom gradient may run once only: it draws, or it changes memory.

A pullback runs it again. That is right where nothing that it does again has an influence on the gradients.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from tapeless.analysis.interpret.changes_by_customs import changed_by, changed_by_text
from tapeless.analysis.logs import mentioned
from tapeless.analysis.repeatable import attributes_stored, draws, text_draws
from tapeless.differentiate.custom.callees import Written, forward_callee, pullback_callee
from tapeless.differentiate.custom.customs import Custom, NotSplicedError
from tapeless.differentiate.writer import Writer
from tapeless.errors import TapelessError
from tapeless.kinds import Region
from tapeless.tree.trees import Stmt


@dataclass(frozen=True)
class Once:
    """Why the forward body of a custom gradient may run once only: it draws, or it changes memory."""

    draws: bool
    changed: frozenset[Region] = frozenset()
    attributes: frozenset[str] = frozenset()

    @property
    def why(self) -> str:
        """What a gradient would depend on."""
        if self.draws:
            return "random numbers that its value has drawn"
        return "state that its body changes"

    @property
    def fix(self) -> str:
        """The way out where a gradient depends on it."""
        if self.draws:
            return "draw them outside and pass them in"
        return "pass the state as an argument and return it"

    @property
    def does(self) -> str:
        """What the body does, for a comment."""
        return "it draws random numbers" if self.draws else "it changes state"


def runs_once(sweep: Writer, s: Stmt, custom: Custom) -> Once | None:
    """Return why another run of the forward body would not be what the first one was; None if it is."""
    drawn = custom.text is not None and text_draws(custom.text.tree, custom.text.externals)
    if not inspect.isfunction(custom.function):
        return Once(True) if drawn else None
    try:
        callee = forward_callee(sweep, s, custom)
    except (TapelessError, NotSplicedError):  # what cannot be read is called, once
        changes = any(True for _ in changed_by_text(custom.function))
        return Once(drawn) if drawn or changes else None
    drawn, changed = drawn or draws(callee), frozenset(changed_by(callee))
    if not drawn and not changed:
        return None
    return Once(drawn, changed, frozenset(attributes_stored(callee.facts)))


def needs_again(sweep: Writer, s: Stmt, written: Written, once: Once) -> bool:
    """Whether a pullback would do again what the forward body may do once only."""
    if text_draws(written.tree, written.externals):
        return True
    try:
        callee = pullback_callee(sweep, s, written)
    except (TapelessError, NotSplicedError):
        return True
    if once.draws and draws(callee):
        return True
    if not once.changed:
        return not once.draws
    met = mentioned(callee, sweep.program.known, once.attributes)
    return bool(changed_by(callee) or met & once.changed)
