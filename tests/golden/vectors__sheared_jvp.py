"""The jvp of `sheared` in primals/vectors.py, as printed."""

def sheared_jvp(x, x_dot):
    s_dot = 0.0
    s = 0.0
    for i in range(len(x)):
        row_dot = x_dot[i]
        row = x[i]
        half_row_0 = 0.5 * row[0]
        row_1 = row[1]
        s_dot = s_dot + (0.5 * row_dot[0] * row_1 + half_row_0 * row_dot[1])
        s += half_row_0 * row_1
    return s, s_dot
