"""The grad of `list_appended` in primals/containers.py, as printed."""

def list_appended_grad(x, n):
    # Forward sweep
    saved = []
    xs = [x]
    for _ in range(n):
        xs_item = xs[-1]
        xs_item_1 = xs[-1]
        xs.append(xs_item * xs_item_1 + x)
        saved.append((xs_item, xs_item_1))
    xs_n = xs[n]
    # Reverse sweep
    xs_bar = [0.0] * len(xs)
    xs_bar[n] = xs_bar[n] + 1.0
    x_bar = 0.0
    for xs_item, xs_item_1 in reversed(saved):
        xs_x_sum_bar = xs_bar.pop()
        x_bar += xs_x_sum_bar
        xs_item_bar = xs_x_sum_bar * xs_item_1
        xs_bar[-1] = xs_bar[-1] + xs_x_sum_bar * xs_item
        xs_bar[-1] = xs_bar[-1] + xs_item_bar
    x_bar += xs_bar[0]
    return x_bar
