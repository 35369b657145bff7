"""What is known of a function besides its derivative, declared beside its rule.

Every stage asks something of the functions that a program calls: whether a result shares memory with
an argument, whether a call may be left out, whether a cotangent may be cut by it. The answers are facts
of the function, whatever it is called in the text, so they are kept by the object. A rule declares them:

    @elementwise(np.maximum, kind=keeping_integers, selects=True)

and `traits` does it for what has no rule. Of a function of which nothing is said nothing is known; each
question then has the answer that is safe where it is asked.

A method is often called on something whose class is not known from the text. `traits_of_method` says
what is known if that is an array, or a list or dict where arrays have no such method.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from tapeless.externals import MISSING
from tapeless.runtime import scatter_add

if TYPE_CHECKING:
    from tapeless.rules.results.call import KindOf

View = Literal["never", "if asked", "sometimes", "always"]
ADDING_AT: tuple[Any, ...] = (np.add.at, scatter_add)  # (a, index, g): what is added may meet
SOMETIMES = ("if asked", "sometimes")  # whether a result is a view, the call does not say


class Known(TypedDict, total=False):
    """What may be declared of a function: the attributes of `Traits`."""

    kind: KindOf | None
    view: View
    pure: bool | None
    shows: tuple[int, ...] | None
    total: bool
    stores: tuple[int, ...]
    returns_nothing: bool
    asks_form: tuple[int, ...]
    selects: bool
    moves: bool
    recasts: bool
    tests: bool
    floating: bool
    calls: bool | None
    takes_sequences: bool
    of_sequence: Any
    pieces: bool
    poles: bool
    distinct: bool
    says_more: bool
    literals: tuple[int, ...]


@dataclass(frozen=True)
class Traits:
    """What is known of one function.

    Attributes
    ----------
    kind
        Gives the kind of the result from the kinds of the arguments; None where the form of its rule
        says all: elementwise functions broadcast, of others only that they give numbers is known.
    view
        Whether the result shares memory with the first argument: never, only where an argument asks
        for it (`copy=False`), sometimes, as NumPy decides when the program runs, or always. What has
        a rule and says nothing is taken to return something new.
    pure
        Whether a call has no effect but its value, where its arguments have none; None for unknown.
    shows
        The positions of the arguments that the result of a helper may share memory with; None for all.
    total
        Whether no call with one argument raises.
    stores
        The positions of the arguments that it writes into.
    returns_nothing
        Whether it returns None, always.
    asks_form
        The positions of the arguments of which only shape, dtype or length are looked at.
    selects
        Whether the result may not depend on every entry of an argument: cotangents are cut there.
    moves
        Whether it only moves the entries of an array: the same call moves those of the tangent.
    recasts
        Whether the result holds the same entries at the same places, of another class or dtype.
    tests
        Whether it returns truth values.
    floating
        Whether it returns floating-point numbers, whatever it is given.
    calls
        Whether it may call functions that it is given; None where what has a derivative is taken to.
    takes_sequences
        Whether a list or tuple is to be handed to it as it is, not as an array.
    of_sequence
        The helper that takes in one sequence what it takes one by one, however many.
    pieces
        Whether it makes a new list, with a whole cotangent for each item of a sequence.
    poles
        Whether it may be infinite where its arguments are not: a product with it is guarded.
    distinct
        Whether the entries of what it makes of one argument, if that is a vector, are different places.
    says_more
        Whether the name of a helper says more than its body: its call stays in what is printed.
    literals
        Arguments of a helper with partials of its own: where these are literals its body serves instead,
        also in what is differentiated again.
    """

    kind: KindOf | None = None
    view: View = "never"
    pure: bool | None = None
    shows: tuple[int, ...] | None = None
    total: bool = False
    stores: tuple[int, ...] = ()
    returns_nothing: bool = False
    asks_form: tuple[int, ...] = ()
    selects: bool = False
    moves: bool = False
    recasts: bool = False
    tests: bool = False
    floating: bool = False
    calls: bool | None = None
    takes_sequences: bool = False
    of_sequence: Any = None
    pieces: bool = False
    poles: bool = False
    distinct: bool = False
    says_more: bool = False
    literals: tuple[int, ...] = ()

    @property
    def may_be_view(self) -> bool:
        """Whether the result may share memory with an argument without being asked to."""
        return self.view in ("sometimes", "always")


UNKNOWN = Traits()
_TRAITS: dict[Any, Traits] = {}


def traits_of(found: Any) -> Traits:
    """Return what is known of a function.

    Examples
    --------
    >>> traits(np.ndarray.diagonal, view="always")
    >>> traits_of(np.ndarray.diagonal).view, traits_of(print) == Traits()
    ('always', True)
    """
    try:
        return _TRAITS.get(found, UNKNOWN)
    except TypeError:  # an unhashable callable: nothing was said of it
        return UNKNOWN


def traits_of_method(label: str) -> Traits:
    """Return what is known of a method or attribute by its name, if its owner is an array, list or dict.

    Examples
    --------
    >>> traits(np.ndarray.reshape, view="sometimes")
    >>> traits_of_method("reshape").view, traits_of_method("no_method_of_arrays") == Traits()
    ('sometimes', True)
    """
    owner = next((cls for cls in (np.ndarray, list, dict) if hasattr(cls, label)), None)
    return traits_of(getattr(owner, label, None))


def traits_of_callee(callee: Any, found: Any) -> Traits:
    """Return what is known of what a call calls, from its text and the object that this stands for."""
    if found is MISSING:
        return traits_of_method(getattr(callee, "attr", ""))
    return traits_of(found)


def traits(*fns: Any, **known: Unpack[Known]) -> None:
    """Declare what is known of some functions, beside what was declared before.

    Examples
    --------
    >>> def swapped(pair):
    ...     return pair[::-1]
    >>> traits(swapped, view="always")
    >>> traits_of(swapped).view
    'always'
    """
    for fn in fns:
        _TRAITS[fn] = replace(traits_of(fn), **known)
