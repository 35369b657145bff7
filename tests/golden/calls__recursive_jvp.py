"""The jvp of `recursive` in primals/calls.py, as printed."""

def power_jvp(x, n, x_dot):
    if n == 0:
        return 1.0, 0.0
    power_x, power_x_dot = power_jvp(x, n - 1, x_dot)
    return x * power_x, x_dot * power_x + x * power_x_dot


def recursive_jvp(x, n, x_dot):
    power_x, power_x_dot = power_jvp(x, n, x_dot)
    return power_x, power_x_dot
