"""The jvp of `horner` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, private_tangent


def horner_jvp(coefficients, x, coefficients_dot, x_dot):
    x_dot = private_tangent(x_dot, x)
    y_dot = 0.0
    y = 0.0
    for c, c_dot in zip(coefficients, private_tangent(coefficients_dot, coefficients)):
        y_dot = y_dot * x + y * x_dot + c_dot
        y = y * x + c
    return y, as_gradient(y_dot, y)
