"""Adjoints found by the identity of the thing: for what is shared, stored into, or outside.

Where two names may be one object, which of them a cotangent is for cannot be told from the text. Then
the object itself says where its adjoint is, and a view of an array the same view of the adjoint.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.adjoints import (
    add,
    add_to,
    empty_shadow,
    held_by,
    is_code,
    is_holder,
    is_untouched,
    raise_lengths,
    raise_twice,
    record_of,
    taken_out,
    with_slots,
)
from tapeless.runtime.state import ABSENT, give_attributes_back
from tapeless.variables import Variable


class AdjointMemory:
    """One adjoint for each mutable thing, found by the thing itself.

    A view of an array gets the same view of the array's adjoint buffer. A list, dict or object
    gets a list, dict or record of the same shape whose slots start at 0.0. What an entry is for is
    kept alive with it, or its identity could come back for something else.

    Examples
    --------
    >>> bars, a = AdjointMemory(), np.zeros(4)
    >>> bars[a[1:]][0] += 2.0
    >>> bars[a]
    array([0., 2., 0., 0.])
    """

    def __init__(self) -> None:
        self.found: dict[int, tuple[Any, Any]] = {}
        self.blocks: dict[int, tuple[int, Any]] = {}
        self.kept: dict[int, tuple[Any, Any]] = {}
        self.recalled: dict[int, Any] = {}

    def __getitem__(self, x: Any) -> Any:
        """Return the adjoint of an array, list, dict or object; a number has none."""
        known = self.found.get(id(x))
        if known is not None:  # nothing else has its identity: it is kept alive
            return known[1]
        if not isinstance(x, np.ndarray):
            if isinstance(x, (float, int, np.generic)):
                return 0.0
            self.found[id(x)] = x, empty_shadow(x)
            return self.found[id(x)][1]
        if x.dtype.kind in "iub":
            return np.zeros(x.shape)  # what reaches integers ends there
        owner = owner_of_memory(x)
        if id(owner) not in self.found:
            self.found[id(owner)] = owner, np.zeros_like(owner, subok=False)
        return self.found[id(owner)][1] if x is owner else self.window(x, owner)

    def window(self, x: np.ndarray, owner: np.ndarray) -> np.ndarray:
        """Return the view of an array's adjoint that `x` is of the array."""
        if id(owner) not in self.blocks:
            self.blocks[id(owner)] = block_like(owner, self.found[id(owner)][1])
        start, block = self.blocks[id(owner)]
        if overlaps_itself(x):
            raise_overlap(x)
        offset = address_of(x) - start
        if shows_imaginary_parts(x, owner, offset):
            raise_imaginary(x)
        return np.ndarray(x.shape, x.dtype, block, offset, x.strides)

    def of_array(self, x: Any) -> Any:
        """Return the adjoint of an array; the 0.0 that stands for one that nothing has reached has none.

        Raises
        ------
        GradientError
            If it is another number: two of one value cannot be told apart.
        """
        untouched = type(x) is float and x == 0.0
        if isinstance(x, (float, complex, np.inexact)) and not untouched:
            raise_number(x)
        return self[x]

    def recall(self, x: Any) -> Any:
        """Return the adjoint of what an argument holds; 0.0 if it was never asked for.

        Raises
        ------
        GradientError
            If the same thing was recalled already: its adjoint cannot be told apart by place.
        """
        if id(owner_of_memory(x)) not in self.found:
            return 0.0
        check_recalled(self, [x])
        return self[x]

    def keep(self, x: Any) -> None:
        """Remember, once, what an array, list, dict or object outside the arguments holds."""
        if id(x) not in self.kept and not isinstance(x, (float, int, tuple)):
            plain = isinstance(x, (np.ndarray, list, dict))
            self.kept[id(x)] = x, x.copy() if plain else dict(held_by(x) or {})

    def keep_all(self, x: Any, *but: Any) -> None:
        """Remember what a thing outside the arguments holds, and what everything in it holds.

        What is found in `but` is not kept, nor is what shares memory with an array there.
        """
        others = things_within(but)
        known = {id(thing) for thing in others}
        arrays = [thing for thing in others if isinstance(thing, np.ndarray)]
        for thing in things_within(x):
            shared = isinstance(thing, np.ndarray) and any(
                np.may_share_memory(thing, other) for other in arrays
            )
            if id(thing) not in known and not shared:
                self.keep(thing)

    def put_back(self) -> None:
        """Return everything that was kept what it held."""
        for x, held in self.kept.values():
            if isinstance(x, np.ndarray):
                _store_into_memory(x, held)
            elif isinstance(x, list):
                x[:] = held
            elif isinstance(x, dict):
                x.clear()
                x.update(held)
            else:
                give_attributes_back(x, held)


