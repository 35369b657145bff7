"""The jvp of `by_hand` in primals/iterators.py, as printed."""

def by_hand_jvp(x, x_dot):
    if 0 >= len(x):
        raise StopIteration
    s_dot = x_dot[0]
    at = 0 + 1
    s = x[0]
    while at < len(x):
        v_dot = x_dot[at]
        v = x[at]
        at += 1
        s_dot = s_dot * v + s * v_dot
        s *= v
    return s, s_dot
