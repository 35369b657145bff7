"""Statements: assignments of all sorts, `del`, walrus, `match`, `try`, `with`, imports."""

import contextlib
import warnings
from dataclasses import dataclass

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4]])


def starred_targets(x):
    first, *rest = [x[0], x[1], x[2]]
    *init, last = (x[0] * x[1], x[2], x[3])
    return first * rest[0] + rest[-1] ** 2 + len(rest) * init[1] * last


def starred_array(x):
    a, *b, c = x
    return a * b[0] * b[1] + c


def nested_unpacking(x):
    (a, b), [c, d] = (x[0], x[1]), x[2:]
    (e, f), g = (a * b, c), d
    return e * f + g * a


def chained(x):
    a = b = x * 2.0
    b[0] = x[1]
    c = d = a[0] * a[1]
    return c * d + np.sum(a * a)


def targets_in_order(x):
    y = np.zeros(4)
    i = 0
    i, y[i] = 1, x[0] * x[1]
    i, y[i] = 2, x[2]
    return y[0] * y[2] + i * x[3]


def annotated(x):
    y: float = x[0] * x[1]
    z: np.ndarray
    z = x * y
    return np.sum(z)


def swapped(x):
    a = x * 1.0
    a[0], a[1] = a[1], a[0] * a[2]
    return a[0] * a[0] + a[1]


def all_augmented(x):
    a, b, c, d = x[0] + 3.0, x[1], x[2], x[3]
    a %= 0.7
    b *= c
    c **= 3
    d /= b
    k = 7
    k //= 2
    k <<= 1
    return a * b + c * d + k * a


def walrus(x):
    if (y := x[0] * x[1]) < 0:
        return y * y + x[2]
    return y


def walrus_in_a_loop(x):
    s, i = 0.0, 0
    while (v := x[i] * 2.0) < 3.0:
        s += v * v
        i += 1
    return s * v


def walrus_in_a_call(x):
    y = np.sin(z := x[0] * x[1]) * z
    return y + z


def deleted(x):
    a = [x[0], x[1], x[2]]
    del a[0]
    table = {"a": x[3], "b": x[0]}
    del table["a"]
    scratch = x * 2.0
    s = np.sum(scratch)
    del scratch
    return a[0] * a[1] * table["b"] * s


def matched_literals(x):
    s = 0.0
    for kind in (0, 1, "two", None, 7):
        match kind:
            case 0:
                s = s + x[0]
            case 1 | 2:
                s = s * x[1]
            case "two":
                s = s + x[2] * x[2]
            case None:
                s = s - x[3]
            case _:
                s = s * 2.0
    return s


def matched_sequences(x):
    s = 1.0
    for item in ((x[0], x[1]), (x[2],), (x[3], x[0], x[1], x[2])):
        match item:
            case (a,) if a > 2.0:
                s = s * a
            case (a, b):
                s = s + a * b
            case (first, *_, last):
                s = s * first + last
    return s


def matched_mapping(x):
    match {"kind": "spring", "k": x[0], "rest": x[1]}:
        case {"kind": "mass", "m": m}:
            return m
        case {"kind": "spring", "k": k, **others}:
            return k * others["rest"]
    return 0.0


@dataclass
class Circle:
    radius: float


@dataclass
class Box:
    width: float
    height: float


def area(shape):
    match shape:
        case Circle(radius=r):
            return np.pi * r**2
        case Box(w, h) as box:
            return w * h + 0.0 * box.width
        case _:
            return 0.0


def matched_classes(x):
    return area(Circle(x[0])) * area(Box(x[1], x[2]))


def try_without_exception(x):
    try:
        y = x[0] * x[1]
    except ZeroDivisionError:
        y = 0.0
    else:
        y = y * x[2]
    return y * y


def try_finally(x):
    y = x[3]
    try:
        y = y * x[0] * x[1]
    finally:
        y = y + x[2]
    return y * y


def return_inside_try(x):
    try:
        for v in x:
            if v > 1.0:
                return v * x[0]
    finally:
        done = True
    return x[1] * done


def exception_before_active(x):
    try:
        n = int("no number")
    except ValueError:
        n = 3
    return x[0] ** n


def exception_in_a_loop(x):
    s = 0.0
    for text in ("1.5", "?", "2.5"):
        try:
            c = float(text)
        except ValueError:
            continue
        s = s + c * x[0] * s + x[1]
    return s


