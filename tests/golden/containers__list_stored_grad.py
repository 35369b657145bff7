"""The grad of `list_stored` in primals/containers.py, as printed."""

def list_stored_grad(x, y):
    # Forward sweep
    xs = [x, y]
    xs_old = xs[0]
    xs[0] = xs[0] * xs[1]
    xs_0 = xs[0]
    xs_1 = xs[1]
    # Reverse sweep
    xs_bar = [0.0] * len(xs)
    xs_bar[1] = xs_bar[1] + 1.0 * xs[0]
    xs_bar[0] = xs_bar[0] + 1.0 * xs[1]
    xs_0_xs_1_bar = xs_bar[0]
    xs_bar[0] = 0.0
    xs[0] = xs_old
    xs_0_bar = xs_0_xs_1_bar * xs[1]
    xs_bar[1] = xs_bar[1] + xs_0_xs_1_bar * xs[0]
    xs_bar[0] = xs_bar[0] + xs_0_bar
    x_bar = xs_bar[0]
    y_bar = xs_bar[1]
    return x_bar, y_bar
