"""Functions as values: in containers, as results, decorated, partial, with keywords; `nonlocal`."""

import functools
import math

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])


def relu(v):
    return v if v > 0.0 else 0.1 * v


def functions_in_a_dict(x):
    table = {"sin": np.sin, "cube": lambda v: v**3, "relu": relu}
    return table["sin"](x[0]) * table["cube"](x[1]) + table["relu"](x[2])


def functions_in_a_loop(x):
    s = x[0]
    for f in (math.sin, relu, lambda v: v * v):
        s = f(s + x[1])
    return s


def functions_in_a_list(x):
    layers = [np.tanh, relu]
    layers.append(lambda v: v * x[3])
    y = x[0]
    for layer in layers:
        y = layer(y)
    return y


ACTIVATIONS = {"relu": relu, "tanh": math.tanh}


def function_from_a_table(x, name):
    f = ACTIVATIONS[name]
    return f(x[0]) * ACTIVATIONS["tanh"](x[1])


def make_poly(a, b):
    def poly(t):
        return a * t * t + b

    return poly


def returned_function(x):
    f = make_poly(x[0], x[1])
    g = make_poly(x[2], 1.0)
    return f(0.5) * g(x[3])


def compose(f, g):
    return lambda v: f(g(v))


def composed(x):
    h = compose(np.sin, relu)
    return h(x[0]) * h(x[1])


def frozen_loop_variables(x):
    fs = [lambda v, i=i: v * x[i] for i in range(3)]
    return fs[0](x[3]) * fs[2](1.0)


def frozen_defaults(x):
    s = 0.0
    for i in range(3):
        f = lambda v, i=i, c=x[i]: v * c * i  # noqa: E731
        s = s + f(x[3])
    return s


def late_binding(x):
    k = x[0]
    f = lambda v: v * k  # noqa: E731
    a = f(x[1])
    k = x[2]
    return a * f(x[3])


class Model:
    def __init__(self, w):
        self.w = w
        self.activation = np.tanh

    def predict(self, v):
        return self.activation(self.w * v)

    def __call__(self, v):
        return self.predict(v) * v


def bound_methods(x):
    m = Model(x[0])
    predict = m.predict
    return predict(x[1]) * predict(x[2])


def apply(f, v):
    return f(v) * v


def bound_method_as_argument(x):
    return apply(Model(x[0]).predict, x[1])


def callable_object(x):
    m = Model(x[0])
    return m(x[1]) * apply(m, x[2])


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return wrapper


def scaled_by(c):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(v):
            return c * f(v)

        return wrapper

    return decorate


@doubled
def decorated(v, w=1.0):
    return v * v * w


@scaled_by(3.0)
def decorated_with_argument(v):
    return np.sin(v)


def calls_decorated(x):
    return decorated(x[0], w=x[1]) * decorated_with_argument(x[2])


def local_decorated(x):
    @doubled
    def f(v):
        return v * x[1]

    return f(x[0])


def partials(x):
    f = functools.partial(np.multiply, x[0])
    g = functools.partial(decorated, w=x[1])
    return f(x[2]) * g(x[3])


def keyword_parameters(x):
    def f(a, **options):
        scale = options.get("scale", 1.0)
        shift = options.pop("shift", 0.0)
        total = a * scale + shift
        for key, value in options.items():
            total = total * value if key != "scale" else total
        return total * options["c"]

    return f(x[0], c=x[1]) * f(x[2], shift=x[3], c=x[0], scale=x[1])


def weighted(a, *rest, scale=1.0, **options):
    total = a * scale
    for r in rest:
        total = total + r * options.get("k", 2.0)
    return total


def stars(x):
    values = [x[0], x[1]]
    options = {"k": x[2], "scale": x[3]}
    return weighted(*values, **options) * weighted(x[0], *values, x[1], k=x[3])


def positional_only(a, /, b, *, c=2.0):
    return a * b + c


def kinds_of_parameters(x):
    return positional_only(x[0], x[1]) * positional_only(x[2], b=x[3], c=x[0])


