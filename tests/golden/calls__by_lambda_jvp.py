"""The jvp of `by_lambda` in primals/calls.py, as printed."""

def by_lambda_jvp(x, y, x_dot, y_dot):
    x_squared = x * x
    y_squared = y * y
    return (
        x_squared * y + y_squared * y,
        (x_dot * x + x * x_dot) * y
        + x_squared * y_dot
        + ((y_dot * y + y * y_dot) * y + y_squared * y_dot),
    )
