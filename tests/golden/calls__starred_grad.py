"""The grad of `starred` in primals/calls.py, as printed."""

from tapeless.runtime import zeros


def total_fwd(terms):
    s = 0.0
    for t in terms:
        s += t * t
    return s, (terms,)


def total_rev(saved, y_bar):
    (terms,) = saved
    terms_bar = zeros(terms)
    for k in range(len(terms) - 1, -1, -1):
        t = terms[k]
        t_bar = 2.0 * y_bar * t
        terms_bar[k] = terms_bar[k] + t_bar
    return terms_bar


def starred_grad(x, y):
    # Forward sweep
    total_x_y, saved_total = total_fwd((x, y, x * y))
    # Reverse sweep
    x_y_bar = total_rev(saved_total, 1.0)
    x_y_bar_1 = x_y_bar[2]
    x_bar = x_y_bar[0] + x_y_bar_1 * y
    y_bar = x_y_bar[1] + x_y_bar_1 * x
    return x_bar, y_bar
