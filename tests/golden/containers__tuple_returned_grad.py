"""The grad of `tuple_returned` in primals/containers.py, as printed."""

def tuple_returned_grad(x, y):
    # Reverse sweep
    v_2_bar = x + y
    v_3_bar = x * y
    x_bar = v_3_bar + v_2_bar * y
    y_bar = v_3_bar + v_2_bar * x
    return x_bar, y_bar
