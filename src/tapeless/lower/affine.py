"""Whole numbers as linear forms: `2 * i + n - 1`.

Sizes, bounds of loops and indices are sums of symbols with integer factors. Two of them are equal for
all values of the symbols where the forms are equal, and where the difference is a constant it is known
which one is larger. A symbol is the name of a variable, or says itself where its value is found:
`x.shape[0]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Affine:
    """A constant plus symbols times factors; the symbols are sorted, no factor is 0.

    Examples
    --------
    >>> n, i = symbol("n"), symbol("i")
    >>> print(2 * i + n - 1), print(n - n + 3)
    2 * i + n - 1
    3
    (None, None)
    """

    const: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.const + other, self.terms)
        factors = dict(self.terms)
        for key, factor in other.terms:
            factors[key] = factors.get(key, 0) + factor
        kept = sorted((key, factor) for key, factor in factors.items() if factor)
        return Affine(self.const + other.const, tuple(kept))

    __radd__ = __add__

    def __mul__(self, factor: int) -> Affine:
        if not factor:
            return Affine()
        return Affine(self.const * factor, tuple((key, f * factor) for key, f in self.terms))

    __rmul__ = __mul__

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + -other

    def __rsub__(self, other: int) -> Affine:
        return -self + other

    def __str__(self) -> str:
        text = ""
        for key, factor in sorted(self.terms, key=lambda term: (term[1] < 0, term[0])):
            part = key if abs(factor) == 1 else f"{abs(factor)} * {key}"
            sign = "-" if factor < 0 else "+"
            text = f"{text} {sign} {part}" if text else f"-{part}" if factor < 0 else part
        if not text:
            return str(self.const)
        if self.const:
            text += f" {'-' if self.const < 0 else '+'} {abs(self.const)}"
        return text

    @property
    def is_const(self) -> bool:
        """Whether it is a number."""
        return not self.terms

    @property
    def symbols(self) -> frozenset[str]:
        """The symbols that it depends on."""
        return frozenset(key for key, _ in self.terms)

    def factor(self, key: str) -> int:
        """Return the factor of a symbol, 0 where it does not occur."""
        return dict(self.terms).get(key, 0)

    def put(self, values: Mapping[str, Affine]) -> Affine:
        """Put linear forms in the places of symbols.

        Examples
        --------
        >>> print((symbol("i") * 2 + 1).put({"i": symbol("j") - 1}))
        2 * j - 1
        """
        if not any(key in values for key, _ in self.terms):
            return self
        made = Affine(self.const)
        for key, factor in self.terms:
            made = made + values.get(key, symbol(key)) * factor
        return made


def symbol(key: str) -> Affine:
    """Make the linear form that is one symbol."""
    return Affine(0, ((key, 1),))


def constant(value: int) -> Affine:
    """Make the linear form that is a number."""
    return Affine(value)
