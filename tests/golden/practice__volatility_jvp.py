"""The jvp of `volatility` in primals/practice.py, as printed."""

import numpy as np


def volatility_jvp(params, returns, params_dot, returns_dot):
    omega_dot, alpha_dot, beta_dot = params_dot
    omega, alpha, beta = params
    variance_dot = np.mean(returns_dot * (2.0 * returns))
    variance = np.mean(returns**2)
    likelihood_dot = 0.0
    likelihood = 0.0
    for r, r_dot in zip(returns, returns_dot):
        two_pi = 2 * np.pi
        two_pi_variance = two_pi * variance
        r_variance_ratio = r * r / variance
        likelihood_dot += -(
            0.5
            * (
                two_pi * variance_dot / two_pi_variance
                + ((r_dot * r + r * r_dot) / variance - variance_dot * r_variance_ratio / variance)
            )
        )
        likelihood += -0.5 * (np.log(two_pi_variance) + r_variance_ratio)
        alpha_r = alpha * r
        variance_dot = (
            omega_dot
            + ((alpha_dot * r + alpha * r_dot) * r + alpha_r * r_dot)
            + (beta_dot * variance + beta * variance_dot)
        )
        variance = omega + alpha_r * r + beta * variance
    return -likelihood, -likelihood_dot
