"""The jvp of `several_results` in primals/halves.py, as printed."""

def first_rise_jvp(x, x_dot):
    for k in range(1, len(x)):
        if x[k] > x[k - 1]:
            break
    else:
        return (x[0], x[0]), (x_dot[0], x_dot[0])
    return (x[k - 1], x[k]), (x_dot[k - 1], x_dot[k])


def several_results_jvp(x, x_dot):
    (low, high), (low_dot, high_dot) = first_rise_jvp(x, x_dot)
    high_minus_low = high - low
    return low * high_minus_low, low_dot * high_minus_low + low * (high_dot - low_dot)
