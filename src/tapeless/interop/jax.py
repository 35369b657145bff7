"""Functions of NumPy inside JAX, with the derivatives that tapeless writes.

JAX runs such a function through a callback, and its derivative through another one. What JAX sees of
both is the shape of the result: that has to be known when it traces.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapeless.errors import GradientError
from tapeless.interop.paired import active_arguments, as_numpy, pullback_of


def function(f: Callable[..., Any], *, result: Any = None) -> Callable[..., Any]:
    """Make a function of JAX of a function of NumPy.

    It can be differentiated in reverse mode, compiled (`jax.jit`) and mapped (`jax.vmap`), in any
    order, and differentiated twice where tapeless can. It runs on the processor, as NumPy does.

    Parameters
    ----------
    f
        A function of numbers and arrays, or structures of them, with results of floats. It must
        depend on its arguments alone.
    result
        What it returns: a structure of arrays or `jax.ShapeDtypeStruct`, or a function from the
        arguments' shapes to one. Left out, `f` is run on ones, once for each sort of arguments.

    Returns
    -------
    A function of the same positional arguments.

    Raises
    ------
    GradientError
        If arguments or results hold what has no derivative here, such as complex numbers.

    Examples
    --------
    >>> def energy(x):
    ...     x[0] = 2.0 * x[0]
    ...     return np.sum(x**2)
    >>> print(jax.jit(jax.grad(function(energy)))(jnp.array([1.0, 2.0])))
    [8. 4.]
    """

    @functools.wraps(f)
    def called(*args: Any) -> Any:
        given, tree = jax.tree.flatten(args)
        leaves = [jnp.asarray(x) for x in given]
        like = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in leaves)
        shapes, form = _result(f, result, tree, like)
        found = _differentiable(f, tree, like, shapes, form)(*leaves)
        return jax.tree.unflatten(form, found)

    return called


def _label(f: Any) -> str:
    return str(getattr(f, "__name__", "f"))


def _result(f: Any, result: Any, tree: Any, like: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
    """Return the shapes and dtypes of what a function returns, and their structure."""
    if result is None:
        return _seen_result(f, tree, like)
    return _shapes(f, result(*jax.tree.unflatten(tree, like)) if callable(result) else result)


@functools.lru_cache(maxsize=256)
def _seen_result(f: Any, tree: Any, like: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
    """Run a function on ones to see what it returns."""
    ones = [as_numpy(np.ones(x.shape, x.dtype)) for x in like]
    try:
        return _shapes(f, f(*jax.tree.unflatten(tree, ones)))
    except GradientError:
        raise
    except Exception as error:
        raise GradientError(
            f"what '{_label(f)}' returns is not known: it raised {type(error).__name__} for ones",
            fix="say what it returns with result=, a structure of jax.ShapeDtypeStruct",
        ) from error


def _shapes(f: Any, y: Any) -> tuple[tuple[Any, ...], Any]:
    leaves, form = jax.tree.flatten(y)
    found = []
    for leaf in leaves:
        dtype = np.dtype(getattr(leaf, "dtype", type(leaf)))
        if dtype.kind != "f":
            raise GradientError(
                f"'{_label(f)}' returns {dtype}, and results of floats have a derivative here",
                fix="return floats",
            )
        found.append(jax.ShapeDtypeStruct(np.shape(leaf), jax.dtypes.canonicalize_dtype(dtype)))
    return tuple(found), form


@functools.lru_cache(maxsize=256)
def _differentiable(
    f: Any, tree: Any, like: tuple[Any, ...], shapes: tuple[Any, ...], form: Any
) -> Callable[..., Any]:
    """Return the function of flat arguments and results that JAX sees."""
    label = _label(f)
    parts = jax.tree.unflatten(tree, like)
    held = [jax.tree.leaves(part) for part in parts]
    active = active_arguments([[np.dtype(x.dtype) for x in each] for each in held], label)
    floats = [i in active for i, each in enumerate(held) for _ in each]

    def run(*leaves: Any) -> tuple[Any, ...]:
        y = f(*jax.tree.unflatten(tree, map(as_numpy, leaves)))
        found = [np.asarray(v) for v in jax.tree.leaves(y)]
        if [v.shape for v in found] != [s.shape for s in shapes]:
            raise GradientError(f"'{label}' returns {[v.shape for v in found]}, not what was said")
        return tuple(v.astype(s.dtype) for v, s in zip(found, shapes, strict=True))

    def through(*leaves: Any) -> Any:
        return jax.pure_callback(run, shapes, *leaves, vmap_method="sequential")

    def forward(*leaves: Any) -> Any:
        return call(*leaves), leaves

    def backward(leaves: Any, y_bars: Any) -> Any:
        made = jax.tree.unflatten(form, shapes)
        paths = [
            jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(made)
        ]
        pull = pullback_of(f, len(parts), active, tuple(paths))
        bars = function(pull, result=tuple(parts[i] for i in active))(
            tuple(y_bars), *jax.tree.unflatten(tree, leaves)
        )
        left = iter(jax.tree.leaves(bars))
        return tuple(
            next(left) if varies else np.zeros(x.shape, jax.dtypes.float0)
            for x, varies in zip(like, floats, strict=True)
        )

    call: Callable[..., Any] = jax.custom_vjp(through)
    call.defvjp(forward, backward)  # type: ignore[attr-defined]
    return call