def nonlocal_accumulator(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v
        return total

    add(x[0])
    y = add(x[1])
    total = total * x[2]
    add(x[3])
    return total * y


def counter_in_a_closure(x):
    count = 0

    def f(v):
        nonlocal count
        count += 1
        return v * count

    return f(x[0]) * f(x[1]) + count * x[2]


def closure_appends(x):
    seen = []

    def f(v):
        seen.append(v * v)
        return v * x[0]

    s = 0.0
    for v in x:
        s = s + f(v)
    return s * sum(seen) * seen[1]


def local_recursion(x):
    def power(v, n):
        return 1.0 if n == 0 else v * power(v, n - 1)

    return power(x[0], 3) * power(x[1], 2)


def even(x, n):
    return x if n == 0 else odd(x * 1.1, n - 1)


def odd(x, n):
    return x if n == 0 else even(np.sin(x), n - 1)


def mutual_recursion(x):
    return even(x[0], 5) * odd(x[1], 4)


def memoized(x):
    memo = {}

    def fib(n):
        if n in memo:
            return memo[n]
        value = x[n] if n < 2 else fib(n - 1) * 0.5 + fib(n - 2) * x[2]
        memo[n] = value
        return value

    return fib(6)


@functools.lru_cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


def cached_helper(x):
    s = 0.0
    for k in range(4):
        s = s + binomial(3, k) * x[k] ** k
    return s


def method_reference(x):
    out = []
    push = out.append
    for v in x:
        push(v * v)
    return out[0] * out[3]


class Maker:
    def run(self):
        made = []
        return made


def method_of_what_a_method_returns(x):
    out = Maker().run()
    push = out.append
    for v in x:
        push(v * v)
    return out[0] * out[3]


def static_result(x):
    def nothing(v):
        v * 2.0

    def store(a, i, v):
        a[i] = v

    a = x * 1.0
    nothing(a[0])
    store(a, 0, a[1] * a[2])
    store(a[1:], 0, a[3] ** 2)
    return np.sum(a * a)


def rk4(f, y, t, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def make_rhs(mu):
    def rhs(t, y):
        return np.array([y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]])

    return rhs


def integrated(x):
    f = make_rhs(x[0])
    y = x[1:3]
    for k in range(3):
        y = rk4(f, y, 0.1 * k, 0.1)
    return y[0] * y[1]


CASES = [
    ("functions_in_a_dict", functions_in_a_dict, (X,)),
    ("functions_in_a_loop", functions_in_a_loop, (X,)),
    ("functions_in_a_list", functions_in_a_list, (X,)),
    ("function_from_a_table", function_from_a_table, (X, "relu")),
    ("returned_function", returned_function, (X,)),
    ("composed", composed, (X,)),
    ("frozen_loop_variables", frozen_loop_variables, (X,)),
    ("frozen_defaults", frozen_defaults, (X,)),
    ("late_binding", late_binding, (X,)),
    ("bound_methods", bound_methods, (X,)),
    ("bound_method_as_argument", bound_method_as_argument, (X,)),
    ("callable_object", callable_object, (X,)),
    ("calls_decorated", calls_decorated, (X,)),
    ("local_decorated", local_decorated, (X,)),
    ("partials", partials, (X,)),
    ("keyword_parameters", keyword_parameters, (X,)),
    ("stars", stars, (X,)),
    ("kinds_of_parameters", kinds_of_parameters, (X,)),
    ("nonlocal_accumulator", nonlocal_accumulator, (X,)),
    ("counter_in_a_closure", counter_in_a_closure, (X,)),
    ("closure_appends", closure_appends, (X,)),
    ("local_recursion", local_recursion, (X,)),
    ("mutual_recursion", mutual_recursion, (X,)),
    ("memoized", memoized, (X,)),
    ("cached_helper", cached_helper, (X,)),
    ("method_reference", method_reference, (X,)),
    ("method_of_what_a_method_returns", method_of_what_a_method_returns, (X,)),
    ("static_result", static_result, (X,)),
    ("integrated", integrated, (X,)),
]
