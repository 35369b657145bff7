"""The grad of `made_inside` in primals/objects.py, as printed."""

from tapeless.runtime import AdjointRecord
from tests.golden.primals.objects import Spring


def step_fwd(self, dt):
    dt_k = dt * self.k
    x = self.x
    self.x = self.x - dt_k * self.x
    return None, (dt, self, dt_k, x)


def step_rev(saved, self_bar):
    dt, self, dt_k, x = saved
    x_dt_difference_bar = self_bar.x
    self.x = x
    dt_k_x_bar = -x_dt_difference_bar
    self_bar.x = dt_k_x_bar * dt_k
    self_bar.k = self_bar.k + dt_k_x_bar * self.x * dt
    self_bar.x = self_bar.x + x_dt_difference_bar


def init_rev(self_bar):
    return self_bar.k, self_bar.x


def made_inside_grad(k, x):
    # Forward sweep
    spring = Spring(k, x)
    _, saved_step = step_fwd(spring, 0.1)
    half_spring_k = 0.5 * spring.k
    # Reverse sweep
    spring_product_bar = 1.0 * spring.x
    spring_bar = AdjointRecord()
    spring_bar.x = spring_bar.x + half_spring_k * spring.x
    half_spring_k_bar = spring_product_bar * spring.x
    spring_bar.x = spring_bar.x + spring_product_bar * half_spring_k
    spring_bar.k = spring_bar.k + half_spring_k_bar * 0.5
    step_rev(saved_step, spring_bar)
    k_bar, x_bar = init_rev(spring_bar)
    return k_bar, x_bar