def held_before(*things: Any) -> AdjointMemory:
    """Remember what arguments hold: `put_back` gives it back to them.

    Examples
    --------
    >>> x = np.ones(2)
    >>> before = held_before(x)
    >>> x *= 3.0
    >>> before.put_back()
    >>> x
    array([1., 1.])
    """
    made = AdjointMemory()
    made.keep_all(things)
    return made


def things_within(x: Any) -> list[Any]:
    """List the arrays, lists, dicts and objects that can be reached from a value, each once."""
    found: dict[int, Any] = {}
    todo = [x]
    while todo:
        part = todo.pop()
        if id(part) in found or is_code(part):
            continue
        slots = None if isinstance(part, (np.ndarray, list, tuple, dict)) else held_by(part)
        if isinstance(part, (np.ndarray, list, dict)) or slots is not None:
            found[id(part)] = part
        if isinstance(part, (list, tuple)):
            todo += part
        elif isinstance(part, dict):
            todo += part.values()
        elif slots is not None:
            todo += slots.values()
    return list(found.values())


def owner_of_memory(x: Any) -> Any:
    """Return the array that a view is a view of, and anything else as it is.

    Examples
    --------
    >>> a = np.zeros(4)
    >>> owner_of_memory(np.lib.stride_tricks.sliding_window_view(a[1:], 2)) is a
    True
    """
    while isinstance(x, np.ndarray) and x.base is not None:
        # `as_strided` puts an object between a view and its array
        base = x.base if isinstance(x.base, np.ndarray) else getattr(x.base, "base", None)
        if not isinstance(base, np.ndarray):
            break
        x = base
    return x


def _store_into_memory(x: np.ndarray, values: np.ndarray) -> None:
    """Store values where an array shows them, also if only the array that it is a view of may be changed.

    Memory that cannot be stored into has held them all the while.
    """
    if x.flags.writeable:
        x[...] = values
        return
    owner = owner_of_memory(x)
    if owner.flags.writeable:
        same_window(x, owner, owner)[...] = values


def same_window(x: Any, owner: Any, other: Any) -> Any:
    """Return the view of another array, laid out like `owner`, that `x` is of `owner`.

    Examples
    --------
    >>> a = np.zeros((2, 3, 4)).transpose(1, 0, 2).copy(order="K")
    >>> same_window(a[1:], a, a.copy(order="K")).shape
    (2, 2, 4)
    """
    return np.ndarray(
        x.shape, x.dtype, as_buffer(other), address_of(x) - address_of(owner), x.strides
    )


def block_like(owner: np.ndarray, adjoint: np.ndarray) -> tuple[int, np.ndarray]:
    """Return where the memory of an array starts, and its adjoint as a buffer laid out like it."""
    if owner.strides != adjoint.strides:
        raise_layout(owner)
    return address_of(owner), as_buffer(adjoint)


def as_buffer(x: np.ndarray) -> np.ndarray:
    """Return an array with its axes in the order of its memory, as a buffer has to have them."""
    if x.flags.forc:
        return x
    return x.transpose(np.argsort([-stride for stride in x.strides], kind="stable"))


def address_of(x: np.ndarray) -> int:
    """Return where the first entry of an array stands in memory."""
    return int(x.__array_interface__["data"][0])


def overlaps_itself(x: np.ndarray) -> bool:
    """Whether one place of memory is surely met twice in an array.

    Examples
    --------
    >>> overlaps_itself(np.broadcast_to(np.zeros(3), (2, 3))), overlaps_itself(np.zeros((2, 3)).T)
    (True, False)
    """
    if x.size < 2:
        return False
    reach = x.itemsize
    for count, stride in zip(x.shape, x.strides, strict=True):
        reach += (count - 1) * abs(stride)
    return x.nbytes > reach


def shows_imaginary_parts(x: np.ndarray, owner: np.ndarray, offset: int) -> bool:
    """Whether a view that starts at an offset, in bytes, shows the imaginary parts of an array.

    Examples
    --------
    >>> z = np.zeros(3, complex)
    >>> shows_imaginary_parts(z[1:].imag, z, 24), shows_imaginary_parts(z[1:].real, z, 16)
    (True, False)
    """
    return owner.dtype.kind == "c" and x.dtype.kind != "c" and offset % owner.itemsize != 0


