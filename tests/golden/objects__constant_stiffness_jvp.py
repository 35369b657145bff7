"""The jvp of `constant_stiffness` in primals/objects.py, as printed."""

from tapeless.runtime import record_of
from tests.golden.primals.objects import Spring


def init_jvp(self, k, x, self_dot, x_dot):
    self_dot.k = 0.0
    self.k = k
    self_dot.x = x_dot
    self.x = x
    return None, None


def step_jvp(self, dt, self_dot):
    v_2 = dt * self.k
    v_5 = self.x - v_2 * self.x
    self_dot.x = self_dot.x - v_2 * self_dot.x
    self.x = v_5
    return None, None


def energy_jvp(self, self_dot):
    v_1 = 0.5 * self.k
    v_3 = v_1 * self.x
    v_4 = self.x
    return v_3 * v_4, v_1 * self_dot.x * v_4 + v_3 * self_dot.x


def constant_stiffness_jvp(x, n, x_dot):
    spring = Spring.__new__(Spring)
    spring_dot = record_of()
    init_jvp(spring, 2.0, x, spring_dot, x_dot)
    for _ in range(n):
        step_jvp(spring, 0.1, spring_dot)
    v, v_dot = energy_jvp(spring, spring_dot)
    return v, v_dot
