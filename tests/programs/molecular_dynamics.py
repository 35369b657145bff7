"""Lennard-Jones molecules with cell lists and velocity Verlet steps."""

import itertools
from collections import defaultdict

import numpy as np


class Box:
    def __init__(self, length, cutoff):
        self.length = length
        self.cutoff = cutoff
        self.n_cells = max(1, int(length // cutoff))

    def wrap(self, r):
        return r - self.length * np.floor(r / self.length)

    def minimum_image(self, d):
        return d - self.length * np.round(d / self.length)

    def cell_of(self, r):
        size = self.length / self.n_cells
        return tuple(int(c) for c in np.floor(r / size).astype(int) % self.n_cells)


class CellList:
    def __init__(self, box):
        self.box = box
        self.cells = defaultdict(list)

    def build(self, positions):
        self.cells.clear()
        for i, r in enumerate(positions):
            self.cells[self.box.cell_of(r)].append(i)

    def pairs(self):
        seen = set()
        offsets = list(itertools.product((-1, 0, 1), repeat=2))
        for cell, members in self.cells.items():
            for off in offsets:
                other = tuple((c + o) % self.box.n_cells for c, o in zip(cell, off))
                for i in members:
                    for j in self.cells.get(other, ()):
                        if i < j and (i, j) not in seen:
                            seen.add((i, j))
                            yield i, j


class Simulation:
    def __init__(self, positions, velocities, box, epsilon=1.0, sigma=1.0, dt=0.005, mass=1.0):
        self.r = positions.copy()
        self.v = velocities.copy()
        self.box = box
        self.epsilon = epsilon
        self.sigma = sigma
        self.dt = dt
        self.mass = mass
        self.cells = CellList(box)
        self.potential = 0.0
        self.forces = np.zeros_like(self.r)

    def compute_forces(self):
        self.forces = np.zeros_like(self.r)
        self.potential = 0.0
        self.cells.build(self.box.wrap(self.r))
        for i, j in self.cells.pairs():
            d = self.box.minimum_image(self.r[i] - self.r[j])
            r2 = np.dot(d, d)
            if r2 > self.box.cutoff**2:
                continue
            s6 = (self.sigma**2 / r2) ** 3
            self.potential += 4 * self.epsilon * (s6**2 - s6)
            f = 24 * self.epsilon * (2 * s6**2 - s6) / r2 * d
            self.forces[i] += f
            self.forces[j] -= f

    def step(self):
        self.v += 0.5 * self.dt * self.forces / self.mass
        self.r += self.dt * self.v
        self.compute_forces()
        self.v += 0.5 * self.dt * self.forces / self.mass

    @property
    def kinetic(self):
        return 0.5 * self.mass * np.sum(self.v**2)

    def run(self, n_steps, report_every=0):
        self.compute_forces()
        energies = []
        for k in range(n_steps):
            self.step()
            energies.append(self.kinetic + self.potential)
            if report_every and k % report_every == 0:
                print(f"{k:5d} {self.kinetic:.3f} {self.potential:.3f}")
        return np.array(energies)


def objective(epsilon, sigma):
    grid = np.array([[0.6, 0.6], [1.8, 0.7], [0.7, 1.9], [1.9, 1.8], [3.0, 3.1]])
    velocities = 0.3 * np.random.default_rng(2).normal(size=grid.shape)
    simulation = Simulation(grid, velocities, Box(4.0, 2.0), epsilon=epsilon, sigma=sigma)
    energies = simulation.run(3)
    return energies.mean() + np.sum(simulation.r**2)


ARGUMENTS = (1.0, 1.05)
