"""An arm of many joints that reaches for a point: a loop over numbers, with limits."""

import math

import numpy as np

WRT = (0, 1)
SIZES = {"test": (3,), "50 joints": (50,)}


def make_inputs(rng, joints):
    return rng.normal(size=joints), rng.uniform(0.5, 1.5, size=joints), np.array([2.0, 1.0]), 1.2


def primal(angles, lengths, goal, limit):
    x, y, direction = 0.0, 0.0, 0.0
    strain = 0.0
    for i in range(len(angles)):
        direction += angles[i]
        x += lengths[i] * np.cos(direction)
        y += lengths[i] * np.sin(direction)
        if abs(angles[i]) > limit:
            strain += (abs(angles[i]) - limit) ** 2
    return (x - goal[0]) ** 2 + (y - goal[1]) ** 2 + 10.0 * strain


def hand(angles, lengths, goal, limit):
    angles, lengths, goal = angles.tolist(), lengths.tolist(), goal.tolist()
    x = y = direction = 0.0
    saved = []
    for angle, length in zip(angles, lengths):
        direction += angle
        cosine, sine = math.cos(direction), math.sin(direction)
        saved.append((cosine, sine))
        x += length * cosine
        y += length * sine
    x_bar, y_bar = 2.0 * (x - goal[0]), 2.0 * (y - goal[1])
    angles_bar, lengths_bar = [0.0] * len(angles), [0.0] * len(angles)
    direction_bar = 0.0
    for i in range(len(angles) - 1, -1, -1):
        cosine, sine = saved[i]
        lengths_bar[i] = x_bar * cosine + y_bar * sine
        direction_bar += lengths[i] * (y_bar * cosine - x_bar * sine)
        angles_bar[i] = direction_bar
        if angles[i] > limit:
            angles_bar[i] += 20.0 * (angles[i] - limit)
        elif angles[i] < -limit:
            angles_bar[i] += 20.0 * (angles[i] + limit)
    return np.array(angles_bar), np.array(lengths_bar)
