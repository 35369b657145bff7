"""The jvp of `unpacking` in primals/straight_line.py, as printed."""

def unpacking_jvp(x, y, x_dot, y_dot):
    x_plus_y_dot = x_dot + y_dot
    a = x * y
    b = x + y
    a_b_dot = (x_dot * y + x * y_dot) * b + a * x_plus_y_dot
    a_b = a * b
    a = b
    b = a_b
    return a * b, x_plus_y_dot * b + a * a_b_dot
