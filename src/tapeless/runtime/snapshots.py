"""Snapshots of a long loop: which states are kept, and which are found again by running steps again.

To reverse a loop the state before each of its steps is needed, the last one first. Of n states s are
kept, the first among them; every other one is found by advancing from the last one kept before it. While
a part of the loop is reversed, the snapshots that lie behind it are free and are taken again. So

    t(l, s) = min over m of  m + t(l - m, s - 1) + t(m, s),    t(1, s) = 0,    t(l, 1) = l (l - 1) / 2

steps are run to find the states of l steps with s snapshots: m to the next one, those for what lies behind
it, and those for what lies before it. Griewank and Walther solved this: with r repetitions of each step at
most beta(s, r) = C(s + r, s) steps are reversed, and for the least such r

    t(l, s) = r l - beta(s + 1, r - 1).

So the number of steps grows exponentially in s and r together: for n steps both may be of order log n.

References
----------
.. [1] A. Griewank and A. Walther, "Algorithm 799: revolve: an implementation of checkpointing for the
   reverse or adjoint mode of computational differentiation", ACM Transactions on Mathematical Software
   26 (2000), 19-45.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any


def reach(snapshots: int, repetitions: int) -> int:
    """Return how many steps can be reversed if each is run again at most so often: beta(s, r).

    Examples
    --------
    >>> [reach(3, r) for r in range(5)]
    [1, 4, 10, 20, 35]
    """
    return math.comb(snapshots + repetitions, snapshots) if repetitions >= 0 else 0


def repetitions_of(steps: int, snapshots: int) -> int:
    """Return the least number of repetitions that suffices to reverse so many steps.

    Examples
    --------
    >>> repetitions_of(20, 3), repetitions_of(21, 3)
    (3, 4)
    """
    if snapshots == 1:
        return max(steps - 1, 0)
    r = 0
    while reach(snapshots, r) < steps:
        r += 1
    return r


def steps_run_again(steps: int, snapshots: int) -> int:
    """Return how many steps are run to find states again, while some are reversed: t(l, s).

    Examples
    --------
    >>> steps_run_again(10, 3), steps_run_again(10, 1)
    (15, 45)
    """
    r = repetitions_of(steps, snapshots)
    return r * steps - reach(snapshots + 1, r - 1)


@functools.lru_cache(maxsize=256)
def fewest_snapshots(steps: int, runs: int = 4) -> int:
    """Return the fewest snapshots with which each step of a loop runs at most so often, on average.

    What runs are counted: that for the value, those that find states again, and the one of each step that
    is reversed.

    Examples
    --------
    >>> [fewest_snapshots(n) for n in (1, 10, 100, 1000, 10000)]
    [1, 2, 6, 16, 37]
    """
    s = 1
    while 1 + steps + steps_run_again(steps, s) > runs * steps > 0:
        s += 1
    return s


def steps_to_next(steps: int, snapshots: int) -> int:
    """Return how far behind a snapshot the next one is best taken, if there is another one.

    Of all best distances it is the least: the states that lie behind are wanted first.

    Examples
    --------
    >>> steps_to_next(10, 3), steps_to_next(10, 1)
    (4, 9)
    """
    if snapshots == 1:
        return steps - 1
    r = repetitions_of(steps, snapshots)
    return max(1, reach(snapshots, r - 2), steps - reach(snapshots - 1, r))


class Snapshots:
    """The states before the steps of a loop, of which few are kept: a stack that fills itself again.

    Parameters
    ----------
    steps
        How many steps the loop has.
    snapshots
        How many states may be kept beside the one that the loop is at; None for as many as let the steps
        run four times at most.

    Examples
    --------
    >>> states = Snapshots(6, 2)
    >>> for i in range(6):
    ...     states.append(i * 10)
    >>> states.kept
    [(0, 0), (3, 30)]
    >>> [states.pop(lambda state, i: (state + 10, ())) for _ in range(6)]
    [50, 40, 30, 20, 10, 0]
    """

    def __init__(self, steps: int, snapshots: int | None = None) -> None:
        if snapshots is not None and snapshots < 1:
            raise ValueError(f"a loop needs at least 1 snapshot, not {snapshots}")
        self.steps = max(operator.index(steps), 0)
        self.most = fewest_snapshots(self.steps) if snapshots is None else snapshots
        self.kept: list[tuple[int, Any]] = []
        self.last: tuple[int, Any] = (-1, None)
        self.length = 0
        self.next = 0

    def append(self, state: Any) -> None:
        """Keep the state before the next step, if its place is one of a snapshot."""
        i = self.length
        self.length += 1
        if i == self.next:
            self.next = self._keep(i, state, self.steps)
        if i == self.steps - 1:
            self.last = i, state

    def _keep(self, i: int, state: Any, end: int) -> int:
        """Keep a state, and return where the next one is kept on the way to an end."""
        free = self.most - len(self.kept)
        if end - i > 1 and free > 0:
            self.kept.append((i, state))
            return i + steps_to_next(end - i, free)
        return end

    def pop(self, step: Callable[..., Any], *args: Any) -> Any:
        """Take the last state out; it is found again from the last snapshot before it.

        Parameters
        ----------
        step
            Returns, of a state, its number and `args`, the next state and something more.
        """
        self.length -= 1
        wanted = self.length
        at, state = self.last
        if at != wanted:
            state = self._found_again(wanted, step, args)
        while self.kept and self.kept[-1][0] >= wanted:
            self.kept.pop()
        self.last = (-1, None)
        return state

    def _found_again(self, wanted: int, step: Callable[..., Any], args: Any) -> Any:
        """Run steps up to a state, and keep some of the states on the way."""
        at, state = self.kept.pop()
        next_kept = at
        while at < wanted:
            if at == next_kept:
                next_kept = self._keep(at, state, wanted + 1)
            state, _ = step(state, at, *args)
            at += 1
        return state

    def copied_by(self, copy: Callable[[Any], Any]) -> Snapshots:
        """Return a stack of the same states, each copied by a function."""
        made = Snapshots(self.steps, self.most)
        made.kept = [(i, copy(state)) for i, state in self.kept]
        made.last = self.last[0], copy(self.last[1])
        made.length, made.next = self.length, self.next
        return made