def raise_imaginary(x: np.ndarray) -> None:
    """Refuse a view of imaginary parts: its adjoint is not that part of the adjoint, but less it."""
    from tapeless.errors import GradientError

    raise GradientError(
        f"the imaginary parts, of shape {x.shape}, of an array that is stored into are kept as a view",
        fix="copy them where they are taken: z.imag.copy()",
    )


def raise_number(x: Any) -> None:
    """Refuse a number that stands where an array might be changed."""
    from tapeless.errors import GradientError

    raise GradientError(
        f"a {type(x).__name__} is met where an array may be that is stored into, and which number's "
        "adjoint is meant cannot be told",
        fix="annotate the parameters, or give like=, so that it is known to be a number",
    )


def raise_overlap(x: np.ndarray) -> None:
    """Refuse a view of what is stored into whose entries stand in several places."""
    from tapeless.errors import GradientError

    raise GradientError(
        f"an array of shape {x.shape} shows entries of an array that is stored into more than once",
        fix="copy it: np.broadcast_to(a, shape).copy()",
    )


def raise_layout(owner: Any) -> None:
    """Refuse an owner of memory whose adjoint cannot have the same layout."""
    from tapeless.errors import GradientError

    raise GradientError(
        f"an array of shape {owner.shape} with strides {owner.strides} is stored into",
        fix="copy it before storing into it",
    )


def check_flat(x: Any) -> None:
    """Refuse an array of which `x.flat` shows the entries in an order that no view of it has."""
    from tapeless.errors import GradientError

    if isinstance(x, np.ndarray) and not x.flags.c_contiguous:
        raise GradientError(
            "`x.flat` of an array that is not contiguous is stored into, or read while `x` changes",
            fix="store into `x` by its own indices",
        )


def check_recalled(bars: AdjointMemory, things: Any) -> None:
    """Refuse to recall the adjoint of one thing twice, as of what stands in two places of the arguments."""
    for x in things:
        if id(x) in bars.recalled:
            raise_twice(x)
        bars.recalled[id(x)] = x


def check_unshared(x: Any) -> None:
    """Refuse to copy in depth what holds one list, dict, array or object at two places.

    Raises
    ------
    GradientError
        If it does: its copies would come apart.
    """
    met: set[int] = set()
    todo = [x]
    while todo:
        part = todo.pop()
        attributes = getattr(part, "__dict__", None)
        if isinstance(part, (list, dict, np.ndarray)) or attributes is not None:
            if id(part) in met and not callable(part):
                from tapeless.errors import GradientError

                raise GradientError(
                    f"one {type(part).__name__} stands in two places of what is copied in depth",
                    fix="write the copy out, as a function of your own",
                )
            met.add(id(part))
        if isinstance(part, (list, tuple)):
            todo += part
        elif isinstance(part, dict):
            todo += part.values()
        elif attributes is not None and not callable(part):
            todo += attributes.values()


def check_layout(x: Any) -> None:
    """Refuse memory of which a view and a copy cannot be told apart by its adjoint's layout."""
    owner = owner_of_memory(x)
    if isinstance(owner, np.ndarray) and not owner.flags.c_contiguous:
        raise_layout(owner)


def add_to_items(bars: AdjointMemory, shadow: Any, items: Any, g: Any) -> None:
    """Add cotangents of the items of a list or dict: arrays have theirs in the adjoint memory."""
    if g is None or isinstance(g, float) and g == 0.0:
        return  # perhaps of an adjoint that nothing has reached: 0.0 stands for it, which has no items
    places = items if isinstance(items, dict) else range(len(items))
    for place in places:
        item = items[place]
        if isinstance(item, (np.ndarray, list, dict)) or held_by(item) is not None:
            add_to(bars[items[place]], g[place])
        else:
            shadow[place] = add(shadow[place], g[place])


def add_to_values(bars: AdjointMemory, shadow: Any, xs: Any, g: Any) -> None:
    """Add the cotangents of `values_of(xs)`: those of Variables are in the adjoint memory."""
    for i, x in enumerate(xs):
        if isinstance(x, Variable):
            add_to(bars[x], g[i])
        elif shadow is not None:
            shadow[i] = add(shadow[i], g[i])


