"""Densities and small helpers of statistics."""

import math

import numpy as np

LOG_2PI = math.log(2.0 * math.pi)


def normal_logpdf(x, mean=0.0, std=1.0):
    z = (x - mean) / std
    return -0.5 * z**2 - np.log(std) - 0.5 * LOG_2PI


def logsumexp(a, axis=None):
    m = np.max(a, axis=axis, keepdims=True)
    out = np.log(np.sum(np.exp(a - m), axis=axis, keepdims=True)) + m
    if axis is None:
        return out.item() if out.size == 1 and not np.ndim(a) else out.reshape(())
    return np.squeeze(out, axis=axis)


def standardize(X, eps=1e-12):
    mean = X.mean(axis=0)
    scale = X.std(axis=0) + eps
    return (X - mean) / scale, mean, scale
