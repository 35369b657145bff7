"""Derivatives compiled by Numba: their text, with what Numba lacks said in another way.

The text of a derivative of numbers and arrays is plain NumPy, which Numba compiles as it stands but for
three things: it has no `reversed`, its `np.array` copies no arrays, and `times_partial`, which guards
products against poles, looks at what it is given. These are put in another way. What keeps
adjoints in a memory of its own, or in objects, is refused.
"""

from __future__ import annotations

import ast
import copy
import itertools
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np

from tapeless.analysis.derivation import gradients_of
from tapeless.errors import GradientError
from tapeless.operators.gradients import derivatives_of
from tapeless.shipping import standalone


def _times_partial(g, partial, over=None):  # type: ignore[no-untyped-def]
    """Stand for the runtime function of that name, whose tests at run time Numba cannot type."""


@numba.extending.overload(_times_partial)
def _choose_times_partial(g, partial, over=None):  # type: ignore[no-untyped-def]
    """Return the code for numbers, or for arrays."""
    divides = over is not None and not isinstance(over, (numba.types.Omitted, numba.types.NoneType))
    numbers = all(isinstance(t, numba.types.Number) for t in (g, partial, over if divides else g))
    quotient = (lambda p, q: p / q) if divides else (lambda p, q: p)
    product_of = numba.njit(error_model="numpy")(quotient)

    def of_numbers(g, partial, over=None):  # type: ignore[no-untyped-def]
        product = product_of(g * partial, over)
        return 0.0 * g if product != product and g == 0.0 else product

    def of_arrays(g, partial, over=None):  # type: ignore[no-untyped-def]
        product = product_of(g * partial, over)
        return np.where(np.isnan(product) & np.equal(g, 0.0), 0.0, product)

    return of_numbers if numbers else of_arrays


_pole_free = numba.njit(error_model="numpy")(
    lambda g, partial, over=None: _times_partial(g, partial, over)  # type: ignore[no-untyped-call]
)


_numbers = itertools.count(1)


def njit(g: Any, *, like: tuple[Any, ...], **options: Any) -> Callable[..., Any]:
    """Compile a derivative with Numba.

    Parameters
    ----------
    g
        What `tapeless.grad` or `tapeless.value_and_grad` made.
    like
        Sample arguments, for whose kinds the derivative is written.
    **options
        Options of `numba.njit`, such as ``fastmath=True``. Unless ``error_model`` is given, a division
        by zero gives infinity, as in NumPy.

    Returns
    -------
    The compiled function, of all parameters by position. It can be called from other compiled functions,
    and refuses arguments of other kinds than the samples.

    Raises
    ------
    GradientError
        If the derivative holds what Numba does not compile; what `tapeless.standalone` raises.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> def chain(x):
    ...     total = 0.0
    ...     for i in range(len(x) - 1):
    ...         total += np.sin(x[i]) * x[i + 1]
    ...     return total
    >>> x = np.zeros(3)
    >>> njit(tl.grad(chain), like=(x,))(x + 1.0).round(3)
    array([0.54 , 1.382, 0.841])
    """
    made = standalone(_on_arrays(g), like=like)
    (module,) = made.modules
    options = {"error_model": "numpy", **options}
    arguments = copy.deepcopy(g.target.arguments(like, {}))
    try:
        function = _guarded(_loaded(module, options, made.__name__), arguments, options)
        function(*arguments)
    except numba.core.errors.NumbaError as error:
        raise GradientError(
            f"Numba does not compile '{made.__name__}': {_first_line(error)}",
            fix="call it without Numba",
        ) from error
    function.disable_compile()  # for arguments of other types the text would be another
    return function  # type: ignore[no-any-return]


def _on_arrays(g: Any) -> Any:
    """Return a derivative whose loops go through arrays: Numba has no `tolist`."""
    made = gradients_of(g)
    if made is None or not made.scalarize:
        return g
    return derivatives_of(
        made.given, made.mode, made.wrt, made.has_aux, None, made.variables, scalarize=False
    )


