"""Results of all sorts: arguments, constants, copies, structures."""

import numpy as np
X = np.array([0.6, -1.4, 2.3, 0.9])

M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])


def empty_things(x):
    y = x[:0]
    return np.sum(y * y) + np.sum(np.concatenate([y, x]) ** 2)


def result_is_an_argument(x, y):
    return y


def result_is_constant(x):
    return 3.0


def output_changed_after_a_copy(x):
    y = x * x
    first = y.copy()
    y += first
    y[0] = 0.0
    return (first, y, y)


def outputs_of_several_kinds(x):
    return {"y": x * 2.0, "label": "name", "n": 3, "pair": (x[0], x[0])}


def prints_and_asserts(x):
    print("called with", x)
    assert np.all(x < 100.0), "too large"
    return np.sum(x**2)


CASES = [
    ("empty_things", empty_things, (X,)),
    ("result_is_an_argument_1", result_is_an_argument, (1.3, 0.4)),
    ("result_is_an_argument_2", result_is_an_argument, (X, M)),
    ("result_is_constant", result_is_constant, (X,)),
    ("output_changed_after_a_copy", output_changed_after_a_copy, (X,)),
    ("outputs_of_several_kinds", outputs_of_several_kinds, (X,)),
    ("prints_and_asserts", prints_and_asserts, (X,)),
]
