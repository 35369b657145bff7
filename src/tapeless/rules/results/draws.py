"""Kinds of random draws: their `size`, or the parameters of the distribution, say how many there are."""

from __future__ import annotations

from tapeless.kinds import Array, Kind, Real, is_number
from tapeless.ranks import literal, scalar
from tapeless.rules.results.call import Call, KindOf, shape_literal
from tapeless.rules.results.entrywise import elementwise_kind


def drawn_with(place: int, code: str = "f8") -> KindOf:
    """Return what gives the kind of a draw whose `size` is the argument at a place."""

    def kind_of_draw(call: Call) -> Kind:
        size = call.argument(place, "size")
        if literal(size) is not None:
            dims = shape_literal(size, call)
            return call.unknown if dims is None else Array(dims, code, call.region)
        labels = ("size", "random_state", "dtype", "out")
        shaping = [
            *call.args[:place],
            *(k for key, k in call.keywords.items() if key not in labels),
        ]
        given = Call([k for k in shaping if is_number(k)], {}, call.point, call.region)
        kind = elementwise_kind(given) if given.args else Real()
        if isinstance(kind, Array):
            return Array(kind.dims, code, call.region)
        return scalar(code) if isinstance(kind, Real) else call.unknown

    return kind_of_draw
