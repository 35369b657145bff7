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


<<<<<<< HEAD
def energy_jvp(self, self_dot):
    half_k = 0.5 * self.k
    x = self.x
    half_k_x = half_k * x
    x_1 = self.x
    return (
        half_k_x * x_1,
        (0.5 * self_dot.k * x + half_k * self_dot.x) * x_1 + half_k_x * self_dot.x,
    )


=======
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
def made_inside_jvp(k, x, k_dot, x_dot):
    spring = Spring.__new__(Spring)
    spring_dot = record_of()
    init_jvp(spring, k, x, spring_dot, k_dot, x_dot)
    step_jvp(spring, 0.1, spring_dot)
<<<<<<< HEAD
    energy_spring, energy_spring_dot = energy_jvp(spring, spring_dot)
    return energy_spring, energy_spring_dot
=======
    v_2 = 0.5 * spring.k
    v_3 = spring.x
    v_4 = v_2 * v_3
    v_5 = spring.x
    return v_4 * v_5, (0.5 * spring_dot.k * v_3 + v_2 * spring_dot.x) * v_5 + v_4 * spring_dot.x
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
