"""Programs in which a float and a number of NumPy's differ, or a list and an array."""

import numpy as np

X = np.array([0.3, 0.7, 1.2, 0.9])
TABLE = np.outer(X, X)


def divides_by_zero(x, n):
    for _ in range(n):
        s = np.sin(x)
        x = s / (s - s) + x
    return x


def divides_by_an_argument(x, gamma):
    s = 0.0
    for i in range(len(x)):
        s = s + np.exp(x[i]) / gamma
    return s


def overflows(y, n):
    y = np.exp(y)
    for _ in range(n):
        y = y**2
    return y


def stores_integers(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = i
    s = 0.0
    for i in range(len(x)):
        s = s + y[i] * x[i]
    return s + np.sum(y)


def counts_from_the_end(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        y[-i] = x[i - 1] * x[i]
    s = 0.0
    for i in range(n):
        s += y[i] ** 2
    return s


def takes_the_largest(x):
    m = -np.inf
    for i in range(len(x)):
        m = max(m, x[i])
        if x[i] > 1.0:
            m = m - x[i] * np.cos(x[i])
    return m * 1.0


def adds_in_single(x):
    y = np.ones(3, dtype=np.float32)
    s = 0.0
    for i in range(len(x)):
        c = np.cos(x[i])
        y = y * c
        s = s + np.sum(y)
    return s


def looks_at_classes(x, n):
    for _ in range(n):
        x = np.sin(x)
        if isinstance(x, np.float64):
            x = x * 2.0
    return x


def filters(x, w):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] * w + x[i]
    s = 0.0
    for i in range(len(x)):
        s += y[i] * np.sin(y[i])
    return s


def step_of(x, a):
    return np.sin(x) * a + 0.5 * x


def ratio_of(p, q):
    return p / q


def fill_squares(y, x):
    for i in range(len(x)):
        y[i] = x[i] * x[i]


def calls_in_turn(x, a, n):
    for _ in range(n):
        x = step_of(x, a)
    return x


def divides_in_a_callee(x, a, n):
    for _ in range(n):
        x = ratio_of(np.cos(x), 1.0 + a * x)
    return x * a


def has_two_names(x):
    y = np.zeros(len(x))
    z = y
    for i in range(len(x)):
        z[i] = x[i] * np.exp(x[i])
    s = 0.0
    for i in range(len(x)):
        s += y[i] * y[i]
    return s


def stores_by_a_view(x):
    y = np.zeros(len(x))
    v = y[1:]
    for i in range(len(x) - 1):
        v[i] = x[i] * x[i + 1]
    s = 0.0
    for i in range(len(x)):
        s += y[i] * x[i]
    return s


def has_it_filled(x):
    y = np.zeros(len(x))
    fill_squares(y, x)
    s = 0.0
    for i in range(len(x)):
        s += y[i] * np.cos(y[i])
    return s


def returns_an_entry_early(x, t):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * np.exp(-s)
        if s > t:
            return s * x[i]
    return s


def goes_on(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        s = s + np.log1p(x[i]) / x[i]
    return s


def swaps(x):
    y = x.copy()
    for i in range(len(x) - 1):
        y[i], y[i + 1] = y[i + 1] * 2.0, y[i]
    s = 0.0
    for i in range(len(x)):
        s += y[i] ** 3
    return s


def stores_both_sorts(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if i % 2 == 0:
            y[i] = 3
        else:
            y[i] = x[i]
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * y[i] // 1.0 + x[i] / (1.0 + y[i])
    return s


def raises_to_powers(x, n):
    s = 0.0
    z = np.sin(x)
    for i in range(n):
        z = z * 1.1
        s = s + z**3 + z**i + 2.0**z
    return s


def negates_zero(x, n):
    z = np.sin(x) * 0.0
    for _ in range(n):
        z = -z
    return z + np.copysign(1.0, z) * x


def meets_nan(x, n):
    z = np.log(x)
    s = 0.0
    for i in range(n):
        z = z * 1.01
        if z != z:
            s = s + 1.0
        s = max(s, z)
    return s * x


def meets_infinity(x, n):
    z = np.exp(x)
    for _ in range(n):
        z = z * z
    return 1.0 / z


def divides_by_a_sum(x):
    s = 0.0
    w = 0.0
    for i in range(len(x)):
        w = w + x[i]
        s = s + x[i] / w
    return s


def divides_by_what_a_branch_binds(x, n):
    d = 0.0
    for i in range(n):
        if i > 0:
            d = np.sin(x)
        x = x + np.cos(x) / (d + 1.0)
    return x


def multiplies_singles(x, w):
    t = np.zeros(3, dtype=np.float32)
    for i in range(len(x)):
        c = np.cos(x[i])
        t = t + c * w
    return np.sum(t)


def finds_a_path(a):
    n = a.shape[0]
    m = a.shape[1]
    t = np.zeros((n + 1, m + 1))
    for i in range(n):
        for j in range(m):
            t[i + 1, j + 1] = a[i, j] + max(t[i, j + 1], t[i + 1, j]) * 0.9
    return t[n, m] * t[n, m]


def sums_the_whole(x):
    y = np.zeros(len(x))
    acc = 0.0
    for i in range(len(x)):
        acc = acc * 0.5 + x[i]
        y[i] = acc * acc
    return np.sum(np.sin(y)) + np.sum(y)


def takes_at_places(x, idx):
    s = 0.0
    for i in range(len(idx)):
        s = s + x[idx[i]] * x[idx[i]] * np.exp(-s)
    return s


def stores_from_the_end(x):
    s = 0.0
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[-1 - i] = x[i] * x[-i]
    for i in range(len(x)):
        s += np.cos(y[i])
    return s


def has_a_pole(x):
    s = 0.0
    for i in range(len(x)):
        s = s + np.sqrt(x[i] * x[i])
    return s


def updates_by_quotients(x, n):
    y = np.sin(x)
    for i in range(n):
        y /= 1.0 + y * y
        y -= 0.1 * y
        y *= 1.5
    return y


def binds_two_at_once(x, n):
    a, b = np.sin(x), np.cos(x)
    for i in range(n):
        a, b = a * 0.9 - b * 0.1, b * 0.9 + a / (1.0 + b * b)
    return a * b


def raises(x, n):
    for i in range(n):
        x = np.exp(x)
        if x > 100.0:
            raise ValueError("too large")
    return x


def reads_past_the_end(x):
    s = 0.0
    for i in range(len(x) + 1):
        s = s + x[i] * x[i]
    return s


def copies_a_copy(x):
    y = x.copy()
    z = y.copy()
    for i in range(len(x)):
        y[i] = z[i] * np.sin(z[i])
    s = 0.0
    for i in range(len(x)):
        s += y[i] * z[i] * x[i]
    return s


def stores_into_a_product(x, w):
    y = x * w
    for i in range(1, len(x)):
        y[i] = y[i] + 0.5 * y[i - 1]
    return np.sum(y) + y[0] / y[len(x) - 1]


def stores_truths(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] > 0.5
    s = 0.0
    for i in range(len(x)):
        s = s + y[i] * x[i]
    return s


def binds_its_parameter_anew(x, n):
    x = np.sin(x)
    for i in range(n):
        x = x / (1.0 + x)
    return x


def gives_an_array_to_fill(x):
    y = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        y[i] = x[i] * 2.0
        s = s + y[i]
    np.sin(x.copy(), y)
    for i in range(len(x)):
        s = s + y[i] * x[i]
    return s


def counts_along(x):
    s = 0.0
    for i, v in enumerate(x):
        z = np.exp(v)
        s = s + z / (i + 1.0) * x[i]
    return s


def goes_through_two(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s + np.sin(a) / b
    return s


def sums_what_lies_apart(x):
    s = 0.0
    for i in range(len(x)):
        s = s + np.sin(x[i])
    return s + np.sum(x) * np.sum(np.sin(x))


def returns_either(x, n):
    z = np.sin(x)
    t = 1.0
    for i in range(n):
        t = t * z
        z = z + 0.1 * t
    if n > 3:
        return t
    return z


def has_signs(x, n):
    for i in range(n):
        z = np.sin(x)
        x = +z - (-x)
    return x


CASES = [
    (divides_by_zero, (0.5, 2)),
    (divides_by_zero, (0.5, 0)),
    (divides_by_an_argument, (np.array([1.0, 2.0]), np.float64(0.0))),
    (divides_by_an_argument, (np.array([1.0, 2.0]), 2.0)),
    (overflows, (0.9, 3)),
    (overflows, (5.0, 12)),
    (stores_integers, (np.array([1.0, 2.0]),)),
    (stores_integers, (np.zeros(0),)),
    (counts_from_the_end, (np.array([1.0, 2.0, 3.0]),)),
    (takes_the_largest, (np.array([0.1, 2.0, 0.3]),)),
    (takes_the_largest, (np.array([np.nan, 2.0, 0.3]),)),
    (adds_in_single, (np.array([0.1, 0.2]),)),
    (looks_at_classes, (0.5, 3)),
    (filters, (np.array([1.0, 2.0, 0.3]), 0.3)),
    (calls_in_turn, (0.5, 0.3, 4)),
    (calls_in_turn, (0.5, 0.3, 0)),
    (divides_in_a_callee, (0.5, 0.3, 3)),
    (divides_in_a_callee, (0.5, 0.3, 0)),
    (divides_in_a_callee, (np.float64(1.0), -1.0, 1)),
    (has_two_names, (X,)),
    (stores_by_a_view, (X,)),
    (has_it_filled, (X,)),
    (returns_an_entry_early, (X, 0.8)),
    (returns_an_entry_early, (X, 80.0)),
    (returns_an_entry_early, (np.zeros(0), 1.0)),
    (goes_on, (np.array([0.3, -2.0, 1.0]),)),
    (swaps, (X,)),
    (stores_both_sorts, (X,)),
    (raises_to_powers, (0.7, 4)),
    (raises_to_powers, (0.7, 0)),
    (negates_zero, (0.7, 3)),
    (negates_zero, (0.7, 2)),
    (meets_nan, (-1.0, 3)),
    (meets_nan, (2.0, 3)),
    (meets_infinity, (5.0, 12)),
    (meets_infinity, (0.1, 2)),
    (divides_by_a_sum, (X,)),
    (divides_by_a_sum, (np.array([0.0, 1.0]),)),
    (divides_by_a_sum, (np.zeros(0),)),
    (divides_by_what_a_branch_binds, (0.3, 3)),
    (multiplies_singles, (X, 0.3)),
    (finds_a_path, (TABLE,)),
    (finds_a_path, (np.zeros((0, 3)),)),
    (finds_a_path, (np.zeros((3, 0)),)),
    (sums_the_whole, (X,)),
    (sums_the_whole, (np.zeros(0),)),
    (takes_at_places, (X, np.array([0, 2, -1]))),
    (stores_from_the_end, (X,)),
    (has_a_pole, (np.array([0.3, 0.0, -2.0]),)),
    (updates_by_quotients, (0.3, 3)),
    (binds_two_at_once, (0.3, 3)),
    (raises, (0.3, 2)),
    (raises, (2.3, 3)),
    (reads_past_the_end, (X,)),
    (copies_a_copy, (X,)),
    (stores_into_a_product, (X, 0.7)),
    (stores_into_a_product, (np.array([0.0, 1.0]), 0.0)),
    (stores_truths, (X,)),
    (binds_its_parameter_anew, (0.3, 3)),
    (binds_its_parameter_anew, (0.3, 0)),
    (binds_its_parameter_anew, (-0.5 * np.pi, 2)),
    (gives_an_array_to_fill, (X,)),
    (counts_along, (X,)),
    (goes_through_two, (X, X[::-1].copy())),
    (goes_through_two, (X, np.array([0.0, 1.0, 2.0, 3.0]))),
    (sums_what_lies_apart, (np.arange(40.0)[::3] * 0.1,)),
    (returns_either, (0.3, 2)),
    (returns_either, (0.3, 5)),
    (returns_either, (0.3, 0)),
    (has_signs, (0.3, 3)),
]
