"""What `*` spreads over a function that takes any number of arguments: how many there are must be known.

rows = [w * x for w in (1.0, 2.0)]
np.einsum("i,i->", *rows)              two, once the loop is written out
"""

from __future__ import annotations

from typing import Any

from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import List, Sequence
from tapeless.rules.declare import Rule
from tapeless.rules.traits import traits_of


def ask_how_many(interpreter: Interpreter, found: Any, rule: Rule, site: CallSite) -> None:
    """Refuse to spread what varies and a loop of the function may have filled: it can be written out."""
    starred = [a for a in site.arguments if a.is_starred and isinstance(a.value.kind, _FILLED)]
    spread = [a.tree for a in starred if interpreter.displayed(a.value.kind) is None]
    if not (spread and interpreter.has_loops and takes_any_number(rule)):
        return
    if traits_of(found).of_sequence is None and any(map(interpreter.holds_varied, site.given)):
        shown = interpreter.function.spelled(spread[0], "the starred argument")
        interpreter.refuse(
            site.tree,
            f"how many arguments {shown} passes is not known here",
            "pass them one by one or in a tuple",
        )


_FILLED = (List, Sequence)


def takes_any_number(rule: Rule) -> bool:
    """Whether a function with a rule may be given as many arguments by position as anybody likes."""
    try:
        parameters = list(rule.parameters.values())
    except ValueError:  # what is written in C need not tell
        return False
    return any(p.kind is p.VAR_POSITIONAL for p in parameters)
