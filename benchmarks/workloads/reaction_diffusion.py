"""Two substances that react and spread (Gray and Scott), on a grid without edges."""

import numpy as np

WRT = (0, 1, 2, 3)
SIZES = {"test": (3, 4, 2), "64 x 64, 50 steps": (64, 64, 50)}


def make_inputs(rng, rows, columns, steps):
    u = rng.uniform(0.5, 1.0, size=(rows, columns))
    return u, 0.5 * rng.random((rows, columns)), 0.04, 0.06, steps


def laplacian(a):
    return (
        np.roll(a, 1, axis=0)
        + np.roll(a, -1, axis=0)
        + np.roll(a, 1, axis=1)
        + np.roll(a, -1, axis=1)
        - 4.0 * a
    )


def primal(u, v, feed, kill, steps):
    for _ in range(steps):
        reaction = u * v**2
        u = u + 0.16 * laplacian(u) - reaction + feed * (1.0 - u)
        v = v + 0.08 * laplacian(v) + reaction - (feed + kill) * v
    return np.sum(v**2)


def hand_laplacian(a):
    result = -4.0 * a
    result[1:] += a[:-1]
    result[0] += a[-1]
    result[:-1] += a[1:]
    result[-1] += a[0]
    result[:, 1:] += a[:, :-1]
    result[:, 0] += a[:, -1]
    result[:, :-1] += a[:, 1:]
    result[:, -1] += a[:, 0]
    return result


def hand(u, v, feed, kill, steps):
    saved = []
    for _ in range(steps):
        saved.append((u, v))
        reaction = v * v
        reaction *= u
        change = hand_laplacian(u)
        change *= 0.16
        change -= reaction
        change += feed
        change += (1.0 - feed) * u
        reaction += (1.0 - feed - kill) * v
        u, v = change, hand_laplacian(v)
        v *= 0.08
        v += reaction
    u_bar, v_bar = np.zeros_like(u), 2.0 * v
    feed_bar = kill_bar = 0.0
    for u, v in reversed(saved):
        kill_step = np.vdot(v_bar, v)
        kill_bar -= kill_step
        feed_bar += np.sum(u_bar) - np.vdot(u_bar, u) - kill_step
        reaction_bar = v_bar - u_bar
        reaction_bar *= v
        spread = hand_laplacian(u_bar)
        spread *= 0.16
        u_bar *= 1.0 - feed
        u_bar += spread
        u_bar += reaction_bar * v
        reaction_bar *= u
        reaction_bar *= 2.0
        spread = hand_laplacian(v_bar)
        spread *= 0.08
        v_bar *= 1.0 - feed - kill
        v_bar += spread
        v_bar += reaction_bar
    return u_bar, v_bar, feed_bar, kill_bar
