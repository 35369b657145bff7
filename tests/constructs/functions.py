"""Joins by brackets, functions by name, starred arguments, special methods."""

import numpy as np


def joined_by_r(x):
    return np.sum(np.r_[x, [1.0, 2.0], x[1:3], 3.0] ** 2)


def joined_by_r_in_a_loop(x):
    t = x * 1.0
    for k in range(3):
        t = np.r_[t[1:], t[0] * (k + 1.0)]
    return np.sum(t * np.r_[1:5])


def joined_by_c_in_a_branch(x):
    a = np.c_[x, x**2] if x[0] > 0 else np.c_[x, np.ones(4)]
    return np.sum(a @ np.array([1.0, 2.0]) * x)


class Polynomial:
    def __init__(self, degree):
        self.degree = degree

    def design(self, x):
        return np.c_[np.ones(len(x)), x, [[1.0], [2.0], [3.0], [4.0]]][:, : self.degree]


def joined_by_c_in_a_method(x):
    return np.sum(Polynomial(3).design(x) ** 3)


def method_by_name(x):
    return getattr(x * x, "sum")()  # noqa: B009


def functions_by_name_in_a_loop(x):
    t = 0.0
    for name in ("sin", "cos", "tanh"):
        t = t + np.sum(getattr(np, name)(x))
    return t


def method_by_name_in_a_branch(x, how="mean"):
    y = x * x
    return getattr(y, how)() if how in ("mean", "sum") else y[0]


class Activation:
    def __init__(self, name):
        self.function = getattr(np, name)

    def __call__(self, x):
        return self.function(x)


def function_by_name_in_an_object(x):
    return np.sum(Activation("tanh")(x) * Activation("exp")(-x))


def reduced_by_name(x, how):
    return getattr(np, how)(x)


def function_by_name_in_a_callee(x):
    return reduced_by_name(x * x, "sum") + reduced_by_name(x, "prod")


class Activations:
    @staticmethod
    def leaky(x):
        return np.maximum(x, 0.1 * x)

    @staticmethod
    def swish(x):
        return x / (1.0 + np.exp(-x))


def static_method_by_name(x):
    act = getattr(Activations, "leaky")  # noqa: B009
    return np.sum(act(x) * getattr(Activations, "swish")(x))  # noqa: B009


def functions_by_names_in_a_list(x):
    for name in ["leaky", "swish"]:
        x = getattr(Activations, name)(x)
    return np.sum(x)


def methods_by_name_of_an_object(x):
    p = Polynomial(2)
    for name in ("design", "design"):
        x = getattr(p, name)(x)[:, 1] * x
    return np.sum(x)


def method_bound_to_a_name(x):
    total = (x * x).sum
    return total() + total(axis=0)


def weighted(*terms, scale=1.0):
    t = 0.0
    for k, term in enumerate(terms):
        t = t + scale * (k + 1) * term
    return t


def starred_list(x):
    items = [v * v for v in x]
    return weighted(*items)


def starred_in_a_branch(x):
    items = [x[0], x[1]]
    if x[0] > 0:
        items.append(x[2] * x[0])
    return weighted(*items, scale=2.0)


def composed(*functions):
    def run(x):
        for f in functions:
            x = f(x)
        return x

    return run


def functions_handed_on(x):
    return np.sum(composed(np.sin, np.exp, lambda v: v * v)(x))


class Bus:
    def __init__(self, *sources):
        self.sources = sources

    def total(self, *extra):
        return weighted(*self.sources, *extra)


def starred_in_a_method(x):
    bus = Bus(*x[:2])
    t = 0.0
    for k in range(2):
        t = t + bus.total(*[x[2], x[3] * k])
    return t


