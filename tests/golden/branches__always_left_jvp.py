"""The jvp of `always_left` in primals/branches.py, as printed."""

def always_left_jvp(x, x_dot):
    x = x.copy()
    x_dot = x_dot.copy()
    for v, v_dot in zip(x, x_dot):
        x_1 = x[1]
        return v * x_1, v_dot * x_1 + v * x_dot[1]
    else:
        x_0 = x[0]
        x_dot[1] = x_dot[0]
        x[1] = x_0
    return None, None
