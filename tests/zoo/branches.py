"""Branches: if, elif, else, ternaries, names bound on one side, decisions on changed data."""

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
DEBUG = False


def leaky(x: float, slope: float):
    if x > 0:
        return x
    return slope * x


def three_regimes(re, rough):
    if re < 2000.0:
        f = 64.0 / re
    elif re < 4000.0:
        blend = (re - 2000.0) / 2000.0
        f = (1.0 - blend) * 64.0 / re + blend * 0.3 * re**-0.25
    else:
        f = 0.25 / np.log10(rough / 3.7 + 5.74 / re**0.9) ** 2
    return f * re


def huber(r, delta):
    total = 0.0
    for e in r:
        total = total + (0.5 * e * e if abs(e) <= delta else delta * (abs(e) - 0.5 * delta))
    return total


def one_side_binds(x):
    scale = 2.0
    if x > 1.0:
        y = x * x
        scale = y
    return x * scale


def rebinds_the_tested_name(x):
    if x > 0.5:
        x = x - 2.0
        if x < 0.0:
            x = x * x
    else:
        x = -x
    return np.sin(x)


def tested_array_is_overwritten(x):
    y = x * 2.0
    if y[0] > 0:
        y[0] = -3.0 * y[1]
    if y[0] > 0:
        y[1] = y[0] * y[2]
    return np.sum(y**2)


def nested(a, b, c):
    if a > b:
        if b > c:
            m = a * b
        else:
            m = a * c
            if a > c:
                m = m + c**3
    else:
        m = b * c
    return m * m


def guard_clauses(x, y):
    if x <= 0:
        return 0.0 * x
    if y <= 0:
        return x
    if x < y:
        z = x / y
        return z + z**2
    return y / x


def four_returns(x, mode):
    if mode == "sq":
        return x * x
    if mode == "sin":
        return np.sin(x)
    if mode == "exp":
        return np.exp(x)
    if mode is None:
        return x
    return x**3


def both_sides_return(x, y):
    if x > y:
        big = x * y
        return big
    else:
        small = x + y
        return small * y


def optional_bias(x, w, bias=None, activation="tanh"):
    h = w @ x
    if bias is not None:
        h = h + bias
    if activation == "tanh":
        h = np.tanh(h)
    elif activation == "relu":
        h = np.maximum(h, 0.0)
    return np.sum(h**2)


def conditions_with_and_or(x, y, strict):
    if (x > 0 and y > 0) or not strict:
        z = x * y
    elif 0 < x < 10 and strict:
        z = x - y
    else:
        z = y
    return z * z


def type_switch(x):
    if isinstance(x, np.ndarray) and x.ndim > 1:
        return np.sum(x @ x.T)
    if isinstance(x, list):
        return x[0] * x[1]
    if len(x) > 3:
        return np.sum(x**3)
    return x[0]


def debug_only(x):
    if DEBUG:
        print("never", undefined_name)  # noqa: F821
    y = x * x
    if False:
        y = undefined_name(y)  # noqa: F821
    return y * x


def ternary_chain(x, y):
    a = x if x > y else y
    b = 1.0 if a > 5 else (x * y if x < 0 else x + y)
    return a * b * (y if y else 1.0)


def different_kinds_per_branch(x, flat):
    if flat:
        t = np.sum(x)
    else:
        t = x * 2.0
    return np.sum(t * t)


def where_against_if(x):
    y = np.where(x > 0, np.sqrt(np.abs(x)), x**2)
    if np.any(x > 2.0):
        y = y * x
    if np.all(x > 2.0):
        y = y * 100.0
    return y


def empty_branches(x):
    if x > 0:
        pass
    else:
        x = -x
    if x > 100:
        assert False
    assert x > 0, "a message"
    return x * x


def state_from_the_branch(x):
    n = 0
    y = x
    if x[0] > 0:
        n = 2
        y = y * x[1]
    if n == 2:
        y = y * x[2]
        n = n + 1
    return np.sum(y) * n


def bound_on_one_side_only(x, flat):
    if flat:
        t = np.sum(x)
    return t


def two_bound_on_one_side_only(x, flat):
    if flat:
        a, b = np.sum(x), np.mean(x)
    else:
        a = 2.0
    return a * b


CASES = [
    ("leaky_above", leaky, (0.7, 0.1)),
    ("leaky_below", leaky, (-0.7, 0.1)),
    ("three_regimes_1", three_regimes, (800.0, 0.01)),
    ("three_regimes_2", three_regimes, (3100.0, 0.01)),
    ("three_regimes_3", three_regimes, (9000.0, 0.6)),
    ("huber", huber, (X, 1.1)),
    ("one_side_binds_yes", one_side_binds, (1.7,)),
    ("one_side_binds_no", one_side_binds, (0.7,)),
    ("rebinds_1", rebinds_the_tested_name, (0.9,)),
    ("rebinds_2", rebinds_the_tested_name, (2.9,)),
    ("rebinds_3", rebinds_the_tested_name, (0.1,)),
    ("tested_array_is_overwritten", tested_array_is_overwritten, (X,)),
    ("tested_array_is_overwritten_2", tested_array_is_overwritten, (-X,)),
    ("nested_1", nested, (3.0, 2.0, 1.0)),
    ("nested_2", nested, (3.0, 1.0, 2.0)),
    ("nested_3", nested, (1.0, 3.0, 2.0)),
    ("guard_clauses_1", guard_clauses, (-0.4, 1.1)),
    ("guard_clauses_2", guard_clauses, (0.4, -1.1)),
    ("guard_clauses_3", guard_clauses, (0.4, 1.1)),
    ("guard_clauses_4", guard_clauses, (1.4, 1.1)),
    ("four_returns_sin", four_returns, (0.4, "sin")),
    ("four_returns_none", four_returns, (0.4, None)),
    ("four_returns_other", four_returns, (0.4, "cube")),
    ("both_sides_return_1", both_sides_return, (2.0, 1.0)),
    ("both_sides_return_2", both_sides_return, (1.0, 2.0)),
    ("optional_bias_without", optional_bias, (X, np.outer(X, X))),
    ("optional_bias_with", optional_bias, (X, np.outer(X, X), X, "relu")),
    ("conditions_1", conditions_with_and_or, (0.5, 0.8, True)),
    ("conditions_2", conditions_with_and_or, (0.5, -0.8, True)),
    ("conditions_3", conditions_with_and_or, (-0.5, -0.8, True)),
    ("type_switch_vector", type_switch, (X,)),
    ("type_switch_matrix", type_switch, (np.outer(X, X),)),
    ("type_switch_list", type_switch, ([1.2, 0.4],)),
    ("debug_only", debug_only, (0.4,)),
    ("ternary_chain_1", ternary_chain, (1.4, 0.7)),
    ("ternary_chain_2", ternary_chain, (-1.4, 0.7)),
    ("different_kinds_flat", different_kinds_per_branch, (X, True)),
    ("different_kinds_full", different_kinds_per_branch, (X, False)),
    ("where_against_if", where_against_if, (X,)),
    ("empty_branches", empty_branches, (0.9,)),
    ("bound_on_one_side_only", bound_on_one_side_only, (X, True)),
    ("two_bound_on_one_side_only", two_bound_on_one_side_only, (X, True)),
    ("state_from_the_branch", state_from_the_branch, (X,)),
]
