"""The jvp of `by_lambda` in primals/calls.py, as printed."""

def lambda_jvp(z, y, z_dot, y_dot):
    v = z * z
    return v * y, (z_dot * z + z * z_dot) * y + v * y_dot


def by_lambda_jvp(x, y, x_dot, y_dot):
    v, v_dot = lambda_jvp(x, y, x_dot, y_dot)
    v_1, v_1_dot = lambda_jvp(y, y, y_dot, y_dot)
    return v + v_1, v_dot + v_1_dot
