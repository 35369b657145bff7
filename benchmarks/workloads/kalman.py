"""The likelihood of measurements under a Kalman filter: small matrices in a loop."""

import numpy as np

WRT = (0, 1, 2)
SIZES = {"test": (3,), "4 states, 100 steps": (100,)}


def make_inputs(rng, steps):
    step = 0.1
    f = np.eye(4) + step * np.eye(4, k=2)
    q = np.diag([0.01, 0.01, 0.1, 0.1])
    r = np.array([[0.5, 0.1], [0.1, 0.4]])
    h = np.eye(2, 4)
    return f, q, r, h, np.cumsum(rng.normal(size=(steps, 2)), axis=0)


def primal(f, q, r, h, measurements):
    x = np.zeros(4)
    p = np.eye(4)
    total = 0.0
    for z in measurements:
        x = f @ x
        p = f @ p @ f.T + q
        v = z - h @ x
        s = h @ p @ h.T + r
        s_inv = np.linalg.inv(s)
        k = p @ h.T @ s_inv
        x = x + k @ v
        p = p - k @ h @ p
        total += v @ s_inv @ v + np.log(np.linalg.det(s))
    return total


def hand(f, q, r, h, measurements):
    x = np.zeros(4)
    p = np.eye(4)
    ft, ht = f.T, h.T
    saved = []
    for z in measurements:
        before_x, before_p = x, p
        x = f @ x
        p = f @ p @ ft + q
        v = z - h @ x
        hp, ph = h @ p, p @ ht
        s_inv = np.linalg.inv(hp @ ht + r)
        k = ph @ s_inv
        saved.append((before_x, before_p, v, hp, ph, s_inv, k))
        x = x + k @ v
        p = p - k @ hp
    f_bar, q_bar, r_bar = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((2, 2))
    x_bar, p_bar = np.zeros(4), np.zeros((4, 4))
    for x, p, v, hp, ph, s_inv, k in reversed(saved):
        s_inv_t = s_inv.T
        hp_bar = -(k.T @ p_bar)
        k_bar = x_bar[:, None] * v - p_bar @ hp.T
        v_bar = k.T @ x_bar + s_inv @ v + v @ s_inv
        ph_bar = k_bar @ s_inv_t
        s_inv_bar = v[:, None] * v + ph.T @ k_bar
        s_bar = s_inv_t - s_inv_t @ s_inv_bar @ s_inv_t
        r_bar += s_bar
        hp_bar += s_bar @ h
        p_bar = p_bar + ht @ hp_bar + ph_bar @ h
        x_bar = x_bar - v_bar @ h
        q_bar += p_bar
        f_bar += p_bar @ f @ p.T + p_bar.T @ f @ p + x_bar[:, None] * x
        p_bar = ft @ p_bar @ f
        x_bar = ft @ x_bar
    return f_bar, q_bar, r_bar