def missing_key(x):
    table = {"a": x[0]}
    s = 0.0
    for key in ("a", "b"):
        try:
            s = s + table[key] ** 2
        except KeyError:
            s = s * x[1]
    return s


def raised_and_caught(x):
    y = x[0]
    try:
        y = y * x[1]
        if y < 0.0:
            raise ValueError("negative")
        y = y * 10.0
    except ValueError as error:
        y = y * x[2] + len(str(error))
    return y


@contextlib.contextmanager
def scaled(c):
    yield c * 2.0


class Timer:
    def __init__(self):
        self.entered = 0

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, *problem):
        return False


def user_context(x):
    with Timer() as t:
        y = x[0] * x[1] * t.entered
    with contextlib.suppress(ValueError):
        y = y * x[2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = y + x[3]
    with np.errstate(divide="ignore"), contextlib.nullcontext():
        y = y * y
    return y


def imported_inside(x):
    import math
    import numpy.linalg as la
    from math import sin, exp as e

    return math.cos(x[0]) * sin(x[1]) * e(x[2]) * la.norm(x)


def texts(x):
    """A docstring; with a semicolon."""
    a = x[0]; b = x[1]  # noqa: E702
    message = f"{a:.2f} and {b!r}"
    assert len(message) > 3, f"{message}"
    return (a *
            b) * len("x")  # fmt: skip


def dead_code(x):
    y = x[0] * x[1]
    if False:
        y = undefined_name(y)  # noqa: F821
    return y
    return missing  # noqa: F821


def conditional_values(x):
    a = x[0] or x[1]
    b = x[0] and x[1]
    c = None or x[2]
    return a * b * c * (x[3] if not a > 1.0 else 1.0)


def chained_comparison(x):
    s = 0.0
    for v in x:
        if -1.0 < v * v <= 2.0 and v not in (5.0,):
            s = s + v * v
    return s


def redefined_types(x):
    y = x * 2.0
    y = [y[0], y[1]]
    y = y[0] * y[1]
    y = {"v": y * x[2]}
    return y["v"]


def deleted_slices(x, n):
    items = [v * v for v in x] + [x[0] * x[1], x[2]]
    alias = items
    del items[1:n]
    every_other = slice(None, None, 2)
    del items[every_other], items[-1:]
    items.append(x[3] * alias[0])
    return items[-1] * len(items)


class Shelf:
    def __init__(self, value):
        self.value = value

    def __delitem__(self, at):
        self.value = self.value * (2.0 if isinstance(at, slice) else 3.0)

    def pop(self, at):
        self.value = 0.0 * self.value

    clear = pop


def deleted_by_a_class(x):
    shelf = Shelf(x[0])
    del shelf[0]
    del shelf[1:2], shelf[:]
    return shelf.value * x[1]


CASES = [
    ("starred_targets", starred_targets, (X,)),
    ("starred_array", starred_array, (X,)),
    ("nested_unpacking", nested_unpacking, (X,)),
    ("chained", chained, (X,)),
    ("targets_in_order", targets_in_order, (X,)),
    ("annotated", annotated, (X,)),
    ("swapped", swapped, (X,)),
    ("all_augmented", all_augmented, (X,)),
    ("walrus", walrus, (X,)),
    ("walrus_in_a_loop", walrus_in_a_loop, (X,)),
    ("walrus_in_a_call", walrus_in_a_call, (X,)),
    ("deleted", deleted, (X,)),
    ("matched_literals", matched_literals, (X,)),
    ("matched_sequences", matched_sequences, (X,)),
    ("matched_mapping", matched_mapping, (X,)),
    ("matched_classes", matched_classes, (X,)),
    ("try_without_exception", try_without_exception, (X,)),
    ("try_finally", try_finally, (X,)),
    ("return_inside_try", return_inside_try, (X,)),
    ("exception_before_active", exception_before_active, (X,)),
    ("exception_in_a_loop", exception_in_a_loop, (X,)),
    ("missing_key", missing_key, (X,)),
    ("raised_and_caught", raised_and_caught, (X,)),
    ("user_context", user_context, (X,)),
    ("imported_inside", imported_inside, (X,)),
    ("texts", texts, (X,)),
    ("dead_code", dead_code, (X,)),
    ("conditional_values", conditional_values, (X,)),
    ("chained_comparison", chained_comparison, (X,)),
    ("redefined_types", redefined_types, (X,)),
    ("deleted_slices", deleted_slices, (X, 3)),
    ("deleted_by_a_class", deleted_by_a_class, (X,)),
]
