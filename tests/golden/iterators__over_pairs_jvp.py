"""The jvp of `over_pairs` in primals/iterators.py, as printed."""

def over_pairs_jvp(x, x_dot):
    s_dot = 0.0
    s = 0.0
    first = True
    for value, value_dot in zip(x, x_dot):
        if first:
            last_dot = value_dot
            last = value
            first = False
            continue
        pair_0_dot = last_dot
        pair_0 = last
        last_dot = value_dot
        last = value
        a = pair_0
        b = value
        b_minus_a = b - a
        s_dot += (value_dot - pair_0_dot) * (2.0 * b_minus_a)
        s += b_minus_a**2
    return s, s_dot
