"""The jvp of `list_stored` in primals/containers.py, as printed."""

def list_stored_jvp(x, y, x_dot, y_dot):
    xs_dot = [x_dot, y_dot]
    xs = [x, y]
    xs_0 = xs[0]
    xs_1 = xs[1]
    xs_dot[0] = xs_dot[0] * xs_1 + xs_0 * xs_dot[1]
    xs[0] = xs_0 * xs_1
    xs_0_1 = xs[0]
    xs_1_1 = xs[1]
    return xs_0_1 * xs_1_1, xs_dot[0] * xs_1_1 + xs_0_1 * xs_dot[1]
