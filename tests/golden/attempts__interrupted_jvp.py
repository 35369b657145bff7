"""The jvp of `interrupted` in primals/attempts.py, as printed."""

from tests.golden.primals.attempts import COUPLINGS


def interrupted_jvp(x, k, x_dot):
    y_dot = x_dot
    y = x
    try:
        v_1 = y * x
        v_1_dot = y_dot * x + y * x_dot
        y = v_1
        y_dot = v_1_dot
        v_2 = COUPLINGS[k]
        v_3 = y * v_2
        v_3_dot = y_dot * v_2
        y = v_3
        y_dot = v_3_dot
    except IndexError:
        y_dot = y_dot
        y = y + 1.0
    return y * y, y_dot * y + y * y_dot
