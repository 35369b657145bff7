"""The grad of `repulsion` in primals/untyped.py, as printed."""

from tapeless.runtime import zeros


def repulsion_grad(x, charge):
    # Forward sweep
    saved = []
    for i in range(len(x)):
        for j in range(i):
            x_difference = x[i] - x[j]
            x_squared = x_difference**2
            saved.append((x_difference, x_squared, charge / x_squared))
    # Reverse sweep
    charge_bar = 0.0
    x_bar = zeros(x)
    for i in reversed(range(len(x))):
        for j in reversed(range(i)):
            x_difference, x_squared, charge_x_ratio = saved.pop()
            charge_bar += 1.0 / x_squared
            x_difference_bar = -charge_x_ratio / x_squared * (2.0 * x_difference)
            x_bar[j] -= x_difference_bar
            x_bar[i] += x_difference_bar
    return x_bar, charge_bar
