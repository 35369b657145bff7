"""The jvp of `list_stored` in primals/containers.py, as printed."""

def list_stored_jvp(x, y, x_dot, y_dot):
    xs_dot = [x_dot, y_dot]
    xs = [x, y]
    v = xs[0]
    v_1 = xs[1]
    xs_dot[0] = xs_dot[0] * v_1 + v * xs_dot[1]
    xs[0] = v * v_1
    v_3 = xs[0]
    v_4 = xs[1]
    return v_3 * v_4, xs_dot[0] * v_4 + v_3 * xs_dot[1]
