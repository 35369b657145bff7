"""The grad of `drawn` in primals/iterators.py, as printed."""

import numpy as np


def drawn_grad(mean, spread):
    # Forward sweep
    rng = np.random.default_rng(0)
    normal_rng_mean = rng.normal(mean, spread)
    # Reverse sweep
    normal_rng_mean_bar = 2.0 * normal_rng_mean
    spread_bar = normal_rng_mean_bar * (normal_rng_mean - mean) / spread
    return normal_rng_mean_bar, spread_bar
