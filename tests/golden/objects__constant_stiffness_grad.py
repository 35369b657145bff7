"""The grad of `constant_stiffness` in primals/objects.py, as printed."""

from tapeless.runtime import AdjointRecord
from tests.golden.primals.objects import Spring


def step_fwd(self, dt):
    dt_k = dt * self.k
    x = self.x
    self.x = self.x - dt_k * self.x
    return None, (self, dt_k, x)


def step_rev(saved, self_bar):
    self, dt_k, x = saved
    x_dt_difference_bar = self_bar.x
    self.x = x
    self_bar.x = -x_dt_difference_bar * dt_k + x_dt_difference_bar


def init_rev(self_bar):
    x_bar = self_bar.x
    return x_bar


def constant_stiffness_grad(x, n):
    # Forward sweep
    saved = []
    spring = Spring(2.0, x)
    for _ in range(n):
        _, saved_step = step_fwd(spring, 0.1)
        saved.append(saved_step)
    half_spring_k = 0.5 * spring.k
    # Reverse sweep
    spring_product_bar = 1.0 * spring.x
    spring_bar = AdjointRecord()
    spring_bar.x = spring_bar.x + half_spring_k * spring.x
    spring_bar.x = spring_bar.x + spring_product_bar * half_spring_k
    for saved_step in reversed(saved):
        step_rev(saved_step, spring_bar)
    x_bar = init_rev(spring_bar)
    return x_bar
