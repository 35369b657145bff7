"""Functions as values: in containers, chosen, bound, partial, with defaults, returned."""

import functools

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])


def sq(t):
    return t * t


def cube(t):
    return t**3


TABLE = {"s": sq, "c": cube}


def use_tuple_loop(x):
    s = 0.0
    for f in (sq, cube, np.sin):
        s = s + f(x[0])
    return s


def use_list_index(x):
    fs = [sq, cube]
    return fs[0](x[0]) * fs[1](x[1])


def use_dict(x):
    t = {"a": sq, "b": np.tanh}
    return t["a"](x[0]) * t["b"](x[1])


def use_dict_loop(x):
    s = 0.0
    for k, f in TABLE.items():
        s = s + f(x[0]) * len(k)
    return s


def use_global_table(x):
    return TABLE["s"](x[0]) + TABLE["c"](x[1])


def use_layers(x):
    h = x
    for act in [np.tanh, np.sin, sq]:
        h = act(h)
    return np.sum(h)


def use_lambdas(x):
    k = x[3]
    fs = [lambda t: t * k, lambda t: t + k]
    s = 0.0
    for f in fs:
        s = s + f(x[0]) * x[1]
    return s


def use_late(x):
    fs = [lambda t: t * x[i] for i in range(3)]
    return fs[0](x[0]) + fs[1](x[3])


def use_frozen(x):
    fs = []
    for i in range(3):
        fs.append(lambda t, i=i: t * x[i])
    return fs[0](x[3]) + fs[1](x[2]) * fs[2](1.0)


def use_frozen_active(x):
    fs = [lambda t, k=v: t * k for v in x]
    s = 1.0
    for f in fs:
        s = f(s) + x[0]
    return s


def use_default_active(x):
    def g(t, k=x[1]):
        return t * k

    return g(x[0]) + g(x[0], 2.0)


def compose(f, g):
    def h(t):
        return f(g(t))

    return h


def scale(k):
    def g(t):
        return t * k

    return g


def use_returned(x):
    g = scale(x[0])
    h = scale(x[1])
    return g(x[2]) * h(g(x[3]))


def use_compose(x):
    return compose(sq, np.sin)(x[0])


def use_compose2(x):
    k = x[1]
    h = compose(lambda t: t * k, sq)
    return h(x[0])


class Scaled:
    def __init__(self, v):
        self.v = v

    def f(self, t):
        return self.v * t

    def add(self, t):
        self.v = self.v + t


def use_bound(x):
    o = Scaled(x[0])
    m = o.f
    o.v = o.v * 2.0
    return m(x[1])


def use_bound_store(x):
    o = Scaled(x[0])
    push = o.add
    for v in x:
        push(v * v)
    return o.v * x[1]


def apply(f, t):
    return f(t)


def use_bound_arg(x):
    o = Scaled(x[0])
    return apply(o.f, x[1])


def use_append(x):
    out = []
    push = out.append
    for v in x:
        push(v * v)
    return out[0] * out[1]


def use_partial(x):
    g = functools.partial(scale2, x[0])
    return g(x[1]) + functools.partial(scale2, t=x[3])(x[2])


def scale2(k, t, p=2.0):
    return k * t**2 * p


def use_partial_kw(x):
    g = functools.partial(scale2, t=x[0], p=3.0)
    return g(x[1]) + g(x[2], p=x[3])


def use_partial_np(x):
    g = functools.partial(np.sum, axis=0)
    return g(x * x)


def use_partials_list(x):
    fs = [functools.partial(scale2, v) for v in x]
    s = 0.0
    for f in fs:
        s = s + f(x[0])
    return s


def use_partial_arg(x):
    return apply(functools.partial(scale2, x[0]), x[1])


def use_callable_obj(x):
    o = C(x[0])
    return o(x[1]) + apply(o, x[2])


class C:
    def __init__(self, v):
        self.v = v

    def __call__(self, t):
        return self.v * t * t


def counter(start):
    n = start

    def step(t):
        nonlocal n
        n = n + t
        return n * t

    return step


def returned_counter(x):
    c = counter(x[0])
    d = counter(x[1])
    return c(x[2]) + c(x[3]) * d(x[0]) + c(1.0)


