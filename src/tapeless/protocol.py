"""What a custom gradient and its caller owe each other, at run time.

`f(*x)` returns its value `y` and a function `grad`; `grad` takes upstream gradients and returns
gradients. The two sides are matched by structure: a *leaf* is anything that is not a tuple, list, dict
or dataclass; the leaves of a dict come in the order of its sorted keys. How many upstreams `grad`
receives follows from what it can take, and what it returns is read as one structure per parameter of
`f` or as the flat list of all leaves, whichever fits. Every gradient is brought to the shape and dtype
of its argument; what cannot be is an error that names the function and the parameter.

Where a derivative is written and all this can be seen in the text, it is settled then and none of
these functions appears. Generated code calls them for the rest.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.runtime.boundary import dict_like
from tapeless.tree.endings import falls_through
from tapeless.variables import Variable, watched

Key = int | str

# Structures


def parts_of(tree: Any) -> list[tuple[Any, Any]] | None:
    """List the parts of a structure with their keys, dicts by sorted keys; None for a leaf.

    Examples
    --------
    >>> parts_of({"w": 1.0, "b": 2.0}), parts_of(3.0)
    ([('b', 2.0), ('w', 1.0)], None)
    """
    if isinstance(tree, Mapping):
        try:
            return [(key, tree[key]) for key in sorted(tree)]
        except TypeError:
            return list(tree.items())
    if isinstance(tree, (list, tuple)):
        return list(enumerate(tree))
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [(field.name, getattr(tree, field.name)) for field in dataclasses.fields(tree)]
    return None


def leaves_of(tree: Any) -> list[Any]:
    """List the leaves of a structure.

    Examples
    --------
    >>> leaves_of({"w": [1.0, 2.0], "b": None})
    [None, 1.0, 2.0]
    """
    parts = parts_of(tree)
    return [tree] if parts is None else [leaf for _, part in parts for leaf in leaves_of(part)]


def rebuilt(like: Any, parts: dict[Any, Any]) -> Any:
    """Make a structure of the type of another one from new parts."""
    if isinstance(like, Mapping):
        return dict_like(like, {key: parts[key] for key in like})
    if isinstance(like, (list, tuple)):
        items = [parts[i] for i in range(len(like))]
        return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)
    made_object = object.__new__(type(like))
    for key, part in parts.items():
        object.__setattr__(made_object, key, part)
    return made_object


def with_leaves(like: Any, leaves: list[Any]) -> Any:
    """Make a structure like another one, taking its leaves from the front of a list.

    Examples
    --------
    >>> with_leaves({"w": (0, 0), "b": 0}, [1.0, 2.0, 3.0])
    {'w': (2.0, 3.0), 'b': 1.0}
    """
    parts = parts_of(like)
    if parts is None:
        return leaves.pop(0)
    return rebuilt(like, {key: with_leaves(part, leaves) for key, part in parts})


def has_derivative(x: Any) -> bool:
    """Whether a value can carry a derivative: a float, an array of floats, or a part that is."""
    if isinstance(x, (np.ndarray, Variable)):
        return x.dtype.kind in "fcO"
    parts = parts_of(x)
    if parts is not None:
        return any(has_derivative(part) for _, part in parts)
    return isinstance(x, (float, complex, np.inexact))


# The two sides of a call


@dataclasses.dataclass(frozen=True)
class Input:
    """One parameter of `f` as a call binds it: one per item of ``*args`` and of ``**kwargs``.

    Attributes
    ----------
    name, value
        The parameter and what it is bound to.
    key
        Where that stands in the call: a position, a keyword, or None for a default.
    optional
        Whether it has a default or is an item of ``**kwargs``.
    """

    name: str
    value: Any
    key: Key | None
    optional: bool


def is_method(author: Any) -> bool:
    """Whether a function was written in a class and takes the object: it is not counted."""
    owner = getattr(author, "__qualname__", "").rpartition(".")[0]
    if not owner or owner.endswith("<locals>"):
        return False
    code = getattr(author, "__code__", None)
    return code is not None and code.co_varnames[:1] in (("self",), ("cls",))


@functools.lru_cache(maxsize=1024)
def _signature(author: Any) -> inspect.Signature:
    return inspect.signature(author, follow_wrapped=False)


def inputs_of(author: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> list[Input]:
    """Bind a call to the parameters of `f`, in the order of its signature.

    Examples
    --------
    >>> [(i.name, i.key) for i in inputs_of(lambda x, *xs, k=1: x, (1.0, 2.0), {})]
    [('x', 0), ('xs[0]', 1), ('k', None)]
    """
    signature = _signature(author)
    bound = signature.bind(*args, **keywords)
    bound.apply_defaults()
    made: list[Input] = []
    position = 0
    for name, parameter in signature.parameters.items():
        value = bound.arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            made += [Input(f"{name}[{i}]", v, position + i, False) for i, v in enumerate(value)]
        elif parameter.kind is parameter.VAR_KEYWORD:
            made += [Input(key, v, key, True) for key, v in value.items()]
        else:
            optional = parameter.default is not parameter.empty
            by_position = parameter.kind is not parameter.KEYWORD_ONLY and position < len(args)
            key: Key | None = position if by_position else name if name in keywords else None
            made.append(Input(name, value, key, optional))
            position += by_position
    return made[1:] if is_method(author) else made


def accepted(grad: Any) -> tuple[int, float, bool]:
    """Tell how many upstreams `grad` takes, at least and at most, and whether by `upstream=`."""
    if type(grad) is types.FunctionType and not hasattr(grad, "__wrapped__"):
        return _accepted_by_code(grad.__code__, len(grad.__defaults__ or ()))
    try:
        parameters = list(inspect.signature(grad).parameters.values())
    except (TypeError, ValueError):
        return 0, float("inf"), False
    named = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = [p for p in named if p.name != "variables"]
    least = sum(p.default is p.empty for p in named)
    open_ended = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    keyword = any(p.kind is p.KEYWORD_ONLY and p.name == "upstream" for p in parameters)
    return least, float("inf") if open_ended else len(named), keyword


def _accepted_by_code(code: types.CodeType, defaults: int) -> tuple[int, float, bool]:
    """Tell the same of a plain function, whose `grad` is new at every call, from its code."""
    count = code.co_argcount
    named = [n for n in code.co_varnames[:count] if n != "variables"]
    required = [n for n in code.co_varnames[: count - defaults] if n != "variables"]
    keywords = code.co_varnames[count : count + code.co_kwonlyargcount]
    open_ended = bool(code.co_flags & inspect.CO_VARARGS)
    most = float("inf") if open_ended else len(named)
    return len(required), most, "upstream" in keywords


def pass_upstreams(
    label: str, grad: Any, y: Any, y_bar: Any, inputs: list[Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments that `grad` is called with: private copies, at full shape and dtype.

    Raises
    ------
    GradientError
        If `grad` can take none of: one upstream per leaf of `y`, one per top-level output, one.
    """
    least, most, keyword = accepted(grad)
    whole = upstream_like(y_bar, y)
    if keyword:
        return inputs if most == float("inf") else [], {"upstream": whole}
    outputs = [whole] if parts_of(y) is None else [part for _, part in parts_of(whole) or ()]
    leaves = upstream_leaves(whole, y)
    for candidate in (leaves, outputs, [whole]):
        if least <= len(candidate) <= most:
            return candidate, {}
    taken = least if least == most or len(leaves) < least else most
    raise GradientError(
        f"grad function of '{label}' takes {_counted(int(taken), 'upstream gradient')}, "
        f"'{label}' has {_counted(len(leaves), 'output')}",
        fix="take one upstream for each output, or *upstreams",
    )


