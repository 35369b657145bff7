"""The grad of `tuple_returned` in primals/containers.py, as printed."""

from tapeless.runtime import zeros


def tuple_returned_grad(x, y):
    # Forward sweep
    pair = (x * y, x + y)
    # Reverse sweep
    pair_bar = zeros(pair)
    pair_bar[1] = pair_bar[1] + pair[0]
    pair_bar[0] = pair_bar[0] + pair[1]
    v_bar = pair_bar[0]
    v_1_bar = pair_bar[1]
    x_bar = v_1_bar + v_bar * y
    y_bar = v_1_bar + v_bar * x
    return x_bar, y_bar
