"""Functions of entries: what NumPy calls ufuncs, `where`, and the tool's own that work so."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

import tapeless.lower.arithmetic as arithmetic
import tapeless.runtime as runtime
from tapeless.lower.affine import Affine
from tapeless.lower.arithmetic import literal
from tapeless.lower.functions.registry import lowers, lowers_entrywise
from tapeless.lower.loops import Call, Expr, Num, Op
from tapeless.lower.precision import (
    FLOATS,
    number_in,
    precision_of,
    sort_of,
    with_single_constants,
)
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Number, Places, Value, join, number, whole

_NONE = Known(None)
UFUNCS = (
    np.exp, np.log, np.sqrt, np.sin, np.cos, np.tan, np.tanh, np.sinh, np.cosh, np.arctan,
    np.arcsin, np.arccos, np.arcsinh, np.arccosh, np.arctanh, np.expm1, np.log1p, np.exp2, np.log2,
    np.log10, np.floor, np.ceil, np.sign, np.arctan2, np.hypot, np.logaddexp, np.maximum, np.minimum,
)  # fmt: skip
OPERATORS = {
    np.add: "Add", np.subtract: "Sub", np.multiply: "Mult", np.divide: "Div", np.power: "Pow",
}  # fmt: skip
COMPARISONS = {
    np.equal: "Eq", np.not_equal: "NotEq", np.less: "Lt", np.less_equal: "LtE",
    np.greater: "Gt", np.greater_equal: "GtE",
}  # fmt: skip


def _register(function: Any) -> None:
    dotted = f"np.{function.__name__}"

    @lowers_entrywise(function)
    def apply(state: State, *args: Value) -> Value:
        if len(args) != function.nin:
            raise state.refused(f"`{dotted}` with `out`")
        return _entrywise(state, lambda *entries: Call(dotted, entries), args)


for _function in UFUNCS:
    _register(_function)


def _entrywise(state: State, formula: Any, args: tuple[Value, ...]) -> Value:
    if any(isinstance(x, Array) and x.dtype == "b" for x in args):
        raise state.refused("a function of floats of an array of truth values")
    operands = arithmetic.of_floats_alike(state, *args)
    if all(isinstance(x, Number) for x in operands):
        floats = state.precision(operands)
        entries = [number_in(x, floats) for x in operands if isinstance(x, Number)]
        value = formula(*entries)
        return Number(with_single_constants(value) if floats == "f4" else value, sort_of(floats))
    return state.pointwise(formula, operands)


def _register_operator(function: Any, word: str, apply: Any) -> None:
    @lowers_entrywise(function)
    def operate(state: State, a: Value, b: Value) -> Value:
        if isinstance(a, Number) and isinstance(b, Number) and word in arithmetic.ARITHMETIC:
            return _of_two_numbers(state, word, f"np.{function.__name__}", a, b)
        made: Value = apply(state, word, a, b)
        return made


def _of_two_numbers(state: State, word: str, dotted: str, a: Number, b: Number) -> Number:
    """Apply a function of NumPy's to two numbers: what it returns is NumPy's, and nothing raises."""
    if word != "Div" and all(x.is_whole or x.sort == "bool" for x in (a, b)):
        raise state.refused(f"`{dotted}` of two integers")
    a, b = arithmetic.as_float(a), arithmetic.as_float(b)
    if any(x.sort in arithmetic.NUMPYS for x in (a, b)):
        return arithmetic.of_numbers(state, word, a, b)
    return Number(Call(dotted, (a.expr, b.expr)), "np")


for _operator, _word in OPERATORS.items():
    _register_operator(_operator, _word, arithmetic.binary)
for _comparison, _word in COMPARISONS.items():
    _register_operator(_comparison, _word, arithmetic.compared)


@lowers_entrywise(np.negative)
def negative(state: State, x: Value) -> Value:
    """Return `-x`."""
    if isinstance(x, Items):
        items = [literal(y) if isinstance(y, Number) else None for y in x.items]
        if all(type(k) is int for k in items):
            return Places(tuple(number(-k) for k in items if k is not None))
    if isinstance(x, Number):
        if x.is_whole or x.sort == "bool":
            raise state.refused("`np.negative` of an integer or truth value")
        return Number(Op("neg", (x.expr,)), sort_of(precision_of(x)))
    if not isinstance(x, Array):
        raise state.refused("`np.negative` of what is no number and no array")
    return arithmetic.negative(state, x)


@lowers_entrywise(np.square)
def square(state: State, x: Value) -> Value:
    """Return `x * x`."""
    if isinstance(x, Number):
        x = state.frozen(x)
    return _entrywise(state, lambda p: Op("*", (p, p)), (x,))


@lowers_entrywise(np.abs, abs)
def absolute(state: State, x: Value) -> Value:
    """Return `abs(x)`."""
    if isinstance(x, Array):
        if x.dtype not in FLOATS:
            raise state.refused("the absolute value of an array of integers")
        return state.pointwise(lambda p: Call("abs", (p,)), [x])
    if not isinstance(x, Number) or x.is_whole or x.sort == "bool":
        raise state.refused("the absolute value of what is no float")
    return Number(Call("abs", (x.expr,)), x.sort)


@lowers_entrywise(np.clip, np.ndarray.clip)
def clip(state: State, x: Value, low: Value, high: Value) -> Value:
    """Return entries that are brought between two limits."""
    if isinstance(low, Known) or isinstance(high, Known):
        raise state.refused("`np.clip` without one of the limits")
    is_float = isinstance(x, Number) and not x.is_whole and x.sort != "bool"
    if not is_float and (not isinstance(x, Array) or x.dtype == "b"):
        raise state.refused("`np.clip` of what is no float and no array of numbers")
    if isinstance(x, Array) and x.dtype == "i":
        if not all(isinstance(limit, Number) and limit.is_whole for limit in (low, high)):
            raise state.refused("`np.clip` of integers between other than two integers")
        raised = state.pointwise(lambda p, q: Call("max", (p, q)), [x, low], "i")
        return state.pointwise(lambda p, q: Call("min", (p, q)), [raised, high], "i")
    lifted = _entrywise(state, lambda p, q: Call("np.maximum", (p, q)), (x, low))
    return _entrywise(state, lambda p, q: Call("np.minimum", (p, q)), (lifted, high))


@lowers_entrywise(np.where)
def where(state: State, test: Value, a: Value, b: Value) -> Value:
    """Return `a` where the test holds, and `b` elsewhere."""
    if not isinstance(test, Array) or test.dtype != "b":
        raise state.refused("`np.where` of what is no array of truth values")
    a, b = arithmetic.of_floats_alike(state, a, b)
    return state.pointwise(lambda c, p, q: Op("if", (c, p, q)), [test, a, b])


@lowers_entrywise(np.isnan)
def isnan(state: State, x: Value) -> Value:
    """Return whether entries are NaN."""
    if isinstance(x, Number) and not x.is_whole and x.sort != "bool":
        x = state.frozen(x, "t")
        return Number(Op("!=", (x.expr, x.expr)), "bool")
    if not isinstance(x, Array) or x.dtype not in FLOATS:
        raise state.refused("`np.isnan` of what is no float and no array of floats")
    return state.pointwise(lambda p: Op("!=", (p, p)), [x], "b")


@lowers_entrywise(runtime.times_partial)
def times_partial(state: State, g: Value, partial: Value, over: Value = _NONE) -> Value:
    """Return `g * partial / over`, and 0 where that is NaN and `g` is 0."""
    divides = not isinstance(over, Known)
    operands = arithmetic.of_floats_alike(state, g, partial, *([over] if divides else []))
    if all(isinstance(x, Number) for x in operands):
        return _partial_of_numbers(state, [x for x in operands if isinstance(x, Number)])

    def formula(*entries: Expr) -> Expr:
        return Op("/", (product(*entries[:2]), entries[2])) if divides else product(*entries[:2])

    product_ = state.pointwise(formula, operands)
    return state.pointwise(
        lambda p, q: Op("if", (_is_cut(p, q), Num(0.0), p)), [product_, operands[0]]
    )


def product(a: Expr, b: Expr) -> Expr:
    """Return `a * b`, without a factor of 1."""
    return a if isinstance(b, Num) and b.value == 1.0 else Op("*", (a, b))


def _is_cut(value: Expr, g: Expr) -> Expr:
    return Op("and", (Op("!=", (value, value)), Op("==", (g, Num(0.0)))))


def _partial_of_numbers(state: State, operands: list[Number]) -> Number:
    """Of numbers nothing is divided where the cotangent is 0: no division by zero can be raised there."""
    floats = state.precision(operands)
    if any(x.sort == "f4" for x in operands):
        operands = [Number(number_in(x, floats), sort_of(floats)) for x in operands]
    g, partial, *over = (state.frozen(x, "t") for x in operands)
    value = product(g.expr, partial.expr)
    if over:
        value = Op("/", (value, over[0].expr))
    sorts = {x.sort for x in (g, partial, *over)}
    cut = Op("==", (g.expr, Num(0.0)))
    if (
        over and over[0].sort not in arithmetic.NUMPYS
    ):  # in plain Python a division by zero must not be reached
        fine = Op("or", (cut, Op("!=", (over[0].expr, Num(0.0)))))
        state.check(fine, "ZeroDivisionError", "division by zero")
    made = Op("if", (cut, g.expr, value))
    of_numpy = next((sort for sort in arithmetic.NUMPYS if sort in sorts), None)
    return Number(made, of_numpy or ("py" if sorts == {"py"} else "either"))


@lowers_entrywise(runtime.power_by_number)
def power_by_number(state: State, x: Value, n: Value) -> Value:
    """Return the partials of powers with one exponent that is not known now."""
    if not isinstance(n, Number):
        raise state.refused("an exponent that is no number")
    n = state.frozen(arithmetic.as_double(n), "t")

    def formula(p: Expr) -> Expr:
        power = Call("np.power", (p, Op("-", (n.expr, Num(1.0)))))
        return Op("if", (Op("==", (n.expr, Num(0.0))), Num(0.0), Op("*", (n.expr, power))))

    if not isinstance(x, Number):
        return _entrywise(state, formula, (x,))
    x = state.frozen(arithmetic.as_float(x), "base")
    if x.sort == "f4":
        raise state.refused("a power of a number in single precision")
    if x.sort in arithmetic.NUMPYS:
        return Number(formula(x.expr), x.sort)
    state.check(Op(">", (x.expr, Num(0.0))), "ValueError", "a power of what is not positive")
    return arithmetic.finite(state, Number(formula(x.expr), x.sort))


def _register_math(name: str) -> None:
    @lowers(getattr(math, name))
    def apply(state: State, *args: Value) -> Value:
        found = [arithmetic.as_double(x) for x in args if isinstance(x, Number)]
        if len(found) != len(args):
            raise state.refused(f"`math.{name}` of what is no number")
        made = Number(Call(f"math.{name}", tuple(x.expr for x in found)), "py")
        state.program.externals["math"] = math
        return made if name in ("atan", "tanh") else arithmetic.finite(state, made, "ValueError")


for _name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sinh", "cosh", "atan", "log1p"):
    _register_math(_name)


@lowers(float)
def as_float(state: State, x: Value) -> Value:
    """Return a number as a float of Python's: of two of them a division by zero is an error."""
    if not isinstance(x, Number):
        raise state.refused("`float` of what is no number")
    return Number(number_in(arithmetic.as_float(x), "f8"), "py")


