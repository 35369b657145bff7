"""Objects: construction, methods, attributes read and overwritten, objects in containers."""

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])


class Oscillator:
    damping = 0.1

    def __init__(self, k, m=1.0):
        self.k = k
        self.m = m
        self.x = 1.0
        self.v = 0.0
        self.time = 0

    def force(self):
        return -self.k * self.x - self.damping * self.v

    def step(self, dt):
        a = self.force() / self.m
        self.v += dt * a
        self.x += dt * self.v
        self.time += 1

    @property
    def energy(self):
        return 0.5 * self.m * self.v**2 + 0.5 * self.k * self.x**2

    @staticmethod
    def scaled(value, c):
        return value * c

    @classmethod
    def heavy(cls, k):
        return cls(k, m=5.0)

    def total(self):
        return 0.5 * self.m * self.v**2 + 0.5 * self.k * self.x**2


def oscillate(k, dt):
    o = Oscillator(k)
    for _ in range(4):
        o.step(dt)
    return o.total() * o.time


def two_of_a_class(k, m):
    a, b = Oscillator(k, m=m), Oscillator(m, k)
    for _ in range(3):
        a.step(0.1)
        b.step(0.05 * a.x)
    return a.x * b.x + a.total()


def static_and_class_methods(k):
    o = Oscillator.heavy(k)
    o.step(0.2)
    return Oscillator.scaled(o.x, k) + o.scaled(o.v, 2.0)


class Accumulator:
    def __init__(self, n):
        self.total = np.zeros(n)
        self.count = 0
        self.history = []

    def add(self, v, weight=1.0):
        self.total += weight * v
        self.count += 1
        self.history.append(np.sum(self.total))
        return self

    def mean(self):
        return self.total / self.count


def running_mean(x):
    acc = Accumulator(len(x))
    acc.add(x).add(x * x, weight=0.5)
    acc.add(np.sin(x))
    return acc.mean() * acc.history[1]


class Grid:
    def __init__(self, u, c):
        self.u = u.copy()
        self.c = c
        self.steps = 0

    def relax(self):
        u = self.u
        for i in range(1, len(u) - 1):
            u[i] = u[i] + self.c * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        self.steps = self.steps + 1

    def run(self, tolerance):
        while self.steps < 5:
            old = self.u[1]
            self.relax()
            if abs(self.u[1] - old) < tolerance:
                return self.u[1]
        return np.sum(self.u**2)


def relaxation(u, c):
    return Grid(u, c).run(1e-8)


class Tree:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right

    def evaluate(self, x):
        total = self.value * x
        if self.left is not None:
            total = total + self.left.evaluate(x * x)
        if self.right is not None:
            total = total * self.right.evaluate(x + 1.0)
        return total


def linked(a, b, x):
    leaf = Tree(a)
    root = Tree(a * b, leaf, Tree(b, leaf))
    leaf.value = leaf.value * 2.0
    return root.evaluate(x)


class Body:
    def __init__(self, pos, mass):
        self.pos = pos
        self.vel = np.zeros(2)
        self.mass = mass


class World:
    def __init__(self):
        self.bodies = []
        self.g = 0.7

    def add(self, pos, mass):
        body = Body(pos, mass)
        self.bodies.append(body)
        return body

    def step(self, dt):
        for a in self.bodies:
            pull = np.zeros(2)
            for b in self.bodies:
                if a is not b:
                    d = b.pos - a.pos
                    pull += self.g * b.mass * d / (np.sum(d**2) + 0.1) ** 1.5
            a.vel = a.vel + dt * pull
        for a in self.bodies:
            a.pos = a.pos + dt * a.vel


def planets(p, m):
    world = World()
    sun = world.add(np.zeros(2), 3.0)
    world.add(p[:2], m)
    world.add(p[2:], m * 0.5)
    for _ in range(2):
        world.step(0.1)
    return np.sum((world.bodies[1].pos - sun.pos) ** 2) + world.bodies[2].pos[0]


