"""The jvp of `over_enumerate` in primals/loops.py, as printed."""

def over_enumerate_jvp(xs, xs_dot):
    s_dot = 0.0
    s = 0.0
    for i, (x, x_dot) in enumerate(zip(xs, xs_dot)):
        v = i * x
        s_dot = s_dot + (i * x_dot * x + v * x_dot)
        s = s + v * x
    return s, s_dot
