"""The jvp of `tuple_returned` in primals/containers.py, as printed."""

def tuple_returned_jvp(x, y, x_dot, y_dot):
    v = x * y
    v_1 = x + y
    return v * v_1, (x_dot * y + x * y_dot) * v_1 + v * (x_dot + y_dot)
