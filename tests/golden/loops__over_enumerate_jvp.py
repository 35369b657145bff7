"""The jvp of `over_enumerate` in primals/loops.py, as printed."""

def over_enumerate_jvp(xs, xs_dot):
    s_dot = 0.0
    s = 0.0
    for i, (x, x_dot) in enumerate(zip(xs, xs_dot)):
        i_x = i * x
        s_dot = s_dot + (i * x_dot * x + i_x * x_dot)
        s += i_x * x
    return s, s_dot
