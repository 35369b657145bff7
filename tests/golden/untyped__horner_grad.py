"""The grad of `horner` in primals/untyped.py, as printed."""

from tapeless.runtime import zeros


def horner_grad(coefficients, x):
    # Forward sweep
    saved = []
    y = 0.0
    for c in coefficients:
        saved.append(y)
        y = y * x + c
    # Reverse sweep
    y_bar = 1.0
    coefficients_bar = zeros(coefficients)
    x_bar = 0.0
    for k, y in zip(range(len(coefficients) - 1, -1, -1), reversed(saved)):
        y_x_bar = y_bar
        c_bar = y_bar
        y_bar *= x
        x_bar += y_x_bar * y
        coefficients_bar[k] += c_bar
    return coefficients_bar, x_bar
