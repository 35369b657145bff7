"""The jvp of `until_missing` in primals/attempts.py, as printed."""

def until_missing_jvp(x, x_dot):
    s_dot = 0.0
    s = 1.0
    i = 0
    while True:
        try:
            x_i = x[i]
            x_i_dot = x_dot[i]
        except IndexError:
            break
        s_dot = s_dot * x_i + s * x_i_dot
        s = s * x_i + 1.0
        i += 1
    return s, s_dot
