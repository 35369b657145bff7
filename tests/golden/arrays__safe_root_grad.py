"""The grad of `safe_root` in primals/arrays.py, as printed."""

import numpy as np
from tapeless.runtime import times_partial


def safe_root_grad(x):
    # Reverse sweep
    x_bar = times_partial(np.where(x > 0, 1.0, 0.0), 0.5, over=np.sqrt(x))
    return x_bar
