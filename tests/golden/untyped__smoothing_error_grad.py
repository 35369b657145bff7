"""The grad of `smoothing_error` in primals/untyped.py, as printed."""

from tapeless.runtime import zeros


def smoothing_error_grad(series, alpha):
    # Forward sweep
    saved = []
    level = series[0]
    series_part = series[1:]
    for value in series_part:
        saved.append(level)
        level = alpha * value + (1.0 - alpha) * level
    # Reverse sweep
    level_bar = 0.0
    series_part_bar = zeros(series_part)
    alpha_bar = 0.0
    for k, level in zip(range(len(series_part) - 1, -1, -1), reversed(saved)):
        value = series_part[k]
        alpha_bar -= level_bar * level
        alpha_bar += level_bar * value
        value_minus_level_bar = 2.0 * (value - level)
        value_bar = level_bar * alpha + value_minus_level_bar
        level_bar = level_bar * (1.0 - alpha) - value_minus_level_bar
        series_part_bar[k] += value_bar
    series_bar = zeros(series)
    series_bar[1:] += series_part_bar
    series_bar[0] += level_bar
    return series_bar, alpha_bar
