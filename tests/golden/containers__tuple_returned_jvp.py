"""The jvp of `tuple_returned` in primals/containers.py, as printed."""

def tuple_returned_jvp(x, y, x_dot, y_dot):
    pair_0 = x * y
    pair_1 = x + y
    return pair_0 * pair_1, (x_dot * y + x * y_dot) * pair_1 + pair_0 * (x_dot + y_dot)
