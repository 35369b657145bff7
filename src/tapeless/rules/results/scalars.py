"""Kinds of what gives one number, or a pair of them."""

from __future__ import annotations

from tapeless.kinds import BOOL, Integer, Kind, Real, Tuple
from tapeless.rules.results.call import Call


def real_number(call: Call) -> Kind:
    return Real()


def whole_number(call: Call) -> Kind:
    return Integer()


def truth(call: Call) -> Kind:
    return BOOL


def fraction_and_whole(call: Call) -> Kind:
    return Tuple((Real(), Real()))


def mantissa_and_exponent(call: Call) -> Kind:
    return Tuple((Real(), Integer()))
