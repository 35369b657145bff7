"""The grad of `recursive` in primals/calls.py, as printed."""

def power_fwd(x, n):
    if n == 0:
        return 1.0, (n, None, None, x)
    power_x, saved_power = power_fwd(x, n - 1)
    return x * power_x, (n, saved_power, power_x, x)


def power_rev(saved, y_bar):
    n, saved_power, power_x, x = saved
    if n == 0:
        x_bar = 0.0
    else:
        x_bar = y_bar * power_x + power_rev(saved_power, y_bar * x)
    return x_bar


def recursive_grad(x, n):
    # Forward sweep
    power_x, saved_power = power_fwd(x, n)
    # Reverse sweep
    x_bar = power_rev(saved_power, 1.0)
    return x_bar
