"""Strangers' programs that keep their state in objects, lists and dicts, differentiated twice.

Both ways are compared with central differences of the gradient: the tangent of the gradient, and the
gradient of a product with the gradient, which is a gradient penalty.
"""

from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tl
from tapeless.runtime import AdjointMemory
from tests.test_operators import close, differences

X = np.array([0.5, 1.5, -0.7])


class Kalman:
    def __init__(self, q, r):
        self.x = 0.0
        self.p = 1.0
        self.q = q
        self.r = r
        self.loss = 0.0

    def predict(self, a):
        self.x = a * self.x
        self.p = a * a * self.p + self.q

    def update(self, z):
        s = self.p + self.r
        gain = self.p / s
        e = z - self.x
        self.x = self.x + gain * e
        self.p = (1.0 - gain) * self.p
        self.loss += 0.5 * (np.log(s) + e * e / s)


def kalman_filter(x):
    f = Kalman(x[0] ** 2, x[1] ** 2)
    for z in (0.3, 0.7, 1.1, 0.2):
        f.predict(x[2])
        f.update(z)
    return f.loss


class Momentum:
    def __init__(self, rate, mu):
        self.rate = rate
        self.mu = mu
        self.velocity = None

    def step(self, w, g):
        if self.velocity is None:
            self.velocity = np.zeros_like(w)
        self.velocity = self.mu * self.velocity - self.rate * g
        return w + self.velocity


def unrolled_optimizer(x):
    optimizer = Momentum(x[0] * 0.1, x[1] * 0.5)
    w = np.array([1.0, -2.0]) * x[2]
    for _ in range(3):
        w = optimizer.step(w, 2 * w + np.sin(w))
    return np.sum(w * w)


class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, h):
        return np.tanh(self.w @ h + self.b)


class Net:
    def __init__(self, layers):
        self.layers = layers

    def forward(self, h):
        for layer in self.layers:
            h = layer(h)
        return h


def neural_layers(x):
    w = np.outer(x, np.cos(x))
    net = Net([Layer(w, x), Layer(w.T, x * 2)])
    return np.sum(net.forward(np.array([0.5, -1.0, 0.2])) ** 2)


@dataclass
class Particle:
    position: float
    velocity: float
    mass: float = 1.0


def particle_system(x):
    particles = [Particle(x[0], 0.1), Particle(x[1], -0.2, 2.0), Particle(x[2], 0.0)]
    for _ in range(2):
        forces = [0.0, 0.0, 0.0]
        for i in range(3):
            for j in range(3):
                if i != j:
                    d = particles[j].position - particles[i].position
                    forces[i] += d / (1.0 + d * d) ** 1.5
        for p, force in zip(particles, forces):
            p.velocity += 0.1 * force / p.mass
            p.position += 0.1 * p.velocity
    return sum(p.position * p.position * p.mass for p in particles)


@dataclass
class Body:
    position: np.ndarray
    velocity: np.ndarray


def orbit_in_place(x):
    body = Body(x[:2].copy(), x[1:].copy())
    for _ in range(3):
        a = -body.position / np.sum(body.position**2) ** 1.5
        body.velocity += 0.1 * a
        body.position += 0.1 * body.velocity
    return np.sum(body.position**2) + body.velocity[0] * body.velocity[1]


class Stack:
    def __init__(self):
        self.items = []

    def push(self, v):
        self.items.append(v)

    def pop(self):
        return self.items.pop()


def stack_machine(x):
    s = Stack()
    s.push(x[0])
    s.push(x[1])
    s.push(x[0] * x[2])
    a, b = s.pop(), s.pop()
    s.push(a * b + b * b)
    return s.pop() * s.pop()


class Running:
    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0

    def add(self, v):
        self.n += 1
        d = v - self.mean
        self.mean += d / self.n
        self.m2 += d * (v - self.mean)