class Dual:
    def __init__(self, a, b=0.0):
        self.a, self.b = a, b

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a + other.a, self.b + other.b)

    def __radd__(self, other):
        return self + other

    def __mul__(self, other):
        if not isinstance(other, Dual):
            return Dual(self.a * other, self.b * other)
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    __rmul__ = __mul__

    def __abs__(self):
        return (self.a**2 + self.b**2) ** 0.5

    def __neg__(self):
        return Dual(-self.a, -self.b)

    def __float__(self):
        return float(self.a)

    def __round__(self, digits=0):
        return Dual(self.a, self.b * 2.0)

    def __divmod__(self, other):
        return self.a * other, self.b + other

    def __pow__(self, n):
        return Dual(self.a**n, n * self.a ** (n - 1) * self.b)


def size_of_an_object(x):
    return abs(Dual(x[0], x[1])) * x[2]


def reflected_by_a_float(x):
    d = 2.0 * Dual(x[0], x[1])
    return d.a * d.b


def reflected_by_a_numpy_scalar(x):
    d = x[2] * Dual(x[0], x[1])
    return d.a * d.b


def sum_of_objects(x):
    d = sum([Dual(x[0], x[1]), Dual(x[2], x[3]), Dual(x[0] * x[1])])
    return d.a * d.b


def sum_of_objects_from_one_on(x):
    duals = [Dual(x[0], x[1]), Dual(x[2], x[3])]
    d = sum((d * x[0] for d in duals), start=Dual(x[0] * x[1], x[2]))
    return d.a * d.b


def round_and_divmod_of_objects(x):
    d = round(Dual(x[0], x[1]), 2)
    q, r = divmod(d, 3.0)
    return q * r


def objects_added_in_a_loop(x):
    t = Dual(1.0, x[0])
    for v in x:
        t = t * 0.5 + v * Dual(v, 1.0) ** 2
    return abs(-t)


def joined_by_r_in_a_while(x):
    t = x * 1.0
    k = 0
    while k < 3:
        t = np.r_[t[1:], t[0] * (k + 1.0)]
        k += 1
    return np.sum(t**2)


def range_by_r(x):
    return np.sum(x * np.r_[1:5])


def methods_written_out(x, how="mean"):
    y = x * x
    if how == "mean":
        return y.mean()
    return y.sum() if how == "sum" else y[0]


class ActivationFromTable:
    table = {"tanh": np.tanh, "exp": np.exp}

    def __init__(self, function):
        self.function = function

    def __call__(self, x):
        return self.function(x)


def function_given_to_an_object(x):
    return np.sum(ActivationFromTable(np.tanh)(x) * ActivationFromTable(np.exp)(-x))


def objects_added_one_by_one(x):
    items = [Dual(x[0], x[1]), Dual(x[2], x[3]), Dual(x[0] * x[1])]
    a, b = 0.0, 0.0
    for d in items:
        a = a + d.a
        b = b + d.b
    return a * b


ROWS = {
    "joins by brackets": (
        joined_by_r,
        joined_by_r_in_a_loop,
        joined_by_c_in_a_branch,
        joined_by_c_in_a_method,
        joined_by_r_in_a_while,
        range_by_r,
    ),
    "methods and functions by name": (
        method_by_name,
        functions_by_name_in_a_loop,
        method_by_name_in_a_branch,
        function_by_name_in_an_object,
        function_by_name_in_a_callee,
        function_given_to_an_object,
        static_method_by_name,
        functions_by_names_in_a_list,
        methods_by_name_of_an_object,
        method_bound_to_a_name,
    ),
    "starred arguments": (
        starred_list,
        starred_in_a_branch,
        functions_handed_on,
        starred_in_a_method,
    ),
    "special methods": (
        size_of_an_object,
        reflected_by_a_float,
        reflected_by_a_numpy_scalar,
        sum_of_objects,
        sum_of_objects_from_one_on,
        round_and_divmod_of_objects,
        objects_added_in_a_loop,
    ),
}
WAYS_OUT = {
    method_by_name_in_a_branch: methods_written_out,
    sum_of_objects: objects_added_one_by_one,
}
