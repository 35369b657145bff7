"""A name that holds a constant is not bound to it again.

    x_bar = 0.0                    x_bar = 0.0
    if end != 1:                   if end != 1:
        x_bar = 0.0        ->          if end != 2:
        if end != 2:                       x_bar = y
            x_bar = y

Where several statements of a loop may be jumped over, each starts the adjoints that it may leave
untouched; what an outer one has started is as good.
"""

from __future__ import annotations

from collections import Counter

import gast

from tapeless.optimize.analyses import body_of, generated_in
from tapeless.optimize.context import Context
from tapeless.tree.blocks import all_blocks, binds_one_name
from tapeless.tree.known_names import KnownNames
from tapeless.tree.trees import Stmt

Known = dict[str, str]


def drop_repeated_constants(function: gast.FunctionDef, context: Context) -> bool:
    """Remove generated assignments of a constant to a name that holds it already.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_rev(x, x_bar):
    ...     v_bar = 0.0
    ...     if x > 1:
    ...         v_bar = 0.0
    ...         if x > 2:
    ...             v_bar = x_bar
    ...     return v_bar
    ... ''').body[0]
    >>> drop_repeated_constants(function, Context(reverse=True))
    True
    >>> print(unparse(function), end="")
    def f_rev(x, x_bar):
        v_bar = 0.0
        if x > 1:
            if x > 2:
                v_bar = x_bar
        return v_bar
    """
    body = body_of(function, context)
    bound = Counter(filter(None, map(_constant, body.parts(gast.Assign))))
    if not any(count > 1 for count in bound.values()):
        return False
    constants = _Constants(body.scoped)
    constants.block(function.body, {})
    generated = generated_in(function, context)
    dropped = False
    for block in list(all_blocks(function.body)):
        kept = [s for s in block if id(s) not in generated or not constants.is_repeated(s)]
        if len(kept) < len(block):
            dropped = True
            block[:] = kept or [gast.Pass()]
    return dropped


class _Constants(KnownNames[str]):
    """Which names hold a constant, and which."""

    def __init__(self, scoped: frozenset[str]) -> None:
        super().__init__()
        self.scoped = scoped

    def is_repeated(self, s: Stmt) -> bool:
        """Whether a statement binds its name to what it holds already."""
        constant = _constant(s)
        return constant is not None and self.before.get(s, {}).get(constant[0]) == constant[1]

    def learnt(self, s: Stmt, state: Known) -> Known:
        constant = _constant(s)
        return {} if constant is None or constant[0] in self.scoped else {constant[0]: constant[1]}


def _constant(s: Stmt) -> tuple[str, str] | None:
    """Return the name and the text of the constant that a statement binds it to."""
    if not binds_one_name(s) or type(s.value) is not gast.Constant:
        return None
    return s.targets[0].id, repr(s.value.value)
