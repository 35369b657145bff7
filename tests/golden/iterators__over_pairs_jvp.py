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
        pair_0_dot = last_dot
        pair_0 = last
        last_dot = v_dot
        last = v
        a = pair_0
        b = v
        v_1 = b - a
        s_dot += (v_dot - pair_0_dot) * (2.0 * v_1)
        s += v_1**2
    return s, s_dot
