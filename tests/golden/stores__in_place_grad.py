"""The grad of `in_place` in primals/stores.py, as printed."""

from tapeless.runtime import AdjointMemory


def in_place_grad(x, y):
    # Forward sweep
    z = x * y
    z += x
    # Reverse sweep
    z_bar = AdjointMemory()[z]
    z_bar += y
    x_bar = z_bar + z_bar * y
    y_bar = z + z_bar * x
    return x_bar, y_bar
