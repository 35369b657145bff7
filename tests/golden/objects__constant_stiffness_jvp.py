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


<<<<<<< HEAD
def energy_jvp(self, self_dot):
    half_k = 0.5 * self.k
    half_k_x = half_k * self.x
    x = self.x
    return half_k_x * x, half_k * self_dot.x * x + half_k_x * self_dot.x


=======
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
def constant_stiffness_jvp(x, n, x_dot):
    spring = Spring.__new__(Spring)
    spring_dot = record_of()
    init_jvp(spring, 2.0, x, spring_dot, x_dot)
    for _ in range(n):
        step_jvp(spring, 0.1, spring_dot)
<<<<<<< HEAD
    energy_spring, energy_spring_dot = energy_jvp(spring, spring_dot)
    return energy_spring, energy_spring_dot
=======
    v_2 = 0.5 * spring.k
    v_4 = v_2 * spring.x
    v_5 = spring.x
    return v_4 * v_5, v_2 * spring_dot.x * v_5 + v_4 * spring_dot.x
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
