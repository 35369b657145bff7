"""The jvp of `unpacking` in primals/straight_line.py, as printed."""

def unpacking_jvp(x, y, x_dot, y_dot):
    v_1_dot = x_dot + y_dot
    a = x * y
    b = x + y
    v_3_dot = (x_dot * y + x * y_dot) * b + a * v_1_dot
    v_3 = a * b
    a = b
    b = v_3
    return a * b, v_1_dot * b + a * v_3_dot
