"""The grad of `list_appended` in primals/containers.py, as printed."""

def list_appended_grad(x, n):
    # Forward sweep
    saved = []
    xs = [x]
    for _ in range(n):
        v = xs[-1]
        v_1 = xs[-1]
        xs.append(v * v_1 + x)
        saved.append((v, v_1))
    v_4 = xs[n]
    # Reverse sweep
    xs_bar = [0.0] * len(xs)
    xs_bar[n] = xs_bar[n] + 1.0
    x_bar = 0.0
    for v, v_1 in reversed(saved):
        v_3_bar = xs_bar.pop()
        x_bar += v_3_bar
        v_bar = v_3_bar * v_1
        xs_bar[-1] = xs_bar[-1] + v_3_bar * v
        xs_bar[-1] = xs_bar[-1] + v_bar
    x_bar += xs_bar[0]
    return x_bar
