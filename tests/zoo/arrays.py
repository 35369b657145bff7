"""Arrays: reads and stores by element, slice, mask and integer array; views; in-place updates."""

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9, -0.2, 1.7])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])
SPD = np.array([[4.0, 0.6, 0.3], [0.6, 3.0, -0.4], [0.3, -0.4, 2.5]])


def heat(u0, c):
    u = u0.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] + c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def heat_in_place(u0, c):
    u = u0.copy()
    for _ in range(3):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return u


def gauss_seidel(b, a):
    x = np.zeros_like(b)
    for _ in range(3):
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                if j != i:
                    s = s - a[i, j] * x[j]
            x[i] = s / a[i, i]
    return np.sum(x * b)


def cholesky_by_hand(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for j in range(n):
        low[j, j] = np.sqrt(a[j, j] - np.sum(low[j, :j] ** 2))
        for i in range(j + 1, n):
            low[i, j] = (a[i, j] - low[i, :j] @ low[j, :j]) / low[j, j]
    return low


def eliminate(a, b):
    a = a.copy()
    b = b.copy()
    n = len(b)
    for k in range(n):
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    for k in range(n - 1, -1, -1):
        b[k] = (b[k] - a[k, k + 1 :] @ b[k + 1 :]) / a[k, k]
    return b


def thomas(lower, diag, upper, rhs):
    n = len(diag)
    c = np.zeros(n)
    d = np.zeros(n)
    c[0] = upper[0] / diag[0]
    d[0] = rhs[0] / diag[0]
    for i in range(1, n):
        m = diag[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = upper[i] / m
        d[i] = (rhs[i] - lower[i - 1] * d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] = d[i] - c[i] * d[i + 1]
    return d


def masks(x):
    y = x.copy()
    y[y < 0] = 0.1
    y[x > 1] *= 2.0
    small = x < 1.0
    y[small] = y[small] ** 2 * x[small]
    return y


def picks(x):
    idx = np.array([0, 2, 2, 5])
    y = x[idx] * x[[1, 1, 3, 0]]
    return np.sum(y) * x[-1]


def scatter(x, v):
    y = np.zeros(6)
    y[np.array([4, 1, 1, 0])] = v
    y[[2, 3]] += x[:2] * v[0]
    return y * x


def negative_strides(x):
    y = x[::-1] * x
    z = y[::2][::-1]
    z[1] = z[0] * z[2]
    return np.sum(y**2)


def transposed_view(m):
    a = m * 1.0
    t = a.T
    t[0] = t[1] * t[2]
    a[2, 0] = t[1, 1] * a[0, 0]
    return np.sum(a**2) + np.sum(t[0])


def reshaped_view(x):
    a = x.copy()
    grid = a.reshape(2, 3)
    grid[1] *= grid[0]
    flat = grid.ravel()
    flat[0] = a[4] * a[5]
    return a


def diagonal_blocks(m):
    out = np.zeros((6, 6))
    out[:3, :3] = m
    out[3:, 3:] = m @ m
    out[0, 5] = out[5, 5] * out[2, 2]
    return np.sum(out * out.T)


def broadcast_stores(m, row, c):
    a = m.copy()
    a += row
    a[1] = c
    a[:, 0] = a[:, 1] * 2.0
    a[1:, 1:] *= row[0]
    a -= row[:, None]
    return a


def rows_as_views(m):
    a = m.copy()
    for row in a:
        row[1:] = row[1:] * row[0]
        row[0] *= row[1]
    return np.sum(a**2)


def swapped_rows(m):
    a = m.copy()
    a[[0, 2]] = a[[2, 0]]
    a[0, 1], a[1, 0] = a[1, 0], a[0, 1] * a[2, 2]
    return np.sum(np.cumsum(a, axis=0) ** 2)


def dynamic_programme(costs):
    n, k = costs.shape
    best = np.zeros((n, k))
    best[0] = costs[0]
    for i in range(1, n):
        for j in range(k):
            low = best[i - 1, j]
            if j > 0 and best[i - 1, j - 1] < low:
                low = best[i - 1, j - 1]
            best[i, j] = costs[i, j] ** 2 + low
    return np.min(best[-1])


def bubble(x):
    y = x * x
    for i in range(len(y)):
        for j in range(len(y) - 1 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
    return np.sum(y * np.arange(6.0))


def ellipsis_and_none(m):
    a = np.stack([m, m * 2.0])
    b = a[..., 0] * a[:, None, 1, :2].squeeze(1)[:, :1]
    a[..., 1] = a[..., 2] ** 2
    return np.sum(a) * np.sum(b)


def alias_plus_equals(x):
    y = x * 2.0
    z = y
    y += z[::-1]
    z *= y
    return np.sum(z)


def rebound_not_in_place(x):
    y = x * 2.0
    z = y
    y = y + z[::-1]
    z *= y
    return np.sum(z * y)


def window_sums(x, w):
    out = np.zeros(4)
    for i in range(4):
        out[i] = np.sum(x[i : i + 3] * w)
        x = x * 1.1
    return np.concatenate([out[1:], out[:1]])


def velocity_verlet(p0, v0, dt):
    n = 4
    path = np.zeros((n, 2))
    p, v = p0.copy(), v0.copy()
    force = -p / (1.0 + np.sum(p**2))
    for i in range(n):
        p += dt * v + 0.5 * dt**2 * force
        new = -p / (1.0 + np.sum(p**2))
        v += 0.5 * dt * (force + new)
        force = new
        path[i] = p
    return path


def stores_into_its_argument(x, c):
    x[0] = x[1] * c
    x[2:4] *= x[0]
    return np.sum(x**2)


def overlapping(x):
    y = x.copy()
    y[1:] = y[:-1] * 0.5
    y[:-1] += y[1:] * y[:-1]
    y[2:5] = y[1:4] * x[0]
    return y


CASES = [
    ("heat", heat, (X, 0.2)),
    ("heat_in_place", heat_in_place, (X, 0.2)),
    ("gauss_seidel", gauss_seidel, (X[:3], SPD)),
    ("cholesky_by_hand", cholesky_by_hand, (SPD,)),
    ("eliminate", eliminate, (SPD, X[:3])),
    ("thomas", thomas, (X[:3] * 0.1, X[:4] + 4.0, X[2:5] * 0.1, X[:4])),
    ("masks", masks, (X,)),
    ("picks", picks, (X,)),
    ("scatter", scatter, (X, X[:4] * 1.5)),
    ("negative_strides", negative_strides, (X,)),
    ("negative_strides_argument", negative_strides, (X[::-1],)),
    ("transposed_view", transposed_view, (M,)),
    ("transposed_view_fortran", transposed_view, (np.asfortranarray(M),)),
    ("reshaped_view", reshaped_view, (X,)),
    ("diagonal_blocks", diagonal_blocks, (M,)),
    ("broadcast_stores", broadcast_stores, (M, X[:3], 0.7)),
    ("rows_as_views", rows_as_views, (M,)),
    ("swapped_rows", swapped_rows, (M,)),
    ("dynamic_programme", dynamic_programme, (M,)),
    ("bubble", bubble, (X,)),
    ("ellipsis_and_none", ellipsis_and_none, (M,)),
    ("alias_plus_equals", alias_plus_equals, (X,)),
    ("rebound_not_in_place", rebound_not_in_place, (X,)),
    ("window_sums", window_sums, (X, X[:3])),
    ("velocity_verlet", velocity_verlet, (X[:2], X[2:4], 0.1)),
    ("stores_into_its_argument", stores_into_its_argument, (X, 1.3)),
    ("overlapping", overlapping, (X,)),
    ("heat_single", heat, (X.astype(np.float32), np.float32(0.2))),
]