def running_moments(x):
    moments = Running()
    for v in x:
        moments.add(v)
    return moments.m2 / moments.n + moments.mean**3


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vector(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return Vector(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y
        return self

    def dot(self, o):
        return self.x * o.x + self.y * o.y

    @property
    def norm2(self):
        return self.dot(self)


def operators_of_a_class(x):
    a, b = Vector(x[0], x[1]), Vector(x[1] * x[2], x[0])
    c = (a + b) * x[2] - b
    c += a
    return c.norm2 * a.dot(c)


class Link:
    def __init__(self, v, rest):
        self.v = v
        self.rest = rest


def linked_list(x):
    head = None
    for v in x:
        head = Link(v * v, head)
    total = 0.0
    while head is not None:
        total = total * 0.5 + head.v**2
        head = head.rest
    return total


class Prior:
    def __init__(self, mu, sd):
        self.mu = mu
        self.sd = sd

    def logp(self, v):
        return -0.5 * ((v - self.mu) / self.sd) ** 2 - np.log(self.sd)


class Model:
    def __init__(self, **priors):
        self.priors = priors

    def logp(self, point):
        return sum(self.priors[k].logp(point[k]) for k in self.priors)


def priors_by_name(x):
    model = Model(a=Prior(x[0], x[1]), b=Prior(x[0] * x[1], 1.0))
    return model.logp({"a": 0.3, "b": 0.8 * x[2]})


def one_list_in_two_rows(x):
    rows = [[0.0] * 3] * 2
    rows[0][1] = x[0]
    a = [[v] for v in x]
    b = list(a)
    b[0][0] = x[1] * x[2]
    return rows[1][1] * a[0][0]


def push_onto_the_first(pair, v):
    pair[0].append(v)


def a_list_in_a_tuple(x):
    items = []
    pair = (items, 1)
    push_onto_the_first(pair, x[0])
    push_onto_the_first(pair, x[1] * x[0])
    return items[0] * items[1] * x[2]


def a_slot_that_is_emptied(x):
    o = Stack()
    o.items = [x[0], x[1]]
    v = o.items
    s = v[0] * v[1]
    o.items = None
    return s * x[2]


class Buffer:
    def __init__(self):
        self.items = []

    def flush(self):
        total = sum(self.items)
        self.items.clear()
        return total


def flushed_buffer(x):
    buffer = Buffer()
    buffer.items.append(x[0] ** 2)
    buffer.items.append(x[1])
    a = buffer.flush()
    buffer.items.append(a * x[2])
    return buffer.flush() * a


def cleared_list(x):
    items = [x[0], x[1]]
    total = 0.0
    for k in range(3):
        total = total + items[0] * items[-1] * x[k]
        items.clear()
        items.append(total)
        items.append(total * x[2])
    return total * items[1]


BOTH_WAYS = [
    kalman_filter, unrolled_optimizer, neural_layers, particle_system, orbit_in_place,
    stack_machine, running_moments, operators_of_a_class, linked_list, priors_by_name,
    one_list_in_two_rows, a_list_in_a_tuple, a_slot_that_is_emptied, flushed_buffer, cleared_list,
]  # fmt: skip


class Polynomial:
    def __init__(self, coefficients):
        self.coefficients = coefficients

    def __call__(self, x):
        y = 0.0
        for c in reversed(self.coefficients):
            y = y * x + c
        return y

    def derivative(self):
        return Polynomial([k * c for k, c in enumerate(self.coefficients)][1:])


def polynomial_and_its_derivative(x):
    p = Polynomial([x[0], x[1], x[2], 1.0])
    return p(x[0]) * p.derivative()(x[1])


class MatrixKalman:
    def __init__(self, f, q):
        self.f = f
        self.q = q
        self.x = np.zeros(2)
        self.p = np.eye(2)
        self.loss = 0.0

    def step(self, z, h, r):
        self.x = self.f @ self.x
        self.p = self.f @ self.p @ self.f.T + self.q
        s = h @ self.p @ h.T + r
        gain = self.p @ h.T @ np.linalg.inv(s)
        e = z - h @ self.x
        self.x = self.x + gain @ e
        self.p = (np.eye(2) - gain @ h) @ self.p
        self.loss += 0.5 * (e @ np.linalg.solve(s, e) + np.log(np.linalg.det(s)))


def matrix_kalman_filter(x):
    f = MatrixKalman(np.array([[1.0, x[0]], [0.0, 1.0]]), np.eye(2) * x[1] ** 2)
    for k in range(3):
        f.step(np.array([0.3 * k]), np.array([[1.0, 0.0]]), np.array([[x[2] ** 2]]))
    return f.loss


class Robot:
    def __init__(self):
        self.pose = np.zeros(3)
        self.path = []

    def drive(self, v, w, dt):
        x, y, a = self.pose
        self.pose = np.array([x + v * np.cos(a) * dt, y + v * np.sin(a) * dt, a + w * dt])
        self.path.append(self.pose)


def path_of_a_robot(x):
    robot = Robot()
    for k in range(3):
        robot.drive(x[0], x[1] * k, x[2])
    return sum(np.sum(q[:2] ** 2) for q in robot.path)


class Heavy:
    def __init__(self, rate):
        self.rate = rate
        self.m = 0.0
        self.seen = []

    def step(self, w, g):
        self.m = self.m + g
        return w - self.rate * self.m

    def noted(self, z):
        self.m = self.m + self.rate * z * self.m + z
        self.seen.append(self.m)


def number_that_becomes_an_array(x):
    optimizer = Heavy(x[0])
    w = x
    for _ in range(2):
        w = optimizer.step(w, w * x[1])
    return np.sum(w)


def list_that_an_object_lengthens(x):
    state = Heavy(x[1])
    for z in (0.3, 0.7):
        state.noted(z * x[2])
    return state.m * x[0] + sum(state.seen)


FORWARD_OVER_REVERSE = [
    polynomial_and_its_derivative, matrix_kalman_filter, path_of_a_robot,
    number_that_becomes_an_array, list_that_an_object_lengthens,
]  # fmt: skip


@pytest.mark.parametrize("f", [*BOTH_WAYS, *FORWARD_OVER_REVERSE], ids=lambda f: f.__name__)
def test_hessians_of_programs_with_objects(f):
    gradient = tl.grad(f)
    close(gradient(X), differences(f, X), 1e-6)
    close(tl.hessian(f)(X), differences(gradient, X), 1e-5)


@pytest.mark.parametrize("f", BOTH_WAYS, ids=lambda f: f.__name__)
def test_gradient_penalties_of_programs_with_objects(f):
    gradient = tl.grad(f)
    w = np.array([0.3, 1.0, -0.7])
    _, pullback = tl.vjp(gradient, X)
    close(pullback(w)[0], w @ differences(gradient, X), 1e-5)


@pytest.mark.parametrize("f", FORWARD_OVER_REVERSE, ids=lambda f: f.__name__)
def test_gradient_penalties_are_right_or_refused_with_their_place(f):
    gradient = tl.grad(f)
    w = np.array([0.3, 1.0, -0.7])
    try:
        _, pullback = tl.vjp(gradient, X)
        found = pullback(w)[0]
    except tl.TapelessError as error:
        assert error.filename == __file__
    else:
        close(found, w @ differences(gradient, X), 1e-5)


def cleared_dict(x):
    d = {"a": x[0], "b": x[1]}
    s = d["a"] * d["b"]
    d.clear()
    d["c"] = s * x[2]
    return d["c"] * s


def test_a_dict_that_is_cleared():
    close(tl.grad(cleared_dict)(X), differences(cleared_dict, X), 1e-6)


@tl.custom_gradient
def square_with_a_rule_of_its_own(x):
    def grad(y_bar):
        return y_bar * 3.0 * x

    return x * x, grad


class Cell:
    def __init__(self, v):
        self.v = v

    def squared(self):
        self.v = square_with_a_rule_of_its_own(self.v)
        return self.v


def test_a_rule_that_is_wrong_on_purpose_governs_inside_objects_at_both_orders():
    def f(x):
        return Cell(x).squared() ** 2

    # value x**4; by the rule f' = 2 x**2 * 3 x, and f'' = 2 * (3 x) * 3 x + 2 x**2 * 3
    assert tl.grad(f)(2.0) == 48.0
    assert tl.grad(tl.grad(f))(2.0) == 96.0
    assert tl.hessian(f)(2.0) == 96.0


def test_what_is_stopped_stays_a_constant_inside_objects():
    def f(x):
        cell = Cell(x * x)
        cell.v = cell.v * tl.stop_gradient(x)
        return cell.v * x

    assert tl.grad(f)(2.0) == 3 * 2.0**3
    assert tl.grad(tl.grad(f))(2.0) == 6 * 2.0**2


class Disk:
    def __init__(self, r):
        self.r = r

    def area(self):
        if True:
            return 3.0 * self.r**2


def total_area(disks):
    return sum([2.0 * disk.area() for disk in disks])


def test_an_attribute_that_is_a_number_taken_from_a_slot():
    def f(x):
        slots = [None]
        slots[0] = x
        return total_area([Disk(slots[0][1])])

    def slope(x):
        return np.sum(tl.grad(f)(x) * np.array([1.0, 2.0, 3.0]))

    x = np.array([0.5, 1.5, 0.7])
    np.testing.assert_allclose(tl.grad(f)(x), [0.0, 18.0, 0.0])
    np.testing.assert_allclose(tl.grad(slope)(x), [0.0, 24.0, 0.0])


def test_the_memory_has_no_adjoint_for_a_number():
    with pytest.raises(tl.GradientError, match="which number's adjoint is meant cannot be told"):
        AdjointMemory().of_array(0.5)
