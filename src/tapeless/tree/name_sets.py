"""Sets of the names of one function, as bits of an integer.

A dataflow analysis keeps a set for each statement, and one set differs from the next in a name or two. As
hash tables these sets together are as large as the square of the function's length. Names that are
numbered once are a bit each: a set of a thousand names fits into 125 bytes, and to join two sets is one
operation on integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

Numbers = dict[str, int]  # the bit of each name


class NameSet(Set[str]):
    """Some of the names that are numbered together; others may be numbered later.

    Examples
    --------
    >>> numbers = {}
    >>> left, right = (NameSet(bits_of(some, numbers), numbers) for some in ("xy", "yz"))
    >>> sorted(left | right), sorted(left - right), "z" in left, left == {"x", "y"}
    (['x', 'y', 'z'], ['x'], False, True)
    """

    __slots__ = ("bits", "numbers")

    def __init__(self, bits: int, numbers: Numbers) -> None:
        self.bits = bits
        self.numbers = numbers

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Any:
        return frozenset(it)

    def __contains__(self, key: object) -> bool:
        return bool(self.numbers.get(key, 0) & self.bits)  # type: ignore[call-overload]

    def __iter__(self) -> Iterator[str]:
        return (key for key, bit in self.numbers.items() if bit & self.bits)

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __bool__(self) -> bool:
        return self.bits != 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NameSet) and other.numbers is self.numbers:
            return self.bits == other.bits
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def joined(self, bits: int) -> NameSet:
        """Return the set with some bits more: itself where it has them."""
        both = self.bits | bits
        return self if both == self.bits else NameSet(both, self.numbers)

    def without(self, bits: int) -> NameSet:
        """Return the set without some bits: itself where it has none of them."""
        return NameSet(self.bits & ~bits, self.numbers) if self.bits & bits else self


def bits_of(names: Iterable[str], numbers: Numbers) -> int:
    """Return the bits of some names, and number those that have no number yet."""
    bits = 0
    for key in names:
        bit = numbers.get(key)
        if bit is None:
            numbers[key] = bit = 1 << len(numbers)
        bits |= bit
    return bits
