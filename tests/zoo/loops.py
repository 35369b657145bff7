"""Loops: ranges, arrays, rows, lists, zip, enumerate, reversed, while; what the loop carries."""

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9, -0.2])
M = np.array([[0.3, -0.6, 1.1], [0.7, 0.2, -0.4], [-0.9, 0.5, 0.8], [0.1, 1.2, 0.3]])


def horner(coefficients, x):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


def logistic_map(x, r):
    for _ in range(8):
        x = r * x * (1.0 - x)
    return x


def rk4(state, k, dt):
    x, v = state
    for _ in range(6):
        k1x, k1v = v, -k * x
        k2x, k2v = v + dt / 2 * k1v, -k * (x + dt / 2 * k1x)
        k3x, k3v = v + dt / 2 * k2v, -k * (x + dt / 2 * k2x)
        k4x, k4v = v + dt * k3v, -k * (x + dt * k3x)
        x = x + dt / 6 * (k1x + 2 * k2x + 2 * k3x + k4x)
        v = v + dt / 6 * (k1v + 2 * k2v + 2 * k3v + k4v)
    return x * x + v


def euler_vector(y0, a):
    y = y0
    for i in range(5):
        y = y + 0.1 * np.tanh(a @ y + i)
    return np.sum(y**2)


def backwards(x):
    acc = 0.0
    for i in range(len(x) - 1, -1, -1):
        acc = np.sin(acc + x[i])
    return acc


def steps_of_two(x):
    total = 1.0
    for i in range(1, len(x), 2):
        total *= x[i] + 2.0
    return total


def no_trips(x):
    y = x * 2.0
    for i in range(0):
        y = y * x[i]
    for v in x[:0]:
        y = y + v
    while False:
        y = y + 1.0
    return np.sum(y * y)


def rows(m, w):
    loss = 0.0
    for row in m:
        z = row @ w
        loss += np.log1p(np.exp(-z)) + 0.1 * z**2
    return loss


def pairs_of_lists(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total = total + (x - y) ** 2 * x
    return total


def weighted_positions(xs):
    total = 0.0
    for i, x in enumerate(xs, 1):
        total = total + x**i / i
    return total


def from_behind(xs):
    s = 1.0
    for x in reversed(xs):
        s = s * x + np.cos(s)
    return s


def enumerated_pairs(x, m):
    acc = np.zeros(3)
    for i, (v, row) in enumerate(zip(x, m)):
        acc = acc * v + row * (i + 1)
    return acc


def double_loop(m):
    total = 0.0
    n, k = m.shape
    for i in range(n):
        partial = 0.0
        for j in range(k):
            partial = partial + m[i, j] ** 2 * (i + j)
        total = total + np.sqrt(partial + 1.0)
    return total


def triangular(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s = s + np.sin(x[i] * x[j]) / (i - j)
    return s


def last_value_lives_on(x):
    for v in x:
        w = v * v
    for i in range(3):
        pass
    return v * w + x[i] * i


def rebinds_its_variable(x):
    total = 0.0
    for v in x:
        v = v * v
        v = np.sin(v)
        total = total + v
    return total


def newton(a, x):
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x**3


def bounded_while(x, rate):
    n = 0
    while n < 7 and x < 50.0:
        x = x + rate * x
        n += 1
    return x * n


def growth_and_list(x):
    history = []
    while len(history) < 5:
        x = np.cos(x) * 1.1
        history.append(x)
    return history[0] * history[-1] + history[2]


def power_iteration(m, v):
    for _ in range(4):
        w = m.T @ (m @ v)
        v = w / np.linalg.norm(w)
    return v


def two_carried_one_swapped(a, b):
    for _ in range(5):
        a, b = b, np.sin(a) + 0.5 * b
    return a * b


def sum_over_matrix_twice(m):
    total = 0.0
    for row in m.T:
        for v in row:
            total = total + v**3
    for i in range(2):
        total = total * m[i, i]
    return total


def integers_on_the_way(x):
    k = 1
    total = 0.0
    for i in range(1, 6):
        k = k * i % 7
        total = total + x**k / k
    return total


def gradient_descent(target, lr):
    w = np.zeros(3)
    for _ in range(6):
        residual = w - target
        w = w - lr * 2.0 * residual * (1.0 + residual**2)
    return np.sum(w * target)


CASES = [
    ("horner_array", horner, (X, 0.7)),
    ("horner_list", horner, ([0.2, 1.5, -0.3], 0.7)),
    ("logistic_map", logistic_map, (0.3, 2.9)),
    ("rk4_tuple", rk4, ((1.0, 0.2), 2.0, 0.1)),
    ("rk4_array", rk4, (np.array([1.0, 0.2]), 2.0, 0.1)),
    ("euler_vector", euler_vector, (X[:4], M @ M.T)),
    ("backwards", backwards, (X,)),
    ("steps_of_two", steps_of_two, (X,)),
    ("no_trips", no_trips, (X,)),
    ("rows", rows, (M, X[:3])),
    ("pairs_of_lists", pairs_of_lists, ([0.4, 1.2, 0.7], [1.1, -0.2])),
    ("pairs_of_arrays", pairs_of_lists, (X, X[::-1].copy())),
    ("weighted_positions", weighted_positions, (X,)),
    ("from_behind_array", from_behind, (X,)),
    ("from_behind_tuple", from_behind, ((0.4, 0.8, -0.6),)),
    ("enumerated_pairs", enumerated_pairs, (X, M)),
    ("double_loop", double_loop, (M,)),
    ("triangular", triangular, (X,)),
    ("last_value_lives_on", last_value_lives_on, (X,)),
    ("rebinds_its_variable", rebinds_its_variable, (X,)),
    ("newton", newton, (7.0, 2.0)),
    ("bounded_while", bounded_while, (1.2, 0.3)),
    ("bounded_while_early", bounded_while, (12.0, 0.9)),
    ("growth_and_list", growth_and_list, (0.4,)),
    ("power_iteration", power_iteration, (M, X[:3])),
    ("two_carried_one_swapped", two_carried_one_swapped, (0.4, 1.1)),
    ("sum_over_matrix_twice", sum_over_matrix_twice, (M,)),
    ("integers_on_the_way", integers_on_the_way, (1.1,)),
    ("gradient_descent", gradient_descent, (X[:3], 0.05)),
]