def upstream_leaves(whole: Any, y: Any) -> list[Any]:
    """List the upstreams of the leaves of `y`: a leaf without derivative has None."""
    parts = parts_of(y)
    if parts is None:
        return [whole]
    found = dict(parts_of(whole) or ())
    return [leaf for key, part in parts for leaf in upstream_leaves(found[key], part)]


def upstream_like(y_bar: Any, y: Any) -> Any:
    """Bring a cotangent to the structure, shapes and dtypes of `y`, sharing memory with nothing.

    Numbers without derivative have zeros, everything else None.

    Examples
    --------
    >>> upstream_like([0.0, None, None], (np.ones(2), 3, "text"))
    (array([0., 0.]), 0, None)
    """
    if isinstance(y, np.ndarray):
        if y.dtype.kind not in "biufcO":
            return None
        made = np.zeros_like(y, subok=False)
        if y.dtype.kind in "fcO" and y_bar is not None:
            made[...] = y_bar
        return made
    parts = parts_of(y)
    if parts is not None:
        untouched = y_bar is None or isinstance(y_bar, float)
        return rebuilt(
            y, {k: upstream_like(None if untouched else _part(y_bar, k), v) for k, v in parts}
        )
    if isinstance(y, (bool, int, np.integer, np.bool_)):
        return type(y)(0)
    if isinstance(y, np.inexact):
        return y.dtype.type(0.0 if y_bar is None else y_bar)
    if isinstance(y, (float, complex)):
        return type(y)(0.0) if y_bar is None else y_bar
    return None


