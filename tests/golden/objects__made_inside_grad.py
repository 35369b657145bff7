"""The grad of `made_inside` in primals/objects.py, as printed."""

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
    self_bar.k = self_bar.k + half_k_x_bar * self.x * 0.5


=======
>>>>>>> 5f06731 (Write small functions of the user's in the place of their calls)
def step_fwd(self, dt):
    dt_k = dt * self.k
    x = self.x
    self.x = self.x - dt_k * self.x
    return None, (dt, self, dt_k, x)


def step_rev(saved, y_bar, self_bar):
    dt, self, dt_k, x = saved
    x_dt_difference_bar = self_bar.x
    self.x = x
    dt_k_x_bar = -x_dt_difference_bar
    self_bar.x = dt_k_x_bar * dt_k
    self_bar.k = self_bar.k + dt_k_x_bar * self.x * dt
    self_bar.x = self_bar.x + x_dt_difference_bar


def init_rev(y_bar, self_bar):
    return self_bar.k, self_bar.x


def made_inside_grad(k, x):
    # Forward sweep
    spring = Spring(k, x)
    _, saved_step = step_fwd(spring, 0.1)
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
    v_2_bar = v_4_bar * spring.x
    spring_bar.x = spring_bar.x + v_4_bar * v_2
    spring_bar.k = spring_bar.k + v_2_bar * 0.5
    step_rev(saved_step, None, spring_bar)
    k_bar, x_bar = init_rev(None, spring_bar)
    return k_bar, x_bar
