"""The grad of `constant_stiffness` in primals/objects.py, as printed."""

from tapeless.runtime import AdjointRecord
from tests.golden.primals.objects import Spring


<<<<<<< HEAD
def energy_fwd(self):
    half_k = 0.5 * self.k
    half_k_x = half_k * self.x
    return half_k_x * self.x, (self, half_k, half_k_x)


def energy_rev(saved, y_bar, self_bar):
    self, half_k, half_k_x = saved
    half_k_x_bar = y_bar * self.x
    self_bar.x = self_bar.x + y_bar * half_k_x
    self_bar.x = self_bar.x + half_k_x_bar * half_k


=======
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
def step_fwd(self, dt):
    dt_k = dt * self.k
    x = self.x
    self.x = self.x - dt_k * self.x
    return None, (self, dt_k, x)


def step_rev(saved, y_bar, self_bar):
    self, dt_k, x = saved
    x_dt_difference_bar = self_bar.x
    self.x = x
    self_bar.x = -x_dt_difference_bar * dt_k + x_dt_difference_bar


def init_rev(y_bar, self_bar):
    x_bar = self_bar.x
    return x_bar


def constant_stiffness_grad(x, n):
    # Forward sweep
    saved = []
    spring = Spring(2.0, x)
    for _ in range(n):
        _, saved_step = step_fwd(spring, 0.1)
        saved.append(saved_step)
<<<<<<< HEAD
    energy_spring, saved_energy = energy_fwd(spring)
=======
    v_2 = 0.5 * spring.k
    v_5 = spring.x
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
    # Reverse sweep
    v_4_bar = 1.0 * spring.x
    spring_bar = AdjointRecord()
    spring_bar.x = spring_bar.x + v_2 * spring.x
    spring_bar.x = spring_bar.x + v_4_bar * v_2
    for saved_step in reversed(saved):
        step_rev(saved_step, None, spring_bar)
    x_bar = init_rev(None, spring_bar)
    return x_bar
