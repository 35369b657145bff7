"""The grad of `over_tuple` in primals/loops.py, as printed."""

from tapeless.runtime import as_gradient, zeros


def over_tuple_grad(xs, w):
    # Reverse sweep
    w_bar = 0.0
    xs_bar = zeros(xs)
    for k in range(len(xs) - 1, -1, -1):
        x = xs[k]
        w_bar += x * x
        x_bar = 2.0 * w * x
        xs_bar[k] = xs_bar[k] + x_bar
    return as_gradient(xs_bar, xs), w_bar
