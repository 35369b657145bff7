"""The grad of `root` in primals/untyped.py, as printed."""

def root_grad(a, x):
    # Forward sweep
    saved = []
    while abs(x * x - a) > 1e-05:
        a_over_x = a / x
        saved.append((x, a_over_x))
        x = 0.5 * (x + a_over_x)
    # Reverse sweep
    x_bar = 1.0
    a_bar = 0.0
    for x, a_over_x in reversed(saved):
        x_a_sum_bar = x_bar * 0.5
        a_bar += x_a_sum_bar / x
        x_bar = x_a_sum_bar - x_a_sum_bar * a_over_x / x
    return a_bar, x_bar
