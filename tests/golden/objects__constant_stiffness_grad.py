"""The grad of `constant_stiffness` in primals/objects.py, as printed."""

from tapeless.runtime import AdjointRecord
from tests.golden.primals.objects import Spring


def energy_fwd(self):
    v_1 = 0.5 * self.k
    v_3 = v_1 * self.x
    return v_3 * self.x, (self, v_1, v_3)


def energy_rev(saved, y_bar, self_bar):
    self, v_1, v_3 = saved
    v_3_bar = y_bar * self.x
    self_bar.x = self_bar.x + y_bar * v_3
    self_bar.x = self_bar.x + v_3_bar * v_1


def step_fwd(self, dt):
    v_2 = dt * self.k
    x_1 = self.x
    self.x = self.x - v_2 * self.x
    return None, (self, v_2, x_1)


def step_rev(saved, y_bar, self_bar):
    self, v_2, x_1 = saved
    v_5_bar = self_bar.x
    self.x = x_1
    self_bar.x = -v_5_bar * v_2 + v_5_bar


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
    v, saved_energy = energy_fwd(spring)
    # Reverse sweep
    spring_bar = AdjointRecord()
    energy_rev(saved_energy, 1.0, spring_bar)
    for saved_step in reversed(saved):
        step_rev(saved_step, None, spring_bar)
    x_bar = init_rev(None, spring_bar)
    return x_bar
