"""What is known of sizes, and what is taken for granted of them.

NumPy demands that sizes fit where arrays meet. Where that does not follow from the text it is checked
once, at entry, for all the function: where the check fails the NumPy text runs, whatever it does there.
So a check may be stricter than need be, never looser. Sizes that are demanded to be equal are one size
from then on, which is what lets loops be joined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tapeless.lower.affine import Affine
from tapeless.lower.refused import NotLowered


@dataclass
class Extents:
    """The sizes of one function.

    Attributes
    ----------
    least
        What a size, or an integer argument, is at least.
    ranges
        For each loop variable in whose loop we are, its least and its largest value.
    zero
        Forms that must be 0.
    positive
        Forms that must be at least 0.
    sample
        What the symbols that are known at entry are in the arguments that the loops are written for.
    """

    least: dict[str, int] = field(default_factory=dict)
    ranges: dict[str, tuple[Affine, Affine]] = field(default_factory=dict)
    zero: list[Affine] = field(default_factory=list)
    positive: list[Affine] = field(default_factory=list)
    sample: dict[str, int] = field(default_factory=dict)

    @property
    def entry(self) -> Mapping[str, int]:
        """The symbols that are known at entry."""
        return self.least

    def demand_equal(self, a: Affine, b: Affine) -> None:
        """Take for granted that two sizes are equal."""
        form = self.canonical(a - b)
        if form == Affine():
            return
        if form.is_const or not form.symbols <= self.entry.keys():
            raise NotLowered(f"sizes of {a} and {b} are not known to be equal")
        self.zero.append(form)

    def demand_positive(self, form: Affine) -> None:
        """Take for granted that a form is at least 0, if it is not known to be."""
        if self.is_positive(form):
            return
        form = self.canonical(self.lowest(form))
        if form.is_const or not form.symbols <= self.entry.keys():
            raise NotLowered(f"{form} is not known to be at least 0")
        if form not in self.positive:
            self.positive.append(form)

    def canonical(self, form: Affine) -> Affine:
        """Put one symbol for all that were demanded to be equal."""
        return form.put(self.same())

    def same(self) -> dict[str, Affine]:
        """Return the symbols that others stand for, as they follow from what must be 0.

        Examples
        --------
        >>> from tapeless.lower.affine import symbol
        >>> extents = Extents({"n": 1, "m": 1})
        >>> extents.demand_equal(symbol("n"), symbol("m"))
        >>> print(extents.canonical(symbol("m") + symbol("n")))
        2 * n
        """
        found: dict[str, Affine] = {}
        order = {key: i for i, key in enumerate(self.least)}
        for form in self.zero:
            form = form.put(found)
            free = [key for key, factor in form.terms if abs(factor) == 1]
            if not free:
                continue
            key = max(free, key=lambda k: order[k])
            factor = form.factor(key)
            stands_for = (form + Affine(0, ((key, -factor),))) * -factor
            found = {k: v.put({key: stands_for}) for k, v in found.items()}
            found[key] = stands_for
        return found

    def likely(self, form: Affine) -> int:
        """Return what a size may well be; it decides on what is fast, never on what is right."""
        return form.const + sum(factor * self.sample.get(key, 1) for key, factor in form.terms)

    def lowest(self, form: Affine) -> Affine:
        """Return what a form is at least, in terms of what is known at entry."""
        return self._limit(form, 0)

    def highest(self, form: Affine) -> Affine:
        """Return what a form is at most, in terms of what is known at entry."""
        return self._limit(form, 1)

    def _limit(self, form: Affine, end: int) -> Affine:
        for key in reversed(self.ranges):
            factor = form.factor(key)
            if factor:
                limits = self.ranges[key]
                form = form.put({key: limits[end if factor > 0 else 1 - end]})
        return form

    def is_positive(self, form: Affine) -> bool:
        """Whether a form is known to be at least 0.

        Examples
        --------
        >>> from tapeless.lower.affine import symbol
        >>> extents = Extents({"n": 3})
        >>> extents.is_positive(symbol("n") - 3), extents.is_positive(symbol("n") - 4)
        (True, False)
        """
        form = self.canonical(self.lowest(form))
        known = form.const
        for key, factor in form.terms:
            if factor < 0 or key not in self.least:
                return False
            known += factor * self.least[key]
        return known >= 0

    def follows_at_entry(self, form: Affine) -> bool:
        """Whether that a form is at least 0 is known, or can be demanded at entry and may hold there."""
        form = self.canonical(self.lowest(form))
        if self.is_positive(form):
            return True
        if form.is_const or not form.symbols <= self.entry.keys():
            return False
        self.demand_positive(form)
        return True
