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


def constant_stiffness_jvp(x, n, x_dot):
    spring = Spring.__new__(Spring)
    spring_dot = record_of()
    init_jvp(spring, 2.0, x, spring_dot, x_dot)
    for _ in range(n):
        step_jvp(spring, 0.1, spring_dot)
    half_spring_k = 0.5 * spring.k
    spring_product = half_spring_k * spring.x
    spring_x = spring.x
    return (
        spring_product * spring_x,
        half_spring_k * spring_dot.x * spring_x + spring_product * spring_dot.x,
    )
