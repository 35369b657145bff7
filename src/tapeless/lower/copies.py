"""Which blocks of memory stand for what is one array in NumPy.

Where a loop, a trip or a branch begins or ends, and where something is saved for another loop, an array is
copied. A store that comes later would be seen on one side of the copy only. So what has such a copy is
*sealed*: nobody may store into either side from then on.

    saved.append(t)                saved_t[i] = t
    ...                    ->      ...
    for t in reversed(saved):      for i in reversed(range(n)):
        t[k] = 0.0                     saved_t[i, k] = 0.0

A saved row may be stored into again where nobody is left that could read what it is a copy of: the array was
made in the trip that saved it, was saved in that place alone, and the loop is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tapeless.lower.values import Trip


@dataclass
class Copies:
    """The copies that were made so far.

    Attributes
    ----------
    made_in
        For each block the number of loops around the place where it was made.
    stored_in
        For each block the loops around each store into it.
    carried_on
        For each block those that stand for it on: its copies where a loop, a trip or a branch begins or
        ends, or where NumPy has a view.
    sealed
        Blocks of which a copy stands for them elsewhere: a store would be seen on one side only.
    kept_of
        For each block of rows what was saved in it: the block, and the loops around.
    kept_in
        For each block the rows that it was saved in, once for each place.
    """

    made_in: dict[str, int] = field(default_factory=dict)
    stored_in: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    carried_on: dict[str, list[str]] = field(default_factory=dict)
    sealed: set[str] = field(default_factory=set)
    kept_of: dict[str, list[tuple[str, list[Trip]]]] = field(default_factory=dict)
    kept_in: dict[str, list[str]] = field(default_factory=dict)

    def note_copy(self, base: str, copy: str) -> None:
        """Note that a block stands for another from here on."""
        self.carried_on.setdefault(base, []).append(copy)

    def note_kept(self, base: str, rows: str, trips: Sequence[Trip]) -> None:
        """Note that a row is a copy of a block, saved inside of loops."""
        self.kept_of.setdefault(rows, []).append((base, [trip for trip in trips if trip.var]))
        self.kept_in.setdefault(base, []).append(rows)

    def may_store(self, base: str, trips: Sequence[Trip]) -> bool:
        """Whether a store into a block is seen wherever NumPy would show it."""
        if base not in self.sealed:
            return True
        kept = self.kept_of.get(base, [])
        if not kept or self._is_copied(base) or base in self.kept_in:
            return False
        return all(self._is_gone(block, base, around, trips) for block, around in kept)

    def _is_gone(self, base: str, rows: str, around: list[Trip], trips: Sequence[Trip]) -> bool:
        """Whether a block that was saved in a row can be read no more."""
        is_own = len(around) == self.made_in.get(base, 0) > 0 and base not in self.kept_of
        is_over = is_own and not any(trip is around[-1] for trip in trips)
        return is_over and self.kept_in[base] == [rows] and not self._is_copied(base)

    def _is_copied(self, base: str) -> bool:
        """Whether a block is a copy of another, or another one of it."""
        return base in self.carried_on or any(base in of for of in self.carried_on.values())

    def seal(self, base: str, loops: Sequence[str]) -> bool:
        """Refuse stores into a block from here on; return whether that can be kept.

        A store that stands above, in a loop around, comes after in the next trip. Blocks that may hold
        the same array, then or later, are sealed with it.
        """
        reached = [base]
        for other in reached:
            outside = min(self.made_in.get(base, 0), self.made_in.get(other, 0))
            around = tuple(loops[: outside + 1])
            stores = self.stored_in.get(other, ())
            if len(around) > outside and any(inner[: outside + 1] == around for inner in stores):
                return False
            reached += [copy for copy in self.carried_on.get(other, ()) if copy not in reached]
        self.sealed.update(reached)
        return True
