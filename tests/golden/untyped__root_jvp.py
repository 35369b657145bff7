"""The jvp of `root` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, private_tangent


def root_jvp(a, x, a_dot, x_dot):
    a_dot = private_tangent(a_dot, a)
    x_dot = private_tangent(x_dot, x)
    while abs(x * x - a) > 1e-05:
        a_over_x = a / x
        x_dot = 0.5 * (x_dot + (a_dot / x - x_dot * a_over_x / x))
        x = 0.5 * (x + a_over_x)
    return x, as_gradient(x_dot, x)
