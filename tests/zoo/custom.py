"""Custom gradients whose rules are right, so that every law holds for them too."""

import numpy as np

import tapeless as tl

X = np.array([0.6, -1.4, 2.3, 0.9])
W = np.array([[0.3, -0.6, 1.1, 0.2], [0.7, 1.2, -0.4, -0.8]])


@tl.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


@tl.custom_gradient
def product(x, y):
    def grad(g):
        return g * y, g * x

    return x * y, grad


@tl.custom_gradient
def cube(x):
    return x**3, lambda dy: 3.0 * dy * x * x


@tl.custom_gradient
def polar(x, y):
    r = np.sqrt(x * x + y * y)

    def grad(dr, dt):
        return dr * x / r - dt * y / r**2, dr * y / r + dt * x / r**2

    return (r, np.arctan2(y, x)), grad


@tl.custom_gradient
def affine(w, x, scale=1.0):
    def grad(g):
        return scale * np.outer(g, x), scale * (w.T @ g), np.sum(g * (w @ x))

    return scale * (w @ x), grad


@tl.custom_gradient
def smooth_abs(x):
    if x > 0:

        def grad(g):
            return g * x / np.sqrt(x * x + 0.1)

    else:

        def grad(g):
            return -g * -x / np.sqrt(x * x + 0.1)

    return np.sqrt(x * x + 0.1), grad


@tl.custom_gradient
def fixed_point(a):
    x = 1.0
    for _ in range(60):
        x = np.cos(a * x)

    def grad(g):
        s = np.sin(a * x)
        return -g * s * x / (1.0 + a * s)

    return x, grad


@tl.custom_gradient
def power(x, n):
    def grad(g):
        return g * n * x ** (n - 1), None

    return x**n, grad


class Softplus:
    def __init__(self, sharpness):
        self.sharpness = sharpness

    def __call__(self, x):
        return log1pexp(self.sharpness * x) / self.sharpness


def logistic_loss(w, x):
    return np.mean(log1pexp(w @ x))


def scalar(x):
    return log1pexp(x) * x


def in_a_loop(x):
    for i in range(3):
        x = log1pexp(x) - 0.3 * i
    return x


def in_a_branch(x):
    if x > 0:
        return log1pexp(x)
    y = cube(x)
    return y * product(x, y)


def twice_in_one_expression(x, y):
    return product(log1pexp(x), log1pexp(y)) + product(x, x)


def names_collide(x):
    e = x * 2.0
    grad = log1pexp(e)
    upstream = grad * e
    g = cube(upstream)
    dy = product(g, e)
    return dy


def two_results(x, y):
    r, t = polar(x, y)
    return r * np.sin(t) + t


def one_result_unused(x, y):
    r, _ = polar(x, y)
    return r * r


def affine_layers(w, x, s):
    h = affine(w, x)
    k = affine(w.T, h, scale=s)
    return np.sum(np.tanh(k))


def conditional_rules(x):
    total = 0.0
    for v in x:
        total = total + smooth_abs(v) * v
    return total


def integer_argument(x):
    return power(x, 3) * power(x, n=2)


def custom_in_a_list(x):
    ys = [cube(x[0]), log1pexp(x[1])]
    ys.append(product(ys[0], ys[1]))
    return ys[2] * ys[0]


def stored(x):
    y = np.zeros(4)
    for i in range(4):
        y[i] = log1pexp(x[i]) * (y[i - 1] if i > 0 else 1.0)
    return np.sum(y)


def local_rule(x, c):
    @tl.custom_gradient
    def scaled(v):
        def grad(g):
            return 2.0 * g * v

        return v * v, grad

    return scaled(x) * c + scaled(c)


CASES = [
    ("logistic_loss", logistic_loss, (W, X)),
    ("scalar", scalar, (0.8,)),
    ("bare", log1pexp, (X,)),
    ("in_a_loop", in_a_loop, (X,)),
    ("in_a_branch_1", in_a_branch, (0.8,)),
    ("in_a_branch_2", in_a_branch, (-0.8,)),
    ("twice_in_one_expression", twice_in_one_expression, (0.8, -0.3)),
    ("names_collide", names_collide, (0.3,)),
    ("two_results", two_results, (0.8, 1.1)),
    ("one_result_unused", one_result_unused, (0.8, 1.1)),
    ("affine_layers", affine_layers, (W, X, 0.7)),
    ("conditional_rules", conditional_rules, (X,)),
    ("fixed_point", fixed_point, (0.6,)),
    ("integer_argument", integer_argument, (0.6,)),
    ("custom_in_a_list", custom_in_a_list, (X,)),
    ("stored", stored, (X,)),
    ("local_rule", local_rule, (0.6, 1.3)),
]
