"""The jvp of `over_labels` in primals/iterators.py, as printed."""

def over_labels_jvp(x, x_dot):
    table_1_dot = {}
    table_1 = {}
    for (label, v), v_dot in zip(zip("abc", x), x_dot):
        table_1_dot[label] = v_dot * v + v * v_dot
        table_1[label] = v * v
    table = table_1
    table_a = table["a"]
    table_c = table["c"]
    return table_a * table_c, table_1_dot["a"] * table_c + table_a * table_1_dot["c"]
