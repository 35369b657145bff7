"""The grad of `by_lambda` in primals/calls.py, as printed."""

def lambda_fwd(z, y):
    v = z * z
    return v * y, (v, y, z)


def lambda_rev(saved, y_bar):
    v, y, z = saved
    return 2.0 * (y_bar * y) * z, y_bar * v


def by_lambda_grad(x, y):
    # Forward sweep
    v, saved_lambda_1 = lambda_fwd(x, y)
    v_1, saved_lambda = lambda_fwd(y, y)
    # Reverse sweep
    y_bar_2, y_bar_1 = lambda_rev(saved_lambda, 1.0)
    y_bar_2 += y_bar_1
    x_bar, y_bar_3 = lambda_rev(saved_lambda_1, 1.0)
    y_bar_2 += y_bar_3
    return x_bar, y_bar_2
