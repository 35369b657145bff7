"""The grad of `over_list` in primals/loops.py, as printed."""

from tapeless.runtime import as_gradient


def over_list_grad(xs, w):
    # Reverse sweep
    w_bar = 0.0
    xs_bar = [0.0] * len(xs)
    for k in range(len(xs) - 1, -1, -1):
        x = xs[k]
        w_bar += x * x
        x_bar = 2.0 * w * x
        xs_bar[k] += x_bar
    return as_gradient(xs_bar, xs), w_bar
