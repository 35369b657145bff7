"""The grad of `coupling` in primals/attempts.py, as printed."""

from tests.golden.primals.attempts import COUPLINGS


def coupling_grad(x, k):
    # Forward sweep
    raised = False
    try:
        c = COUPLINGS[k]
    except IndexError:
        raised = True
        c = x
    else:
        x_1 = x
        x = x * x
    # Reverse sweep
    x_bar = c
    if raised:
        x_bar += x
    else:
        x_bar = 2.0 * c * x_1
    return x_bar
