"""Prey and predators by the Runge-Kutta method of order four: vectors of two, and calls."""

import numpy as np

WRT = (0, 1)
SIZES = {"test": (2,), "200 steps": (200,)}


def make_inputs(rng, steps):
    return np.array([1.1, 0.4, 0.4, 0.1]), np.array([10.0, 5.0]), 0.02, steps


def field(p, y):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[3] * y[0] * y[1] - p[2] * y[1]])


def step(p, y, h):
    k1 = field(p, y)
    k2 = field(p, y + 0.5 * h * k1)
    k3 = field(p, y + 0.5 * h * k2)
    k4 = field(p, y + h * k3)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def primal(p, y0, h, steps):
    y = y0
    for _ in range(steps):
        y = step(p, y, h)
    return np.sum(y * y)


def hand_field(p, a, b):
    p0, p1, p2, p3 = p
    return (p0 - p1 * b) * a, (p3 * a - p2) * b


def hand_field_bar(p, p_bar, a, b, u_bar, v_bar):
    p0, p1, p2, p3 = p
    product_bar = p3 * v_bar - p1 * u_bar
    p_bar[0] += u_bar * a
    p_bar[1] -= u_bar * a * b
    p_bar[2] -= v_bar * b
    p_bar[3] += v_bar * a * b
    return p0 * u_bar + product_bar * b, product_bar * a - p2 * v_bar


def hand(p, y0, h, steps):
    p, (a, b) = p.tolist(), y0.tolist()
    half, sixth = 0.5 * h, h / 6.0
    saved = []
    for _ in range(steps):
        u1, v1 = hand_field(p, a, b)
        a2, b2 = a + half * u1, b + half * v1
        u2, v2 = hand_field(p, a2, b2)
        a3, b3 = a + half * u2, b + half * v2
        u3, v3 = hand_field(p, a3, b3)
        a4, b4 = a + h * u3, b + h * v3
        u4, v4 = hand_field(p, a4, b4)
        saved.append((a, b, a2, b2, a3, b3, a4, b4))
        a += sixth * (u1 + 2.0 * u2 + 2.0 * u3 + u4)
        b += sixth * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
    p_bar = [0.0, 0.0, 0.0, 0.0]
    a_bar, b_bar = 2.0 * a, 2.0 * b
    for a, b, a2, b2, a3, b3, a4, b4 in reversed(saved):
        u1_bar, v1_bar = sixth * a_bar, sixth * b_bar
        a4_bar, b4_bar = hand_field_bar(p, p_bar, a4, b4, u1_bar, v1_bar)
        u3_bar, v3_bar = 2.0 * u1_bar + h * a4_bar, 2.0 * v1_bar + h * b4_bar
        a3_bar, b3_bar = hand_field_bar(p, p_bar, a3, b3, u3_bar, v3_bar)
        u2_bar, v2_bar = 2.0 * u1_bar + half * a3_bar, 2.0 * v1_bar + half * b3_bar
        a2_bar, b2_bar = hand_field_bar(p, p_bar, a2, b2, u2_bar, v2_bar)
        u1_bar += half * a2_bar
        v1_bar += half * b2_bar
        a1_bar, b1_bar = hand_field_bar(p, p_bar, a, b, u1_bar, v1_bar)
        a_bar += a4_bar + a3_bar + a2_bar + a1_bar
        b_bar += b4_bar + b3_bar + b2_bar + b1_bar
    return np.array(p_bar), np.array([a_bar, b_bar])
