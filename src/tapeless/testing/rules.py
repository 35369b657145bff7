"""Checks of a rule by itself: `check_rule`.

The rule is run as it stands, on arguments that are shaped, cast and broadcast in the ways in which callers
do. What `laws` says of all derivatives must hold of it.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tapeless.laws import (
    DerivativeMismatchError,
    Map,
    Tolerance,
    check_laws,
    check_same,
    random_like,
    shifted,
)
from tapeless.rules.declare import Rule, find_rule
from tapeless.rules.runnable import RunnableRule, call_or_read, rule_as_map
from tapeless.structures import aligned, leaves_of, rebuild


def check_rule(
    fn: Any, /, *args: Any, check_order: int = 2, check_rtol: float = 1e-6,
    check_atol: float = 1e-7, check_float32: bool = True, check_shapes: bool = True, **kwargs: Any,
) -> None:  # fmt: skip
    """Check the rule registered for a function, run by itself at the given arguments.

    Every float, float array, and list or tuple of these among the arguments is differentiated.
    Checked are the value, the gradient against differences, forward against reverse mode, the
    symmetry of the second derivative, the shape of every cotangent, single precision, that the
    arguments and the seed stay as they are, and that a gradient taken twice is the same. A rule of
    the elementwise form is checked at other shapes too: broadcast, without axes, and empty.

    Parameters
    ----------
    fn : callable
        The function that has the rule.
    *args, **kwargs
        The arguments of one call; a point where `fn` is smooth.
    check_order : {1, 2}
        1, or 2 to check the second derivative too.
    check_rtol, check_atol : float
        How closely the derivatives must agree.
    check_float32 : bool
        Whether to check that single precision stays single.
    check_shapes : bool
        Whether to check an elementwise rule at other shapes.

    Raises
    ------
    DerivativeMismatchError
        With the argument and the entry that are wrong.
    LookupError
        If `fn` has no rule.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> from tapeless.testing import check_rule
    >>> def cube(x):
    ...     return x * x * x
    >>> @tl.elementwise(cube)
    ... def cube_partials(y, x):
    ...     return 3.0 * x**2
    >>> check_rule(cube, np.array([0.5, -1.0]))
    """
    rule = find_rule(fn)
    if rule is None:
        raise LookupError(f"no gradient is registered for {fn!r}")
    tol = Tolerance(check_rtol, check_atol)
    _check_found(fn, rule, args, kwargs, check_order, tol, check_float32, check_shapes)


def _check_found(
    fn: Any, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any], order: int, tol: Tolerance,
    float32: bool, shapes: bool,
) -> None:  # fmt: skip
    if rule.form == "zero":
        _check_constant(fn, args, kwargs)
        return
    call = RunnableRule.bind(rule, args, kwargs)
    values = [slot.value for slot in call.slots()]
    f = rule_as_map(fn, rule, call, len(args), list(kwargs))
    _check_value(f, rule, call, values)
    _check_repeatable(f, values)
    check_laws(f, values, order, tol)
    if float32:
        _check_single_precision(f, values)
    if shapes and rule.form == "elementwise" and any(isinstance(x, np.ndarray) for x in args):
        numbers = not inspect.ismethoddescriptor(fn)  # a method belongs to arrays alone
        for variant in _shape_variants(args, numbers):
            call = RunnableRule.bind(rule, variant, kwargs)
            f = rule_as_map(fn, rule, call, len(variant), list(kwargs))
            check_laws(f, [slot.value for slot in call.slots()], 1, tol)


def _check_constant(fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Check that small changes of the float arguments leave the value as it is."""
    leaves = [leaf for _, leaf in leaves_of(list(args))]
    ahead, behind = (
        rebuild(list(args), iter([shifted(x, h, np.ones(np.shape(x))) for x in leaves]))
        for h in (1e-7, -1e-7)
    )
    if repr(call_or_read(fn, ahead, kwargs)) != repr(call_or_read(fn, behind, kwargs)):
        raise DerivativeMismatchError(f"{fn!r} is not piecewise constant at these arguments")


def _check_value(f: Map, rule: Rule, call: RunnableRule, values: list[Any]) -> None:
    """Compare with the function on copies alike: where entries lie decides in which order they are added."""
    if rule.form == "general":
        own, found = f.value(copy.deepcopy(values)), call.run(copy.deepcopy(values), None)[0]
        check_same(own, found, f"{f.title}: the rule's value differs from the function's")


