"""Short vectors become Python floats side by side: nothing that the user computes may change by a bit."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws


def two_body(y, mu, h, n):
    for _ in range(n):
        r, v = y[:2], y[2:]
        d = np.sqrt(np.sum(r * r))
        a = -mu * r / (d * d * d)
        y = np.array([v[0], v[1], a[0], a[1]]) * h + y
    return np.sum(y**2)


def quotients(x):
    a, b = x
    t = np.array([a, b]) / np.array([b, a])
    return np.sum(np.where(np.isinf(t), 0.0, t)) + a * 2.0


def divided(x, z):
    w = np.array([x[0], x[1]]) / z
    return np.sum(np.where(np.isfinite(w), w, x * x))


def bound_to_other_lengths(x, n):
    y = np.array([x[0], x[1]])
    for i in range(n):
        y = np.array([y[0], y[1], y[0] * y[1]]) if i == 2 else y * 1.5
    return np.sum(y * y)


def aliases(x):
    a = np.array([x[0], x[1]])
    b = a
    a = a * 2.0
    return np.sum(a * b) + b[0]


def stored_through_a_view(x):
    a = np.array([x[0], x[1], x[0] * x[1]])
    b = a[1:]
    b[0] = a[0] * 3.0
    return np.sum(a * a)


def changed_in_place(x):
    v = np.array([x[0], x[1]])
    u = v
    v += np.array([x[1], 1.0])
    v *= 2.0
    return np.sum(v * u) + v[0]


def returned_early(x):
    v = np.array([x[0], x[1]])
    if v[0] > 0.0:
        return np.sum(v * v)
    w = v * v
    return w[0] * w[1]


def returned_early_by_a_callee(x):
    def g(v):
        if v[0] > 0.0:
            return v * 2.0
        return np.array([v[1], v[0]])

    w = g(np.array([x[0], x[1]])) + g(np.array([-x[0], x[1]]))
    return np.sum(w * w)


def integers(x, k):
    w = np.array([k[0], k[1]]) * np.array([1, 2])
    return np.sum(w * x) + x[0] * x[1]


def integers_among_floats(x, n):
    v = np.array([x[0], n, 3])
    w = v * v
    return w[0] + w[1] * x[1] + np.sum(v)


def numbers_of_numpy(x):
    c = np.float64(2.0)
    v = np.array([x[0] * c, x[1] + c])
    w = c * v - v / c
    return w[0] ** 2 + w[1] ** 0.5 if w[1] > 0 else w[0]


def methods_of_numbers(x):
    w = np.array([x[0], x[1]]) * 2.0
    a = w[0]
    return a.item() * w[1] + np.float64(a).real


def lengths(x):
    v = np.array([x[0], x[1], x[2]])
    return np.sum(v.shape[0] * v) + len(v) * v[-1] + v.ndim * v[-3]


def read_whole(x):
    v = np.array([x[0], x[1]])
    for _ in range(3):
        v = np.sin(v) * 1.5 + v[::-1] * 0.1
    return v @ v


def asked(x):
    v = np.array([x[0], x[1]])
    n = 0
    while v[0] * v[0] < 50.0 and n < 10:
        v = np.array([v[0] + v[1], v[1] * 1.1])
        n = n + 1
    return np.sum(v * v)


def asked_whole(x):
    v = np.array([x[0], x[1]])
    while np.sum(v * v) < 50.0:
        v = np.array([v[0] + v[1], v[1] * 1.1])
    return v[0] * v[1]


def crossed(a, b):
    c = np.cross(a, b)
    for _ in range(3):
        c = np.cross(c, a) * 0.5 + b
    return np.sum(c * c)


def rows(m):
    t = np.zeros(2)
    for i in range(len(m)):
        r = m[i]
        t = t + np.array([r[0] * r[1], r[1]])
    for r in m:
        t = t * np.array([r[1], r[0]])
    return np.sum(t * t)


def attempted(x):
    v = np.array([x[0], x[1]])
    try:
        w = v * 2.0
        if x[0] > 100.0:
            raise ValueError
        v = w + v
    except ValueError:
        v = v * 3.0
    return np.sum(v * v)


def swapped(x):
    a, b = np.array([x[0], x[1]]), np.array([x[1] * 2.0, x[0]])
    for _ in range(3):
        a, b = b, a + b * 0.5
    return np.sum(a * b)


def out_of_range(x):
    w = np.array([x[0], x[1]]) * 2.0
    try:
        t = w[2]
    except IndexError:
        t = w[0]
    return t * 2.0 + w[1]


def empty(x):
    w = np.array([x[0], x[1]]) * 2.0
    return np.sum(w[2:]) + np.sum(w)


def negative_zeros(x):
    v = np.array([-0.0 * x[0], -0.0])
    w = np.array([x[1], 1.0]) * np.copysign(1.0, np.sum(v))
    return np.sum(w * w) + w[0]


def infinite(x):
    v = np.array([x[0] * 1e200, x[1]])
    w = v * v
    a = w[0]
    return a**2 * 0.0 + np.log(w[1])


def at_a_pole(x):
    v = np.array([x[0], x[1]]) * 2.0
    a = v[0]
    slope = np.log(a)
    return np.where(np.isfinite(slope), slope, 1.0) * v[1]


def quotients_of_quotients(x, z):
    w = np.array([x[0], x[1]]) / z
    for _ in range(3):
        w = np.array([w[1], x[0]]) / w[0]
        w = (w + x) / np.array([x[1], w[1]])
    return w[0]


def field(p, y):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[1] * y[1] / y[0]])


def called_four_times(y, p, h):
    k1 = field(p, y)
    k2 = field(p, y + h * k1)
    y_1 = y
    k3 = field(p, y_1 + h * k2)
    for _ in range(2):
        y, y_1 = field(p, k3) + y_1, y
    return np.sum(y * y_1) + y[0]


POINT = np.array([0.3, 2.0])
MANY = np.random.default_rng(1).normal(size=(3, 2))


def two_names_at_once(x):
    a = b = np.array([0.24, 0.5 * x[0], x[1]])
    c = d = e = np.array([a[0], b[1]]) * x[0]
    d = d * 2.0
    return a[1] * b[2] + np.sum(c * d) + e[1]


def scaled_by_its_last_entry(x, w):
    x = np.tanh(x + x)
    t, dt, y, n = 0.0, 0.3217, np.tanh(w), 0
    while t < x[-1] and n < 5:
        if t + dt > x[-1]:
            dt = x[-1] - t
        y = y + dt * np.sin(y * x[1])
        t += dt
        n += 1
    x = np.sin(x) * np.array([1.05, -1.26, 1.17]) * x[-1]
    v = np.array([x[0], np.exp(0.3 * np.tanh(y))])
    return np.sum(np.cos(x)) * 0.7 - v[1]


CASES = [
    (scaled_by_its_last_entry, np.array([1.48, -1.299, 1.307]), 0.527),
    (two_names_at_once, POINT),
    (two_body, np.array([1.0, 0.1, 0.0, 1.0]), 1.0, 0.1, 3),
    (quotients, POINT),
    (quotients, np.array([0.0, 2.0])),
    (divided, POINT, 3.0),
    (divided, POINT, 0.0),
    (bound_to_other_lengths, POINT, 4),
    (aliases, POINT),
    (stored_through_a_view, POINT),
    (changed_in_place, POINT),
    (returned_early, POINT),
    (returned_early, -POINT),
    (returned_early_by_a_callee, POINT),
    (integers, POINT, np.array([3, 4])),
    (integers_among_floats, POINT, 3),
    (aliases, POINT.astype(np.float32)),
    (quotients_of_quotients, POINT, 2.0),
    (quotients_of_quotients, POINT, 0.0),
    (quotients_of_quotients, np.array([0.0, -0.0]), 1.0),
    (called_four_times, POINT, np.array([1.5, 0.5]), 0.1),
    (called_four_times, np.array([0.0, 2.0]), np.array([1.5, 0.5]), 0.1),
    (called_four_times, POINT.astype(np.float32), np.array([1.5, 0.5]), 0.1),
    (numbers_of_numpy, POINT),
    (methods_of_numbers, POINT),
    (lengths, np.array([0.3, 2.0, 1.0])),
    (read_whole, POINT),
    (asked, POINT),
    (asked_whole, POINT),
    (crossed, np.array([0.3, 2.0, 1.0]), np.array([1.0, -1.0, 0.5])),
    (rows, MANY),
    (rows, MANY[:0]),
    (attempted, POINT),
    (swapped, POINT),
    (out_of_range, POINT),
    (empty, POINT),
    (negative_zeros, POINT),
    (infinite, POINT),
    (at_a_pole, POINT),
    (at_a_pole, np.array([0.0, 2.0])),
]
LABELS = [f"{f.__name__}-{i}" for i, (f, *_) in enumerate(CASES)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("f, args", [(f, args) for f, *args in CASES], ids=LABELS)
@pytest.mark.filterwarnings("ignore")
def test_same_bits_and_same_derivatives_as_with_arrays(f, args):
    wanted = f(*args)
    y, g = tl.value_and_grad(f)(*args)
    assert type(y) is type(wanted) and np.array_equal(y, wanted, equal_nan=True)
    plain = tl.value_and_grad(f, scalarize=False)
    assert np.array_equal(plain(*args)[0], wanted, equal_nan=True)
    near = {"rtol": 1e-4 if g.dtype == np.float32 else 1e-12, "equal_nan": True}
    assert g.dtype == args[0].dtype
    np.testing.assert_allclose(g, plain(*args)[1], **near)
    dot = np.linspace(0.5, 1.5, g.size).astype(g.dtype).reshape(g.shape)
    tangents = (dot, *(None for _ in args[1:]))
    y, y_dot = tl.jvp(f, tuple(args), tangents)
    assert type(y) is type(wanted) and np.array_equal(y, wanted, equal_nan=True)
    np.testing.assert_allclose(y_dot, np.sum(g * dot), **near)
    product = tl.hvp(f)(*args, dot)
    np.testing.assert_allclose(product, tl.hvp(f, scalarize=False)(*args, dot), **near)
    check_replay(f, *args)


def predators(p, y, h, n):
    for _ in range(n):
        y = y + h * np.array([p[0] * y[0] - p[1] * y[0] * y[1], -p[2] * y[1]])
    return np.sum(y * y)


ARGUMENTS = np.array([1.1, 0.4, 0.3]), np.array([1.0, 0.5]), 0.1, 3


def test_other_lengths_are_served_by_another_text():
    p, *rest = ARGUMENTS
    gradient = tl.grad(predators)
    longer = np.append(p, 7.0)
    found = [gradient(p, *rest), gradient(longer, *rest), gradient(p, *rest)]
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_array_equal(found[1], np.append(found[0], 0.0))
    hessian = tl.hessian(predators)
    assert hessian(longer, *rest).shape == (4, 4)
    np.testing.assert_array_equal(hessian(longer, *rest)[:3, :3], hessian(p, *rest))


def test_lengths_are_kept_apart_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("TAPELESS_CACHE", "1")
    monkeypatch.setenv("TAPELESS_CACHE_DIR", str(tmp_path))
    p, *rest = ARGUMENTS
    for _ in range(2):  # the second time both are read
        for given in (p, np.append(p, 7.0)):
            made = tl.grad(predators, like=(given, *rest))
            assert made(given, *rest).shape == given.shape


def with_a_local_function(x, m):
    def weighted(t):
        a, b = np.sin(t), t**2
        return sum([v * b for v in m]) + a

    return np.sin(x), np.array([0.63, weighted(1.3), m[1] * x]) * x


def with_one_that_reads_what_is_around(x, m):
    scale = x * 2.0

    def weighted(t):
        a, b = np.sin(t) * scale, t**2
        c = b
        return c * m[0] + a

    r = np.array([0.63, weighted(x), m[1]]) * x
    return np.sum(r * r)


@pytest.mark.parametrize("f", [with_a_local_function, with_one_that_reads_what_is_around])
def test_names_of_local_functions_are_their_own(f):
    laws.check_function(f, [1.3, np.array([0.4, 1.1])])


def total(p, x):
    return np.sum(p * x)


def test_a_text_that_fixes_no_length_serves_all():
    gradient = tl.grad(total)
    for n in (2, 3, 4, 5):
        gradient(np.ones(n), np.ones(n))
    assert len(gradient.built) == 1


def test_arrays_are_left_where_that_is_asked():
    assert "p_0, p_1, p_2 = p.tolist()" in tl.source(predators, like=ARGUMENTS)
    assert "tolist" not in tl.source(predators, like=ARGUMENTS, scalarize=False)
    np.testing.assert_allclose(
        tl.vjp(predators, *ARGUMENTS)[1](1.0)[0],
        tl.vjp(predators, *ARGUMENTS, scalarize=False)[1](1.0)[0],
        rtol=1e-12,
    )


def test_integers_stay_integers_in_arrays():
    def product(x, y):
        v = np.array([x, y])
        return np.sum(v * v)

    y, _ = tl.value_and_grad(product)(3, 4)
    assert y == 25 and type(y) is type(product(3, 4))
