"""The jvp of `list_appended` in primals/containers.py, as printed."""

def list_appended_jvp(x, n, x_dot):
    xs_dot = [x_dot]
    xs = [x]
    for _ in range(n):
        xs_item = xs[-1]
        xs_item_1 = xs[-1]
        xs_dot.append(xs_dot[-1] * xs_item_1 + xs_item * xs_dot[-1] + x_dot)
        xs.append(xs_item * xs_item_1 + x)
    return xs[n], xs_dot[n]
