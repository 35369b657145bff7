"""The jvp of `alike` in primals/halves.py, as printed."""

def first_rise_jvp(x, x_dot):
    for k in range(1, len(x)):
        if x[k] > x[k - 1]:
            break
    else:
        return (x[0], x[0]), (x_dot[0], x_dot[0])
    return (x[k - 1], x[k]), (x_dot[k - 1], x_dot[k])


def alike_jvp(x, x_dot):
    (low, high), (low_dot, high_dot) = first_rise_jvp(x, x_dot)
    (inner_0, inner_1), (inner_0_dot, inner_1_dot) = first_rise_jvp(x[1:], x_dot[1:])
    low_high = low * high
    return low_high * inner_1, (low_dot * high + low * high_dot) * inner_1 + low_high * inner_1_dot
