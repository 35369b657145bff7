"""The jvp of `drawn` in primals/iterators.py, as printed."""

import numpy as np


def drawn_jvp(mean, spread, mean_dot, spread_dot):
    rng = np.random.default_rng(0)
    normal_rng_mean = rng.normal(mean, spread)
    return (
        normal_rng_mean**2,
        (mean_dot + spread_dot * (normal_rng_mean - mean) / spread) * (2.0 * normal_rng_mean),
    )
