"""Inverse kinematics of a serial arm by damped least squares, over its Denavit-Hartenberg table."""

from typing import NamedTuple, Optional

import numpy as np


class Joint(NamedTuple):
    a: float
    alpha: float
    d: float = 0.0
    offset: float = 0.0
    limits: tuple = (-np.pi, np.pi)


class Arm:
    """A chain of revolute joints."""

    def __init__(self, joints, tool=None):
        self.joints = joints
        self.tool = np.eye(4) if tool is None else tool
        self.q = np.zeros(len(joints))

    @staticmethod
    def transform(joint, theta):
        ct, st = np.cos(theta + joint.offset), np.sin(theta + joint.offset)
        ca, sa = np.cos(joint.alpha), np.sin(joint.alpha)
        T = np.eye(4)
        T[0, :] = [ct, -st * ca, st * sa, joint.a * ct]
        T[1, :] = [st, ct * ca, -ct * sa, joint.a * st]
        T[2, 1:] = [sa, ca, joint.d]
        return T

    def frames(self, q):
        T = np.eye(4)
        frames = [T]
        for joint, theta in zip(self.joints, q):
            T = T @ self.transform(joint, theta)
            frames.append(T)
        return frames

    def position(self, q):
        return (self.frames(q)[-1] @ self.tool)[:3, 3]

    def jacobian(self, q):
        frames = self.frames(q)
        p = (frames[-1] @ self.tool)[:3, 3]
        J = np.zeros((3, len(q)))
        for i, T in enumerate(frames[:-1]):
            J[:, i] = np.cross(T[:3, 2], p - T[:3, 3])
        return J


class Solver:
    def __init__(self, arm: Arm, damping: float = 0.1, tolerance: float = 1e-9, max_iter: int = 6):
        self.arm = arm
        self.damping = damping
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.iterations = 0

    def solve(self, target, q0: Optional[np.ndarray] = None):
        q = np.array(q0, dtype=float) if q0 is not None else self.arm.q.copy()
        for self.iterations in range(self.max_iter):
            error = target - self.arm.position(q)
            if np.linalg.norm(error) < self.tolerance:
                return q
            J = self.arm.jacobian(q)
            q = q + J.T @ np.linalg.solve(J @ J.T + self.damping**2 * np.eye(3), error)
        return q


def limit_penalty(arm, q):
    total = 0.0
    for joint, theta in zip(arm.joints, q):
        low, high = joint.limits
        margin = min(theta - low, high - theta)
        if margin < 0.5:
            total += (0.5 - margin) ** 2
    return total


def objective(lengths, target):
    arm = Arm([
        Joint(lengths[0], np.pi / 2, d=0.3),
        Joint(lengths[1], 0.0, limits=(-1.0, 1.0)),
        Joint(lengths[2], 0.0, offset=0.2),
    ])
    solver = Solver(arm, damping=0.3, max_iter=4)
    q = solver.solve(target, q0=np.array([0.1, 0.4, -0.3]))
    reached = arm.position(q)
    return np.sum((reached - target) ** 2) + 0.1 * q @ q + limit_penalty(arm, q)


ARGUMENTS = (np.array([0.5, 0.6, 0.4]), np.array([0.7, 0.3, 0.8]))