def _check_repeatable(f: Map, values: list[Any]) -> None:
    """Check that running the gradient twice gives the same and changes nothing."""
    assert f.pull is not None
    rng = np.random.default_rng(1)
    y = f.value(values)
    y_bar = rebuild(y, iter([random_like(rng, leaf) for _, leaf in leaves_of(y)]))
    before = copy.deepcopy((values, y_bar))
    first = copy.deepcopy(f.pull(values, y_bar))
    second = f.pull(values, y_bar)
    check_same(before[0], values, f"{f.title}: the arguments were changed")
    check_same(before[1], y_bar, f"{f.title}: the seed was changed")
    check_same(list(first), list(second), f"{f.title}: the gradient differs when taken again")


def _single(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)
    return x


def _check_single_precision(f: Map, values: list[Any]) -> None:
    """Check that float32 arguments with a float32 value have float32 cotangents, nearly right."""
    assert f.pull is not None
    if not any(isinstance(leaf, np.ndarray) for _, leaf in leaves_of(values)):
        return
    rng = np.random.default_rng(2)
    small = rebuild(values, iter([_single(leaf) for _, leaf in leaves_of(values)]))
    y = f.value(small)
    y_leaves = [leaf for _, leaf in leaves_of(y)]
    if any(np.asarray(leaf).dtype not in (np.float32, np.complex64) for leaf in y_leaves):
        return
    y_bar_leaves = [random_like(rng, leaf) for leaf in y_leaves]
    wide_leaves = [np.asarray(g, dtype=np.result_type(g, 0.0)) for g in y_bar_leaves]
    y_wide = f.value(values)
    wide_bar = rebuild(
        y_wide,
        iter(
            g.astype(np.asarray(leaf).dtype)
            for g, (_, leaf) in zip(wide_leaves, leaves_of(y_wide), strict=True)
        ),
    )
    found = f.pull(small, rebuild(y, iter(y_bar_leaves)))
    expected = f.pull(values, wide_bar)
    for name, x, got, want in zip(f.names, small, found, expected, strict=True):
        for leaf, g, g_wide in zip(
            [leaf for _, leaf in leaves_of(x)],
            aligned(x, got, name, f.mismatch),
            aligned(x, want, name, f.mismatch),
            strict=True,
        ):
            if not isinstance(leaf, np.ndarray):
                continue
            if np.asarray(g).dtype not in (np.float32, np.complex64):
                raise DerivativeMismatchError(
                    f"{f.title}: the cotangent of the float32 argument {name} "
                    f"is {np.asarray(g).dtype}"
                )
            largest = float(np.max(np.abs(g_wide), initial=1.0))
            if not np.allclose(g, g_wide, rtol=1e-3, atol=1e-3 * largest, equal_nan=True):
                raise DerivativeMismatchError(
                    f"{f.title}: the float32 cotangent of {name} is {g}, in float64 {g_wide}"
                )


def _shape_variants(args: Sequence[Any], numbers: bool) -> Iterator[list[Any]]:
    """Return the arguments at other shapes, made of the same entries."""
    places = [i for i, x in enumerate(args) if isinstance(x, np.ndarray) and x.size]

    def reshaped(shapes: Sequence[tuple[int, ...] | None]) -> list[Any]:
        variant = list(args)
        for i, shape in zip(places, shapes, strict=True):
            entries = np.ravel(args[i])
            if shape is None:
                variant[i] = entries[0].item() if numbers else np.asarray(entries[0])
            elif 0 in shape:
                variant[i] = np.zeros(shape, dtype=args[i].dtype)
            else:
                variant[i] = np.resize(entries, shape)
        return variant

    full, others = (2, 3), ((3,), (2, 1), (), None)
    if len(places) == 1:
        for shape in (full, (), (0,), None):
            yield reshaped([shape])
        return
    for k in range(len(places)):
        for shape in others:
            shapes: list[tuple[int, ...] | None] = [full] * len(places)
            shapes[k] = shape
            yield reshaped(shapes)
    yield reshaped([(0, 3)] * len(places))
    yield reshaped([None] * len(places))
