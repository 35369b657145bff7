"""The logarithm of a sum of exponentials in each row, shifted by the row's maximum."""

import numpy as np

WRT = (0, 1)
SIZES = {"test": (3, 4), "100 x 100": (100, 100), "1,000 x 1,000": (1_000, 1_000)}


def make_inputs(rng, rows, columns):
    return rng.normal(size=(rows, columns)), rng.uniform(0.5, 1.5, size=columns)


def log_sum_exp(v):
    top = np.max(v, axis=1, keepdims=True)
    return np.squeeze(top, axis=1) + np.log(np.sum(np.exp(v - top), axis=1))


def primal(x, scale):
    return np.mean(log_sum_exp(scale * np.abs(x)))


def hand(x, scale):
    magnitude = np.abs(x)
    v_bar = scale * magnitude
    v_bar -= np.max(v_bar, axis=1, keepdims=True)
    np.exp(v_bar, out=v_bar)
    v_bar /= len(x) * np.sum(v_bar, axis=1, keepdims=True)
    scale_bar = np.einsum("ij,ij->j", v_bar, magnitude)
    v_bar *= scale
    v_bar *= np.sign(x, out=magnitude)
    return v_bar, scale_bar
