"""The operators, on numbers and entry by entry.

Python's own numbers raise where NumPy's go on: a division by zero, a power that overflows. Before such an
operation a check is written; where it fails the NumPy text runs, and raises what there is to raise.
Integers are kept as linear forms while they are sizes or places. Other products of Python's integers are
not lowered, as they would wrap around.
"""

from __future__ import annotations

import tapeless.lower.masked as masked
from tapeless.lower.affine import Affine
from tapeless.lower.loops import Call, Expr, Num, Op, Whole, numeric
from tapeless.lower.precision import FLOATS, cast, number_in, sort_of
from tapeless.lower.state import State
from tapeless.lower.values import Array, Items, Known, Masked, Number, Sort, Value, number, whole

ARITHMETIC = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**"}
INTEGRAL = {"FloorDiv": "//", "Mod": "%"}
COMPARISONS = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">="}
LOGICAL = {"BitAnd": "and", "BitOr": "or"}
NUMPYS = ("np", "f4")


def binary(state: State, word: str, a: Value, b: Value) -> Value:
    """Apply an operator, by the name of its class."""
    if isinstance(a, Number) and isinstance(b, Number):
        return of_numbers(state, word, a, b)
    if isinstance(a, Masked) or isinstance(b, Masked):
        return masked.lifted(state, lambda p, q: binary(state, word, p, q), [a, b])
    if not all(isinstance(x, (Array, Number)) for x in (a, b)):
        raise state.refused("an operator on what is no number and no array")
    dtypes = {_dtype(x) for x in (a, b)}
    if word in LOGICAL and dtypes == {"b"}:
        return state.pointwise(lambda p, q: Op(LOGICAL[word], (p, q)), [a, b], "b")
    if word not in ARITHMETIC:
        raise state.refused("this operator on arrays")
    if dtypes == {"i"} and word in ("Add", "Sub", "Mult"):
        return state.pointwise(lambda p, q: Op(ARITHMETIC[word], (p, q)), [a, b], "i")
    if dtypes.isdisjoint(FLOATS) and not (word == "Div" and dtypes <= {"b"}):
        raise state.refused("arithmetic on arrays of integers or truth values")
    if word == "Pow":
        return _power_of_array(state, a, b)
    a, b = of_floats_alike(state, a, b)
    return state.pointwise(lambda p, q: Op(ARITHMETIC[word], (p, q)), [a, b])


def _dtype(x: Value) -> str:
    if isinstance(x, Array):
        return x.dtype
    assert isinstance(x, Number)
    return "b" if x.sort == "bool" else "i" if x.is_whole else "f8"


def of_floats(state: State, x: Value, floats: str = "f8") -> Value:
    """Return a number or array as one of floats; truth values in a precision."""
    if isinstance(x, Array) and x.dtype == "b":
        return state.pointwise(lambda p: cast(p, "b", floats), [x], floats)
    if isinstance(x, Array) and x.dtype == "i":
        return state.pointwise(lambda p: cast(p, "i", "f8"), [x], "f8")
    return as_float(x) if isinstance(x, Number) else x


def of_floats_alike(state: State, *operands: Value) -> list[Value]:
    """Return operands as floats, truth values in the precision of the others."""
    floats = state.precision(operands)
    return [of_floats(state, x, floats) for x in operands]


def as_float(x: Number) -> Number:
    """Return a number as a float."""
    if x.sort == "bool":
        return Number(numeric(x.expr, "b"), "py")
    if x.form is not None and x.form.is_const:
        return number(float(x.form.const))
    if x.is_whole:
        return Number(Call("float", (x.expr,)), "py" if x.sort == "int" else "np")
    return x


def as_double(x: Number) -> Number:
    """Return a number as one of Python's floats."""
    x = as_float(x)
    return Number(number_in(x, "f8"), "py") if x.sort == "f4" else x


def _power_of_array(state: State, a: Value, b: Value) -> Value:
    """Raise to a power as NumPy does: a square is a product, half a root."""
    assert isinstance(a, (Array, Number)) and isinstance(b, (Array, Number))
    if isinstance(b, Array):
        operands = of_floats_alike(state, a, b)
        return state.pointwise(lambda p, q: Call("np.power", (p, q)), operands)
    exponent = literal(b)
    x = of_floats(state, a)
    if exponent == 2:
        return state.pointwise(lambda p: Op("*", (p, p)), [x])
    if exponent == 0.5:
        return state.pointwise(lambda p: Call("np.sqrt", (p,)), [x])
    if exponent == -1:
        return state.pointwise(lambda p: Op("/", (Num(1.0), p)), [x])
    if exponent == 1:
        return state.pointwise(lambda p: p, [x])
    return state.pointwise(lambda p, q: Call("np.power", (p, q)), [x, as_float(b)])


def literal(x: Number) -> float | int | None:
    """Return the value of a literal, None of anything else."""
    if isinstance(x.expr, Num):
        return x.expr.value
    return x.form.const if x.form is not None and x.form.is_const else None


