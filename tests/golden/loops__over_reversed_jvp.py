"""The jvp of `over_reversed` in primals/loops.py, as printed."""

def over_reversed_jvp(cs, x, cs_dot, x_dot):
    p_dot = 0.0
    p = 0.0
    for c, c_dot in zip(reversed(cs), reversed(cs_dot)):
        p_dot = p_dot * x + p * x_dot + c_dot
        p = p * x + c
    return p, p_dot
