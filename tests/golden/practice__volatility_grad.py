"""The grad of `volatility` in primals/practice.py, as printed."""

import numpy as np


def volatility_grad(params, returns):
    # Forward sweep
    saved = []
    omega, alpha, beta = params
    variance = np.mean(returns**2)
    for r in returns:
        saved.append((variance, r * r / variance))
        variance = omega + alpha * r * r + beta * variance
    # Reverse sweep
    returns_bar = np.zeros_like(returns)
    variance_bar = 0.0
    alpha_bar = 0.0
    beta_bar = 0.0
    omega_bar = 0.0
    for k, (variance, r_variance_ratio) in zip(range(len(returns) - 1, -1, -1), reversed(saved)):
        r = returns[k]
        beta_bar += variance_bar * variance
        omega_bar += variance_bar
        alpha_r_bar = variance_bar * r
        alpha_bar += alpha_r_bar * r
        r_bar = variance_bar * (alpha * r) + alpha_r_bar * alpha
        r_squared_bar = 0.5 / variance
        variance_bar = variance_bar * beta - r_squared_bar * r_variance_ratio
        r_bar += 2.0 * r_squared_bar * r
        variance_bar += 0.5 / (2 * np.pi * variance) * (2 * np.pi)
        returns_bar[k] += r_bar
    returns_bar += variance_bar / len(returns) * (2.0 * returns)
    params_bar = np.array([omega_bar, alpha_bar, beta_bar])
    return params_bar, returns_bar
