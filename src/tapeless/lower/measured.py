"""Which is faster, loops or the NumPy text, is measured where it is not sure.

NumPy's own loops over large arrays use all of the processor, so on them an array program may be faster than
one loop over entries. The first call with arguments of a new magnitude runs both by turns, and what was
faster serves all calls with sizes like these. Loops that the user wrote over single numbers are never
measured: they are a hundred times faster compiled, and one run of the NumPy text could take long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapeless.lower.loops import GROWN, Loop, Product, Program, Stmt, While, blocks, walk

LARGE = 4096  # entries, from which on a trip of a loop over arrays is more than its overhead
SLOWER = 1.05
RUNS = 5
SECONDS = 0.3  # after which no other pair of runs is begun


def measured_from(program: Program) -> int | None:
    """Return the number of entries of arguments from which on it is measured; None where it never is."""
    own = list(_own_loops(program.body))
    if not program.given or any(not any(_is_of_arrays(s) for s in walk(loop)) for loop in own):
        return None
    return LARGE if own else 0


def _is_of_arrays(s: Stmt) -> bool:
    return isinstance(s, Loop) and s.made or isinstance(s, Product) and s.function != GROWN


def _own_loops(body: list[Stmt]) -> Iterator[list[Stmt]]:
    """List the bodies of the innermost loops of the user's."""
    for s in body:
        inner = [found for block in blocks(s) for found in _own_loops(block)]
        if isinstance(s, While) or isinstance(s, Loop) and not s.made:
            yield from inner or [s.body]
        else:
            yield from inner


def faster(
    loops: Callable[..., Any], plain: Callable[..., Any], stored: Sequence[int], smallest: int
) -> Callable[..., Any]:
    """Return a function that runs the faster of two that compute the same.

    Parameters
    ----------
    loops, plain
        The functions; the first one is not timed the first time, when it is compiled.
    stored
        The positions of the arguments that they store into, of which runs that only measure get copies.
    smallest
        The number of entries of arguments from which on it is measured; below the first one runs.
    """
    chosen: dict[int, Callable[..., Any]] = {}

    def run(*arguments: Any) -> Any:
        size = entries(arguments)
        if size < smallest:
            return loops(*arguments)
        magnitude = size.bit_length()
        if magnitude not in chosen:
            chosen[magnitude] = loops if is_faster(loops, plain, arguments, stored) else plain
        return chosen[magnitude](*arguments)

    return run


def by_turns(
    loops: Callable[..., Any], plain: Callable[..., Any], decide: Callable[[Callable[..., Any]], None]
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that runs two by turns, one at each call, and says in the end which is faster.

    So nothing is run but what is asked for: what they compute may be printed, or stored anywhere.
    """
    times = {loops: float("inf"), plain: float("inf")}
    calls = 0

    def run(*arguments: Any) -> Any:
        nonlocal calls
        f = (loops, plain)[calls % 2]
        start = time.perf_counter()
        result = f(*arguments)
        times[f] = min(times[f], time.perf_counter() - start)
        calls += 1
        if calls >= 2 * RUNS:
            decide(loops if times[loops] <= times[plain] else plain)
        return result

    return run


def entries(arguments: Sequence[Any]) -> int:
    """Return the number of entries of the arrays among arguments."""
    size = 0
    for x in arguments:
        if type(x) is np.ndarray:
            size += x.size
    return size


def is_faster(
    loops: Callable[..., Any], plain: Callable[..., Any], arguments: Sequence[Any],
    stored: Sequence[int], most: float = SLOWER,
) -> bool:  # fmt: skip
    """Whether loops take at most so much of the time, by turns.

    The least of a few runs counts, as all else is noise.
    """
    _copied(loops, arguments, stored)()  # compiled once
    times: dict[Callable[..., Any], float] = {}
    end = time.perf_counter() + SECONDS
    for _ in range(RUNS):
        for f in (loops, plain):
            run = _copied(f, arguments, stored)
            start = time.perf_counter()
            run()
            took = time.perf_counter() - start
            times[f] = min(times.get(f, took), took)
        if time.perf_counter() > end:
            break
    return times[loops] <= most * times[plain]


def _copied(f: Callable[..., Any], arguments: Sequence[Any], stored: Sequence[int]) -> Any:
    own = [x.copy() if i in stored else x for i, x in enumerate(arguments)]
    return lambda: f(*own)
