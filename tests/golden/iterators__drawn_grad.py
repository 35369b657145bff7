"""The grad of `drawn` in primals/iterators.py, as printed."""

import numpy as np


def drawn_grad(mean, spread):
    # Forward sweep
    rng = np.random.default_rng(0)
    v = rng.normal(mean, spread)
    # Reverse sweep
    v_bar = 2.0 * v
    spread_bar = v_bar * (v - mean) / spread
    return v_bar, spread_bar
