"""The grad of `line_fit` in primals/untyped.py, as printed."""

from tapeless.runtime import cotangents_of_sum, zeros


def line_fit_grad(a, b, x, y):
    # Forward sweep
    items = [(a * xi + b - yi) ** 2 for xi, yi in zip(x, y)]
    sum_items = sum(items)
    # Reverse sweep
    items_bar = cotangents_of_sum(1.0 / len(x), items).copy()
    a_bar = 0.0
    b_bar = 0.0
    x_bar = zeros(x)
    y_bar = zeros(y)
    for k in range(min(len(x), len(y)) - 1, -1, -1):
        xi = x[k]
        yi = y[k]
        a_xi_squared_bar = items_bar.pop()
        items.pop()
        a_xi_difference_bar = a_xi_squared_bar * (2.0 * (a * xi + b - yi))
        b_bar += a_xi_difference_bar
        a_bar += a_xi_difference_bar * xi
        xi_bar = a_xi_difference_bar * a
        x_bar[k] += xi_bar
        y_bar[k] -= a_xi_difference_bar
    return a_bar, b_bar, x_bar, y_bar