def _part(tree: Any, key: Any) -> Any:
    if isinstance(tree, Mapping):
        return tree.get(key)
    return tree[key] if isinstance(tree, (list, tuple)) else getattr(tree, key)


# What comes back


def refuse_implicit_none(label: str, grad: Any) -> None:
    """Refuse None from a `grad` whose text may end without `return`; an explicit None is a zero.

    Raises
    ------
    GradientError
        If the text of `grad` can be read and has a way through without a return statement.
    """
    from tapeless.source.texts import text_of

    function = function_behind(grad)
    text = None if function is None else text_of(function)
    if text is not None and falls_through(text.tree.body):
        raise GradientError(
            f"grad function of '{label}' ended without a return statement",
            fix="return the gradients; an explicit None where there is none",
            **place_of(function),
        )


def read_gradients(label: str, returned: Any, inputs: list[Input], wrt: tuple[Key, ...]) -> Any:
    """Return the gradients of the parameters that stand at `wrt` in the call, fitted to their values.

    Raises
    ------
    GradientError
        If their number, structure, shape or dtype is not that of the parameters.
    """
    matched = match_gradients(label, returned, inputs, wrt)
    by_key = {
        i.key: fit_gradient(g, i.value, label, i.name)
        for i, g in zip(inputs, matched, strict=True)
        if i.key in wrt
    }
    return tuple(by_key.get(key) for key in wrt)


def match_gradients(
    label: str, returned: Any, inputs: list[Input], wrt: tuple[Key, ...]
) -> list[Any]:
    """Tell the gradients that `grad` returned apart: one structure for each parameter."""
    values = [i.value for i in inputs]
    if len(inputs) == 1 and fits(returned, values[0]):
        return [returned]
    if not isinstance(returned, (list, tuple)):
        if len(inputs) == 1:
            raise _structure_error(label, returned, inputs[0])
        returned = [] if not inputs and returned is None else [returned]
    given = list(returned)
    while len(given) > len(inputs) and given[-1] is None:
        given.pop()
    if len(given) == len(inputs) and all(map(fits, given, values)):
        return given
    needed = len(inputs)
    while needed and may_be_left_out(inputs[needed - 1], wrt):
        needed -= 1
    for count in range(len(inputs), needed - 1, -1):
        rest = [None] * (len(inputs) - count)
        if len(given) == count and all(map(fits, given, values[:count])):
            return given + rest
        leaves = list(returned)
        size = sum(len(leaves_of(v)) for v in values[:count])
        while len(leaves) > size and leaves[-1] is None:
            leaves.pop()
        if len(leaves) == size:
            flat = [with_leaves(v, leaves) for v in values[:count]]
            if all(map(fits, flat, values[:count])):
                return flat + rest
    if len(given) == len(inputs):
        wrong = next(i for i, g in zip(inputs, given, strict=True) if not fits(g, i.value))
        raise _structure_error(label, given[inputs.index(wrong)], wrong)
    raise count_error(label, len(given), [i.name for i in inputs])


