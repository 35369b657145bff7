"""Adjoints of structures: containers, objects, arrays and numbers.

The adjoint of a list or tuple is a list, of a dict a dict, of an object a record. The literal 0.0 stands
for an adjoint that nothing has reached, whatever the structure; adding to it makes it whole. Addition in
place is for what one owner holds, addition of two for all else.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import types
from typing import Any, NoReturn

import numpy as np

from tapeless.runtime.broadcasting import unbroadcast
from tapeless.runtime.sparse import is_sparse
from tapeless.variables import Variable


class AdjointRecord:
    """The adjoints of an object's attributes; an attribute that nothing touched is 0.0."""

    def __getattr__(self, key: str) -> float:
        if key.startswith("__"):
            raise AttributeError(key)
        return 0.0


def record_of(**attributes: Any) -> AdjointRecord:
    """Return the tangents or adjoints of an object with these attributes.

    Examples
    --------
    >>> record_of(x=2.0).x
    2.0
    """
    made = AdjointRecord()
    for key, value in attributes.items():
        setattr(made, key, value)
    return made


def names_in(record: AdjointRecord) -> tuple[str, ...]:
    """Return the names of the attributes that have an adjoint in a record.

    Examples
    --------
    >>> names_in(record_of(x=2.0, y=0.0))
    ('x', 'y')
    """
    return tuple(vars(record))


@functools.lru_cache(maxsize=1024)
def slot_names(cls: type) -> tuple[str, ...]:
    """List the attributes that a class declares in `__slots__`, private ones as Python names them.

    Examples
    --------
    >>> class Point:
    ...     __slots__ = ("x", "__y")
    >>> slot_names(Point)
    ('x', '_Point__y')
    """
    found = []
    for base in cls.__mro__:
        declared = base.__dict__.get("__slots__", ())
        for key in (declared,) if isinstance(declared, str) else declared:
            private = key[:2] == "__" and key[-2:] != "__"
            found.append(f"_{base.__name__.lstrip('_')}{key}" if private else key)
    return tuple(key for key in found if key not in ("__dict__", "__weakref__"))


def held_by(x: Any) -> dict[str, Any] | None:
    """Return what an object holds by attribute, in `__slots__` too; None for one without.

    A member of an enumeration has none of its own: what they are is a constant of its class.
    """
    if isinstance(x, enum.Enum):
        return None
    cls: Any = type(x)
    names = slot_names(cls)
    if not names:
        return getattr(x, "__dict__", None)
    held = {}
    for key in names:
        with contextlib.suppress(AttributeError):
            held[key] = object.__getattribute__(x, key)  # past a `__getattr__`
    return {**held, **(x.__dict__ if cls.__dictoffset__ else {})}


def hold(x: Any, key: str, value: Any) -> None:
    """Let an object hold something by attribute, past a property of that name.

    Examples
    --------
    >>> p = np.poly1d([1.0, 2.0])
    >>> hold(p, "coeffs", np.array([3.0]))
    >>> p
    poly1d([3.])
    """
    cls: Any = type(x)
    if key in slot_names(cls):
        object.__setattr__(x, key, value)
    else:
        x.__dict__[key] = value


def unmade(cls: type) -> Any:
    """Return an object of a class without attributes, no `__new__` or `__init__` in Python being run.

    Examples
    --------
    >>> unmade(types.SimpleNamespace)
    namespace()
    """
    makers = (vars(base).get("__new__") for base in cls.__mro__)
    return next(new for new in makers if isinstance(new, types.BuiltinFunctionType))(cls)


def attributes_of(x: Any) -> dict[str, Any] | None:
    """Return the attributes of an object that can have adjoints; a Variable has its value."""
    return {"value": x.held} if isinstance(x, Variable) else held_by(x)


_WITHOUT_SLOTS = (float, np.ndarray, np.float64, int, str)


def is_holder(x: Any) -> bool:
    """Whether a thing has slots: a list, tuple, dict or object."""
    if type(x) in _WITHOUT_SLOTS:
        return False
    return isinstance(x, (list, tuple, dict)) or held_by(x) is not None


