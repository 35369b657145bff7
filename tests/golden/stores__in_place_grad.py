"""The grad of `in_place` in primals/stores.py, as printed."""

from tapeless.runtime import AdjointMemory


def in_place_grad(x, y):
    # Forward sweep
    z = x * y
    z += x
    z_old = z[...].copy()
    z *= y
    # Reverse sweep
    z_bar = AdjointMemory()[z]
    z_bar += 1.0
    copy_z_bar = z_bar[...].copy()
    z_bar[...] = 0.0
    z[...] = z_old
    z_bar += copy_z_bar * y
    x_bar = z_bar + z_bar * y
    y_bar = copy_z_bar * z + z_bar * x
    return x_bar, y_bar
