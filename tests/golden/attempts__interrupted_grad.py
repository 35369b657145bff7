"""The grad of `interrupted` in primals/attempts.py, as printed."""

from tests.golden.primals.attempts import COUPLINGS


def interrupted_grad(x, k):
    # Forward sweep
    y = x
    raised = False
    reached = 0
    try:
        y_x = y * x
        y_1 = y
        y = y_x
        reached = 1
        y = y * COUPLINGS[k]
    except IndexError:
        raised = True
        y = y + 1.0
    # Reverse sweep
    y_bar = 2.0 * y
    if not raised:
        y_bar *= COUPLINGS[k]
    x_bar = 0.0
    if reached >= 1:
        y_x_bar = y_bar
        y_bar *= x
        x_bar = y_x_bar * y_1
    x_bar += y_bar
    return x_bar