def returned_alias(x):
    a = x * 1.0

    def make(v):
        def g(i):
            return v[i] * v[0]

        return g

    g = make(a)
    a[1] = a[2] * 3.0
    return g(1) + g(2) * a[1]


def storer(v):
    def put(i, t):
        v[i] = v[i] * t
        return v

    return put


def returned_store(x):
    a = x * 1.0
    p = storer(a)
    p(0, x[1])
    b = p(2, a[0])
    b[3] = 5.0 * b[0]
    return np.sum(a * a)


def sc(k, t, p=2.0):
    return k * t**2 * p


class Unit:
    def __init__(self, v, act=None):
        self.v = v
        self.act = act

    def f(self, t, k=1.0):
        return self.v * t * k

    def g(self):
        return self.f

    def run(self, t):
        return self.act(t) * self.v


def bound_nested_partial(x):
    p = functools.partial(functools.partial(sc, x[0]), x[1])
    return p() + p(p=x[2])


def bound_partial_of_bound(x):
    o = Unit(x[0])
    p = functools.partial(o.f, k=x[1])
    o.v = x[2]
    return p(x[3])


def bound_returned_bound(x):
    return Unit(x[0]).g()(x[1])


def bound_in_dict(x):
    o = Unit(x[0])
    d = {"m": o.f, "s": functools.partial(sc, x[1])}
    return d["m"](x[2]) * d["s"](x[3])


def bound_in_attr(x):
    o = Unit(x[0], functools.partial(sc, x[1]))
    q = Unit(x[2], np.tanh)
    return o.run(x[3]) + q.run(x[1])


def bound_lambda_attr(x):
    k = x[1]
    o = Unit(x[0], lambda t: t * k)
    return o.run(x[3])


def mapped_map(x):
    return sum(map(functools.partial(sc, x[0]), x))


def mapped_map2(x):
    o = Unit(x[0])
    return sum(map(o.f, x)) + max(x, key=functools.partial(sc, 1.0))


def mapped_reduce(x):
    k = x[0]
    return functools.reduce(lambda a, b, k=k: a * k + b, x)


def mapped_sorted(x):
    o = Unit(2.0)
    s = sorted(x, key=o.f)
    return s[0] * s[1] * x[0]


def choice_choose(x):
    f = np.sin if x[0] > 0 else np.cos
    g = (lambda t: t * x[1]) if x[2] < 0 else (lambda t: t + x[3])
    return f(x[1]) * g(x[0])


def choice_default_none(x, f=None):
    f = f or np.tanh
    return f(x[0]) * x[1]


def newton(f, df, t):
    for _ in range(4):
        t = t - f(t) / df(t)
    return t


def choice_newton(x):
    a = x[2]
    return newton(lambda t: t * t - a, lambda t: 2.0 * t, 1.0)


def choice_newton_partial(x):
    return newton(functools.partial(poly, x[2]), functools.partial(dpoly, x[2]), 1.0)


def poly(a, t):
    return t**3 - a


def dpoly(a, t):
    return 3 * t * t


def integ(f, a, b, n=8):
    h = (b - a) / n
    s = 0.0
    for i in range(n):
        s = s + f(a + (i + 0.5) * h)
    return s * h


def choice_integ(x):
    return integ(lambda t, k=x[0]: np.exp(-k * t * t), x[1], x[2])


def mult(n):
    if n == 0:
        return lambda t: t
    inner = mult(n - 1)
    return lambda t: inner(t) * t


def defined_recursive_closures(x):
    return mult(3)(x[0])


def deco(f):
    def g(*a):
        return 2.0 * f(*a)

    return g


@deco
def doubled(t):
    return t * t


def defined_decorated(x):
    return doubled(x[0]) * x[1]


def defined_local_decorated(x):
    @deco
    def h(t):
        return t * x[1]

    return h(x[0])


def layers(ws):
    fs = []
    for w in ws:
        fs.append(functools.partial(np.multiply, w))
    return fs


def defined_layers(x):
    h = x[3]
    for f in layers(x):
        h = np.tanh(f(h))
    return h


def defined_pair(x):
    def pair(a):
        def get():
            return a * 2.0

        return get

    g, h = pair(x[0]), pair(x[1])
    return g() * h()


def defined_kwonly(x):
    def g(t, *, k=x[1], m=2.0):
        return t * k * m

    return g(x[0]) + g(x[2], m=x[3]) + g(x[0], k=1.0)


