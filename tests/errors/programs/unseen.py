"""Calls of code that is not looked into."""

import array

import numpy as np

from tests.errors.programs import X, refused


@refused(X)
def unknown_method(x):
    held = array.array("d", [1.0])
    held.extend(x)
    return held[0] * x[0]


@refused(X)
def callback_that_stores(x):
    z = x * 1.0

    def put(i):
        z[int(i)] = 5.0
        return 0.0

    np.frompyfunc(put, 1, 1)(np.zeros(1))
    return np.sum(z * z)


@refused(X)
def callback_that_is_kept(x):
    z = x * 1.0

    def put(i):
        z[int(i)] = 5.0
        return 0.0

    kept = np.vectorize(put)
    kept(np.array([0.0]))
    return np.sum(z * z)


class Model:
    def run(self, v):
        return v * v


def apply(f, v):
    return f(v)


@refused(X)
def one_of_two_methods(x):
    model = Model()
    y = x[0]
    for i in range(2):
        y = apply(model.run if i else np.sin, y)
    return y


@refused(X)
def reduced_by_what_is_not_known(x):
    return np.frompyfunc(lambda a, b: a + b, 2, 1).reduce(x)
