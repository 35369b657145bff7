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
    dt_k = dt * self.k
    x = self.x
    x_dt_difference = self.x - dt_k * x
    self_dot.x = self_dot.x - (dt * self_dot.k * x + dt_k * self_dot.x)
    self.x = x_dt_difference
    return None, None


def made_inside_jvp(k, x, k_dot, x_dot):
    spring = Spring.__new__(Spring)
    spring_dot = record_of()
    init_jvp(spring, k, x, spring_dot, k_dot, x_dot)
    step_jvp(spring, 0.1, spring_dot)
    half_spring_k = 0.5 * spring.k
    spring_x = spring.x
    spring_product = half_spring_k * spring_x
    spring_x_1 = spring.x
    return (
        spring_product * spring_x_1,
        (0.5 * spring_dot.k * spring_x + half_spring_k * spring_dot.x) * spring_x_1
        + spring_product * spring_dot.x,
    )
