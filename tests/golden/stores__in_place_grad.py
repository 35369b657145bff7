"""The grad of `in_place` in primals/stores.py, as printed."""

def in_place_grad(x, y):
    # Forward sweep
    z = x * y
    z += x
    # Reverse sweep
    x_bar = y + y * y
    y_bar = z + y * x
    return x_bar, y_bar
