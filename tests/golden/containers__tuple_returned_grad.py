"""The grad of `tuple_returned` in primals/containers.py, as printed."""

def tuple_returned_grad(x, y):
    # Reverse sweep
    pair_0_bar = x + y
    pair_1_bar = x * y
    x_bar = pair_1_bar + pair_0_bar * y
    y_bar = pair_1_bar + pair_0_bar * x
    return x_bar, y_bar
