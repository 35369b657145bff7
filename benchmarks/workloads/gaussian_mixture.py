"""The log-likelihood of a mixture of Gaussians with a Wishart prior on the precisions."""

import numpy as np

WRT = (0, 1, 2, 3)
SIZES = {"test": (3, 2, 2), "1,000 x 2, k = 5": (1_000, 2, 5), "1,000 x 10, k = 5": (1_000, 10, 5)}


def make_inputs(rng, n, d, k):
    lower = np.tril(0.1 * rng.normal(size=(k, d, d)), -1)
    alphas, means, logs = rng.normal(size=k), rng.normal(size=(k, d)), rng.normal(size=(k, d))
    return alphas, means, logs, lower, rng.normal(size=(n, d)), 1.5


def log_sum_exp(v):
    top = np.max(v, axis=-1, keepdims=True)
    return np.squeeze(top, axis=-1) + np.log(np.sum(np.exp(v - top), axis=-1))


def primal(alphas, means, logs, lower, x, gamma):
    scales = np.exp(logs)
    diff = x[:, None, :] - means
    z = scales * diff + np.einsum("kij,nkj->nki", lower, diff)
    log_weights = alphas + np.sum(logs, axis=1) - 0.5 * np.sum(z**2, axis=2)
    likelihood = np.sum(log_sum_exp(log_weights)) - len(x) * log_sum_exp(alphas)
    size = np.sum(scales**2) + np.sum(lower**2)
    return likelihood - 0.5 * gamma**2 * size + 2.0 * np.sum(logs)


def hand(alphas, means, logs, lower, x, gamma):
    n, d = x.shape
    scales = np.exp(logs)
    # One matrix per component: z = matrix @ (x - mean), component by component.
    matrices = lower.copy()
    diagonal = np.arange(d)
    matrices[:, diagonal, diagonal] += scales
    diff = x - means[:, None, :]
    z = diff @ matrices.transpose(0, 2, 1)
    share = np.einsum("kni,kni->kn", z, z)
    share *= -0.5
    share += (alphas + np.sum(logs, axis=1))[:, None]
    share -= np.max(share, axis=0)
    np.exp(share, out=share)
    share /= np.sum(share, axis=0)
    counts = np.sum(share, axis=1)
    prior = np.exp(alphas - np.max(alphas))
    prior *= n / np.sum(prior)
    z *= -share[:, :, None]
    means_bar = -np.einsum("ki,kij->kj", np.sum(z, axis=1), matrices)
    lower_bar = z.transpose(0, 2, 1) @ diff
    logs_bar = lower_bar[:, diagonal, diagonal] - gamma**2 * scales
    logs_bar *= scales
    logs_bar += counts[:, None] + 2.0
    lower_bar -= gamma**2 * lower
    return counts - prior, means_bar, logs_bar, lower_bar
