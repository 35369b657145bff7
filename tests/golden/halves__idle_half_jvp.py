"""The jvp of `idle_half` in primals/halves.py, as printed."""

from tapeless.runtime import record_of
from tests.golden.primals.halves import Average


def init_jvp(self, weight, self_dot):
    self_dot.weight = 0.0
    self.weight = weight
    self_dot.state = 0.0
    self.state = 0.0
    return None, None


def update_jvp(self, value, self_dot, value_dot):
    weight = self.weight
    one_minus_weight = 1.0 - self.weight
    weight_state_sum = weight * self.state + one_minus_weight * value
    self_dot.state = weight * self_dot.state + one_minus_weight * value_dot
    self.state = weight_state_sum
    return self.state, self_dot.state


def idle_half_jvp(xs, xs_dot):
    average = Average.__new__(Average)
    average_dot = record_of()
    init_jvp(average, 0.8, average_dot)
    y_dot = 0.0
    y = 0.0
    for k in range(len(xs)):
        update_average, update_average_dot = update_jvp(average, xs[k], average_dot, xs_dot[k])
        y_dot = y_dot + update_average_dot * (2.0 * update_average)
        y = y + update_average**2
    return y, y_dot
