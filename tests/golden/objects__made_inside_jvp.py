"""The jvp of `made_inside` in primals/objects.py, as printed."""

from tapeless.runtime import record_of
from tests.golden.primals.objects import Spring


def init_jvp(self, k, x, self_dot, k_dot, x_dot):
    self_dot.k = k_dot
    self.k = k
    self_dot.x = x_dot
    self.x = x
    return None, None


def step_jvp(self, dt, self_dot):
    v_2 = dt * self.k
    v_3 = self.x
    v_5 = self.x - v_2 * v_3
    self_dot.x = self_dot.x - (dt * self_dot.k * v_3 + v_2 * self_dot.x)
    self.x = v_5
    return None, None


def energy_jvp(self, self_dot):
    v_1 = 0.5 * self.k
    v_2 = self.x
    v_3 = v_1 * v_2
    v_4 = self.x
    return v_3 * v_4, (0.5 * self_dot.k * v_2 + v_1 * self_dot.x) * v_4 + v_3 * self_dot.x


def made_inside_jvp(k, x, k_dot, x_dot):
    spring = Spring.__new__(Spring)
    spring_dot = record_of()
    init_jvp(spring, k, x, spring_dot, k_dot, x_dot)
    step_jvp(spring, 0.1, spring_dot)
    v, v_dot = energy_jvp(spring, spring_dot)
    return v, v_dot
