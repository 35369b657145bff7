"""Variables: named arrays that live outside the functions that read them.

A `Variable` is what a model keeps between calls. It behaves as the array that it holds, and results
of arithmetic with it are plain arrays. Its array is never written to: `assign` binds a new one, so
that what a forward sweep kept of the old value stays valid. A derivative with respect to a Variable is
asked for by the Variable itself, `grad(f, variables=[w])`, wherever `f` reads it from.

Reads can be watched: a custom gradient is told which Variables its forward run used. The list of who
watches belongs to the thread, so that two threads do not see each other's reads.
"""

from __future__ import annotations

import keyword
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeless.errors import GradientError

ASSIGNING = ("assign", "assign_add", "assign_sub")


class _Watchers(threading.local):
    def __init__(self) -> None:
        self.lists: list[list[Variable]] = []


_watchers = _Watchers()


class Variable(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that keeps its identity while its value changes.

    It behaves as the array that it holds. Results of arithmetic with it are plain arrays.

    Parameters
    ----------
    array : array_like
        The initial value; it is copied.
    trainable : bool, default True
        Whether custom gradients that read the Variable are given it in ``variables=``.
    name : str, optional
        What messages and generated text call it.

    Attributes
    ----------
    value : numpy.ndarray
        What it holds, read-only.
    trainable : bool
        As given.
    name : str or None
        As given.
    shape, dtype, ndim, size, T
        As those of the array.

    Methods
    -------
    assign(value)
        Hold a new array of the same shape and dtype, and return it.
    assign_add(change), assign_sub(change)
        Hold the sum, or the difference, and return it.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> w = tl.Variable([1.0, 2.0], name="w")
    >>> w * np.ones(2), w[1], np.sum(w)
    (array([1., 2.]), np.float64(2.0), np.float64(3.0))
    >>> w.assign_sub([0.5, 0.5])
    array([0.5, 1.5])
    >>> tl.grad(lambda x: np.sum(w * x), variables=[w])(np.array([1.0, 10.0]))
    (array([0.5, 1.5]), [array([ 1., 10.])])
    """

    _of: Variable | None = None  # of which this is what a pullback keeps

    def __init__(self, array: Any, trainable: bool = True, name: str | None = None) -> None:
        self._value = _frozen(np.array(array))
        self._trainable = bool(trainable)
        self._name = name

    @property
    def itself(self) -> Variable:
        """The Variable, also asked of what a pullback keeps of it."""
        return self if self._of is None else self._of

    # What it holds

    @property
    def value(self) -> np.ndarray:
        """The array that it holds now; it cannot be written to."""
        for seen in _watchers.lists:
            if not any(v is self for v in seen):
                seen.append(self)
        return self._value

    @property
    def held(self) -> np.ndarray:
        """The same array; looking at it does not count as a read."""
        return self._value

    @property
    def trainable(self) -> bool:
        """Whether custom gradients are given it."""
        return self._trainable

    @property
    def name(self) -> str | None:
        """What messages and generated text call it."""
        return self._name

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, which never changes."""
        return self._value.shape

    @property
    def dtype(self) -> Any:
        """The dtype, which never changes."""
        return self._value.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._value.ndim

    @property
    def size(self) -> int:
        """The number of entries."""
        return self._value.size

    @property
    def T(self) -> np.ndarray:  # noqa: N802
        """The transposed value."""
        return self.value.T

    # Changing it

    def assign(self, value: Any) -> np.ndarray:
        """Bind a new value of the same shape, cast to the dtype, and return it.

        Raises
        ------
        GradientError
            If the shape differs, or a complex value would lose its imaginary part.
        """
        new = np.asarray(value)
        if new.shape != self.shape:
            raise GradientError(
                f"a value of shape {new.shape} is assigned to {self._label()} of shape "
                f"{self.shape}",
                fix="a Variable keeps its shape: make a new one",
            )
        if new.dtype.kind == "c" and self.dtype.kind != "c":
            raise GradientError(
                f"a complex value is assigned to {self._label()} of dtype {self.dtype}",
                fix="take its real part, or make a new Variable",
            )
        self._value = _frozen(np.array(new, dtype=self.dtype))
        return self._value

    def assign_add(self, change: Any) -> np.ndarray:
        """Add to the value; return the new one."""
        return self.assign(self.value + np.asarray(change))

    def assign_sub(self, change: Any) -> np.ndarray:
        """Subtract from the value; return the new one."""
        return self.assign(self.value - np.asarray(change))

    # An array among arrays

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, Variable) for x in kwargs.get("out", ())):
            raise TypeError(f"{self._label()} is not written to in place: use assign")
        return getattr(ufunc, method)(
            *map(plain, inputs), **{k: plain(v) for k, v in kwargs.items()}
        )

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return func(*plain(args), **plain(kwargs))

    def __getitem__(self, index: Any) -> Any:
        return self.value[plain(index)]

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    __hash__ = object.__hash__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        _frozen(self._value)

    def _label(self) -> str:
        return f"Variable {self._name}" if self._name else "a Variable"

    def __repr__(self) -> str:
        label = "" if self._name is None else f", name={self._name!r}"
        frozen = "" if self._trainable else ", trainable=False"
        return f"Variable({np.array2string(self._value, separator=', ')}{frozen}{label})"


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def identifier_of(variable: Variable) -> str:
    """Return the name that generated text uses for a Variable, before clashes are resolved."""
    label = variable.name or "w"
    return label if label.isidentifier() and not keyword.iskeyword(label) else "w"


def is_variable(kind_or_class: Any) -> bool:
    """Whether a class, or the kind of an object, is that of Variables."""
    cls = getattr(kind_or_class, "cls", kind_or_class)
    return isinstance(cls, type) and issubclass(cls, Variable)


def plain(x: Any) -> Any:
    """Replace the Variables in arguments by their values."""
    if isinstance(x, Variable):
        return x.value
    if type(x) in (list, tuple):
        return type(x)(map(plain, x))
    if type(x) is dict:
        return {key: plain(item) for key, item in x.items()}
    return x


def check_listed(label: str, listed: list[Variable]) -> None:
    """Make sure that the Variables named in a text are those that a call would list.

    Raises
    ------
    GradientError
        If one is not trainable, or two are the same.
    """
    distinct = {id(v) for v in listed}
    if len(distinct) == len(listed) and all(v.trainable for v in listed):
        return
    raise GradientError(
        f"'{label}' reads one Variable by two names, or one that is not trainable by an attribute, "
        "and its gradient cannot be differentiated again so",
        fix="read each Variable by one name",
    )


@contextmanager
def watched() -> Iterator[list[Variable]]:
    """Collect the Variables that are read in a block, each once, in the order of first reads.

    Examples
    --------
    >>> v, w = Variable(1.0), Variable(2.0)
    >>> with watched() as seen:
    ...     _ = w * v + w
    >>> seen == [w, v]
    True
    """
    seen: list[Variable] = []
    _watchers.lists.append(seen)
    try:
        yield seen
    finally:
        _watchers.lists[:] = [known for known in _watchers.lists if known is not seen]
