"""The jvp of `generated` in primals/iterators.py, as printed."""

def squares_jvp(x, x_dot):
    items_dot = []
    items = []
    for v, v_dot in zip(x, x_dot):
        items_dot.append(v_dot * v + v * v_dot)
        items.append(v * v)
    return items, items_dot


def generated_jvp(x, x_dot):
    squares_x, squares_x_dot = squares_jvp(x, x_dot)
    return sum(squares_x), sum(squares_x_dot, 0.0)
