"""The grad of `idle_half` in primals/halves.py, as printed."""

import numpy as np
from tapeless.runtime import AdjointRecord
from tests.golden.primals.halves import Average


def update_fwd(self, value):
    one_minus_weight = 1.0 - self.weight
    state = self.state
    self.state = self.weight * self.state + one_minus_weight * value
    return self.state, (self, state, one_minus_weight)


def update_rev(saved, y_bar, self_bar):
    self, state, one_minus_weight = saved
    self_bar.state = self_bar.state + y_bar
    weight_state_sum_bar = self_bar.state
    self.state = state
    value_bar = weight_state_sum_bar * one_minus_weight
    self_bar.state = weight_state_sum_bar * self.weight
    return value_bar


def idle_half_grad(xs):
    # Forward sweep
    saved = []
    average = Average(0.8)
    for k in range(len(xs)):
        update_average, saved_update = update_fwd(average, xs[k])
        saved.append((saved_update, update_average))
    # Reverse sweep
    average_bar = AdjointRecord()
    xs_bar = np.zeros_like(xs)
    for k, (saved_update, update_average) in zip(reversed(range(len(xs))), reversed(saved)):
        xs_k_bar = update_rev(saved_update, 2.0 * update_average, average_bar)
        xs_bar[k] += xs_k_bar
    return xs_bar
