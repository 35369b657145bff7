"""Calls: helpers, defaults, keywords, star arguments, recursion, nested functions, closures."""

import math

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
W = np.array([[0.3, -0.6, 1.1, 0.2], [0.7, 1.2, -0.4, -0.8]])
GAIN = 1.7


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def dense(x, w, b=0.1, *, gain=1.0):
    return sigmoid(gain * (w @ x) + b)


def two_layers(x, w, b):
    first = dense(x, w, gain=GAIN)
    second = dense(first, w.T, b=b)
    return np.sum(second * x)


def keywords_out_of_order(x, w):
    return np.sum(dense(w=w, gain=x[0], x=x) * dense(x, w, b=x[1]))


def total_of(*terms):
    s = 0.0
    for t in terms:
        s = s + t * t
    return s * terms[0]


def star_arguments(x, y):
    pair = (x * y, y)
    return total_of(x, *pair) + total_of(*pair)


def star_parameter(*xs):
    return xs[0] * xs[1] + np.sin(xs[-1])


def stats(x):
    m = np.mean(x)
    return m, np.mean((x - m) ** 2)


def several_results(x):
    mean, var = stats(x)
    _, var_of_squares = stats(x * x)
    return mean * var + np.sqrt(var_of_squares)


def mixed_results(x):
    def describe(v):
        return {"n": len(v), "sum": np.sum(v)}, v[::-1], "label"

    info, back, label = describe(x)
    return np.sum(back * x) * info["sum"] / info["n"] * len(label)


def factorial_like(x, n):
    if n == 0:
        return 1.0
    return x * factorial_like(x + 0.1, n - 1)


def tree_sum(x, lo, hi):
    if hi - lo == 1:
        return math.sin(x[lo])
    mid = (lo + hi) // 2
    return tree_sum(x, lo, mid) * 1.1 + tree_sum(x, mid, hi) * x[lo]


def is_even_power(x, n):
    if n == 0:
        return x
    return is_odd_power(x * x, n - 1)


def is_odd_power(x, n):
    if n == 0:
        return x * 0.5
    return is_even_power(np.sin(x), n - 1)


def recursion(x):
    return factorial_like(x[0], 4) + tree_sum(x, 0, len(x)) + is_even_power(x[1], 3)


def quadrature(f, a, b, n):
    h = (b - a) / n
    total = 0.5 * (f(a) + f(b))
    for i in range(1, n):
        total = total + f(a + i * h)
    return total * h


def integral_with_a_closure(k, a, b):
    def integrand(t):
        return np.exp(-k * t) * np.sin(t)

    return quadrature(integrand, a, b, 6)


def lambda_arguments(x, c):
    square = lambda v: v * v  # noqa: E731
    return apply_twice(square, x) + apply_twice(lambda v: v * c, x)


def apply_twice(f, x):
    return f(f(x))


def make_adder(step):
    def add(x):
        return x + step * x**2

    return add


def function_results(x, s):
    small, large = make_adder(s), make_adder(s * s)
    return small(large(x)) * small(x)


def late_binding(x):
    scale = x

    def f(v):
        return v * scale

    before = f(2.0)
    scale = scale * x
    return before * f(3.0)


def functions_in_a_list(x):
    table = {"sin": np.sin, "cube": lambda v: v**3, "sigmoid": sigmoid}
    y = x
    for name in ("cube", "sin", "sigmoid"):
        y = table[name](y)
    for f in [np.tanh, sigmoid]:
        y = f(y) * x
    return y


def writes_through_its_argument(u, i, c):
    u[i] = u[i] * c + u[i - 1]


def callee_stores(x, c):
    u = x.copy()
    for i in range(len(u)):
        writes_through_its_argument(u, i, c)
        writes_through_its_argument(u[1:], 0, c)
    return np.sum(u**2)


def first_half(x):
    return x[: len(x) // 2]


def view_from_a_callee(x):
    y = x * 1.0
    head = first_half(y)
    head *= y[2:]
    head[0] = y[3] * 2.0
    return np.sum(y**2)


def identity(x):
    return x


def seed_from_a_callee(x):
    y = identity(x) + x
    z = identity(y)
    z += identity(x)
    return np.sum(y * z)


def logs_and_returns_nothing(store, value):
    store.append(value * 2.0)


def list_through_a_callee(x):
    kept = []
    logs_and_returns_nothing(kept, x)
    logs_and_returns_nothing(kept, kept[0] * x)
    return kept[0] * kept[1]


def bisect_then_polish(f, lo, hi):
    for _ in range(5):
        mid = 0.5 * (lo + hi)
        if f(mid) > 0:
            hi = mid
        else:
            lo = mid
    x = 0.5 * (lo + hi)
    for _ in range(3):
        h = 1e-2
        x = x - f(x) / ((f(x + h) - f(x - h)) / (2 * h))
    return x


def implicit_root(a, lo, hi):
    return bisect_then_polish(lambda x: x**3 + a * x - 2.0, lo, hi)


def nested_two_deep(x, y):
    def outer(a):
        b = a * y

        def inner(c):
            return c * b + x

        return inner(a) * inner(y)

    return outer(x) + outer(y)


def defaults_are_frozen(x):
    fs = []
    for k in range(3):

        def term(v, k=k, scale=x):
            return v * (k + 1) * scale

        fs.append(term)
    return fs[0](x) * fs[2](2.0)


def positional_only(x, /, y, *, z=0.5):
    return x * y**2 + z * x


def through_keywords(a, b):
    return positional_only(a, y=b, z=a * b) + positional_only(b, a)


CASES = [
    ("two_layers", two_layers, (X, W, 0.2)),
    ("keywords_out_of_order", keywords_out_of_order, (X, W)),
    ("star_arguments", star_arguments, (0.8, 1.3)),
    ("star_parameter", star_parameter, (0.8, 1.3, 0.4)),
    ("several_results", several_results, (X,)),
    ("mixed_results", mixed_results, (X,)),
    ("recursion", recursion, (X,)),
    ("factorial_like", factorial_like, (0.8, 5)),
    ("integral_with_a_closure", integral_with_a_closure, (0.8, 0.1, 1.9)),
    ("lambda_arguments", lambda_arguments, (0.8, 1.3)),
    ("function_results", function_results, (0.8, 0.3)),
    ("late_binding", late_binding, (0.8,)),
    ("functions_in_a_list", functions_in_a_list, (X,)),
    ("callee_stores", callee_stores, (X, 0.9)),
    ("view_from_a_callee", view_from_a_callee, (X,)),
    ("seed_from_a_callee", seed_from_a_callee, (X,)),
    ("list_through_a_callee", list_through_a_callee, (0.9,)),
    ("implicit_root", implicit_root, (1.5, 0.0, 2.1)),
    ("nested_two_deep", nested_two_deep, (0.9, 1.2)),
    ("defaults_are_frozen", defaults_are_frozen, (0.9,)),
    ("through_keywords", through_keywords, (0.9, 1.2)),
    ("function_as_argument", apply_twice, (np.sin, 0.9)),
    ("own_function_as_argument", apply_twice, (sigmoid, X)),
]
