"""The jvp of `ends` in primals/attempts.py, as printed."""

def ends_jvp(x, n, x_dot):
    s_dot = 0.0
    s = 0.0
    for i in range(n):
        try:
            x_i = x[i]
            x_i_dot = x_dot[i]
            x_i_1 = x[i]
            x_i_1_dot = x_dot[i]
            x_product = x_i * x_i_1
            s_dot += x_i_dot * x_i_1 + x_i * x_i_1_dot
            s += x_product
        except IndexError:
            s += 1.0
            continue
        s_dot = s_dot * 1.5
        s *= 1.5
    return s, s_dot
