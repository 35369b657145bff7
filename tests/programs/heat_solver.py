"""Explicit and implicit steps for the heat equation with boundary conditions as objects."""

import numpy as np


class BoundaryCondition:
    def apply(self, u):
        raise NotImplementedError


class Dirichlet(BoundaryCondition):
    def __init__(self, left=0.0, right=0.0):
        self.left = left
        self.right = right

    def apply(self, u):
        u[0] = self.left
        u[-1] = self.right
        return u


class Neumann(BoundaryCondition):
    def apply(self, u):
        u[0] = u[1]
        u[-1] = u[-2]
        return u


def thomas(a, b, c, d):
    n = len(d)
    cp = np.zeros(n)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in reversed(range(n - 1)):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


class HeatSolver:
    schemes = ("explicit", "implicit")

    def __init__(self, n, alpha, dt, bc=None, scheme="explicit"):
        assert scheme in self.schemes, f"unknown scheme {scheme}"
        self.n, self.alpha, self.dt = n, alpha, dt
        self.dx = 1.0 / (n - 1)
        self.bc = bc or Dirichlet()
        self.scheme = scheme
        self.time = 0.0
        self.u = np.zeros(n)

    def set_initial(self, f):
        x = np.linspace(0, 1, self.n)
        if callable(f):
            self.u = f(x)
        else:
            self.u[:] = f

    def step(self):
        r = self.alpha * self.dt / self.dx**2
        if self.scheme == "explicit":
            un = self.u.copy()
            self.u[1:-1] = un[1:-1] + r * (un[2:] - 2 * un[1:-1] + un[:-2])
        else:
            a = np.full(self.n, -r)
            b = np.full(self.n, 1 + 2 * r)
            c = np.full(self.n, -r)
            self.u = thomas(a, b, c, self.u)
        self.bc.apply(self.u)
        self.time += self.dt

    def run(self, t_end):
        while self.time < t_end - 1e-12:
            self.step()
        return self.u


def objective(alpha, amplitude):
    total = 0.0
    for scheme, bc in [("explicit", Dirichlet(0.0, 0.5)), ("implicit", Neumann())]:
        solver = HeatSolver(7, alpha, 0.01, bc=bc, scheme=scheme)
        solver.set_initial(lambda x: amplitude * np.sin(np.pi * x))
        u = solver.run(0.03)
        total += np.trapezoid(u**2, dx=solver.dx)
    return total


ARGUMENTS = (0.3, 1.2)
