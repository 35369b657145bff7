"""Programs that are refused, with the user's file and line, or are right."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])


def iterated_array_changes(x):
    u = x * 1.0
    s = 0.0
    for i, v in enumerate(u):
        s = s + v * v
        if i + 1 < len(u):
            u[i + 1] = u[i + 1] * v
    return s


def iterated_list_is_stored_into(x):
    u = [x[0], x[1], x[2]]
    s = 0.0
    for i, v in enumerate(u):
        s = s * v + v
        u[2] = s
        u[i] = 0.0
    return s + u[0]


def product_of_two(a, b):
    return np.sum(a * a * b)


def integer_buffer_truncates(x):
    y = np.zeros(4, dtype=int)
    y[:] = x * 10.37
    return np.sum(y * x)


def buffer_like_integers(x):
    y = np.zeros_like(np.arange(4))
    y[0] = x[0] * 100.3
    return y[0] * x[1]


@pytest.mark.parametrize("function", [integer_buffer_truncates, buffer_like_integers])
def test_an_integer_buffer_cuts_the_derivative_or_is_refused(function):
    laws.right_or_refused(function, (X,))


def not_a_scalar(x):
    return x * 2.0


def returns_nothing(x):
    x * 2.0  # noqa: B018


def no_rule(x):
    return np.sum(np.intersect1d(x, 1.0))


def generator_function(x):
    yield x


@pytest.mark.parametrize(
    ("function", "wrt", "error"),
    [
        (not_a_scalar, 0, tl.GradientError),
        (returns_nothing, 0, tl.TapelessError),
        (product_of_two, 5, tl.GradientError),
        (product_of_two, "nobody", tl.GradientError),
        (no_rule, 0, tl.NoGradientError),
        (generator_function, 0, tl.UnsupportedSyntaxError),
    ],
)
def test_refused(function, wrt, error):
    args = (X, X) if function is product_of_two else (X,)
    with pytest.raises(error) as raised:
        tl.grad(function, wrt=wrt)(*args)
    assert isinstance(raised.value, tl.TapelessError)


def test_a_missing_rule_is_named_with_its_place():
    with pytest.raises(tl.NoGradientError, match="intersect1d") as raised:
        tl.grad(no_rule)(X)
    assert isinstance(raised.value, LookupError)
    assert raised.value.filename == __file__
    assert raised.value.lineno == no_rule.__code__.co_firstlineno + 1


def nonlocal_accumulator(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    add(x)
    add(total)
    return total


def starred_unpacking(x):
    first, *rest = [x[0], x[1], x[2]]
    return first * rest[0] + rest[-1] ** 2


def list_methods(x):
    a = [x[0], x[1]]
    a.insert(1, x[2])
    b = a.pop()
    a.extend([b, b * b])
    return a[1] * a[-1]


def dict_methods(x):
    d = {"a": x[0]}
    d.update({"b": x[1]})
    return d.get("a", 0.0) * d.setdefault("c", x[2]) * d["b"]


def keyword_parameters(x):
    def f(a, **options):
        return a * options["c"]

    return f(x[0], c=x[1])


class Vector:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)

    def __getitem__(self, i):
        return self.a if i == 0 else self.b

    @property
    def norm(self):
        return np.hypot(self.a, self.b)


def overloaded_operators(x):
    v = Vector(x[0], x[1]) + Vector(x[2], x[3])
    return v[0] * v[1]


def properties(x):
    return Vector(x[0], x[1]).norm * x[2]


class Fancy(Vector):
    def __init__(self, a):
        super().__init__(a, a * 2.0)


def super_calls(x):
    f = Fancy(x[0])
    return f.a * f.b


def walrus(x):
    if (y := x[0] * x[1]) < 0:
        return y * y
    return y


def deletes(x):
    a = [x[0], x[1], x[2]]
    del a[0]
    return a[0] * a[1]


def comprehension(x):
    return np.sum(np.array([v * v for v in x]))


def try_finally(x):
    try:
        y = x[0] * x[1]
    finally:
        z = x[2]
    return y * z


def value_of_or(x):
    return (x[0] or x[1]) * (x[2] and x[3])


def list_that_grows_while_iterated(x):
    queue = [x[0]]
    s = 0.0
    for v in queue:
        s = s + v * v
        if len(queue) < 4:
            queue.append(v * x[len(queue)])
    return s


def integer_of_an_active_value(x):
    k = int(x[2] * 1.5)
    return x[0] ** k * k


@pytest.mark.parametrize(
    "function",
    [
        nonlocal_accumulator,
        starred_unpacking,
        list_methods,
        dict_methods,
        iterated_array_changes,
        iterated_list_is_stored_into,
        overloaded_operators,
        properties,
        super_calls,
        walrus,
        deletes,
        comprehension,
        try_finally,
        value_of_or,
        list_that_grows_while_iterated,
        integer_of_an_active_value,
    ],
)
def test_right_or_refused_with_its_place(function):
    args = (1.3,) if function is nonlocal_accumulator else (X,)
    laws.right_or_refused(function, args)
