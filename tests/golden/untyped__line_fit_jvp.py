"""The jvp of `line_fit` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, private_tangent


def line_fit_jvp(a, b, x, y, a_dot, b_dot, x_dot, y_dot):
    a_dot = private_tangent(a_dot, a)
    b_dot = private_tangent(b_dot, b)
    items_dot = []
    items = []
    for (xi, yi), (xi_dot, yi_dot) in zip(
        zip(x, y), zip(private_tangent(x_dot, x), private_tangent(y_dot, y))
    ):
        a_xi_difference = a * xi + b - yi
        a_xi_squared = a_xi_difference**2
        items_dot.append((a_dot * xi + a * xi_dot + b_dot - yi_dot) * (2.0 * a_xi_difference))
        items.append(a_xi_squared)
    len_x = len(x)
    sum_over_len = sum(items) / len_x
    return sum_over_len, as_gradient(sum(items_dot, 0.0) / len_x, sum_over_len)
