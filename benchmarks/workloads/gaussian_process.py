"""The evidence of a Gaussian process with a length scale per feature: a factorisation."""

import numpy as np

WRT = (0, 1, 2)
SIZES = {"test": (4, 2), "100 points": (100, 3), "400 points": (400, 3)}


def make_inputs(rng, n, features):
    x = rng.normal(size=(n, features))
    return 0.1 * rng.normal(size=features), 0.2, -1.0, x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=n)


def primal(log_lengths, log_scale, log_noise, x, y):
    scaled = x / np.exp(log_lengths)
    squares = np.sum((scaled[:, None, :] - scaled[None, :, :]) ** 2, axis=2)
    covariance = np.exp(2.0 * log_scale - 0.5 * squares)
    covariance = covariance + np.exp(2.0 * log_noise) * np.eye(len(x))
    root = np.linalg.cholesky(covariance)
    white = np.linalg.solve(root, y)
    return 0.5 * np.sum(white**2) + np.sum(np.log(np.diag(root)))


def hand(log_lengths, log_scale, log_noise, x, y):
    scaled = x / np.exp(log_lengths)
    difference = scaled[:, None, :] - scaled
    kernel = np.einsum("ijk,ijk->ij", difference, difference)
    kernel *= -0.5
    kernel += 2.0 * log_scale
    np.exp(kernel, out=kernel)
    noise = np.exp(2.0 * log_noise)
    covariance = kernel.copy()
    np.einsum("ii->i", covariance)[:] += noise
    # twice the adjoint of the covariance: its inverse less the square of the weights
    covariance_bar = np.linalg.inv(covariance)
    weights = covariance_bar @ y
    covariance_bar -= weights[:, None] * weights
    noise_bar = noise * np.trace(covariance_bar)
    covariance_bar *= kernel
    rows = np.sum(covariance_bar, axis=1)
    lengths_bar = rows @ (scaled * scaled)
    lengths_bar -= np.sum(scaled * (covariance_bar @ scaled), axis=0)
    return lengths_bar, np.sum(rows), noise_bar
