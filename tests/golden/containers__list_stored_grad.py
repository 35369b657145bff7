"""The grad of `list_stored` in primals/containers.py, as printed."""

def list_stored_grad(x, y):
    # Forward sweep
    xs = [x, y]
    v = xs[0]
    v_1 = xs[1]
    xs_old = xs[0]
    xs[0] = v * v_1
    # Reverse sweep
    xs_bar = [0.0] * len(xs)
    xs_bar[1] = xs_bar[1] + xs[0]
    xs_bar[0] = xs_bar[0] + xs[1]
    v_2_bar = xs_bar[0]
    xs_bar[0] = 0.0
    xs[0] = xs_old
    v_bar = v_2_bar * v_1
    xs_bar[1] = xs_bar[1] + v_2_bar * v
    xs_bar[0] = xs_bar[0] + v_bar
    x_bar = xs_bar[0]
    y_bar = xs_bar[1]
    return x_bar, y_bar
