"""Methods and attributes of objects."""

import numpy as np


class Spring:
    def __init__(self, k, x):
        self.k = k
        self.x = x

    def step(self, dt):
        self.x = self.x - dt * self.k * self.x

    def energy(self):
        return 0.5 * self.k * self.x * self.x


INPUTS = {"made_inside": (2.0, 0.3), "constant_stiffness": (0.3, 3)}


def made_inside(k: float, x: float):
    spring = Spring(k, x)
    spring.step(0.1)
    return spring.energy()


def constant_stiffness(x: float, n: int):
    spring = Spring(2.0, x)
    for _ in range(n):
        spring.step(0.1)
    return spring.energy()
