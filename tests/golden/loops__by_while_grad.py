"""The grad of `by_while` in primals/loops.py, as printed."""

def by_while_grad(x, limit):
    # Forward sweep
    saved = []
    y = x + 1.0
    while y < limit:
        saved.append(y)
        y = y * y + x
    # Reverse sweep
    y_bar = 1.0
    x_bar = 0.0
    for y in reversed(saved):
        x_bar += y_bar
        y_bar = 2.0 * y_bar * y
    x_bar += y_bar
    return x_bar, 0.0
