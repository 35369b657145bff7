"""The order of evaluation, and names that are bound anew or hide others."""

import numpy as np
from numpy import cos as sin  # a name that lies: rules are found by object, not by spelling
X = np.array([0.6, -1.4, 2.3, 0.9])

CONSTANT = np.array([1.5, -0.5, 2.0, 0.3])


def targets_from_left_to_right(x):
    y = x * 1.0
    i = 0
    i, y[i] = 2, y[i] * 5.0
    i, y[i] = 1, y[i] * 7.0
    return np.sum(y * CONSTANT) * i


def iterated_name_is_rebound(x):
    s = 0.0
    for v in x:
        s = s + v * v
        x = x * 1.5
    return s + np.sum(x)


def returns_from_a_loop_over_a_rebound_name(x):
    for v in x:
        if v < 0:
            return np.tanh(v) * 2
        x = x * 1.0
    return np.sum(x)


def bound_of_a_range_changes(x):
    n = 4
    s = 1.0
    for i in range(n):
        n = n - 2
        s = s * x[i] + n
        i = 7
    return s * i


def shadows_builtins(x):
    reversed = x * 2.0
    zip = reversed * x
    range_ = np.sum(zip)
    len = range_ * 0.5
    list = 0.0
    for v in x:
        list = list * v + len
    return list * range_


def shadows_modules(x):
    np = x * x
    math = np + x
    return np * math


def one_argument_called_like_the_result(y, y_bar, x_dot, self):
    x = y * y_bar
    x_bar = x * x_dot
    saved = x_bar * self
    return saved * x


def a_name_that_lies(x):
    return np.sum(sin(x) * x)


def layer_fwd(x):
    return x * x


def layer_rev(x):
    return layer_fwd(x) * 2.0


def layer(x):
    return layer_rev(x) * x


def functions_named_like_generated_ones(x):
    return layer(x) + layer_fwd(x) * layer_rev(x)


def rebinds_to_other_kinds(x):
    y = x
    y = [y, y * 2.0]
    y = y[0] * y[1]
    y = np.sum(y)
    y = {"v": y}
    return y["v"] ** 2


def decision_on_overwritten_data(x):
    y = x * 1.0
    for i in range(4):
        if y[i] > 0.5:
            y[i] = y[i] * -2.0
        else:
            y[i] = y[i] ** 2
        if y[i] > 0.5:
            y[0] += y[i]
    return np.sum(y)


def temporaries_with_reused_ids(x):
    s = 0.0
    for i in range(6):
        t = x * (i + 1.0)
        u = t[1:]
        u[0] = s + np.cos(t[0])
        t = np.sin(t)
        s = 0.3 * np.sin(s) + 0.1 * np.sum(t[:2]) * np.sum(u)
        del_me = np.ones(4) * s
        del_me[i % 4] = 0.0
        s = s + 0.1 * np.sum(del_me)
    return s


def lists_of_temporaries(x):
    total = 0.0
    for i in range(5):
        rows = [x * i, x[::-1] * 2.0]
        rows[0][i % 4] = total + x[0]
        rows[i % 2] = rows[0] * rows[1]
        total = total * 0.1 + np.sum(rows[0]) + np.sum(rows[1])
    return total


CASES = [
    ("iterated_name_is_rebound", iterated_name_is_rebound, (X,)),
    ("returns_from_a_loop_over_a_rebound_name", returns_from_a_loop_over_a_rebound_name, (X,)),
    ("targets_from_left_to_right", targets_from_left_to_right, (X,)),
    ("bound_of_a_range_changes", bound_of_a_range_changes, (X,)),
    ("shadows_builtins", shadows_builtins, (X,)),
    ("shadows_modules", shadows_modules, (1.3,)),
    ("one_argument_called_like_the_result", one_argument_called_like_the_result, (1.3, 0.4, -0.6, 0.9)),
    ("a_name_that_lies", a_name_that_lies, (X,)),
    ("functions_named_like_generated_ones", functions_named_like_generated_ones, (1.3,)),
    ("rebinds_to_other_kinds", rebinds_to_other_kinds, (X,)),
    ("decision_on_overwritten_data", decision_on_overwritten_data, (X,)),
    ("temporaries_with_reused_ids", temporaries_with_reused_ids, (X,)),
    ("lists_of_temporaries", lists_of_temporaries, (X,)),
]
