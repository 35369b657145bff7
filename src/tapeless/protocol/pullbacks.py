"""The derivative of one call of a custom gradient: its `grad`, with all that the call was given.

A call is opened where the text of its `grad` cannot be spliced into the derivative: the forward sweep keeps
the pullback, and the reverse sweep calls it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from tapeless.errors import GradientError
from tapeless.protocol.authors import (
    Input,
    Key,
    author_of,
    function_behind,
    inputs_of,
    location_of,
    split_returned,
)
from tapeless.protocol.gradients import counted, fit_gradient, read_gradients, refuse_implicit_none
from tapeless.protocol.structures import has_derivative, leaves_of
from tapeless.protocol.upstreams import pass_upstreams, takes_variables
from tapeless.variables import Variable, watched

_SHARED_FIELDS = ("grad", "jvp", "outside")


def _with_cells_copied(f: Any, copy: Callable[[Any], Any], cells: dict[int, types.CellType]) -> Any:
    """Copy what a function captures and its defaults hold, but for `cells` that stay shared."""
    if isinstance(f, functools.partial):
        again = functools.partial(_with_cells_copied, copy=copy, cells=cells)
        return functools.partial(again(f.func), *copy(f.args), **copy(f.keywords))
    if isinstance(f, types.MethodType):
        return types.MethodType(f.__func__, copy(f.__self__))
    if not isinstance(f, types.FunctionType):
        return copy(f)
    if not (f.__closure__ or f.__defaults__ or f.__kwdefaults__):
        return f
    closure = tuple(_cell_copied(cell, copy, cells) for cell in f.__closure__ or ())
    defaults = copy(f.__defaults__)
    made = types.FunctionType(f.__code__, f.__globals__, f.__name__, defaults, closure or None)
    made.__kwdefaults__ = copy(f.__kwdefaults__)
    made.__dict__.update(f.__dict__)
    return made


def _cell_copied(
    cell: types.CellType, copy: Callable[[Any], Any], cells: dict[int, types.CellType]
) -> types.CellType:
    if id(cell) not in cells:
        made = cells[id(cell)] = types.CellType()
        with contextlib.suppress(ValueError):  # an empty cell
            made.cell_contents = _with_cells_copied(cell.cell_contents, copy, cells)
    return cells[id(cell)]


@dataclasses.dataclass(frozen=True)
class Pullback:
    """The derivative of one call of a custom gradient, for its arguments at `wrt`.

    Attributes
    ----------
    label
        The name of the function.
    grad, jvp
        What it returned beside its value; `jvp` may be missing.
    y
        Its value.
    inputs, wrt
        What it was called with, and which of that is asked for.
    read
        The trainable Variables that its forward run read, inputs excepted.
    location
        Where it was written, for messages.
    flat
        Whether `grad` is the last item of the value that the caller sees: it has no tangent.
    outside
        The cells that `grad` shares with the function: they were there before the call.
    """

    label: str
    grad: Callable[..., Any]
    jvp: Callable[..., Any] | None
    y: Any
    inputs: list[Input]
    wrt: tuple[Key, ...]
    read: tuple[Variable, ...] = ()
    location: dict[str, Any] = dataclasses.field(default_factory=dict)
    flat: bool = False
    outside: tuple[types.CellType, ...] = ()

    def copied_by(self, copy: Callable[[Any], Any]) -> Pullback:
        """Return the same with copies of all that the call was given, has made and returned."""
        made = {key: copy(item) for key, item in vars(self).items() if key not in _SHARED_FIELDS}
        cells = {id(cell): cell for cell in self.outside}
        grad, jvp = (_with_cells_copied(f, copy, cells) for f in (self.grad, self.jvp))
        return Pullback(**made, grad=grad, jvp=jvp, outside=self.outside)

    def __call__(self, y_bar: Any, bars: Any = None, asked: tuple[Variable, ...] = ()) -> Any:
        """Return the gradients of the arguments at `wrt`: a bare one if there is one.

        Those of the Variables `asked` for are added to the adjoint memory `bars`.
        """
        values = [i.value for i in self.inputs]
        given, keywords = pass_upstreams(self.label, self.grad, self.y, y_bar, values)
        returned, of_variables = self.taken_apart(given, keywords, asked)
        if returned is None:
            refuse_implicit_none(self.label, self.grad)
        for variable, g in zip(self.read, of_variables, strict=False):
            if bars is not None and g is not None and any(v is variable for v in asked):
                label = variable.name or "a Variable"
                fitted = fit_gradient(g, variable, self.label, label)
                bars[variable].value = bars[variable].value + fitted
        gradients = read_gradients(self.label, returned, self.inputs, self.wrt)
        return gradients[0] if len(self.wrt) == 1 else gradients

    def taken_apart(
        self, given: list[Any], keywords: dict[str, Any], asked: tuple[Variable, ...]
    ) -> tuple[Any, list[Any]]:
        """Run `grad`; tell the gradients of the inputs from those of the Variables that were read."""
        accepts, requires = takes_variables(self.grad)
        names = ", ".join(v.name or "unnamed" for v in self.read)
        if not self.read:
            if requires:
                keywords = {**keywords, "variables": None}
            returned = self.grad(*given, **keywords)
            if accepts and isinstance(returned, tuple) and len(returned) == 2:
                if isinstance(returned[1], (list, tuple)) and not len(returned[1]):
                    returned = returned[0]  # (grad_xs, [])
            return returned, []
        if not accepts:
            if any(v is w for v in self.read for w in asked):
                raise GradientError(
                    f"'{self.label}' reads Variable(s) {names}, so its grad function must accept "
                    "variables=",
                    fix="write `def grad(upstream, variables=None)` and return "
                    "(grad_xs, grad_vars)",
                    **self.location,
                )
            return self.grad(*given, **keywords), []
        returned = self.grad(*given, **keywords, variables=[v.itself for v in self.read])
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise GradientError(
                f"grad function of '{self.label}' must return (grad_xs, grad_vars)",
                fix=f"it was given variables= ({names}): return one gradient for each, in a list",
                **self.location,
            )
        of_inputs, of_variables = returned
        if not isinstance(of_variables, (list, tuple)):
            of_variables = [of_variables]
        if len(of_variables) != len(self.read):
            raise GradientError(
                f"grad function of '{self.label}' returned "
                f"{counted(len(of_variables), 'variable gradient')}, expected {len(self.read)} "
                f"({names})",
                fix="return one for each Variable, None for one without",
                **self.location,
            )
        return of_inputs, list(of_variables)

    def push(self, *tangents: Any) -> Any:
        """Return the tangent of the value from those of the arguments at `wrt`.

        `grad` is linear in its upstream, so this is its transpose: entry by entry of the value, the
        inner product of what `grad` makes of a unit upstream with the tangents.
        """
        from tapeless.runtime import transpose_grad, zero_tangent

        if self.jvp is not None:
            known = dict(zip(self.wrt, tangents, strict=True))
            moving = [i for i in self.inputs if has_derivative(i.value)]
            dots = [
                zero_tangent(i.value) if i.key is None or i.key not in known else known[i.key]
                for i in moving
            ]
            return self.jvp(*dots)
        if not _has_source(self.grad):
            raise GradientError(
                f"the tangent of '{self.label}' is the transpose of its grad function "
                f"{self.grad!r}, which has no source",
                fix="write grad in Python, or return a jvp as a third item",
            )

        def slopes(y_bar: Any) -> Any:
            found = self(y_bar)
            return (found,) if len(self.wrt) == 1 else found

        tangent = transpose_grad(slopes, self.y, tangents)
        return (*tangent, None) if self.flat else tangent


def _has_source(grad: Any) -> bool:
    try:
        return bool(inspect.getsource(function_behind(grad)))
    except (OSError, TypeError):
        return False


def open_custom(wrt: tuple[Key, ...], h: Any, *args: Any, **keywords: Any) -> tuple[Any, Pullback]:
    """Call a custom gradient and keep the `grad` that it returns.

    Parameters
    ----------
    wrt
        The arguments whose gradients are asked for: positions, and names of keywords.
    h
        The decorated function, a method, or an object whose ``__call__`` is decorated.
    args, keywords
        Its arguments.

    Returns
    -------
    The value, and the pullback of this call.

    Examples
    --------
    >>> import tapeless as tl
    >>> @tl.custom_gradient
    ... def square(x):
    ...     return x * x, lambda dy: 2.0 * x * dy
    >>> y, pullback = open_custom((0,), square, 3.0)
    >>> y, pullback(1.0)
    (9.0, 6.0)
    """
    label = getattr(h, "__name__", type(h).__name__)
    offset = 0
    if inspect.ismethod(h):
        args, h, offset = (h.__self__, *args), h.__func__, 1
    if author_of(h) is None:
        args, h, offset = (h, *args), type(h).__call__, 1
    author = author_of(h)
    with watched() as seen:
        y, grad, jvp = split_returned(author, author(*args, **keywords))
    inputs = inputs_of(author, args, keywords)
    read = _listed(seen, inputs)
    if getattr(author, "__passes_through__", False):
        read = []  # the gradient of the identity has none for them
    shifted = tuple(key + offset if isinstance(key, int) else key for key in wrt)
    flat = isinstance(y, tuple) and bool(y) and y[-1] is grad
    value, outside = y[:-1] if flat else y, getattr(author, "__closure__", None) or ()
    location = location_of(author)
    made = Pullback(label, grad, jvp, value, inputs, shifted, tuple(read), location, flat, outside)
    return y, made


def _listed(seen: list[Variable], inputs: list[Input]) -> list[Variable]:
    """Return those of the Variables that were read that `grad` is given: inputs are not among them."""
    given = [leaf for i in inputs for leaf in leaves_of(i.value)]
    return [v for v in seen if v.trainable and not any(v is w for w in given)]


def variables_read_by(author: Callable[..., Any], *args: Any, **keywords: Any) -> list[Variable]:
    """Run the function under a custom gradient once more, and list the Variables that it reads.

    Raises
    ------
    GradientError
        If it reads none in this call.

    Examples
    --------
    >>> w = Variable(2.0, name="w")
    >>> variables_read_by(lambda x: (w * x, None), 3.0)
    [Variable(2., name='w')]
    """
    with watched() as seen:
        author(*args, **keywords)
    found = _listed(seen, inputs_of(author, args, keywords))
    if not found:
        raise GradientError(
            f"'{author.__name__}' reads Variables in some calls, and none in this one, so its "
            "gradient cannot be differentiated again",
            fix="read the same Variables in every call",
            **location_of(author),
        )
    return found
