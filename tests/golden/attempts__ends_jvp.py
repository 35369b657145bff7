"""The jvp of `ends` in primals/attempts.py, as printed."""

def ends_jvp(x, n, x_dot):
    s_dot = 0.0
    s = 0.0
    for i in range(n):
        try:
            v = x[i]
            v_dot = x_dot[i]
            v_1 = x[i]
            v_1_dot = x_dot[i]
            v_2 = v * v_1
            s_dot += v_dot * v_1 + v * v_1_dot
            s += v_2
        except IndexError:
            s += 1.0
            continue
        s_dot = s_dot * 1.5
        s = s * 1.5
    return s, s_dot
