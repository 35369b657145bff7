"""The jvp of `smoothing_error` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, as_in_place, private_tangent


def smoothing_error_jvp(series, alpha, series_dot, alpha_dot):
    series_dot = private_tangent(series_dot, series)
    alpha_dot = private_tangent(alpha_dot, alpha)
    level_dot = series_dot[0]
    level = series[0]
    error_dot = 0.0
    error = 0.0
    for value, value_dot in zip(series[1:], series_dot[1:]):
        value_minus_level = value - level
        error_dot = +(error_dot + (value_dot - level_dot) * (2.0 * value_minus_level))
        error = as_in_place(error, error + value_minus_level**2)
        one_minus_alpha = 1.0 - alpha
        level_dot = (
            alpha_dot * value
            + alpha * value_dot
            + (-alpha_dot * level + one_minus_alpha * level_dot)
        )
        level = alpha * value + one_minus_alpha * level
    return error, as_gradient(error_dot, error)
