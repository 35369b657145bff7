"""Discrete LQR by iteration of the Riccati equation, and the cost of the closed loop."""

import numpy as np


class ConvergenceWarning(UserWarning):
    pass


class LQR:
    """u = -K x for x[k+1] = A x[k] + B u[k]."""

    def __init__(self, A, B, Q=None, R=None, max_iter=50, eps=1e-12):
        self.A = np.atleast_2d(A)
        self.B = np.atleast_2d(B)
        n, m = self.B.shape
        self.Q = np.eye(n) if Q is None else Q
        self.R = np.eye(m) if R is None else R
        self.max_iter = max_iter
        self.eps = eps
        self.K = None
        self.P = None

    def solve(self):
        A, B, Q, R = self.A, self.B, self.Q, self.R
        P = Q
        for i in range(self.max_iter):
            BtP = B.T @ P
            K = np.linalg.solve(R + BtP @ B, BtP @ A)
            Pn = Q + A.T @ P @ (A - B @ K)
            if np.max(np.abs(Pn - P)) < self.eps:
                P = Pn
                break
            P = Pn
        self.P = P
        self.K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        return self.K

    def simulate(self, x0, n_steps, noise=None):
        if self.K is None:
            self.solve()
        xs = [np.asarray(x0)]
        us = []
        cost = 0.0
        for k in range(n_steps):
            x = xs[-1]
            u = -self.K @ x
            cost += x @ self.Q @ x + u @ self.R @ u
            x_next = self.A @ x + self.B @ u
            if noise is not None:
                x_next = x_next + noise[k]
            xs.append(x_next)
            us.append(u)
        return np.array(xs), np.array(us), cost


def cart_pole(mass, length, dt=0.05, g=9.81, cart=1.0):
    Ac = np.zeros((4, 4))
    Ac[0, 1] = 1.0
    Ac[1, 2] = -mass * g / cart
    Ac[2, 3] = 1.0
    Ac[3, 2] = g * (mass + cart) / (length * cart)
    Bc = np.array([[0.0], [1.0 / cart], [0.0], [-1.0 / (length * cart)]])
    return np.eye(4) + dt * Ac, dt * Bc


def objective(mass, length, log_r):
    A, B = cart_pole(mass, length)
    controller = LQR(A, B, Q=np.diag([1.0, 0.1, 10.0, 0.1]), R=np.array([[np.exp(log_r)]]), max_iter=15)
    xs, us, cost = controller.simulate([0.1, 0.0, 0.2, 0.0], 10)
    effort = float(np.sum(us**2)) if us.ndim == 2 else 0.0
    return cost + 0.1 * effort + xs[-1] @ xs[-1]


ARGUMENTS = (0.2, 0.5, -1.0)
