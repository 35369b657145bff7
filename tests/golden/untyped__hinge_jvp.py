"""The jvp of `hinge` in primals/untyped.py, as printed."""

from tapeless.runtime import as_gradient, as_in_place, private_tangent


def hinge_jvp(w, rows, labels, w_dot, rows_dot, labels_dot):
    w_dot = private_tangent(w_dot, w)
    loss_dot = 0.0
    loss = 0.0
    for (row, label), (row_dot, label_dot) in zip(
        zip(rows, labels), zip(private_tangent(rows_dot, rows), private_tangent(labels_dot, labels))
    ):
        w_row = w @ row
        margin_dot = label_dot * w_row + label * (w_dot @ row + w @ row_dot)
        margin = label * w_row
        if margin < 1.0:
            loss_dot = +(loss_dot + -margin_dot)
            loss = as_in_place(loss, loss + (1.0 - margin))
    return loss, as_gradient(loss_dot, loss)
