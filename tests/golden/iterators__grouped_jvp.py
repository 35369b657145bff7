"""The jvp of `grouped` in primals/iterators.py, as printed."""

def grouped_jvp(x, x_dot):
    sums_dot = {}
    sums = {}
    for i, (v, v_dot) in enumerate(zip(x, x_dot)):
        if i % 2 not in sums:
            sums_dot[i % 2] = 0.0
            sums[i % 2] = 0.0
        sums_dot[i % 2] += v_dot * v + v * v_dot
        sums[i % 2] += v * v
    if 0 not in sums:
        sums_dot[0] = 0.0
        sums[0] = 0.0
    sums_0_dot = sums_dot[0]
    sums_0 = sums[0]
    if 1 not in sums:
        sums_dot[1] = 0.0
        sums[1] = 0.0
    sums_1 = sums[1]
    return sums_0 * sums_1, sums_0_dot * sums_1 + sums_0 * sums_dot[1]
