"""What short loops visit, so that each trip can be run by itself."""

from __future__ import annotations

from tapeless.lower.values import Items, Iterated, Span, Value, number

MOST_UNROLLED = 16  # trips


def visited(over: Value) -> list[Value] | None:
    """Return what a loop visits, if that is known and little."""
    if isinstance(over, Items):
        return list(over.items) if len(over.items) <= MOST_UNROLLED else None
    if isinstance(over, Span):
        start, count = over.start, over.length
        if not (start.is_const and count.is_const and count.const <= MOST_UNROLLED):
            return None
        return [number(start.const + k * over.step) for k in range(count.const)]
    if not isinstance(over, Iterated):
        return None
    parts = [visited(part) for part in over.of]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or over.how == "range":
        return None
    if over.how == "reversed":
        return known[0][::-1]
    if over.how == "enumerate":
        known.insert(0, [number(k) for k in range(len(known[0]))])
    return [Items(tuple(items)) for items in zip(*known, strict=False)]
