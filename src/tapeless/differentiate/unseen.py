"""Calls of code that is not looked into, which may store into what they are given.

Where what they can reach varies a derivative would be lost: the call is refused. Otherwise what each
array, list or dict that they are given held is kept, and put back in the reverse sweep:

    scale_old = scale.copy()
    rescale(scale)                  # unknown
    ...
    scale[...] = scale_old          # reverse sweep
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.items import Step
from tapeless.differentiate.outside import note_undone
from tapeless.kinds import Array, Dict, List, Number, regions_of
from tapeless.tree.build import assign, at_line_of, name, quote, quote_expression
from tapeless.tree.names import reads


def check_unseen(writer: Any, s: Any) -> None:
    """Refuse a call of unknown code that may store into what varies."""
    _refuse_unknown_keywords(writer, s)
    regions = writer.facts.unseen.get(s, set())
    if not regions & writer.facts.varied:
        return
    given = [k for k in _given(s) if regions_of(writer.operand_kind(s, name(k))) & regions]
    label, what = _label_of(writer, s), _shown(writer, given[0] if given else None)
    writer.refuse(
        s,
        f"{label} is not looked into, and may store into {what}, which carries a derivative",
        "write what it does in Python, or give it a copy (np.array(x)) and take its result",
    )


def undo_unseen(sweep: Any, s: Any) -> list[Step]:
    """Keep what a call of unknown code may store into; it is put back when the call is reversed."""
    regions = sweep.facts.unseen.get(s)
    check_unseen(sweep, s)
    if not regions:
        return []
    saves: list[Any] = []
    outer, sweep.out = sweep.out, []
    for key in _given(s):
        kind = sweep.operand_kind(s, name(key))
        if not regions_of(kind) & regions:
            continue
        regions = regions - regions_of(kind)
        old = sweep.names.fresh(f"{key}_old")
        saves.append(assign(old, quote_expression("x.copy()", x=key)))
        note_undone(sweep, s, name(key))
        if isinstance(kind, Array | Number):
            sweep.out += quote("x[...] = v", x=key, v=old)
        elif isinstance(kind, List):
            sweep.out += quote("x[:] = v", x=key, v=old)
        elif isinstance(kind, Dict):
            sweep.out += quote("x.clear()", x=key) + quote("x.update(v)", x=key, v=old)
        else:
            _refuse_deep(sweep, s, key)
    if regions:
        _refuse_deep(sweep, s, None)
    restores, sweep.out = sweep.out, outer
    for made in [*saves, *restores]:
        at_line_of(made, s)
    return [Step(None, saves, restores)] if saves else []


def _refuse_unknown_keywords(writer: Any, s: Any) -> None:
    """Refuse a call of a known function that is given keywords of which it is not known which."""
    if s not in writer.facts.callees and s not in writer.facts.unseen:
        return
    for keyword in getattr(getattr(s, "value", None), "keywords", []):
        if keyword.arg is None:
            writer.refuse(
                s,
                f"which arguments {_label_of(writer, s)} gets by `**` is not known here",
                "pass them by name, or make the dict in one piece",
            )


def _refuse_deep(sweep: Any, s: Any, key: str | None) -> None:
    sweep.refuse(
        s,
        f"{_label_of(sweep, s)} is not looked into, and what it may store into "
        f"{_shown(sweep, key)} cannot be undone",
        "give it arrays, or write what it does in Python",
    )


def _label_of(writer: Any, s: Any) -> str:
    """Give the words for what a statement calls: names of the user's only."""
    called = _called(s)
    own = called is not None and set(reads(called)) <= _names_of_user(writer)
    return f"`{gast.unparse(called).strip()}`" if own else "this call"


def _shown(writer: Any, key: str | None) -> str:
    return f"`{key}`" if key in _names_of_user(writer) else "what it is given"


def _names_of_user(writer: Any) -> set[str]:
    return writer.function.own_names | set(writer.function.externals)


def _called(s: Any) -> Any:
    call = getattr(s, "value", None)
    return call.func if isinstance(call, gast.Call) else None


def _given(s: Any) -> list[str]:
    """List the names that a call is given, with its owner."""
    call = getattr(s, "value", None)
    return list(dict.fromkeys(reads(call))) if isinstance(call, gast.Call) else []
