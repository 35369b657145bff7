"""Two clouds of points laid over each other: nearest neighbours, a robust error, a rotation."""

import math

import numpy as np

WRT = (0, 1)
SIZES = {"test": (4, 5), "200 points": (200, 200)}


def make_inputs(rng, points, targets):
    rotation, shift = np.array([0.1, -0.2, 0.3]), np.array([0.05, 0.0, -0.1])
    return rotation, shift, rng.normal(size=(points, 3)), rng.normal(size=(targets, 3))


def rotation_matrix(w):
    angle = np.sqrt(np.sum(w**2))
    k = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    return np.eye(3) + np.sin(angle) / angle * k + (1.0 - np.cos(angle)) / angle**2 * k @ k


def primal(w, shift, source, target):
    moved = source @ rotation_matrix(w).T + shift
    squares = np.sum((moved[:, None, :] - target[None, :, :]) ** 2, axis=2)
    nearest = target[np.argmin(squares, axis=1)]
    errors = np.sum((moved - nearest) ** 2, axis=1)
    return np.sum(errors / (1.0 + errors))


def hand(w, shift, source, target):
    w0, w1, w2 = w.tolist()
    angle = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    sine, cosine = math.sin(angle), math.cos(angle)
    first, second = sine / angle, (1.0 - cosine) / (angle * angle)
    k = np.array([[0.0, -w2, w1], [w2, 0.0, -w0], [-w1, w0, 0.0]])
    kk = k @ k
    moved = source @ (np.eye(3) + first * k + second * kk).T
    moved += shift
    between = moved[:, None, :] - target
    nearest = np.argmin(np.einsum("ijk,ijk->ij", between, between), axis=1)
    moved -= target[nearest]
    below = np.einsum("ik,ik->i", moved, moved)
    below += 1.0
    below *= below
    np.divide(2.0, below, out=below)
    moved *= below[:, None]
    matrix_bar = moved.T @ source
    k_bar = first * matrix_bar - second * (matrix_bar @ k + k @ matrix_bar)
    angle_bar = float(np.vdot(matrix_bar, k)) * (cosine - first) / angle
    angle_bar += float(np.vdot(matrix_bar, kk)) * (first - 2.0 * second) / angle
    twist = np.array(
        [k_bar[2, 1] - k_bar[1, 2], k_bar[0, 2] - k_bar[2, 0], k_bar[1, 0] - k_bar[0, 1]]
    )
    return twist + angle_bar / angle * w, np.sum(moved, axis=0)
