"""The jvp of `coupling` in primals/attempts.py, as printed."""

from tests.golden.primals.attempts import COUPLINGS


def coupling_jvp(x, k, x_dot):
    try:
        c = COUPLINGS[k]
        c_dot = 0.0
    except IndexError:
        c_dot = x_dot
        c = x
    else:
        x_dot = x_dot * x + x * x_dot
        x = x * x
    return c * x, c_dot * x + c * x_dot
