"""The jvp of `rosenbrock` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, as_in_place, private_tangent


def rosenbrock_jvp(x, x_dot):
    x_dot = private_tangent(x_dot, x)
    total_dot = 0.0
    total = 0
    for (a, b), (a_dot, b_dot) in zip(zip(x[:-1], x[1:]), zip(x_dot[:-1], x_dot[1:])):
        b_minus_a_squared = b - a**2
        one_minus_a = 1 - a
        total_dot = +(
            total_dot
            + (
                100 * ((b_dot - a_dot * (2.0 * a)) * (2.0 * b_minus_a_squared))
                + -a_dot * (2.0 * one_minus_a)
            )
        )
        total = as_in_place(total, total + (100 * b_minus_a_squared**2 + one_minus_a**2))
    return total, as_gradient(total_dot, total)
