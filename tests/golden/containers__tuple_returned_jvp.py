"""The jvp of `tuple_returned` in primals/containers.py, as printed."""

def tuple_returned_jvp(x, y, x_dot, y_dot):
    pair_dot = (x_dot * y + x * y_dot, x_dot + y_dot)
    pair = (x * y, x + y)
    v_2 = pair[0]
    v_3 = pair[1]
    return v_2 * v_3, pair_dot[0] * v_3 + v_2 * pair_dot[1]
