"""Adjoints that are found by the memory that they are for: a block beside each block.

`bars[view]` of an `AdjointMemory` is the same view of the adjoint's block. What was copied, because a loop
carries or saves it, is not the memory that it stands for, so of it no adjoint is found.
"""

from __future__ import annotations

from dataclasses import replace

from tapeless.lower.loops import Num
from tapeless.lower.precision import FLOATS
from tapeless.lower.state import State
from tapeless.lower.values import Array, Number, Shadows, Value


def begun(state: State) -> Shadows:
    """Return a memory in which no adjoint is known yet."""
    if state.loops or state.trips:
        raise state.refused("adjoints by memory that are made in a loop or a branch")
    return Shadows(state.out, len(state.out))


def shadow(state: State, bars: Shadows, x: Value) -> Array:
    """Return the adjoint of an array: zeros, when it is first asked for."""
    if not isinstance(x, Array) or x.base is None or x.dtype not in FLOATS:
        raise state.refused("the adjoint of what is no array of floats")
    if x.base in state.copies.sealed or x.base not in state.lasting:
        raise state.refused("the adjoint of an array that another name stands for, too")
    made = bars.found.get(x.base)
    if made is None:
        made = bars.found[x.base] = _zeros(state, bars, x.base)
    state.shadowed.add(x.base)
    return replace(x, base=made, fresh=False, read_only=False)


def _zeros(state: State, bars: Shadows, base: str) -> str:
    """Make the block of an adjoint where the memory began, which may be before a loop around."""
    loops, state.loops = state.loops, []
    with state.block() as written:
        made = state.made(state.program.arrays[base], state.program.dtypes[base], f"{base}_bar")
        state.fill(made, Number(Num(0.0), "py"))
    state.loops = loops
    bars.out[bars.place : bars.place] = written
    assert made.base is not None
    return made.base
