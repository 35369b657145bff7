"""The jvp of `sheared` in primals/vectors.py, as printed."""

def sheared_jvp(x, k, x_dot, k_dot):
    s_dot = 0.0
    s = 0.0
    for i in range(len(x)):
        row_dot = x_dot[i]
        row = x[i]
        row_0 = row[0]
        k_row_0 = k * row_0
        row_1 = row[1]
        s_dot = s_dot + ((k_dot * row_0 + k * row_dot[0]) * row_1 + k_row_0 * row_dot[1])
        s += k_row_0 * row_1
    return s, s_dot
