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

from collections import Counter
from collections.abc import Iterator
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
        asked = Counter(gast.unparse(f) for s in sweep for f in _factors(s.value, effects))
        for k, s in enumerate(sweep):
            at = block.index(s)
            factors = (f for f in _factors(s.value, effects) if made.isdisjoint(reads(f)))
            alike = _asked_again(factors, asked, block[at:], generated, effects)
            if alike:
                key = fresh_name(effects)
                made.add(key)
                _read(key, alike, sweep[k:])
                block.insert(at, assign(key, alike[0]))
    return bool(made)


def _asked_again(
    factors: Iterator[Any], asked: Counter[str], block: list[Stmt], generated: Any, effects: Effects
) -> list[Any]:
    """List the calls that are like the first of some factors that is asked for more than once."""
    for factor in factors:
        if asked[gast.unparse(factor)] > 1:
            alike = [*_repeated(factor, block, generated, effects)]
            if len(alike) > 1:
                return alike
    return []


def _read(key: str, alike: list[Any], readers: list[Any]) -> None:
    """Read a name in the place of some calls."""
    replacer = Replacer({id(part): name(key) for part in alike})
    for s in readers:
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


def _repeated(factor: Expr, block: list[Stmt], generated: Any, effects: Effects) -> Iterator[Any]:
    """Yield the calls in a block that are like its first one, while what that reads is the same."""
    text, names = gast.unparse(factor), set(reads(factor))
    memory = set().union(*(effects.seen_through(name(key)) for key in names))
    for s in block:
        touch = effects.touch(s)
        if id(s) in generated and type(s) in ASSIGNMENTS:
            yield from (part for part in _factors(s.value, effects) if gast.unparse(part) == text)
        if names & set(bound(s)) or effects.collide(memory, touch) or type(s) not in ASSIGNMENTS:
            return
