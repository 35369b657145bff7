"""The jvp of `with_else` in primals/loops.py, as printed."""

def with_else_jvp(xs, w, xs_dot, w_dot):
    s_dot = 0.0
    s = 1.0
    for x, x_dot in zip(xs, xs_dot):
        if s * x > 3.0:
            break
        s_dot = s_dot + (w_dot * x + w * x_dot)
        s += w * x
    else:
        s_dot = s_dot * w + s * w_dot
        s *= w
    return s, s_dot
