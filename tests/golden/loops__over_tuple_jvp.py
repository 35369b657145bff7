"""The jvp of `over_tuple` in primals/loops.py, as printed."""

from tapeless.runtime import private_tangent


def over_tuple_jvp(xs, w, xs_dot, w_dot):
    s_dot = 0.0
    s = 0.0
    for x, x_dot in zip(xs, private_tangent(xs_dot, xs)):
        w_x = w * x
        s_dot = s_dot + ((w_dot * x + w * x_dot) * x + w_x * x_dot)
        s += w_x * x
    return s, s_dot