def remember_items(bars: AdjointMemory, x: Any, g: Any, places: tuple[int, ...]) -> Any:
    """Add cotangents of some items of a tuple to the adjoint memory; give those of the others.

    Where None, or the mark of what no way has bound, stands for the tuple there are none.
    """
    if x is None or x is ABSENT:
        return g
    for i in places:
        add_to(bars[x[i]], g[i])
    return [0.0 if i in places else item for i, item in enumerate(g)]


def without_parts(
    bars: AdjointMemory, x: Any, g: Any, parts: tuple[bool | str, dict[Any, Any]]
) -> Any:
    """Add the cotangents of parts of a value to the adjoint memory; give the rest, of the same form.

    The parts say whether the value itself has its adjoint there, or only if it is one of "arrays" or of
    "lists" (and dicts and objects), and the parts of what its slots hold, `...` for slots that are not
    named.

    Examples
    --------
    >>> bars, hist = AdjointMemory(), [1.0]
    >>> without_parts(bars, {"h": hist, "y": 2.0}, {"h": [5.0], "y": 3.0}, (False, {"h": (True, {})}))
    {'h': 0.0, 'y': 3.0}
    >>> bars[hist]
    [5.0]
    """
    inside, below = parts
    if g is None or isinstance(g, float) and g == 0.0 or isinstance(x, (float, int, np.generic)):
        return g
    other = "lists" if isinstance(x, np.ndarray) else "arrays"
    in_memory = inside not in (False, other) and not isinstance(x, tuple)
    if in_memory and g is bars[x]:
        return 0.0  # two names of one thing: it has its cotangent already
    rest = g
    if below and isinstance(x, (list, tuple)):
        if len(g) != len(x):
            if is_untouched(g):
                return 0.0  # a zero that was made when the list had another length
            raise_lengths()
        rest = [_without_part(bars, item, g[i], i, below) for i, item in enumerate(x)]
    elif below and isinstance(x, dict):
        # a slot that was stored into `x` later has a zero adjoint, and is no slot of `x` here
        there = ((key, part) for key, part in g.items() if key in x)
        rest = {key: _without_part(bars, x[key], part, key, below) for key, part in there}
    elif below and not isinstance(x, np.ndarray):
        held = held_by(x) or {}
        rest = record_of(
            **{k: _without_part(bars, held.get(k), part, k, below) for k, part in vars(g).items()}
        )
    if not in_memory:
        return rest
    add_to(bars[x], rest)
    return 0.0


def _without_part(bars: AdjointMemory, x: Any, g: Any, slot: Any, below: dict[Any, Any]) -> Any:
    parts = below.get(slot, below.get(...))
    return g if parts is None else without_parts(bars, x, g, parts)


def with_held(bars: AdjointMemory, x: Any, g: Any) -> Any:
    """Return the cotangent of a structure, its parts with what the adjoint memory has of them.

    Examples
    --------
    >>> bars, hist = AdjointMemory(), [1.0]
    >>> bars[hist][0] = 3.0
    >>> with_held(bars, {"h": hist, "y": 2.0}, {"h": 0.0, "y": 5.0})
    {'h': [3.0], 'y': 5.0}
    """
    untouched = g is None or isinstance(g, float)
    if isinstance(x, dict):
        return {k: _held(bars, v, 0.0 if untouched else g.get(k, 0.0)) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_held(bars, v, 0.0 if untouched else g[i]) for i, v in enumerate(x)]
    held = {} if is_code(x) else held_by(x) or {}
    made = {k: _held(bars, v, 0.0 if untouched else getattr(g, k)) for k, v in held.items()}
    return record_of(**made) if made else g


def _held(bars: AdjointMemory, x: Any, g: Any) -> Any:
    whole = with_held(bars, x, g) if is_holder(x) else g
    return add(whole, bars[x]) if id(owner_of_memory(x)) in bars.found else whole


def recalled_items(bars: AdjointMemory, x: Any, g: Any, places: tuple[tuple[int, ...], ...]) -> Any:
    """Return the cotangents of the items of a tuple, those at some places from the adjoint memory.

    A place says by which indices an item is reached in nested tuples. What stands in two places, or
    is a view of what stands in another, is counted once: it is taken out of the memory.
    """
    if () in places:
        return with_slots(taken_out(bars[x]), x)
    if not places or x is None:
        return g
    made = []
    for i, item in enumerate(x):
        inside = tuple(place[1:] for place in places if place[0] == i)
        part = g[i] if isinstance(g, (list, tuple)) else 0.0
        made.append(recalled_items(bars, item, part, inside))
    return made
