"""The jvp of `first_scaled` in primals/ranks.py, as printed."""

def first_scaled_jvp(x, x_dot):
    for v, v_dot in zip(x, x_dot):
        break
    else:
        return 0.0, 0.0
    x_1 = x[1]
    return v * x_1, v_dot * x_1 + v * x_dot[1]
