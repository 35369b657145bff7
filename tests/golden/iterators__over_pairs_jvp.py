"""The jvp of `over_pairs` in primals/iterators.py, as printed."""

def over_pairs_jvp(x, x_dot):
    s_dot = 0.0
    s = 0.0
    first = True
    for v, v_dot in zip(x, x_dot):
        if first:
            last_dot = v_dot
            last = v
            first = False
            continue
        pair_dot = (last_dot, v_dot)
        pair = (last, v)
        last_dot = v_dot
        last = v
        a_dot, b_dot = pair_dot
        a, b = pair
        v_1 = b - a
        s_dot += (b_dot - a_dot) * (2.0 * v_1)
        s += v_1**2
    return s, s_dot
