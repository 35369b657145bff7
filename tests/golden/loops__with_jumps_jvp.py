"""The jvp of `with_jumps` in primals/loops.py, as printed."""

def with_jumps_jvp(xs, w, xs_dot, w_dot):
    s_dot = 0.0
    s = 1.0
    for x, x_dot in zip(xs, xs_dot):
        if x < 0:
            continue
        if s > 3.0:
            break
        w_x = w * x
        s_dot = s_dot + ((w_dot * x + w * x_dot) * s + w_x * s_dot)
        s += w_x * s
    return s, s_dot
