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
    dt_k = dt * self.k
    x_dt_difference = self.x - dt_k * self.x
    self_dot.x = self_dot.x - dt_k * self_dot.x
    self.x = x_dt_difference
    return None, None


def energy_jvp(self, self_dot):
    half_k = 0.5 * self.k
    half_k_x = half_k * self.x
    x = self.x
    return half_k_x * x, half_k * self_dot.x * x + half_k_x * self_dot.x


def constant_stiffness_jvp(x, n, x_dot):
    spring = Spring.__new__(Spring)
    spring_dot = record_of()
    init_jvp(spring, 2.0, x, spring_dot, x_dot)
    for _ in range(n):
        step_jvp(spring, 0.1, spring_dot)
    energy_spring, energy_spring_dot = energy_jvp(spring, spring_dot)
    return energy_spring, energy_spring_dot
