"""The jvp of `drawn` in primals/iterators.py, as printed."""

import numpy as np


def drawn_jvp(mean, spread, mean_dot, spread_dot):
    rng = np.random.default_rng(0)
    v = rng.normal(mean, spread)
    return v**2, (mean_dot + spread_dot * (v - mean) / spread) * (2.0 * v)