def may_be_left_out(entry: Input, wrt: tuple[Key, ...]) -> bool:
    """Whether the gradient of a trailing parameter may be missing."""
    if not has_derivative(entry.value):
        return True
    return entry.optional and entry.key not in wrt


def fits(g: Any, x: Any) -> bool:
    """Whether a gradient has the structure of a value; None stands for zero anywhere."""
    if g is None or not has_derivative(x):
        return True
    parts = parts_of(x)
    if parts is None:
        return parts_of(g) is None
    if isinstance(x, Mapping):
        if not isinstance(g, Mapping) or set(g) != set(x):
            return False
    elif isinstance(x, (list, tuple)):
        if not isinstance(g, (list, tuple)) or len(g) != len(x):
            return False
    elif not all(hasattr(g, str(key)) for key, _ in parts):
        return False
    return all(fits(_part(g, key), part) for key, part in parts)


def fit_gradient(g: Any, x: Any, label: str, parameter: str) -> Any:
    """Bring one gradient to the shape and dtype of its argument.

    Parameters
    ----------
    g
        What `grad` returned for it; None for zero. A gradient of the shape that `x` was broadcast
        to is summed back.
    x
        The argument: a number, an array, or a structure of them.
    label, parameter
        The names of the custom gradient and of its parameter, for messages.

    Raises
    ------
    GradientError
        If `g` is not numeric, is complex for a real argument, or has another shape.

    Examples
    --------
    >>> fit_gradient(np.ones((2, 3)), np.zeros(3, np.float32), "f", "x")
    array([2., 2., 2.], dtype=float32)
    """
    if isinstance(x, Variable):
        x = x.held
    if type(g) is np.ndarray and type(x) is np.ndarray:
        if g.shape == x.shape and g.dtype == x.dtype:
            return g
    parts = parts_of(x)
    if parts is not None:
        if g is None:
            return _adjoint(x, {k: fit_gradient(None, v, label, parameter) for k, v in parts})
        if not fits(g, x):
            raise _structure_error(label, g, Input(parameter, x, None, False))
        return _adjoint(x, {k: fit_gradient(_part(g, k), v, label, parameter) for k, v in parts})
    if isinstance(x, (bool, np.bool_, str)) or x is None or not is_numeric(x):
        return None
    if isinstance(g, (tuple, list)) and len(g) == 1:
        [g] = g
    if g is None:
        g = 0.0 if np.ndim(x) == 0 else np.zeros_like(x)
    if not is_numeric(g):
        raise GradientError(
            f"grad function of '{label}' returned a {type(g).__name__} for '{parameter}'",
            fix="return a number or an array, or None where there is no gradient",
        )
    return _cast(_summed_back(g, x, label, parameter), x, label, parameter)


def _adjoint(x: Any, parts: dict[Any, Any]) -> Any:
    """Make the adjoint of a structure from those of its parts: of an object, a record."""
    from tapeless.runtime import record_of

    if isinstance(x, (Mapping, list, tuple)):
        return rebuilt(x, parts)
    return record_of(**parts)


def fit_structure(g: Any, x: Any, label: str, parameter: str) -> Any:
    """Bring the gradients of a structure to the shapes and dtypes of its parts."""
    return fit_gradient(g, x, label, parameter)