def defined_mutdef(x):
    def g(t, acc=[]):
        acc.append(t)
        return len(acc) * t

    return g(x[0]) + g(x[1])


def defined_defarr(x):
    w = x * 2.0

    def g(i, w=w):
        return w[i]

    w = x * x
    w[0] = 7.0 * x[1]
    return g(0) * w[0] + g(2)


def defined_late_rebind(x):
    k = x[0]
    f = lambda t: t * k
    g = lambda t, k=k: t * k
    k = x[1]
    return f(x[2]) * g(x[3])


def defined_loop_bound(x):
    os = [Unit(v) for v in x]
    fs = [o.f for o in os]
    for o in os:
        o.v = o.v * o.v
    s = 0.0
    for i, f in enumerate(fs):
        s = s + f(x[0], k=x[i])
    return s


def guarded_by(f, default):
    def call(x):
        return f(x) if x > 0 else default

    return call


def closure_also_called_with_constants(x):
    log = guarded_by(np.log, -5.0)
    return log(x) * x + log(-1.0) * log(2.0)


CASES = [
    ("closure_also_called_with_constants", closure_also_called_with_constants, (1.3,)),
    ("use_tuple_loop", use_tuple_loop, (X,)),
    ("use_list_index", use_list_index, (X,)),
    ("use_dict", use_dict, (X,)),
    ("use_dict_loop", use_dict_loop, (X,)),
    ("use_global_table", use_global_table, (X,)),
    ("use_layers", use_layers, (X,)),
    ("use_lambdas", use_lambdas, (X,)),
    ("use_late", use_late, (X,)),
    ("use_frozen", use_frozen, (X,)),
    ("use_frozen_active", use_frozen_active, (X,)),
    ("use_default_active", use_default_active, (X,)),
    ("use_returned", use_returned, (X,)),
    ("use_compose", use_compose, (X,)),
    ("use_compose2", use_compose2, (X,)),
    ("use_bound", use_bound, (X,)),
    ("use_bound_store", use_bound_store, (X,)),
    ("use_bound_arg", use_bound_arg, (X,)),
    ("use_append", use_append, (X,)),
    ("use_partial", use_partial, (X,)),
    ("use_partial_kw", use_partial_kw, (X,)),
    ("use_partial_np", use_partial_np, (X,)),
    ("use_partials_list", use_partials_list, (X,)),
    ("use_partial_arg", use_partial_arg, (X,)),
    ("use_callable_obj", use_callable_obj, (X,)),
    ("returned_counter", returned_counter, (X,)),
    ("returned_alias", returned_alias, (X,)),
    ("returned_store", returned_store, (X,)),
    ("bound_nested_partial", bound_nested_partial, (X,)),
    ("bound_partial_of_bound", bound_partial_of_bound, (X,)),
    ("bound_returned_bound", bound_returned_bound, (X,)),
    ("bound_in_dict", bound_in_dict, (X,)),
    ("bound_in_attr", bound_in_attr, (X,)),
    ("bound_lambda_attr", bound_lambda_attr, (X,)),
    ("mapped_map", mapped_map, (X,)),
    ("mapped_map2", mapped_map2, (X,)),
    ("mapped_reduce", mapped_reduce, (X,)),
    ("mapped_sorted", mapped_sorted, (X,)),
    ("choice_choose", choice_choose, (X,)),
    ("choice_default_none", choice_default_none, (X,)),
    ("choice_newton", choice_newton, (X,)),
    ("choice_newton_partial", choice_newton_partial, (X,)),
    ("choice_integ", choice_integ, (X,)),
    ("defined_recursive_closures", defined_recursive_closures, (X,)),
    ("defined_decorated", defined_decorated, (X,)),
    ("defined_local_decorated", defined_local_decorated, (X,)),
    ("defined_layers", defined_layers, (X,)),
    ("defined_pair", defined_pair, (X,)),
    ("defined_kwonly", defined_kwonly, (X,)),
    ("defined_mutdef", defined_mutdef, (X,)),
    ("defined_defarr", defined_defarr, (X,)),
    ("defined_late_rebind", defined_late_rebind, (X,)),
    ("defined_loop_bound", defined_loop_bound, (X,)),
]
