import numpy as np

sample = (np.array([0.5, -1.0]),)


def busy(x):
    return np.busday_count(x, x)


def counted(x):
    rows = (v for v in x)
    count = rows
    return count


def offset(x):
    y = np.busday_offset(x)
    return y


def loss(x):
    total = 0.0
    a = np.sum(busy(x))
    b = busy(x).wrong(a)
    for row in np.datetime_as_string(x):
        total += row
    if total > 0.0:
        return counted(x)[0] * np.busday_count(x[0], 1)
    return total + b + np.sum(offset(x) + offset(2.0 * x))


def one_mode(x):
    if np.is_busday(x):
        return x
    return 2.0 * x


def names(x):
    return eval("x", {}) + locals()["x"]


def follows(x):
    solver = eval("x", {})
    return solver.solve(x)


def two(x):
    return np.busday_count(x, 1) + np.busday_offset(x) * np.is_busday(np.busday_count(x, 2))
