"""A flow by the lattice Boltzmann method: nine populations that collide and stream."""

import numpy as np

WRT = (0, 1)
SIZES = {"test": (3, 4, 2), "32 x 32, 20 steps": (32, 32, 20)}
DIRECTIONS = np.array(
    [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]], dtype=float
)
SHIFTS = [(int(i), int(j)) for i, j in DIRECTIONS]
WEIGHTS = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)


def make_inputs(rng, rows, columns, steps):
    f = WEIGHTS[:, None, None] * rng.uniform(0.9, 1.1, size=(9, rows, columns))
    return f, 1.2, 0.01 * rng.normal(size=(2, rows, columns)), steps


def moments(f):
    rho = np.sum(f, axis=0)
    return rho, np.tensordot(DIRECTIONS.T, f, axes=1) / rho


def collide(f, omega):
    rho, u = moments(f)
    along = np.tensordot(DIRECTIONS, u, axes=1)
    shape = 1.0 + 3.0 * along + 4.5 * along**2 - 1.5 * np.sum(u**2, axis=0)
    equilibrium = WEIGHTS[:, None, None] * rho * shape
    return f + omega * (equilibrium - f)


def stream(f):
    return np.stack([np.roll(f[i], SHIFTS[i], axis=(0, 1)) for i in range(9)])


def primal(f, omega, target, steps):
    for _ in range(steps):
        f = stream(collide(f, omega))
    _, u = moments(f)
    return np.sum((u - target) ** 2)


def hand_roll(a, shift, out):
    """Store `a`, shifted around both edges, into `out`."""
    i, j = shift[0] % len(a), shift[1] % a.shape[1]
    out[i:, j:] = a[: len(a) - i, : a.shape[1] - j]
    out[:i, j:] = a[len(a) - i :, : a.shape[1] - j]
    out[i:, :j] = a[: len(a) - i, a.shape[1] - j :]
    out[:i, :j] = a[len(a) - i :, a.shape[1] - j :]


def hand_moments_bar(f_bar, rho, u, rho_bar, u_bar):
    """Add to the adjoint of the populations what comes by their moments."""
    u_bar /= rho
    rho_bar -= np.einsum("kxy,kxy->xy", u_bar, u)
    f_bar += rho_bar
    f_bar += np.tensordot(DIRECTIONS, u_bar, axes=1)


def hand(f, omega, target, steps):
    weights = WEIGHTS[:, None, None]
    saved = []
    for _ in range(steps):
        rho, u = moments(f)
        along = np.tensordot(DIRECTIONS, u, axes=1)
        shape = along * along
        shape *= 4.5
        shape += 3.0 * along
        shape += 1.0 - 1.5 * np.einsum("kxy,kxy->xy", u, u)
        change = shape * rho
        change *= weights
        change -= f
        saved.append((rho, u, along, shape, change))
        collided = omega * change
        collided += f
        f = np.empty_like(collided)
        for i in range(9):
            hand_roll(collided[i], SHIFTS[i], out=f[i])
    rho, u = moments(f)
    f_bar, omega_bar = np.zeros_like(f), 0.0
    hand_moments_bar(f_bar, rho, u, np.zeros_like(rho), 2.0 * (u - target))
    for rho, u, along, shape, change in reversed(saved):
        after_bar = np.empty_like(f_bar)
        for i, (down, across) in enumerate(SHIFTS):
            hand_roll(f_bar[i], (-down, -across), out=after_bar[i])
        omega_bar += np.vdot(after_bar, change)
        f_bar = (1.0 - omega) * after_bar
        shape_bar = after_bar
        shape_bar *= omega * weights
        rho_bar = np.einsum("kxy,kxy->xy", shape_bar, shape)
        shape_bar *= rho
        u_bar = (-3.0 * np.sum(shape_bar, axis=0)) * u
        along *= 9.0
        along += 3.0
        along *= shape_bar
        u_bar += np.tensordot(DIRECTIONS.T, along, axes=1)
        hand_moments_bar(f_bar, rho, u, rho_bar, u_bar)
    return f_bar, omega_bar
