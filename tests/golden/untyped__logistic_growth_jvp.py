"""The jvp of `logistic_growth` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, private_tangent


def logistic_growth_jvp(y0, rate, capacity, h, steps, y0_dot, rate_dot, capacity_dot, h_dot):
    rate_dot = private_tangent(rate_dot, rate)
    capacity_dot = private_tangent(capacity_dot, capacity)
    h_dot = private_tangent(h_dot, h)
    y_dot = private_tangent(y0_dot, y0)
    y = y0
    for _ in range(steps):
        rate_y = rate * y
        y_over_capacity = y / capacity
        y_difference = 1.0 - y_over_capacity
        k1 = rate_y * y_difference
        half_h = 0.5 * h
        y_h_sum_dot = y_dot + (
            0.5 * h_dot * k1
            + half_h
            * (
                (rate_dot * y + rate * y_dot) * y_difference
                + rate_y * -(y_dot / capacity - capacity_dot * y_over_capacity / capacity)
            )
        )
        y_1 = y + half_h * k1
        rate_y_1 = rate * y_1
        y_1_over_capacity = y_1 / capacity
        y_1_difference = 1.0 - y_1_over_capacity
        k2 = rate_y_1 * y_1_difference
        y_dot = y_dot + (
            h_dot * k2
            + h
            * (
                (rate_dot * y_1 + rate * y_h_sum_dot) * y_1_difference
                + rate_y_1 * -(y_h_sum_dot / capacity - capacity_dot * y_1_over_capacity / capacity)
            )
        )
        y = y + h * k2
    return y, as_gradient(y_dot, y)
