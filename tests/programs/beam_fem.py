"""Deflection of a beam of Euler-Bernoulli elements with elements of different heights."""

from enum import Enum

import numpy as np


class Support(Enum):
    FREE = 0
    PINNED = 1
    FIXED = 2


class Element:
    def __init__(self, length, E, I):
        self.L = length
        self.E = E
        self.I = I

    @property
    def stiffness(self):
        L = self.L
        k = np.array(
            [
                [12, 6 * L, -12, 6 * L],
                [6 * L, 4 * L**2, -6 * L, 2 * L**2],
                [-12, -6 * L, 12, -6 * L],
                [6 * L, 2 * L**2, -6 * L, 4 * L**2],
            ]
        )
        return self.E * self.I / L**3 * k

    def consistent_load(self, q):
        L = self.L
        return q * L / 12 * np.array([6, L, 6, -L])


class Beam:
    def __init__(self, lengths, heights, width=0.1, E=210.0):
        if len(lengths) != len(heights):
            raise ValueError("one height for each element")
        self.elements = [Element(l, E, width * h**3 / 12) for l, h in zip(lengths, heights)]
        self.supports = {}
        self.n_nodes = len(self.elements) + 1

    def support(self, node, kind=Support.PINNED):
        self.supports[node] = kind

    def assemble(self):
        n = 2 * self.n_nodes
        K = np.zeros((n, n))
        for e, element in enumerate(self.elements):
            dofs = np.arange(2 * e, 2 * e + 4)
            K[np.ix_(dofs, dofs)] += element.stiffness
        return K

    def load_vector(self, q):
        f = np.zeros(2 * self.n_nodes)
        for e, element in enumerate(self.elements):
            f[2 * e : 2 * e + 4] += element.consistent_load(q)
        return f

    def free_dofs(self):
        fixed = []
        for node, kind in self.supports.items():
            if kind is Support.PINNED:
                fixed.append(2 * node)
            elif kind == Support.FIXED:
                fixed.extend([2 * node, 2 * node + 1])
        return np.setdiff1d(np.arange(2 * self.n_nodes), fixed)

    def solve(self, q):
        K = self.assemble()
        f = self.load_vector(q)
        free = self.free_dofs()
        u = np.zeros(2 * self.n_nodes)
        u[free] = np.linalg.solve(K[np.ix_(free, free)], f[free])
        return u, f @ u


def objective(heights):
    lengths = [1.0, 0.8, 1.2]
    beam = Beam(lengths, heights)
    beam.support(0, Support.FIXED)
    beam.support(len(lengths))
    u, compliance = beam.solve(-0.01)
    volume = sum(l * h for l, h in zip(lengths, heights))
    return 1e2 * compliance + 0.1 * volume + 10 * np.max(np.abs(u[::2]))


ARGUMENTS = (np.array([0.3, 0.25, 0.28]),)
