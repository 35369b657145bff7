"""Objects of several classes in one place: layers, shapes, expression trees, strategies."""

import numpy as np

X = np.array([0.5, 1.5, 0.7])
W = np.array([[0.3, -0.6, 1.1], [0.7, 1.2, -0.4], [-0.9, 0.5, 0.8]])


class Shape:
    def area(self):
        raise NotImplementedError

    def doubled(self):
        return 2.0 * self.area()


class Square(Shape):
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a * self.a


class Disk(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.14 * self.r**2


class Dense:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return self.w @ x + self.b


class Wide(Dense):
    def __call__(self, x):
        return 2.0 * super().__call__(x)


class Tanh:
    def __call__(self, x):
        return np.tanh(x)


class Scale:
    def __init__(self, k):
        self.k = k
        self.count = 0

    def __call__(self, x):
        self.count += 1
        return self.k * x


class Chain:
    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


MODEL = Chain(Dense(W, np.ones(3)), Tanh(), Dense(W, np.ones(3)))
LAYERS = [Dense(W, np.ones(3)), Tanh(), Scale(2.0)]
BESIDE = Chain(Dense(W, np.ones(3)), np.tanh, Dense(W, np.ones(3)), np.cos)


class Network:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def areas(x):
    total = 0.0
    for shape in [Square(x[0]), Disk(x[1]), Square(x[2])]:
        total = total + shape.area() * x[1]
    return total


def total_area(shapes):
    return sum([shape.doubled() for shape in shapes])


def lists_handed_on(x):
    return total_area([Square(x[0]), Disk(x[1])]) * total_area([Disk(x[2])])


def network(x):
    layers = [Dense(np.outer(x, x), x), Tanh(), Scale(x[0]), Dense(W, x * 2)]
    h = x
    for layer in layers:
        h = layer(h)
    return np.sum(h)


def network_outside(x):
    h = x
    for layer in LAYERS:
        h = layer(h)
    return np.sum(h)


def model_outside(x):
    return np.sum(MODEL(x) ** 2)


def model_made_here(x):
    model = Chain(Dense(W * x[0], x), Tanh(), Scale(x[1]))
    return np.sum(model(x) ** 2)


def told_apart(x):
    layers = [Dense(W, x), Wide(W, x * 2), Tanh(), Scale(x[2])]
    for layer in layers:
        if isinstance(layer, Dense):
            x = layer(x) + layer.b
        elif isinstance(layer, (Tanh, Chain)):
            x = layer(x) * 3.0
        else:
            x = x * layer.k
    return np.sum(x)


def one_of_two(x):
    shape = Square(x[0]) if x[1] > 0 else Disk(x[1])
    if isinstance(shape, Square):
        return shape.a * shape.area()
    return shape.r


def stored_into(x):
    shapes = [Square(x[0]), Disk(x[1])]
    for shape in shapes:
        if type(shape) is Square:
            shape.a *= x[2]
        else:
            shape.r += x[2]
    product = 1.0
    for shape in shapes:
        product *= shape.area()
    return product


def in_a_dict(x):
    shapes = {"a": Square(x[0]), "b": Disk(x[1])}
    return shapes["a"].area() * shapes["b"].area() + sum(s.area() for s in shapes.values())


def largest(x):
    best = max([Square(x[0]), Disk(x[1])], key=lambda s: s.area())
    return best.area()


class Plus:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def at(self, x):
        return self.left.at(x) + self.right.at(x)


class Times(Plus):
    def at(self, x):
        return self.left.at(x) * self.right.at(x)


class Unknown:
    def at(self, x):
        return x


class Number:
    def __init__(self, v):
        self.v = v

    def at(self, x):
        return self.v


TREE = Plus(Times(Unknown(), Plus(Unknown(), Number(3.0))), Number(2.0))


def expression(x):
    return TREE.at(x[0]) * x[1]


def expression_made_here(x):
    return Plus(Times(Unknown(), Number(x[1])), Number(x[2])).at(x[0])


class Vector:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Vector(self.v + other.v)

    def __mul__(self, k):
        return Vector(self.v * k)


class Covector(Vector):
    def __mul__(self, k):
        return Covector(self.v * k * k)


def operators(x):
    total = 0.0
    for a in [Vector(x[0]), Covector(x[1])]:
        b = a * x[2]
        c = b + a
        total = total + c.v
    return total


class Agent:
    def __init__(self, p):
        self.p = p

    def step(self, field):
        self.p = self.p + field.force(self)


class Spring:
    def force(self, agent):
        return -0.1 * agent.p


class Wave:
    def __init__(self, k):
        self.k = k

    def force(self, agent):
        return self.k * np.sin(agent.p)


def fields(x):
    agent = Agent(x[0])
    for field in (Spring(), Wave(x[1])):
        for _ in range(3):
            agent.step(field)
    return agent.p


def no_objects(layers, x):
    for layer in layers:
        x = layer(x)
    return np.sum(x**2)


def functions_beside_objects(x):
    return np.sum(Network([Scale(x), np.tanh, Dense(W, x), np.cos])(x))


def functions_beside_objects_outside(x):
    return np.sum(BESIDE(x))


def functions_appended(x):
    layers = []
    for k in range(2):
        layers.append(Scale(x + k))
        layers.append(np.tanh if k else np.sin)
    for layer in layers:
        x = layer(x)
    return np.sum(x)


def functions_in_a_dict(x):
    layers = {"in": Scale(x), "act": np.tanh, "out": Scale(2.0)}
    for key in ["in", "act", "out"]:
        x = layers[key](x)
    return np.sum(x)


def function_or_object(x):
    layer = Scale(x) if x[0] > 0 else np.tanh
    return np.sum(layer(layer(x)))


def functions_told_apart(x):
    layers = [Scale(x), np.tanh, Scale(x[0])]
    penalty = 0.0
    for layer in layers:
        x = layer(x)
        if isinstance(layer, Scale):
            penalty = penalty + np.sum(layer.k**2)
        if hasattr(layer, "k"):
            penalty = penalty + np.sum(layer.k)
        if layer is np.tanh:
            x = 2.0 * x
    return np.sum(x) + penalty


def function_by_place(x):
    layers = [Scale(x), np.tanh]
    return np.sum(layers[-1](layers[0](x)))


def functions_taken_out(x):
    layers = [Scale(x), np.tanh, Scale(x)]
    while layers:
        x = layers.pop()(x)
    return np.sum(x)


def composed(*functions):
    def run(x):
        for f in functions:
            x = f(x)
        return x

    return run


def local_function_among_others(x):
    return np.sum(composed(np.sin, lambda t: t * 2.0, np.exp)(x))


class Regression:
    def __init__(self, kernel):
        self.kernel = kernel

    def fit(self, x):
        covariance = self.kernel(x)
        covariance[0] += 1.5
        covariance[1] = covariance[1] * covariance[2]
        return np.sum(covariance)


def stored_into_what_an_attribute_gives(x):
    return Regression(Scale(x)).fit(x) * Regression(Chain(Scale(x), Tanh())).fit(x)


CASES = [
    ("stored_into_what_an_attribute_gives", stored_into_what_an_attribute_gives, (X,)),
    ("functions_beside_objects", functions_beside_objects, (X,)),
    ("functions_beside_objects_outside", functions_beside_objects_outside, (X,)),
    ("functions_appended", functions_appended, (X,)),
    ("functions_in_a_dict", functions_in_a_dict, (X,)),
    ("function_or_object", function_or_object, (X,)),
    ("functions_told_apart", functions_told_apart, (X,)),
    ("function_by_place", function_by_place, (X,)),
    ("functions_taken_out", functions_taken_out, (X,)),
    ("local_function_among_others", local_function_among_others, (X,)),
    ("areas", areas, (X,)),
    ("lists_handed_on", lists_handed_on, (X,)),
    ("network", network, (X,)),
    ("network_outside", network_outside, (X,)),
    ("model_outside", model_outside, (X,)),
    ("model_made_here", model_made_here, (X,)),
    ("told_apart", told_apart, (X,)),
    ("one_of_two", one_of_two, (X,)),
    ("stored_into", stored_into, (X,)),
    ("in_a_dict", in_a_dict, (X,)),
    ("largest", largest, (X,)),
    ("expression", expression, (X,)),
    ("expression_made_here", expression_made_here, (X,)),
    ("operators", operators, (X,)),
    ("fields", fields, (X,)),
    ("no_objects", no_objects, ([], X)),
]
