"""The grad of `rosenbrock` in primals/untyped.py, as printed."""

from tapeless.runtime import zeros


def rosenbrock_grad(x):
    # Forward sweep
    x_part = x[:-1]
    x_part_1 = x[1:]
    saved = [a**2 for a, b in zip(x_part, x_part_1)]
    # Reverse sweep
    x_part_1_bar = zeros(x_part_1)
    x_part_bar = zeros(x_part)
    for k, a_squared in zip(range(min(len(x_part), len(x_part_1)) - 1, -1, -1), reversed(saved)):
        a = x_part[k]
        b = x_part_1[k]
        b_minus_a_squared_bar = 200.0 * (b - a_squared)
        a_bar = -2.0 * (1 - a) - b_minus_a_squared_bar * (2.0 * a)
        x_part_bar[k] += a_bar
        x_part_1_bar[k] += b_minus_a_squared_bar
    x_bar = zeros(x)
    x_bar[1:] += x_part_1_bar
    x_bar[:-1] += x_part_bar
    return x_bar