class Polynomial:
    def __init__(self, coefficients):
        self.c = coefficients

    def at(self, x):
        y = 0.0
        for c in self.c:
            y = y * x + c
        return y

    def derivative(self):
        n = len(self.c) - 1
        return Polynomial(self.c[:-1] * np.arange(n, 0.0, -1.0))


def newton_on_an_object(c, x):
    p = Polynomial(c)
    dp = p.derivative()
    for _ in range(2):
        x = x - p.at(x) / dp.at(x)
    return x


class PID:
    def __init__(self, gains):
        self.kp, self.ki, self.kd = gains
        self.integral = 0.0
        self.last = None

    def control(self, error):
        self.integral = self.integral + error
        slope = 0.0 if self.last is None else error - self.last
        self.last = error
        u = self.kp * error + self.ki * self.integral + self.kd * slope
        if u > 2.0:
            return 2.0 + 0.1 * (u - 2.0)
        return u


def controlled(gains, target):
    pid = PID(gains)
    y = 0.0
    cost = 0.0
    for _ in range(5):
        u = pid.control(target - y)
        y = y + 0.3 * (u - 0.5 * y)
        cost = cost + (target - y) ** 2 + 0.01 * u**2
    return cost


class Base:
    def __init__(self, a):
        self.a = a

    def weight(self):
        return self.a

    def loss(self, x):
        return self.weight() * x**2


class Derived(Base):
    def weight(self):
        return self.a * 3.0 + np.sin(self.a)


def inherited(a, x):
    total = 0.0
    for model in (Base(a), Derived(a * 2.0)):
        total = total + model.loss(x)
    return total


def attribute_overwritten_in_a_loop(x, c):
    o = Oscillator(c)
    total = 0.0
    for v in x:
        o.x = o.x * v + c
        if o.x > 2.0:
            continue
        o.k = o.k + o.x**2
        total += o.k * o.x
    return total


def two_names_for_one(x):
    a = Oscillator(x)
    b = a
    b.x = x * x
    a.k = b.x + a.x
    return b.k * a.x


def attribute_array_stored_into(x):
    acc = Accumulator(4)
    acc.total[1:3] = x[1:3] ** 2
    view = acc.total[1:]
    view *= x[0]
    acc.total[0] = acc.total[1] * acc.total[2]
    return np.sum(acc.total)


def methods_as_values(k):
    o = Oscillator(k)
    step = o.step
    step(0.1)
    step(0.2)
    return o.x * o.v


class Kept:
    pass


def read_three_times(a):
    box = Kept()
    box.v = a
    b = box.v.copy()
    b[()] = box.v * box.v
    return b * 3.0


MODEL = Oscillator(2.0)


def reads_a_global_object(x):
    return MODEL.k * x * Oscillator.damping * MODEL.force()


CASES = [
    ("oscillate", oscillate, (2.0, 0.1)),
    ("two_of_a_class", two_of_a_class, (2.0, 1.1)),
    ("static_and_class_methods", static_and_class_methods, (2.0,)),
    ("running_mean", running_mean, (X,)),
    ("relaxation", relaxation, (X, 0.2)),
    ("linked", linked, (0.7, 1.2, 0.4)),
    ("planets", planets, (X, 0.3)),
    ("newton_on_an_object", newton_on_an_object, (X, 0.2)),
    ("controlled", controlled, ((1.5, 0.2, 0.1), 1.0)),
    ("controlled_saturated", controlled, ((4.0, 0.2, 0.1), 1.0)),
    ("inherited", inherited, (0.7, 1.2)),
    ("attribute_overwritten_in_a_loop", attribute_overwritten_in_a_loop, (X, 0.4)),
    ("two_names_for_one", two_names_for_one, (0.4,)),
    ("attribute_array_stored_into", attribute_array_stored_into, (X,)),
    ("methods_as_values", methods_as_values, (1.4,)),
    ("read_three_times", read_three_times, (np.array(1.3),)),
    ("reads_a_global_object", reads_a_global_object, (1.4,)),
]
