"""The grad of `recursive` in primals/calls.py, as printed."""

def power_fwd(x, n):
    if n == 0:
        return 1.0, (n, None, None, x)
    v_1, saved_power = power_fwd(x, n - 1)
    return x * v_1, (n, saved_power, v_1, x)


def power_rev(saved, y_bar):
    n, saved_power, v_1, x = saved
    if n == 0:
        x_bar = 0.0
    else:
        x_bar = y_bar * v_1 + power_rev(saved_power, y_bar * x)
    return x_bar


def recursive_grad(x, n):
    # Forward sweep
    v, saved_power = power_fwd(x, n)
    # Reverse sweep
    x_bar = power_rev(saved_power, 1.0)
    return x_bar
