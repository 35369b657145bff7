"""The jvp of `by_while` in primals/loops.py, as printed."""

def by_while_jvp(x, limit, x_dot, limit_dot):
    y_dot = x_dot
    y = x + 1.0
    while y < limit:
        y_dot = y_dot * y + y * y_dot + x_dot
        y = y * y + x
    return y, y_dot
