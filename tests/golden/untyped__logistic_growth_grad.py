"""The grad of `logistic_growth` in primals/untyped.py, as printed."""

def logistic_growth_grad(y0, rate, capacity, h, steps):
    # Forward sweep
    saved = []
    y = y0
    for _ in range(steps):
        y_over_capacity = y / capacity
        k1 = rate * y * (1.0 - y_over_capacity)
        y_1 = y + 0.5 * h * k1
        y_1_over_capacity = y_1 / capacity
        k2 = rate * y_1 * (1.0 - y_1_over_capacity)
        saved.append((y, k1, k2, y_over_capacity, y_1_over_capacity, y_1))
        y = y + h * k2
    # Reverse sweep
    y_bar = 1.0
    capacity_bar = 0.0
    h_bar = 0.0
    rate_bar = 0.0
    for y, k1, k2, y_over_capacity, y_1_over_capacity, y_1 in reversed(saved):
        h_bar += y_bar * k2
        k2_bar = y_bar * h
        rate_y_1_bar = k2_bar * (1.0 - y_1_over_capacity)
        y_1_bar = -(k2_bar * (rate * y_1)) / capacity
        capacity_bar -= y_1_bar * y_1_over_capacity
        rate_bar += rate_y_1_bar * y_1
        y_1_bar += rate_y_1_bar * rate
        k1_bar = y_1_bar * (0.5 * h)
        h_bar += y_1_bar * k1 * 0.5
        rate_y_bar = k1_bar * (1.0 - y_over_capacity)
        y_over_capacity_bar = -(k1_bar * (rate * y))
        capacity_bar -= y_over_capacity_bar * y_over_capacity / capacity
        rate_bar += rate_y_bar * y
        y_bar = y_bar + y_1_bar + y_over_capacity_bar / capacity + rate_y_bar * rate
    return y_bar, rate_bar, capacity_bar, h_bar
