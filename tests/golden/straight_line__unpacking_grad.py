"""The grad of `unpacking` in primals/straight_line.py, as printed."""

def unpacking_grad(x, y):
    # Forward sweep
    a = x * y
    b = x + y
    a_b = a * b
    a_1 = a
    a = b
    b_1 = b
    b = a_b
    # Reverse sweep
    a_bar = a * b_1
    b_bar = a * a_1 + b
    x_bar = b_bar + a_bar * y
    y_bar = b_bar + a_bar * x
    return x_bar, y_bar
