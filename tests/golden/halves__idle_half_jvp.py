"""The jvp of `idle_half` in primals/halves.py, as printed."""

from tests.golden.primals.halves import Filter


def idle_half_jvp(xs, xs_dot):
    filter_1 = Filter([1.0, 2.0, 0.5])
    y_dot = 0.0
    y = 0.0
    for k in range(len(filter_1.weights)):
        filter_weights_k = filter_1.weights[k]
        y_dot = y_dot + filter_weights_k * xs_dot[k]
        y += filter_weights_k * xs[k]
    filter_total = filter_1.total
    y_over_filter_total = y / filter_total
    return y_over_filter_total**2, y_dot / filter_total * (2.0 * y_over_filter_total)