def of_numbers(state: State, word: str, a: Number, b: Number) -> Number:
    """Apply an operator to two numbers."""
    if a.sort == b.sort == "bool" and word in LOGICAL:
        return Number(Op(LOGICAL[word], (a.expr, b.expr)), "bool")
    if a.is_whole and b.is_whole and word != "Div":
        return _of_integers(state, word, a, b)
    a, b = as_float(a), as_float(b)
    p, q = literal(a), literal(b)
    if p is not None and q is not None:
        folded = _of_literals(word, float(p), float(q))
        if folded is not None:
            return folded
    sort = _joint_sort(state, a, b)
    if sort == "f4" or "f4" in (a.sort, b.sort):
        a, b = (Number(number_in(x, "f4" if sort == "f4" else "f8"), sort) for x in (a, b))
    if word in INTEGRAL or word not in ARITHMETIC:
        raise state.refused("this operator on floats")
    if word == "Div" and sort not in NUMPYS and not q:
        b = nonzero(state, b)
    if word == "Pow":
        return _power(state, a, b, sort)
    return Number(Op(ARITHMETIC[word], (a.expr, b.expr)), sort)


def _joint_sort(state: State, a: Number, b: Number) -> Sort:
    sorts = {a.sort, b.sort}
    if "f4" in sorts:
        return sort_of(state.precision([a, b]))
    return "np" if "np" in sorts else "py" if sorts == {"py"} else "either"


def _of_literals(word: str, p: float, q: float) -> Number | None:
    if word == "Div":
        return number(p / q) if q else None
    made = {"Add": p + q, "Sub": p - q, "Mult": p * q}
    return number(made[word]) if word in made else None


def nonzero(state: State, x: Number) -> Number:
    """Check that a divisor of Python's is not zero; sizes are not."""
    size = x.expr.args[0] if isinstance(x.expr, Call) and x.expr.function == "float" else None
    if isinstance(size, Whole) and state.extents.is_positive(size.form - 1):
        return x
    x = state.frozen(x, "divisor")
    zero: Expr = Num(0.0)
    state.check(Op("!=", (x.expr, zero)), "ZeroDivisionError", "division by zero")
    return x


def finite(state: State, x: Number, error: str = "OverflowError") -> Number:
    """Check that a result is finite, where Python raises or goes over to complex numbers."""
    x = state.frozen(x, state.hint)
    state.check(Call("np.isfinite", (x.expr,)), error, "result is not finite")
    return x


def _power(state: State, a: Number, b: Number, sort: Sort) -> Number:
    exponent = literal(b)
    if exponent is None or float(exponent) != exponent // 1 or abs(exponent) > 1000:
        if sort not in NUMPYS:
            a = state.frozen(a, "base")
            state.check(
                Op(">", (a.expr, Num(0.0))), "ValueError", "a power of what is not positive"
            )
        return _checked_power(state, Number(Op("**", (a.expr, b.expr)), sort))
    if sort not in NUMPYS and exponent < 0:
        a = nonzero(state, a)
    power = cast(Num(float(exponent)), None, "f4" if sort == "f4" else "f8")
    return _checked_power(state, Number(Op("**", (a.expr, power)), sort))


def _checked_power(state: State, x: Number) -> Number:
    return x if x.sort in NUMPYS else finite(state, x)


