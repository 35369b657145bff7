"""The jvp of `over_array` in primals/loops.py, as printed."""

def over_array_jvp(xs, w, xs_dot, w_dot):
    s_dot = 0.0
    s = 0.0
    for x, x_dot in zip(xs, xs_dot):
        s_dot = s_dot * w + s * w_dot + (x_dot * x + x * x_dot)
        s = s * w + x * x
    return s, s_dot
