"""What a function of arrays gives to several factors of a reverse sweep is computed once.

    a_bar = y_bar * np.where(a == b, 0.5, y == a)
    b_bar = y_bar * (1.0 - np.where(a == b, 0.5, y == a))

becomes

    share = np.where(a == b, 0.5, y == a)
    a_bar = y_bar * share
    b_bar = y_bar * (1.0 - share)

The partials of a rule are written one by one. This is done last: what is differentiated again keeps them
apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import gast
import numpy as np

from tapeless.externals import is_runtime
from tapeless.optimize.analyses import effects_of, generated_in, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.sum_products import fresh_name
from tapeless.tree.blocks import all_blocks, bound
from tapeless.tree.build import assign, name
from tapeless.tree.classes import ASSIGNMENTS
from tapeless.tree.names import children, reads
from tapeless.tree.transform import Replacer
from tapeless.tree.trees import Expr, Stmt

_OPERATIONS = frozenset({gast.BinOp, gast.UnaryOp})


def share_calls(function: gast.FunctionDef, context: Context) -> None:
    """Name what is asked for more than once before anything that it reads is another.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, y_bar):
    ...     a_bar = y_bar * np.cos(x) + np.cos(x)
    ...     b_bar = 2.0 * np.cos(x)
    ...     x[0] = 1.0
    ...     return a_bar, b_bar * np.cos(x)
    ... ''').body[0]
    >>> resolve = lambda tree: np.cos if gast.unparse(tree) == "np.cos" else None
    >>> share_calls(function, Context(resolve, temporaries=lambda key: key != "x", reverse=True))
    >>> print(unparse(function), end="")
    def f(x, y_bar):
        v_0 = np.cos(x)
        a_bar = y_bar * v_0 + v_0
        b_bar = 2.0 * v_0
        x[0] = 1.0
        return a_bar, b_bar * np.cos(x)
    """
    while _share_round(function, context):
        version_of(function, context)


def _share_round(function: gast.FunctionDef, context: Context) -> bool:
    """Share one factor of each statement, as long as the analyses know what it reads."""
    generated, effects = generated_in(function, context), effects_of(function, context)
    made: set[str] = set()
    for block in all_blocks(function.body):
        sweep = [s for s in block if id(s) in generated and type(s) in ASSIGNMENTS]
        requests = _Requests(sweep, effects)
        for s in sweep:
            at = block.index(s)
            factors = (f for f in _factors(s.value, effects) if made.isdisjoint(reads(f)))
            alike = requests.asked_again(factors, block[at:])
            if alike:
                key = fresh_name(effects)
                made.add(key)
                block.insert(at, assign(key, alike[0][1]))
                _read(key, alike)
    return bool(made)


class _Requests:
    """The factors that the statements of a reverse sweep in one block ask for."""

    def __init__(self, sweep: list[Any], effects: Effects) -> None:
        self.effects = effects
        self.touch = cache(effects.touch)
        self.asking: dict[
            str, list[Any]
        ] = {}  # the statements that ask for what has a text, in order
        for s in sweep:
            for factor in _factors(s.value, effects):
                self.asking.setdefault(gast.unparse(factor), []).append(s)

    def asked_again(self, factors: Iterator[Any], block: list[Stmt]) -> list[tuple[Any, Any]]:
        """List the calls that are like the first of some factors that is asked for more than once.

        Each stands beside its statement.
        """
        for factor in factors:
            text = gast.unparse(factor)
            if len(self.asking.get(text, ())) > 1:
                alike = [*self._repeated(factor, text, block)]
                if len(alike) > 1:
                    return alike
        return []

    def _repeated(self, factor: Expr, text: str, block: list[Stmt]) -> Iterator[tuple[Any, Any]]:
        """Yield the calls in a block that are like its first one, while what that reads is the same."""
        effects, names = self.effects, set(reads(factor))
        memory = set().union(*(effects.seen_through(name(key)) for key in names))
        asking = self.asking[text]
        wanted, last = set(map(id, asking)), asking[-1]
        for s in block:
            if id(s) in wanted:
                same = (f for f in _factors(s.value, effects) if gast.unparse(f) == text)
                yield from ((s, part) for part in same)
            stored = names & set(bound(s)) or effects.collide(memory, self.touch(s))
            if s is last or stored or type(s) not in ASSIGNMENTS:
                return


def _read(key: str, alike: list[tuple[Any, Any]]) -> None:
    """Read a name in the place of some calls."""
    replacer = Replacer({id(part): name(key) for _, part in alike})
    for s in dict.fromkeys(s for s, _ in alike):
        s.value = replacer.visit(s.value)


def _factors(tree: Expr, effects: Effects) -> Iterator[Any]:
    """Yield the calls of functions of arrays whose results an expression surely computes with."""
    if type(tree) in _OPERATIONS:
        for child in children(tree):
            if type(child) is gast.Call and _computes(child, effects):
                yield child
    if type(tree) in _OPERATIONS or type(tree) is gast.Call:
        for child in children(tree):
            yield from _factors(child, effects)


def _computes(call: Expr, effects: Effects) -> bool:
    """Whether a call computes something of arrays, and does nothing else."""
    found = effects.context.resolve(call.func)
    known = isinstance(found, np.ufunc) or found is np.where or is_runtime(found)
    return known and effects.is_pure(call) and not effects.is_scalar(call)