def _of_integers(state: State, word: str, a: Number, b: Number) -> Number:
    """Add, subtract, multiply by a literal, divide: what cannot become larger than 64 bits."""
    if "np int" in (a.sort, b.sort) and word in ("Add", "Sub", "Mult"):
        return Number(Op(ARITHMETIC[word], (a.expr, b.expr)), "np int")
    p, q = a.form, b.form
    if p is not None and q is not None:
        if word in ("Add", "Sub"):
            return whole(p + q if word == "Add" else p - q)
        if word == "Mult" and (p.is_const or q.is_const):
            return whole(q * p.const if p.is_const else p * q.const)
        if word in INTEGRAL and p.is_const and q.is_const and q.const:
            return whole(p * 0 + (p.const // q.const if word == "FloorDiv" else p.const % q.const))
    if word == "FloorDiv" and p is not None and q is not None:
        quotient = state.quotient(p, q)
        if quotient is not None:
            return whole(quotient)
    if word in INTEGRAL and q is not None and q.is_const and q.const and a.sort == "int":
        return Number(Op(INTEGRAL[word], (a.expr, b.expr)), "int")
    raise state.refused("arithmetic on integers other than sums and multiples of places and sizes")


def negative(state: State, x: Value) -> Value:
    """Return `-x`."""
    if isinstance(x, Masked):
        return masked.lifted(state, lambda p: negative(state, p), [x])
    if isinstance(x, Array):
        if x.dtype not in FLOATS:
            raise state.refused("the negative of an array of integers or truth values")
        return state.pointwise(lambda p: Op("neg", (p,)), [x])
    if not isinstance(x, Number):
        raise state.refused("the negative of what is no number")
    if x.form is not None:
        return whole(-x.form)
    if x.sort == "bool" or x.is_whole:
        raise state.refused("the negative of an integer that is no place and no size")
    value = literal(x)
    return number(-value) if value is not None else Number(Op("neg", (x.expr,)), x.sort)


def inverted(state: State, x: Value) -> Value:
    """Return `not x` or `~x`, of truth values."""
    if isinstance(x, Array) and x.dtype == "b":
        return state.pointwise(lambda p: Op("not", (p,)), [x], "b")
    if isinstance(x, Number) and x.sort == "bool":
        return Number(Op("not", (x.expr,)), "bool")
    raise state.refused("the inverse of what is no truth value")


def compared(state: State, word: str, a: Value, b: Value) -> Value:
    """Compare two numbers, or arrays entry by entry; or texts, of which it is known what they say."""
    if isinstance(a, Known) and isinstance(a.value, str):
        return _compared_text(state, word, a.value, b)
    if word in ("In", "NotIn") and isinstance(a, Number) and isinstance(b, Items):
        return _among(state, a, b.items, word == "In")
    if word not in COMPARISONS:
        raise state.refused("this comparison")
    if isinstance(a, Masked) or isinstance(b, Masked):
        return masked.lifted(state, lambda p, q: compared(state, word, p, q), [a, b])
    sign = COMPARISONS[word]
    if isinstance(a, Number) and isinstance(b, Number):
        p, q = a.form, b.form
        if p is not None and q is not None and (p - q).is_const:
            return number(_holds(sign, (p - q).const))
        return Number(Op(sign, (a.expr, b.expr)), "bool")
    if not all(isinstance(x, (Array, Number)) for x in (a, b)):
        raise state.refused("a comparison of what is no number and no array")
    return state.pointwise(lambda p, q: Op(sign, (p, q)), [a, b], "b")


def _among(state: State, x: Number, items: tuple[Value, ...], is_in: bool) -> Number:
    """Return whether an integer is one of several: of sizes it is known, or demanded not to be."""
    extents, tests = state.extents, list[Expr]()
    for item in items:
        if not isinstance(item, Number) or not (x.is_whole and item.is_whole):
            raise state.refused("whether something is among what are no integers")
        p, q = x.form, item.form
        apart = None if p is None or q is None else extents.canonical(q - p)
        if apart == Affine():
            return number(is_in)
        if apart is None or not _is_apart(state, apart):
            tests.append(Op("==", (x.expr, item.expr)))
    if not tests:
        return number(not is_in)
    found = tests[0] if len(tests) == 1 else Op("or", tuple(tests))
    return Number(found if is_in else Op("not", (found,)), "bool")


def _is_apart(state: State, difference: Affine) -> bool:
    """Whether a difference of integers is known not to be 0, or to be a size that is likely to be larger."""
    extents = state.extents
    if difference.is_const or extents.is_positive(-1 - difference):
        return True
    return difference.symbols <= extents.entry.keys() and extents.follows_at_entry(difference - 1)


def place_among(state: State, items: Items, x: Value) -> Number:
    """Return the first place of a number in a tuple; where it is not found the NumPy text runs."""
    numbers = [item for item in items.items if isinstance(item, Number)]
    if not isinstance(x, Number) or not numbers or len(numbers) < len(items.items):
        raise state.refused("the place of something in a tuple of other than numbers")
    x = state.frozen(x, "t")
    tests = [Op("==", (item.expr, x.expr)) for item in numbers]
    state.check(Op("or", tuple(tests)), "ValueError", "tuple.index(x): x not in tuple")
    made: Expr = Whole(Affine(len(tests) - 1))
    for k, test in reversed(list(enumerate(tests[:-1]))):
        made = Op("if", (test, Whole(Affine(k)), made))
    return Number(made, "int")


def _compared_text(state: State, word: str, text: str, other: Value) -> Value:
    """Return whether a text is another one, or one of several."""
    among = other.items if isinstance(other, Items) and word in ("In", "NotIn") else (other,)
    texts = [item.value for item in among if isinstance(item, Known)]
    if word not in ("Eq", "NotEq", "In", "NotIn") or not all(isinstance(t, str) for t in texts):
        raise state.refused("a comparison of texts other than for being equal")
    if len(texts) < len(among) or word in ("In", "NotIn") and not isinstance(other, Items):
        raise state.refused("a comparison of a text with what is not known")
    return number((text in texts) == (word in ("Eq", "In")))


def _holds(sign: str, difference: int) -> bool:
    return {
        "==": difference == 0, "!=": difference != 0, "<": difference < 0,
        "<=": difference <= 0, ">": difference > 0, ">=": difference >= 0,
    }[sign]  # fmt: skip


def truth(state: State, x: Value) -> Expr:
    """Return the test that a value is true."""
    if isinstance(x, Number):
        zero: Expr = Whole(whole(x.form * 0).form or x.form) if x.form is not None else Num(0.0)
        return x.expr if x.sort == "bool" else Op("!=", (x.expr, zero))
    raise state.refused("a test of what is no number")
