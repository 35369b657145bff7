"""The grad of `orbit` in primals/practice.py, as printed."""

import numpy as np


def orbit_grad(params, start, h, steps):
    # Forward sweep
    saved = []
    # params, start, state, middle as floats
    params_0, params_1 = params.tolist()
    state_0, state_1 = start.tolist()
    for _ in range(steps):
        half_h = 0.5 * h
        x = state_0
        turned_v = state_1
        params_0_difference = -params_0 * x - params_1 * turned_v
        x_1 = state_0 + half_h * turned_v
        turned_v_1 = state_1 + half_h * params_0_difference
        params_0_difference_1 = -params_0 * x_1 - params_1 * turned_v_1
        state_0 = state_0 + h * turned_v_1
        state_1 = state_1 + h * params_0_difference_1
        saved.append((turned_v, turned_v_1, params_0_difference, params_0_difference_1, x, x_1))
    # Reverse sweep
    state_1_bar = 2.0 * state_1
    state_0_bar = 2.0 * state_0
    h_bar = 0.0
    params_0_bar = 0.0
    params_1_bar = 0.0
    for turned_v, turned_v_1, params_0_difference, params_0_difference_1, x, x_1 in reversed(saved):
        h_bar += state_1_bar * params_0_difference_1
        params_0_difference_1_bar = state_1_bar * h
        h_bar += state_0_bar * turned_v_1
        params_1_bar -= params_0_difference_1_bar * turned_v_1
        turned_v_1_bar = state_0_bar * h - params_0_difference_1_bar * params_1
        x_1_bar = -(params_0_difference_1_bar * params_0)
        params_0_bar -= params_0_difference_1_bar * x_1
        params_0_difference_bar = turned_v_1_bar * (0.5 * h)
        params_1_bar -= params_0_difference_bar * turned_v
        turned_v_bar = x_1_bar * (0.5 * h) - params_0_difference_bar * params_1
        x_bar = -(params_0_difference_bar * params_0)
        params_0_bar -= params_0_difference_bar * x
        state_1_bar = state_1_bar + turned_v_1_bar + turned_v_bar
        state_0_bar = state_0_bar + x_1_bar + x_bar
        h_bar += (turned_v_1_bar * params_0_difference + x_1_bar * turned_v) * 0.5
    start_bar = np.array([state_0_bar, state_1_bar])
    params_bar = np.array([params_0_bar, params_1_bar])
    return params_bar, start_bar, h_bar
