"""The grad of `views` in primals/stores.py, as printed."""

from tapeless.runtime import AdjointMemory


def views_grad(a):
    # Forward sweep
    b = a * 2.0
    row = b[0]
    v = b[1]
    row_old = row[...].copy()
    row[...] = row * v
    # Reverse sweep
    bars = AdjointMemory()
    b_bar = bars[b]
    b_bar += 1.0
    row_bar = bars[row]
    v_2_bar = row_bar[...].copy()
    row_bar[...] = 0.0
    row[...] = row_old
    row_bar += v_2_bar * v
    b_bar[1] += v_2_bar * row
    a_bar = b_bar * 2.0
    return a_bar
