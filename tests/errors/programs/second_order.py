"""Derivatives that cannot be differentiated again, and derivatives taken inside."""

import numpy as np

import tapeless as tl
from tests.errors.programs import X, refused


class Linked:
    def __init__(self, value, parents=()):
        self.value, self.parents = value, parents

    def __add__(self, other):
        return Linked(self.value + other.value, (self, other))


def second(f, x):
    return tl.grad(lambda x: np.sum(tl.grad(f)(x)))(x)


@refused(X, ask=second)
def linked_with_what_it_is_made_of(x):
    total = Linked(x)
    for _ in range(3):
        total = total + (total.parents[0] if total.parents else Linked(1.0))
    return np.sum(total.value**2)


@refused(X)
def gradient_of_an_unknown_option(x):
    order = [0, 1]
    return tl.grad(lambda a, b: a * b, wrt=order[len(x) - 3])(x[0], x[1])


@refused(X)
def gradient_with_too_few_arguments(x):
    def product(a, b):
        return a * b

    return tl.grad(product)(x[0])


@refused(X)
def gradient_by_a_wrong_number(x):
    def product(a, b):
        return a * b

    return tl.grad(product, wrt=2)(x[0], x[1])


@refused(X)
def jvp_by_a_list(x):
    primals = [v for v in [x]]
    y, y_dot = tl.jvp(lambda v: v * v, tuple(primals), (x,))
    return np.sum(y_dot)


@refused(X)
def derivative_of_hvp(x):
    return np.sum(tl.hvp(lambda v: np.sum(v**4), x, x))


@refused(X)
def jacobian_of_lists(x):
    def pair(v):
        return [v[0] * v[1], v[1]]

    return np.sum(tl.jacobian(pair)(x)[0])


@tl.custom_gradient
def hidden_grad(x):
    grad = np.vectorize(lambda up: 2.0 * up)
    return x * x, grad


@refused(X, ask=second)
def custom_with_a_hidden_grad(x):
    return np.sum(hidden_grad(x))


@tl.custom_gradient
def with_a_global_count(x):
    def grad(up):
        counted.append(1)
        return up * 2.0 * x * len(counted)

    return x * x, grad


counted = []


@refused(X)
def custom_whose_grad_counts(x):
    return np.sum(with_a_global_count(x)) * len(counted)


@refused(X, ask=second)
def list_stored_again_under_a_key(x):
    table = {}
    y = 0.0
    for v in x:
        table["p"] = [v, 1.0]
        y += table["p"][0] ** 2 * v
    return y
