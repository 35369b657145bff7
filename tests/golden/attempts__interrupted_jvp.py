"""The jvp of `interrupted` in primals/attempts.py, as printed."""

from tests.golden.primals.attempts import COUPLINGS


def interrupted_jvp(x, k, x_dot):
    y_dot = x_dot
    y = x
    try:
        y_x = y * x
        y_x_dot = y_dot * x + y * x_dot
        y = y_x
        y_dot = y_x_dot
        couplings_k = COUPLINGS[k]
        y_couplings = y * couplings_k
        y_couplings_dot = y_dot * couplings_k
        y = y_couplings
        y_dot = y_couplings_dot
    except IndexError:
        y_dot = y_dot
        y = y + 1.0
    return y * y, y_dot * y + y * y_dot
