"""The jvp of `recursive` in primals/calls.py, as printed."""

def power_jvp(x, n, x_dot):
    if n == 0:
        return 1.0, 0.0
    v_1, v_1_dot = power_jvp(x, n - 1, x_dot)
    return x * v_1, x_dot * v_1 + x * v_1_dot


def recursive_jvp(x, n, x_dot):
    v, v_dot = power_jvp(x, n, x_dot)
    return v, v_dot
