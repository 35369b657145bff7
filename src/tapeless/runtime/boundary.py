"""What enters and leaves a derivative: checked cotangents in, gradients out, private copies.

Inside, adjoints are loose: 0.0 for untouched, lists for tuples. What a user gets has the structure,
shapes and dtypes of the argument, and shares memory with nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tapeless.runtime.adjoints import (
    AdjointRecord,
    add,
    entered,
    held_by,
    hold,
    is_code,
    is_untouched,
    unmade,
    zeros,
)
from tapeless.runtime.elementwise import real_part
from tapeless.runtime.memory import AdjointMemory, owner_of_memory, same_window
from tapeless.runtime.snapshots import Snapshots
from tapeless.runtime.sparse import given_entries, is_sparse, sparse_gradient
from tapeless.variables import Variable


def dict_like(x: Any, slots: dict[Any, Any]) -> Any:
    """Return a dict of the class of another one, with other slots; what it makes of missing ones stays.

    Examples
    --------
    >>> from collections import OrderedDict
    >>> dict_like(OrderedDict(a=1.0), {"a": 2.0}) == OrderedDict(a=2.0)
    True
    """
    if type(x) is dict:
        return slots
    made = copy.copy(x)
    made.clear()
    made.update(slots)
    return made


def as_gradient(g: Any, x: Any, bars: AdjointMemory | None = None, integers: bool = False) -> Any:
    """Return an adjoint in the structure, shapes and dtypes of its primal; nothing is shared.

    Parts without derivative (strings, None, integers) are None; with `integers`, those that are given
    by themselves, or in lists, tuples and dicts, count as real numbers. What of `x` has its adjoint in
    the adjoint memory gets it from there.

    Examples
    --------
    >>> as_gradient({"w": 0.0}, {"w": np.ones(2), "n": 3})
    {'w': array([0., 0.]), 'n': None}
    """
    if bars is not None and not isinstance(x, Variable):
        g = add(_of_its_length(g, x), bars.recall(x))
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "fc":
            return None
        made = np.empty_like(x, subok=False)
        made[...] = _real_for_real(g, x)
        return made
    if isinstance(x, Variable):
        g = g if bars is None else bars[x]
        return as_gradient(g.value if isinstance(g, AdjointRecord) else g, x.held)
    if is_sparse(x):
        if x.dtype.kind not in "fc":
            return None
        return sparse_gradient(x, g)
    if isinstance(x, (bool, str, np.bool_)) or x is None:
        return None
    if isinstance(x, (int, np.integer)):
        return float(_real_for_real(g, x)) if integers else None
    if isinstance(x, np.generic):
        return x.dtype.type(_real_for_real(g, x))
    if isinstance(x, (float, complex)):
        found = _real_for_real(g, x)
        return found if isinstance(found, type(x)) else type(x)(found)
    untouched = g is None or isinstance(g, float)
    if isinstance(x, dict):
        slots = {
            k: as_gradient(None if untouched else g.get(k), v, bars, integers) for k, v in x.items()
        }
        return dict_like(x, slots)
    if isinstance(x, (list, tuple)):
        items = [
            as_gradient(None if untouched else g[i], v, bars, integers) for i, v in enumerate(x)
        ]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return _gradient_of_object(None if untouched else g, x, bars)


def _gradient_of_object(g: Any, x: Any, bars: AdjointMemory | None) -> Any:
    """Return the adjoint of an object as one of its class; None for what has no attributes of its own."""
    attributes = held_by(x)
    if attributes is None or is_code(x):
        return None
    made = unmade(type(x))
    for key, item in attributes.items():
        part = as_gradient(None if g is None else getattr(g, key), item, bars)
        hold(made, key, part)
    return made


def _of_its_length(g: Any, x: Any) -> Any:
    """Return an adjoint; none of zeros that were made while a list was longer or shorter than it is."""
    other = isinstance(x, list) and isinstance(g, list) and len(g) != len(x)
    return None if other and is_untouched(g) else g


def _real_for_real(g: Any, x: Any) -> Any:
    """Return a cotangent that is real where `x` is; one that nothing reached is 0."""
    if g is None:
        return 0.0
    return g if np.iscomplexobj(x) else real_part(g)


def as_cotangent(g: Any, y: Any, within: tuple[int, ...] = ()) -> Any:
    """Check a cotangent or tangent given for `y` and bring it to the form that sweeps use.

    Raises
    ------
    GradientError
        If its structure or shape is not that of `y`.
    """
    if type(y) is float and type(g) is float:
        return g
    if isinstance(y, np.ndarray):
        return _as_array(g, y) if y.dtype.kind in "fc" else zeros(y)
    if is_sparse(y):
        return given_entries(g, y) if y.dtype.kind in "fc" else zeros(y)
    if isinstance(y, (bool, int, str, np.bool_, np.integer)) and not isinstance(
        g, (float, complex)
    ):
        return float(g) if isinstance(g, (int, np.number)) else zeros(y)
    if isinstance(y, (float, complex, np.number)):
        return _as_number(g, y)
    if isinstance(y, (list, tuple)):
        if g is None:
            return zeros(y)
        if not isinstance(g, (list, tuple)) or len(g) != len(y):
            _refuse(
                f"a tangent or cotangent with {len(y)} items is needed, one for each of "
                f"{type(y).__name__}",
                f"give a {type(y).__name__} of {len(y)}",
            )
        below = entered(y, within)
        return [as_cotangent(p, q, below) for p, q in zip(g, y, strict=True)]
    if isinstance(y, dict):
        if g is None:
            return zeros(y)
        below = entered(y, within)
        return {key: _as_cotangent_of_slot(g.get(key), item, below) for key, item in y.items()}
    attributes = held_by(y)
    if y is None or attributes is None or is_code(y):
        return zeros(y)
    made = AdjointRecord()
    if isinstance(y, Variable):
        setattr(made, "value", as_cotangent(np.zeros(y.shape) if g is None else g, y.held))  # noqa: B010
        return made
    below = entered(y, within)
    for key, item in attributes.items():
        setattr(made, key, _as_cotangent_of_slot(getattr(g, key, None), item, below))
    return made


def _as_array(g: Any, y: Any) -> Any:
    """Check the cotangent of an array of floats; return it in the dtype of the array, as a copy."""
    g = np.asarray(g)
    if g.shape != y.shape or g.dtype.kind == "O":
        _refuse(
            f"a tangent or cotangent of shape {g.shape} was given for shape {y.shape}",
            f"give one of shape {y.shape}",
        )
    if g.dtype is y.dtype or g.dtype == y.dtype or g.dtype.kind not in "iubf":
        return g.copy()
    return g.astype(y.dtype)


def _as_number(g: Any, y: Any) -> Any:
    """Check the cotangent of a number; return it in a precision that is not lower."""
    if g is None or np.ndim(g) != 0:
        _refuse(
            f"a tangent or cotangent of shape {np.shape(g)} was given for a scalar", "give a number"
        )
    if isinstance(y, np.floating) and not isinstance(g, (complex, np.inexact)):
        return y.dtype.type(g)
    return g if isinstance(g, (float, complex, np.inexact)) else float(g)


def _as_cotangent_of_slot(g: Any, y: Any, within: tuple[int, ...]) -> Any:
    """Bring the cotangent of what a slot holds to form; that of a slot that is not given is zero."""
    return zeros(y) if g is None else as_cotangent(g, y, within)


def check_scalar(y: Any) -> None:
    """Refuse the gradient of a result that is not a real scalar.

    Generated code asks where the kinds of a result do not say so: a function may give a number on one
    way and None, a str or an array on another.

    Raises
    ------
    GradientError
        If it is anything but a real number or an array without dimensions that holds one.

    Examples
    --------
    >>> check_scalar(2.0)
    >>> check_scalar("two")
    Traceback (most recent call last):
    ...
    tapeless.errors.GradientError: a str is returned, and only a real scalar has a gradient
      fix: return a real number on every way through the function
    """
    if isinstance(y, (float, int, np.floating, np.integer)) and not isinstance(y, bool):
        return
    if isinstance(y, np.ndarray) and y.ndim == 0 and y.dtype.kind in "fiu":
        return
    what, fix = "None" if y is None else f"a {type(y).__name__}", _RETURN_REAL
    if isinstance(y, np.ndarray):
        what = f"an array of shape {y.shape} and dtype {y.dtype}"
    if isinstance(y, (np.ndarray, np.generic, complex)) and np.iscomplexobj(y):
        fix = "take the real part, y.real, or the magnitude, np.abs(y)"
    _refuse(f"{what} is returned, and only a real scalar has a gradient", fix)


_RETURN_REAL = "return a real number on every way through the function"


def _refuse(reason: str, fix: str | None = None) -> NoReturn:
    from tapeless.errors import GradientError

    raise GradientError(reason, fix=fix)


def fresh_stacks(saved: Any) -> Any:
    """Copy the stacks of a split derivative, so that a pullback can empty them.

    What a recursion saved is nested as deep as it went: no call here is.

    Examples
    --------
    >>> saved = ([1.0], (2.0, [3.0]))
    >>> again = fresh_stacks(saved)
    >>> again[1][1].pop(), saved
    (3.0, ([1.0], (2.0, [3.0])))
    """
    made: dict[int, Any] = {}
    unfilled: list[tuple[Any, Any]] = []

    def copy(item: Any) -> Any:
        if isinstance(item, Snapshots):
            return item.copied_by(lambda state: state)
        if type(item) is not list:
            return item
        if id(item) not in made:
            made[id(item)] = []
            unfilled.append((item, made[id(item)]))
        return made[id(item)]

    found = _rebuilt(saved, copy)
    while unfilled:
        stack, fresh = unfilled.pop()
        fresh.extend(_rebuilt(part, copy) for part in stack)
    return found


def _rebuilt(x: Any, copy: Callable[[Any], Any]) -> Any:
    """Copy what stands in a tuple, and in tuples in it, however deep they are nested."""
    if not isinstance(x, tuple):
        return copy(x)
    outer_first, unseen = [], [x]
    while unseen:
        each = unseen.pop()
        outer_first.append(each)
        unseen += [item for item in each if isinstance(item, tuple)]
    made: dict[int, Any] = {}
    for each in reversed(outer_first):
        items = [made[id(item)] if isinstance(item, tuple) else copy(item) for item in each]
        made[id(each)] = type(each)(*items) if hasattr(each, "_fields") else tuple(items)
    return made[id(x)]


def private(value: Any) -> Any:
    """Copy a structure of arrays, containers and objects; what was shared stays shared in the copy.

    A view of an array becomes the same view of the copied array. Variables are not copied.

    Examples
    --------
    >>> a = np.zeros(3)
    >>> b, row = private((a, a[1:]))
    >>> row[0] = 5.0
    >>> b, a
    (array([0., 5., 0.]), array([0., 0., 0.]))
    """
    return _Copier().copy(value)


def snapshot(value: Any, views: bool = False, state: State | None = None) -> Any:
    """Copy what a pullback reads, Variables included: what they hold later is not seen.

    With `views` a view of an array becomes the same view of the copied array, as a pullback needs that
    stores into it. Something that holds these attributes stands for each class or module of the `state`.

    Examples
    --------
    >>> w = Variable([1.0, 2.0])
    >>> then = snapshot(w)
    >>> w.assign([3.0, 4.0])
    array([3., 4.])
    >>> then.value
    array([1., 2.])
    """
    copier = _Copier(variables=True, views=views)
    for owner, keys in (state or {}).items():
        copier.stand_in(owner, keys)
    return copier.copy(value)


State = dict[Any, tuple[str, ...]]  # classes and modules, with the attributes that change


class _Copier:
    """Copies a structure; containers are made first and filled later, so that no call is nested in one."""

    def __init__(self, variables: bool = False, views: bool = True) -> None:
        self.made: dict[int, tuple[Any, Any]] = {}
        self.variables = variables
        self.views = views
        self.unfilled: list[Callable[[], None]] = []

    def copy(self, x: Any) -> Any:
        """Copy a value and all that it holds."""
        made = self.begun(x)
        while self.unfilled:
            self.unfilled.pop()()
        return made

    def begun(self, x: Any) -> Any:
        """Copy a value whose containers are filled later."""
        return _rebuilt(x, self.item)

    def item(self, x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return self.array(x)
        if not self.variables and (isinstance(x, Variable) or is_sparse(x)):
            return x
        if id(x) not in self.made:
            made = self.container(x)
            if made is x:
                return x
            self.made[id(x)] = x, made
        return self.made[id(x)][1]

    def stand_in(self, owner: Any, keys: tuple[str, ...]) -> None:
        """Let an object with attributes of its own stand for a class or module."""
        made = type("StandIn", (), {"__stands_for__": owner})()
        held = {key: item for key, item in vars(owner).items() if key in keys}
        self.made[id(owner)] = owner, made
        self.unfilled.append(lambda: self.fill(held, lambda k, v: setattr(made, k, v)))

    def container(self, x: Any) -> Any:
        """Make a container or an object like another one, to be filled; return what is none."""
        if isinstance(x, list):
            items: list[Any] = []
            self.unfilled.append(lambda: items.extend(self.begun(item) for item in x))
            return items
        if isinstance(x, dict):
            slots = x.copy()
            self.unfilled.append(lambda: self.fill(x, slots.__setitem__))
            return slots
        if hasattr(type(x), "copied_by"):
            return x.copied_by(self.copy)
        if is_sparse(x):
            return x.copy()
        held = held_by(x)
        if held is None or is_code(x) or type(x).__module__ in ("numpy", "builtins"):
            return x
        made = unmade(type(x))
        if isinstance(x, Variable):
            made._of = x.itself  # a custom `grad` is given the Variables that its author knows
            held = {key: item for key, item in held.items() if key != "_of"}
        self.unfilled.append(lambda: self.fill(held, lambda k, v: hold(made, k, v)))
        return made

    def fill(self, slots: dict[Any, Any], put: Callable[[Any, Any], None]) -> None:
        """Put copies of what some slots hold into others."""
        for key, item in slots.items():
            put(key, self.begun(item))

    def array(self, x: Any) -> Any:
        """Copy an array; the same view twice becomes one view twice: a branch may ask `a is b`."""
        if id(x) not in self.made:
            self.made[id(x)] = x, self.window(x)
        return self.made[id(x)][1]

    def window(self, x: Any) -> Any:
        """Copy an array, or make the view of a copied array that it is of another."""
        owner = owner_of_memory(x) if self.views else x
        if x is owner:
            return np.array(x, subok=False, order="K")
        made = self.array(owner)
        if made.strides != owner.strides:
            return x.copy()
        return same_window(x, owner, made)