def unfitted(y_bar: Any, g: Any) -> Any:
    """Return the cotangent of a structure of gradients from that of the fitted one.

    Examples
    --------
    >>> unfitted([np.ones(2), 2.0], (np.zeros((3, 2)), 0.0))[0].shape
    (3, 2)
    """
    from tapeless.runtime import record_of

    parts = parts_of(g)
    if parts is None:
        return np.broadcast_to(y_bar, np.shape(g)) if is_numeric(g) else None
    untouched = isinstance(y_bar, float)
    made = {k: unfitted(0.0 if untouched else _part(y_bar, k), v) for k, v in parts}
    if isinstance(g, Mapping):
        return made
    return list(made.values()) if isinstance(g, (list, tuple)) else record_of(**made)


def is_numeric(x: Any) -> bool:
    """Whether a value is a number or an array of numbers."""
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind in "biufcO"
    return isinstance(x, (int, float, complex))


def _summed_back(g: Any, x: Any, label: str, parameter: str) -> Any:
    shape, wanted = np.shape(g), np.shape(x)
    if shape == wanted:
        return g
    from tapeless.runtime import sum_to_shape

    try:
        broadcasts = np.broadcast_shapes(shape, wanted) == shape
    except ValueError:
        broadcasts = False
    if not broadcasts:
        raise GradientError(
            f"grad function of '{label}' returned shape {shape} for '{parameter}' of shape {wanted}",
            fix="return a gradient of the shape of its argument",
        )
    return sum_to_shape(np.asarray(g), wanted)


def _cast(g: Any, x: Any, label: str, parameter: str) -> Any:
    dtype = np.asarray(x).dtype
    if dtype.kind in "biu":
        dtype = np.dtype(float)
    if np.iscomplexobj(g) and dtype.kind == "f":
        raise GradientError(
            f"grad function of '{label}' returned dtype {np.asarray(g).dtype} for real "
            f"'{parameter}' ({dtype})",
            fix="return the real part",
        )
    if isinstance(x, np.ndarray):
        return np.asarray(g).astype(dtype, copy=False)
    if isinstance(x, np.inexact):
        return dtype.type(g)
    return g if isinstance(g, (float, complex)) else dtype.type(g)


def count_error(label: str, returned: int, names: list[str]) -> GradientError:
    """Say that `grad` returned another number of gradients than `f` has parameters."""
    return GradientError(
        f"grad function of '{label}' returned {_counted(returned, 'gradient')}, expected "
        f"{len(names)} ({', '.join(names)}); use None for arguments without one",
        fix="return one gradient for each parameter, or pass what the others belong to as an argument",
    )


def check_gradient_count(returned: Any, label: str, names: list[str]) -> None:
    """Make sure that `grad` returned one gradient for each of the parameters named.

    Examples
    --------
    >>> check_gradient_count((1.0, 2.0), "f", ["a", "b"])
    """
    count = len(returned) if isinstance(returned, (tuple, list)) else 1
    if count != len(names):
        raise count_error(label, count, names)


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _structure_error(label: str, g: Any, entry: Input) -> GradientError:
    return GradientError(
        f"grad function of '{label}' returned {_outline(g)} for '{entry.name}', expected "
        f"{_outline(entry.value)}",
        fix="return the structure of the argument, or the flat list of its leaves",
    )


def _outline(tree: Any) -> str:
    if isinstance(tree, Mapping):
        keys = [repr(key) for key, _ in parts_of(tree) or ()]
        return "{" + ", ".join(keys) + "}"
    if isinstance(tree, (list, tuple)) and not hasattr(tree, "_fields"):
        return f"a {type(tree).__name__} of {_counted(len(tree), 'item')}"
    return f"a {type(tree).__name__}"