LARGEST = 2.0**31  # so that sums of such integers, one in each trip of a loop, fit into 64 bits


@lowers(int)
def as_integer(state: State, x: Value) -> Value:
    """Return a number without its fraction; of what is large, or no number, the NumPy text runs."""
    if not isinstance(x, Number):
        raise state.refused("`int` of what is no number")
    if x.is_whole:
        return whole(state.form(x))
    x = state.frozen(arithmetic.as_double(x), "t")
    fits = Op("<", (Call("abs", (x.expr,)), Num(LARGEST)))
    state.check(fits, "OverflowError", "an integer that is too large")
    return whole(state.form(Number(Call("int", (x.expr,)), "int")))


@lowers(np.float64)
def as_double(state: State, x: Value) -> Value:
    """Return a number as one of NumPy's, whose precision others take."""
    if not isinstance(x, Number):
        raise state.refused("`np.float64` of what is no number")
    return Number(number_in(arithmetic.as_float(x), "f8"), "np")


@lowers(np.float32)
def as_single(state: State, x: Value) -> Value:
    """Return a number in single precision."""
    if not isinstance(x, Number):
        raise state.refused("`np.float32` of what is no number")
    return Number(number_in(arithmetic.as_float(x), "f4"), "f4")


@lowers(max)
def larger(state: State, a: Value, *others: Value) -> Value:
    """Return the largest of numbers, the first where they cannot be compared."""
    return functools.reduce(lambda p, q: _chosen(state, ">", p, q), others, a)