def is_code(x: Any) -> bool:
    """Whether a thing is a function, class or module, rather than an object of the user's.

    Examples
    --------
    >>> is_code(np.sin), is_code(list), is_code(np.linalg), is_code(np.ones(2))
    (True, True, True, False)
    """
    if isinstance(x, (type, types.ModuleType)):
        return True
    if not callable(x):
        return False
    module = type(x).__module__
    if module.startswith("tapeless.rules."):
        return False  # an object that stands for one of SciPy's, and is called as that is
    home = module.partition(".")[0]
    return home in ("builtins", "functools", "numpy", "operator", "tapeless")


def zeros(x: Any, within: tuple[int, ...] = ()) -> Any:
    """Return the zero adjoint of a value: full arrays, containers of zeros, None for what has none.

    `within` is what holds the value, from the outside to the inside.

    Examples
    --------
    >>> zeros({"w": np.ones(2), "n": 3, "b": 1.0})
    {'w': array([0., 0.]), 'n': 0.0, 'b': 0.0}
    """
    if isinstance(x, float):
        return 0.0
    if isinstance(x, np.ndarray):
        exact = (
            x.dtype.kind in "iub"
        )  # where integers stand now there may be floats at another time
        return np.zeros_like(x, dtype=float if exact else None) if x.dtype.kind in "fciub" else None
    if isinstance(x, range):
        return np.zeros(len(x))
    if isinstance(x, (list, tuple)):
        below = entered(x, within)
        return [0.0 if type(item) is float else zeros(item, below) for item in x]
    if is_sparse(x):
        return np.zeros_like(x.data) if x.dtype.kind in "fc" else None
    if x is None or isinstance(x, (int, complex, np.generic, type)):
        return 0.0  # as for arrays, for None, and for the mark of a slot that is not there: a class
    if isinstance(x, str) or is_code(x):
        return None
    if isinstance(x, dict):
        below = entered(x, within)
        return {key: zeros(item, below) for key, item in x.items()}
    attributes = attributes_of(x)
    if attributes is None:
        return None
    below, record = entered(x, within), AdjointRecord()
    for key, item in attributes.items():
        setattr(record, key, zeros(item, below))
    return record


def entered(x: Any, within: tuple[int, ...]) -> tuple[int, ...]:
    """Refuse the adjoint of a thing that holds itself: it would have no end."""
    if id(x) not in within:
        return (*within, id(x))
    from tapeless.errors import GradientError

    raise GradientError(
        f"this {type(x).__name__} holds itself through what it holds, and its adjoint has no end",
        fix="let only one of the two hold the other",
    )


def empty_shadow(x: Any) -> Any:
    """Return the shadow of a list, dict or object, its slots untouched."""
    if isinstance(x, (list, tuple)):
        return [0.0] * len(x)
    if isinstance(x, dict):
        return dict.fromkeys(x, 0.0)
    return AdjointRecord()


def with_slots(shadow: Any, x: Any) -> Any:
    """Return the slots of a shadow that hold containers, and that nothing touched, their shadows."""
    if isinstance(x, (list, tuple)):
        for i, item in enumerate(x):
            if is_holder(item):
                shadow[i] = full(shadow[i], item)
    elif isinstance(x, dict):
        for key, item in x.items():
            if is_holder(item):
                shadow[key] = full(shadow.get(key, 0.0), item)
    elif not is_code(x):  # what classes and modules hold is asked of the adjoint memory
        for key, item in (held_by(x) or {}).items():
            if is_holder(item):
                setattr(shadow, key, full(getattr(shadow, key), item))
    return shadow


def full(g: Any, x: Any) -> Any:
    """Return a cotangent at the full shape of `x`: an untouched one is the literal 0.0, as of None."""
    if x is None or isinstance(x, type):  # the mark of a slot that is not there is a class
        return 0.0
    if g is None and is_holder(x):
        return zeros(x)
    if isinstance(g, float) and not isinstance(x, float):
        if isinstance(x, np.ndarray):
            return np.full(x.shape, g, x.dtype)
        if g == 0.0 and not isinstance(x, np.generic):
            return zeros(x)
    return g


