"""The jvp of `over_list` in primals/loops.py, as printed."""

from tapeless.runtime import private_tangent


def over_list_jvp(xs, w, xs_dot, w_dot):
    s_dot = 0.0
    s = 0.0
    for x, x_dot in zip(xs, private_tangent(xs_dot, xs)):
        v = w * x
        s_dot = s_dot + ((w_dot * x + w * x_dot) * x + v * x_dot)
        s = s + v * x
    return s, s_dot