@lowers(min)
def smaller(state: State, a: Value, *others: Value) -> Value:
    """Return the smallest of numbers, the first where they cannot be compared."""
    return functools.reduce(lambda p, q: _chosen(state, "<", p, q), others, a)


def _chosen(state: State, sign: str, a: Value, b: Value) -> Number:
    if not isinstance(a, Number) or not isinstance(b, Number):
        raise state.refused("the larger or smaller of what are no numbers")
    if a.sort != b.sort and not {a.sort, b.sort} <= {"py", "np", "either"}:
        raise state.refused("the larger or smaller of what are not two numbers alike")
    p, q = a.form, b.form
    if p is not None and q is not None and state.extents.canonical(p - q) == Affine():
        return a
    a, b = state.frozen(a, "t"), state.frozen(b, "t")
    return Number(Op("if", (Op(sign, (b.expr, a.expr)), b.expr, a.expr)), join(a.sort, b.sort))


@lowers(runtime.powers_of_number)
def powers_of_number(state: State, y: Value, x: Value, n: Value) -> Value:
    """Return the partials of powers of one number that is positive."""
    if not isinstance(x, Number) or not isinstance(n, Array) or not isinstance(y, Array):
        raise state.refused("powers of what is no number, or of which there is one alone")
    x = state.frozen(arithmetic.as_double(x), "t")
    state.check(Op(">", (x.expr, Num(0.0))), "ValueError", "a base that is not positive")
    return state.pointwise(
        lambda p, q, r: Op("*", (r, Op("/", (p, q)))), [y, x, arithmetic.of_floats(state, n)]
    )


@lowers_entrywise(np.heaviside)
def heaviside(state: State, x: Value, at_zero: Value) -> Value:
    """Return 0 below zero, 1 above, and what is said at zero; NaN of NaN."""

    def formula(p: Expr, q: Expr) -> Expr:
        above = Op("if", (Op("<", (p, Num(0.0))), Num(0.0), p))
        return Op(
            "if", (Op("==", (p, Num(0.0))), q, Op("if", (Op(">", (p, Num(0.0))), Num(1.0), above)))
        )

    if not isinstance(x, Array):
        raise state.refused("`np.heaviside` of a number")
    return state.pointwise(formula, [x, arithmetic.of_floats(state, at_zero)])
