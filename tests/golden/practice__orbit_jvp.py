"""The jvp of `orbit` in primals/practice.py, as printed."""

import numpy as np
from tapeless.runtime import floats_of


def orbit_jvp(params, start, h, steps, params_dot, start_dot, h_dot):
    # params, start, state, middle as floats
    params_0_dot, params_1_dot = floats_of(params_dot)
    params_0, params_1 = params.tolist()
    state_0_dot, state_1_dot = floats_of(start_dot)
    state_0, state_1 = start.tolist()
    for _ in range(steps):
        half_h_dot = 0.5 * h_dot
        half_h = 0.5 * h
        x = state_0
        turned_v = state_1
        minus_params_0 = -params_0
        params_0_difference = minus_params_0 * x - params_1 * turned_v
        middle_1_dot = state_1_dot + (
            half_h_dot * params_0_difference
            + half_h
            * (
                -params_0_dot * x
                + minus_params_0 * state_0_dot
                - (params_1_dot * turned_v + params_1 * state_1_dot)
            )
        )
        x_1 = state_0 + half_h * turned_v
        turned_v_1 = state_1 + half_h * params_0_difference
        minus_params_0_1 = -params_0
        params_0_difference_1 = minus_params_0_1 * x_1 - params_1 * turned_v_1
        state_1_h_sum_dot = state_1_dot + (
            h_dot * params_0_difference_1
            + h
            * (
                -params_0_dot * x_1
                + minus_params_0_1 * (state_0_dot + (half_h_dot * turned_v + half_h * state_1_dot))
                - (params_1_dot * turned_v_1 + params_1 * middle_1_dot)
            )
        )
        state_0_dot = state_0_dot + (h_dot * turned_v_1 + h * middle_1_dot)
        state_0 = state_0 + h * turned_v_1
        state_1_dot = state_1_h_sum_dot
        state_1 = state_1 + h * params_0_difference_1
    return (
        np.float64(state_0 * state_0 + state_1 * state_1),
        np.float64(
            state_0_dot * state_0
            + state_0 * state_0_dot
            + (state_1_dot * state_1 + state_1 * state_1_dot)
        ),
    )
