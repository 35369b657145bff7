"""The jvp of `by_lambda` in primals/calls.py, as printed."""

<<<<<<< HEAD
def lambda_jvp(z, y, z_dot, y_dot):
    z_squared = z * z
    return z_squared * y, (z_dot * z + z * z_dot) * y + z_squared * y_dot


def by_lambda_jvp(x, y, x_dot, y_dot):
    lambda_x, lambda_x_dot = lambda_jvp(x, y, x_dot, y_dot)
    lambda_y, lambda_y_dot = lambda_jvp(y, y, y_dot, y_dot)
    return lambda_x + lambda_y, lambda_x_dot + lambda_y_dot
=======
def by_lambda_jvp(x, y, x_dot, y_dot):
    v_3 = x * x
    v_5 = y * y
    return (
        v_3 * y + v_5 * y,
        (x_dot * x + x * x_dot) * y + v_3 * y_dot + ((y_dot * y + y * y_dot) * y + v_5 * y_dot),
    )
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