def narrowed(y_bar: Any, g: Any) -> Any:
    """Return the cotangent of an adjoint `g` that `full` brought to its full shape."""
    if isinstance(y_bar, (list, tuple, dict, AdjointRecord)):
        return 0.0 if g is None or isinstance(g, float) else y_bar
    return unbroadcast(y_bar, g)


def full_items(g: Any, x: Any) -> list[Any]:
    """Return the cotangents of the items of a sequence at their full shapes.

    Examples
    --------
    >>> full_items([0.0, np.ones(2)], [np.zeros(3), np.zeros(2)])
    [array([0., 0., 0.]), array([1., 1.])]
    """
    return [full(part, item) for part, item in zip(g, x, strict=True)]


def narrowed_items(y_bar: Any, g: Any) -> list[Any]:
    """Return the cotangents of adjoints that `full_items` brought to their full shapes."""
    return [narrowed(part_bar, part) for part_bar, part in zip(y_bar, g, strict=True)]


def add(a: Any, b: Any) -> Any:
    """Add two adjoints of one value, numbers or structures; neither is changed, nor is a part of the sum."""
    if isinstance(a, float) and a == 0.0 or a is None:
        return copied(b)
    if isinstance(b, float) and b == 0.0 or b is None:
        return copied(a)
    if isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return _alone_touched(a, b)
        return [add(p, q) for p, q in zip(a, b, strict=True)]
    if isinstance(a, dict):
        return {key: add(a.get(key, 0.0), b.get(key, 0.0)) for key in {**a, **b}}
    if isinstance(a, AdjointRecord):
        made = copied(a)
        add_to(made, b)
        return made
    return a + b


def _alone_touched(a: Any, b: Any) -> Any:
    """Return the adjoint, of two that a list had at different lengths, that anything has reached."""
    if is_untouched(b):
        return copied(a)
    if is_untouched(a):
        return copied(b)
    raise_lengths()


def is_untouched(g: Any) -> bool:
    """Whether nothing has reached an adjoint: all of it is zero.

    Examples
    --------
    >>> is_untouched([0.0, {"w": np.zeros(2)}]), is_untouched([0.0, 1.0])
    (True, False)
    """
    if isinstance(g, (list, tuple)):
        return all(map(is_untouched, g))
    if isinstance(g, dict):
        return all(map(is_untouched, g.values()))
    if isinstance(g, AdjointRecord):
        return all(map(is_untouched, vars(g).values()))
    return g is None or not np.any(g)


def raise_lengths() -> NoReturn:
    """Refuse to add adjoints that a list had before and after it was lengthened."""
    from tapeless.errors import GradientError

    raise GradientError(
        "adjoints of a list meet that are of its lengths before and after something was appended",
        fix="use tapeless.hvp or tapeless.jvp for this derivative, or keep the list outside the object",
    )


def raise_twice(x: Any) -> NoReturn:
    """Refuse a thing that stands in two places, where one adjoint is kept of it."""
    from tapeless.errors import GradientError

    raise GradientError(
        f"one {type(x).__name__} stands in two places of the arguments, and what reaches "
        "it cannot be told apart",
        fix="pass a copy in one of them",
    )


def raise_unlike() -> NoReturn:
    """Refuse a number that stands where a list, dict or array might, and the other way round."""
    from tapeless.errors import GradientError

    raise GradientError(
        "an attribute or item is a number here and may be an array elsewhere in the text",
        fix="annotate the parameters, or give like=",
    )


def unreached() -> Exception:
    """Return the error of what was taken to raise one itself, and goes on: nothing is known from there."""
    from tapeless.errors import PLEASE_REPORT, InternalError

    return InternalError("this was taken to raise an error, and it goes on", fix=PLEASE_REPORT)


