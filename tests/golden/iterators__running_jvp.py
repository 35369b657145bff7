"""The jvp of `running` in primals/iterators.py, as printed."""

def running_jvp(x, x_dot):
    s_dot = 0.0
    s = 0.0
    first = True
    for value, value_dot in zip(x, x_dot):
        if first:
            total_dot = value_dot
            total = value
        else:
            total_dot = total_dot + value_dot
            total = total + value
        first = False
        t = total
        s_dot += total_dot * t + t * total_dot
        s += t * t
    return s, s_dot
