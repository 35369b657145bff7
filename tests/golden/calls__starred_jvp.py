"""The jvp of `starred` in primals/calls.py, as printed."""

def total_jvp(terms, terms_dot):
    s_dot = 0.0
    s = 0.0
    for t, t_dot in zip(terms, terms_dot):
        s_dot = s_dot + (t_dot * t + t * t_dot)
        s += t * t
    return s, s_dot


def starred_jvp(x, y, x_dot, y_dot):
    total_x_y, total_x_y_dot = total_jvp((x, y, x * y), (x_dot, y_dot, x_dot * y + x * y_dot))
    return total_x_y, total_x_y_dot
