"""The grad of `hinge` in primals/untyped.py, as printed."""

from tapeless.runtime import zeros


def hinge_grad(w, rows, labels):
    # Forward sweep
    saved = []
    for row, label in zip(rows, labels):
        w_row = w @ row
        margin = label * w_row
        saved.append((margin < 1.0, w_row))
    # Reverse sweep
    labels_bar = zeros(labels)
    rows_bar = zeros(rows)
    w_bar = zeros(w)
    for k in range(min(len(rows), len(labels)) - 1, -1, -1):
        row = rows[k]
        label = labels[k]
        c, w_row = saved.pop()
        if c:
            margin_bar = -1.0
        else:
            margin_bar = 0.0
        label_bar = margin_bar * w_row
        w_row_bar = margin_bar * label
        w_bar += w_row_bar * row
        row_bar = w_row_bar * w
        rows_bar[k] += row_bar
        labels_bar[k] += label_bar
    return w_bar, rows_bar, labels_bar