def add_to(shadow: Any, g: Any) -> None:
    """Add a cotangent of the same structure to a list, dict, record or array in place."""
    if g is None or isinstance(g, float) and g == 0.0:
        return
    if isinstance(g, (list, dict)) and not g:
        return  # perhaps for what is not there: that has no items
    if g is shadow:
        return  # two names of one thing: it has its cotangent already
    if isinstance(shadow, np.ndarray):
        shadow += g
    elif isinstance(shadow, float) or isinstance(shadow, (list, dict)) and isinstance(g, float):
        raise_unlike()
    elif isinstance(shadow, list):
        for i, item in enumerate(g):
            if i < len(shadow):
                shadow[i] = add(shadow[i], item)
            elif np.any(item):
                raise_lengths()
    elif isinstance(shadow, dict):
        add_by_key(shadow, g)
    elif isinstance(g, AdjointRecord):
        for key in names_in(g):
            setattr(shadow, key, add(getattr(shadow, key), getattr(g, key)))
    else:  # of a Variable, which stood for its value
        shadow.value = add(shadow.value, g)


def add_by_key(shadow: dict[Any, Any], g: Any) -> None:
    """Add the cotangent of a dict to its adjoint in place.

    Examples
    --------
    >>> shadow = {"w": 1.0, "b": 0.0}
    >>> add_by_key(shadow, {"w": 2.0})
    >>> shadow
    {'w': 3.0, 'b': 0.0}
    """
    for key, item in g.items():
        shadow[key] = add(shadow.get(key, 0.0), item)


def from_rows(g: Any, x: Any) -> Any:
    """Return the cotangent of an array from those of its rows; an untouched one is 0.0.

    Examples
    --------
    >>> from_rows([0.0, np.ones(2)], np.zeros((2, 2)))
    array([[0., 0.],
           [1., 1.]])
    """
    made = np.zeros_like(x)
    for i in range(len(x)):
        made[i] = g[i]
    return made


def add_to_slice(shadow: Any, index: slice, g: Any) -> None:
    """Add cotangents to a slice of a list's shadow."""
    for i, item in zip(range(len(shadow))[index], g, strict=True):
        shadow[i] = add(shadow[i], item)


def copied(g: Any) -> Any:
    """Copy the containers of an adjoint; numbers and arrays are copied too."""
    if isinstance(g, float):
        return g
    if isinstance(g, np.ndarray):
        return g.copy()
    if isinstance(g, (list, tuple)):
        return [item if type(item) is float else copied(item) for item in g]
    if isinstance(g, dict):
        return {key: copied(item) for key, item in g.items()}
    if isinstance(g, AdjointRecord):
        made = AdjointRecord()
        for key, item in vars(g).items():
            setattr(made, key, copied(item))
        return made
    return g


def taken_out(shadow: Any) -> Any:
    """Return a copy of an adjoint and leave zeros.

    Examples
    --------
    >>> a = np.ones(2)
    >>> taken_out(a), a
    (array([1., 1.]), array([0., 0.]))
    """
    made = copied(shadow)
    if isinstance(shadow, np.ndarray):
        shadow[...] = 0.0
    elif isinstance(shadow, (list, dict)):
        for key in range(len(shadow)) if isinstance(shadow, list) else shadow:
            shadow[key] = 0.0
    elif isinstance(shadow, AdjointRecord):
        for name in names_in(shadow):
            setattr(shadow, name, 0.0)
    return made


def fold_repeats(g: Any, n: int) -> Any:
    """Add up the cotangents of `items * count`, where `items` has `n` items."""
    made = [0.0] * n
    for i, item in enumerate(g):
        made[i % n] = add(made[i % n], item)
    return made


def or_zeros(g: Any, x: Any) -> Any:
    """Return a cotangent that a rule gives of `x`, which is None where nothing flows.

    Examples
    --------
    >>> or_zeros(None, np.ones(2)), or_zeros(2.0, 5.0)
    (array([0., 0.]), 2.0)
    """
    return zeros(x) if g is None else g


def as_outputs(g: Any) -> list[Any]:
    """Return the cotangents of several outputs, or of one, as a list.

    Examples
    --------
    >>> as_outputs([1.0, 2.0]), as_outputs(3.0)
    ([1.0, 2.0], [3.0])
    """
    return list(g) if isinstance(g, (list, tuple)) else [g]