def _guarded(function: Any, arguments: list[Any], options: dict[str, Any]) -> Any:
    """Refuse arrays that have axes of length 1 where the samples have longer ones, or the reverse."""
    names = [f"x{i}" for i in range(len(arguments))]
    tests = [t for x, name in zip(arguments, names, strict=True) for t in _tests_of(x, name)]
    listed = ", ".join(names)
    told = "an axis is of length 1 in the samples or here, and not in both: give such samples with like="
    text = f"def guarded({listed}):\n    if {' or '.join(tests) or 'False'}:\n"
    text += f"        raise ValueError({told!r})\n    return function({listed})\n"
    namespace = {"function": function}
    exec(compile(text, "<guarded>", "exec"), namespace)
    return numba.njit(**options)(namespace["guarded"])


def _tests_of(x: Any, name: str) -> Iterator[str]:
    """Write the tests that find an axis of another sort than in a sample."""
    if isinstance(x, np.ndarray):
        for axis, size in enumerate(x.shape):
            yield f"{name}.shape[{axis}] {'!=' if size == 1 else '=='} 1"
    elif isinstance(x, tuple):
        for i, item in enumerate(x):
            yield from _tests_of(item, f"{name}[{i}]")


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith("Failed in")]
    return told[0] if told else type(error).__name__


def _loaded(module: dict[str, Any], options: dict[str, Any], label: str) -> Any:
    """Run the text of a module, its functions compiled where they are called."""
    tree = ast.parse(module["text"])
    classes = [s.name for s in tree.body if isinstance(s, ast.ClassDef) and s.bases == []]
    if classes:
        raise GradientError(
            f"'{label}' keeps adjoints in objects ({', '.join(classes)}), which Numba does not compile",
            fix="store into arrays that the function makes itself, by np.zeros, or call it without Numba",
        )
    tree = ast.fix_missing_locations(_ForNumba().visit(tree))
    text = ast.unparse(tree)
    filename = f"<compiled {module['name']} {next(_numbers)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    namespace: dict[str, Any] = {"__name__": module["name"], **module["values"]}
    for key, inner in module["functions"].items():
        namespace[key] = _loaded(inner, options, label)
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)
    for statement in tree.body:
        if getattr(statement, "name", "") == "times_partial":
            namespace["times_partial"] = _pole_free
        elif isinstance(statement, ast.FunctionDef):
            namespace[statement.name] = numba.njit(**options)(namespace[statement.name])
    return namespace[module["name"]]


class _ForNumba(ast.NodeTransformer):
    """Says without `reversed`, and without copying by `np.array`, what a text says with them."""

    def visit_Call(self, tree: ast.Call) -> ast.expr:
        """Rewrite a call."""
        self.generic_visit(tree)
        called = ast.unparse(tree.func)
        if called == "reversed" and len(tree.args) == 1:
            return _reversed(tree.args[0])
        if called == "np.array" and len(tree.args) == 1 and not tree.keywords:
            if not isinstance(tree.args[0], (ast.List, ast.Tuple)):
                return _expression("np.asarray({}).copy()", tree.args[0])
        return tree


def _reversed(tree: ast.expr) -> ast.expr:
    """Write a sequence from its end: a range as a range.

    Examples
    --------
    >>> ast.unparse(_reversed(ast.parse("range(1, n)", mode="eval").body))
    'range(n - 1, 1 - 1, -1)'
    """
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "range" and len(tree.args) < 3:
        *start, stop = tree.args
        first = start[0] if start else ast.Constant(0)
        return _expression("range({} - 1, {} - 1, -1)", stop, first)
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "range":
        return _expression("[i for i in {}][::-1]", tree)
    return _expression("{}[::-1]", tree)


def _expression(form: str, *parts: ast.expr) -> ast.expr:
    """Put expressions into the places of a form."""
    texts = [f"({ast.unparse(part)})" if isinstance(part, ast.BinOp) else ast.unparse(part)
             for part in parts]  # fmt: skip
    return ast.parse(form.format(*texts), mode="eval").body
