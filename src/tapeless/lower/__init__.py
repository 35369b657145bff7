"""Derivatives as loops over entries, which Numba compiles.

Array programs make one temporary array per operation. Here a function of numbers and arrays, a
derivative as a rule, is written as loops over entries instead, in which most of these arrays are numbers.
It is read back as any function is, run once on what is known of its values, and then shortened:

    run       one nest of loops per operation          y[i] = x[i] * x[i] under `for i in range(n)`
    dead      drops what nobody reads                   most of what a reverse sweep saves
    inline    arrays that are used once stand where they are used
    fuse      joins loops over the same entries
    promote   arrays used in one trip become numbers
    fold      numbers used once stand where they are used
    blocks    sums are added in blocks
    arrange   blocks of memory are made once, loops and sizes named

The text is an ordinary module. What has no loops that are known to mean the same is not lowered: the
NumPy text serves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.lower import functions as functions
from tapeless.lower.arrange import hoist, name_loops, name_sizes, sink
from tapeless.lower.begin import run_once
from tapeless.lower.blocks import write_reductions
from tapeless.lower.dead import drop_dead
from tapeless.lower.fold import fold
from tapeless.lower.fuse import fuse
from tapeless.lower.given import Outside
from tapeless.lower.inline import inline
from tapeless.lower.loops import Program, Result, described, may_raise, renamed
from tapeless.lower.measured import measured_from
from tapeless.lower.promote import promote
from tapeless.lower.refused import NotLowered as NotLowered
from tapeless.lower.state import State
from tapeless.lower.write import written
from tapeless.tree.function import CoreFunction


@dataclass(frozen=True, eq=False)
class Constant:
    """A constant from outside, whose value is written into the text.

    Attributes
    ----------
    read
        Returns what it is now.
    expression
        How the function spells it.
    value
        What is written.
    """

    read: Callable[[], object]
    expression: str
    value: object

    @property
    def holds(self) -> bool:
        """Whether it still is what was written."""
        now = self.read()
        return now is self.value or type(now) is type(self.value) and repr(now) == repr(self.value)


@dataclass(frozen=True, eq=False)
class Lowered:
    """A function as loops.

    Attributes
    ----------
    text
        A complete module.
    name
        The function in it.
    stored
        The positions of the parameters that are stored into.
    apart
        Those of the parameters whose memory must be told apart from that of the others.
    arrays
        The positions of the parameters that are arrays.
    raises
        Whether compiled loops may raise where something may have been stored already.
    result
        What it returns: the sort of a number, "array", "None", or a tuple of such.
    baked
        Constants from outside whose values are written into the text.
    outside
        Arrays from outside, which are its last parameters.
    texts
        The positions of the parameters that are texts on which the loops rest, with what they say.
    measured_from
        The number of entries of arguments from which on the NumPy text may be faster; None for never.
    cores
        The functions that were read to write it.
    """

    text: str
    name: str
    stored: tuple[int, ...]
    apart: tuple[int, ...]
    arrays: tuple[int, ...]
    raises: bool
    result: Result
    baked: tuple[Constant, ...]
    outside: tuple[Outside, ...]
    texts: tuple[tuple[int, str], ...]
    measured_from: int | None
    cores: tuple[CoreFunction, ...]

    def serves_texts(self, arguments: Sequence[Any]) -> bool:
        """Whether the arguments say what the loops were written for."""
        return all(arguments[i] == text for i, text in self.texts)


def lowered(
    function: Callable[..., Any] | CoreFunction, arguments: Sequence[Any],
    origin: Callable[[int], str | None] = lambda line: None, joined: bool = True,
    is_part: bool = False,
) -> Lowered:  # fmt: skip
    """Write a function as loops, for the kinds of arguments.

    Parameters
    ----------
    function
        A function; a derivative as it was loaded, or one of the user's.
    arguments
        One value per parameter.
    origin
        Returns the user's line that a line of the function comes from.
    joined
        Whether loops are joined.
    is_part
        Whether other statements of Python go on with what it returns.

    Raises
    ------
    NotLowered
        If something in it has no loops that are known to mean the same.
    TapelessError
        If it cannot be read.

    Examples
    --------
    >>> import numpy as np
    >>> def decay(x):
    ...     y = np.exp(-x)
    ...     return y * y + 1.0
    >>> print(lowered(decay, [np.ones(3)]).text)
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def decay(x):
        if x.shape[0] < 2:
            raise ValueError("this text was written for other sizes")
        n = x.shape[0]
        v_2 = np.empty(n)
        for i in range(n):
            y = np.exp(-x[i])
            v_2[i] = y * y + 1.0
        return v_2
    <BLANKLINE>
    """
    program, state = run_once(function, arguments, is_part)
    _shorten(program, state, joined)
    slow = measured_from(program)
    sizes = name_sizes(program, state.names)
    stored, apart, arrays = (
        tuple(i for i, key in enumerate(program.parameters) if key in keys)
        for keys in (program.stored, program.stored | state.shadowed, program.given)
    )
    text = written(program, sizes, origin)
    baked = tuple(
        Constant(functools.partial(f.resolve, tree), gast.unparse(tree).strip(), value)
        for f, tree, value in state.baked
    )
    outside = tuple(
        Outside(functools.partial(f.resolve, tree), gast.unparse(tree).strip(), x.dtype.str, x.ndim)
        for f, tree, x in state.outside.values()
    )
    texts = tuple((program.parameters.index(key), said) for key, said in program.texts.items())
    result = "None" if program.returned is None else described(program.returned)
    return Lowered(text, program.name, stored, apart, arrays, may_raise(program), result, baked,
                   outside, texts, slow, state.cores)  # fmt: skip


def _shorten(program: Program, state: State, joined: bool) -> None:
    extents = state.extents
    same = extents.same()
    for s in program.body:
        renamed(s, same)
    program.arrays = {
        key: dims if key in program.given else tuple(dim.put(same) for dim in dims)
        for key, dims in program.arrays.items()
    }
    program.own = frozenset(state.named)
    program.checks = [(form, "zero") for form in extents.zero]
    program.checks += [(form, "positive") for form in extents.positive]
    hoist(program, frozenset(extents.least))
    drop_dead(program)
    if joined:
        inline(program)
        fuse(program)
        promote(program)
    fold(program)
    drop_dead(program)
    write_reductions(program, state.names)
    sink(program)
    name_loops(program, state.names)