# Calls


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
    place
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
    place: dict[str, Any] = dataclasses.field(default_factory=dict)
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
                    **self.place,
                )
            return self.grad(*given, **keywords), []
        returned = self.grad(*given, **keywords, variables=[v.itself for v in self.read])
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise GradientError(
                f"grad function of '{self.label}' must return (grad_xs, grad_vars)",
                fix=f"it was given variables= ({names}): return one gradient for each, in a list",
                **self.place,
            )
        of_inputs, of_variables = returned
        if not isinstance(of_variables, (list, tuple)):
            of_variables = [of_variables]
        if len(of_variables) != len(self.read):
            raise GradientError(
                f"grad function of '{self.label}' returned "
                f"{_counted(len(of_variables), 'variable gradient')}, expected {len(self.read)} "
                f"({names})",
                fix="return one for each Variable, None for one without",
                **self.place,
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


def takes_variables(grad: Any) -> tuple[bool, bool]:
    """Tell whether `grad` accepts `variables=`, and whether it cannot do without."""
    if type(grad) is types.FunctionType and not hasattr(grad, "__wrapped__"):
        if not grad.__code__.co_flags & inspect.CO_VARKEYWORDS:
            arguments = grad.__code__.co_argcount + grad.__code__.co_kwonlyargcount
            if "variables" not in grad.__code__.co_varnames[:arguments]:
                return False, False
    try:
        parameters = inspect.signature(grad).parameters.values()
    except (TypeError, ValueError):
        return False, False
    named = [p for p in parameters if p.name == "variables" and p.kind is not p.POSITIONAL_ONLY]
    named = [p for p in named if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    rest = any(p.kind is p.VAR_KEYWORD for p in parameters)
    return bool(named) or rest, any(p.default is p.empty for p in named)


def function_behind(grad: Any) -> Any:
    """Return the Python function that a callable runs: that of a method, partial or object; or None."""
    found = inspect.unwrap(grad)
    found = getattr(found, "func", found)
    if not inspect.isroutine(found):
        found = getattr(type(found), "__call__", None)  # noqa: B004
    found = getattr(found, "__func__", found)
    return found if inspect.isfunction(found) else None


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
    pullback = Pullback(
        label,
        grad,
        jvp,
        y[:-1] if flat else y,
        inputs,
        shifted,
        tuple(read),
        place_of(author),
        flat,
        getattr(author, "__closure__", None) or (),
    )
    return y, pullback


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
            **place_of(author),
        )
    return found


def split_returned(f: Any, returned: Any) -> tuple[Any, Any, Any]:
    """Take apart what a custom gradient's function returned: its value, `grad`, and `jvp` or None.

    Raises
    ------
    GradientError
        If it is not a tuple that ends with a callable.
    """
    label = getattr(f, "__name__", repr(f))
    if not isinstance(returned, tuple) or len(returned) < 2:
        raise GradientError(
            f"'{label}' is decorated with custom_gradient and must return (y, grad_fn); "
            f"it returned a {type(returned).__name__}",
            fix="return the value and its gradient function",
            **place_of(f),
        )
    if not callable(returned[-1]):
        raise GradientError(
            f"'{label}': the last value returned must be a callable grad_fn, "
            f"not a {type(returned[-1]).__name__}",
            fix="return the gradient function last",
            **place_of(f),
        )
    if len(returned) == 3 and callable(returned[1]):
        return returned
    return (returned[0] if len(returned) == 2 else returned), returned[-1], None


def place_of(f: Any) -> dict[str, Any]:
    """Return the file and line of a function, as keyword arguments of an error."""
    code = getattr(f, "__code__", None)
    if code is None:
        return {}
    return {"filename": code.co_filename, "lineno": code.co_firstlineno}


def author_of(found: Any) -> Any:
    """Return the function under a custom gradient; None for anything else.

    `functools.wraps` copies attributes: a wrapper around a custom gradient is not one itself.
    """
    author = getattr(found, "__custom_gradient__", None)
    return author if getattr(found, "__wrapped__", None) is author else None
