"""The jvp of `windowed` in primals/iterators.py, as printed."""

def windowed_jvp(x, x_dot):
    q_dot = []
    q = []
    s_dot = 0.0
    s = 0.0
    for v, v_dot in zip(x, x_dot):
        q_dot.append(v_dot)
        q.append(v)
        if len(q) > 2:
            q_dot.pop(0)
            q.pop(0)
        q_0 = q[0]
        s_dot += q_dot[0] * v + q_0 * v_dot
        s += q_0 * v
    return s, s_dot
