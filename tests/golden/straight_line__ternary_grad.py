"""The grad of `ternary` in primals/straight_line.py, as printed."""

def ternary_grad(x, y):
    # Forward sweep
    if not x > y:
        x_y = x * y
    # Reverse sweep
    if x > y:
        y_bar = 1.0 / y
        x_bar = 0.0
    else:
        x_bar = y * y
        y_bar = x_y + y * x
    return x_bar, y_bar
