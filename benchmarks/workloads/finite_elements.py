"""Compliance of a plate of linear triangles: assembly of a stiffness matrix, and a system."""

import numpy as np

WRT = (0, 1)
SIZES = {"test": (3,), "15 x 15": (15,)}


def make_inputs(rng, side):
    grid = np.arange(side * side).reshape(side, side)
    a, b, c, d = (g.ravel() for g in (grid[:-1, :-1], grid[1:, :-1], grid[:-1, 1:], grid[1:, 1:]))
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([b, d, c], axis=1)])
    x, y = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    nodes = np.stack([x.ravel(), y.ravel()], axis=1) + 0.1 * rng.uniform(size=(side * side, 2))
    free = grid[1:].ravel()  # the first row is held
    return nodes, rng.uniform(0.5, 1.5, size=len(triangles)), triangles, free


def primal(nodes, stiffness, triangles, free):
    n = len(nodes)
    corners = nodes[triangles]
    x, y = corners[:, :, 0], corners[:, :, 1]
    b = y[:, [1, 2, 0]] - y[:, [2, 0, 1]]
    c = x[:, [2, 0, 1]] - x[:, [1, 2, 0]]
    area = 0.5 * np.sum(x * b, axis=1)
    products = b[:, :, None] * b[:, None, :] + c[:, :, None] * c[:, None, :]
    elements = (stiffness / (4.0 * area))[:, None, None] * products
    matrix = np.zeros((n, n))
    np.add.at(matrix, (triangles[:, :, None], triangles[:, None, :]), elements)
    load = np.zeros(n)
    np.add.at(load, triangles, area[:, None] / 3.0)
    displacement = np.linalg.solve(matrix[np.ix_(free, free)], load[free])
    return load[free] @ displacement


def hand(nodes, stiffness, triangles, free):
    n = len(nodes)
    after, last = [1, 2, 0], [2, 0, 1]
    x, y = nodes[:, 0][triangles], nodes[:, 1][triangles]
    b = y[:, after] - y[:, last]
    c = x[:, last] - x[:, after]
    area = 0.5 * np.einsum("ei,ei->e", x, b)
    products = b[:, :, None] * b[:, None, :]
    products += c[:, :, None] * c[:, None, :]
    factor = stiffness / (4.0 * area)
    products *= factor[:, None, None]
    places = (n * triangles[:, :, None] + triangles[:, None, :]).ravel()
    matrix = np.bincount(places, products.ravel(), minlength=n * n).reshape(n, n)
    load = np.bincount(triangles.ravel(), np.repeat(area, 3), minlength=n) / 3.0
    u = np.zeros(n)
    u[free] = np.linalg.solve(matrix[np.ix_(free, free)], load[free])
    # The matrix is symmetric: the adjoint of the load's system is the displacement again.
    local = u[triangles]
    along_b, along_c = np.einsum("ei,ei->e", b, local), np.einsum("ei,ei->e", c, local)
    energy = along_b * along_b + along_c * along_c
    stiffness_bar = energy / (-4.0 * area)
    area_bar = factor * energy / area + np.sum(local, axis=1) * (2.0 / 3.0)
    factor *= -2.0
    b_bar = (factor * along_b)[:, None] * local
    c_bar = (factor * along_c)[:, None] * local
    half = 0.5 * area_bar[:, None]
    x_bar = half * b
    x_bar += c_bar[:, after]
    x_bar -= c_bar[:, last]
    y_bar = half * c
    y_bar += b_bar[:, last]
    y_bar -= b_bar[:, after]
    nodes_bar = np.empty_like(nodes)
    nodes_bar[:, 0] = np.bincount(triangles.ravel(), x_bar.ravel(), minlength=n)
    nodes_bar[:, 1] = np.bincount(triangles.ravel(), y_bar.ravel(), minlength=n)
    return nodes_bar, stiffness_bar
