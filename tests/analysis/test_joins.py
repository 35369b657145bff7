"""Laws of the join of two kinds: it is above both, and what may share memory with either may with it."""

import collections
import itertools

import pytest

from tapeless.joins import join
from tapeless.kinds import (
    BOOL,
    NONE,
    Array,
    Dict,
    Inert,
    Integer,
    Iterator,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    Size,
    Tuple,
    regions_among,
)

Pair = collections.namedtuple("Pair", "a b")


def at(n):
    return frozenset([("made", "f", n)])


VECTOR = Array((Size("n"),), "f8", at(1))
KINDS = [
    NONE,
    BOOL,
    Inert(),
    Integer(),
    Real("f8"),
    Real("f4"),
    Array((), "f8", at(2)),
    VECTOR,
    Array((Size("m"),), "f4", at(3)),
    Array((3, 3), "c16", at(4)),
    Number(at(5)),
    Number(at(6), operand=Real("f8"), is_scalar_on_a_way=True),
    Number(at(7), operand=Array((Size("n"),), "f8")),
    List(at(8)),
    List(at(9), or_none=True),
    Dict(at(10)),
    Tuple((VECTOR, Real("f8"))),
    Tuple((Real("f8"), List(at(8)))),
    Tuple((Real("f8"), Real("f8")), Pair),
    Tuple((VECTOR,), or_none=True),
    Sequence(Array((2,), "f8", at(11))),
    Iterator(VECTOR),
    Kind(),
]


@pytest.mark.parametrize(("a", "b"), itertools.product(KINDS, KINDS))
def test_laws(a, b):
    joined = join(a, b, "here")
    assert regions_among(joined) >= regions_among(a) | regions_among(b)
    assert regions_among(join(b, a, "here")) == regions_among(joined)
    for part in (a, b, joined):
        again = join(joined, part, "here")
        assert regions_among(again) == regions_among(joined)
        assert join(again, part, "here") == again
        assert type(again) is type(join(part, joined, "here")) is type(joined)
