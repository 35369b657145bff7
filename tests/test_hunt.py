"""The hunt for wrong gradients: programs that tempt a derivative to be quietly wrong.

Most are about who else can see a piece of memory, about order, or about what survives a call.
Each must be right; where the language leaves it open, right or refused with its place.
"""

import copy
import dataclasses
import functools
import importlib.util
import itertools
import threading
import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest
from numpy import cos as sin  # a name that lies: rules are found by object, not by spelling

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])
CONSTANT = np.array([1.5, -0.5, 2.0, 0.3])


# -- views and aliases -----------------------------------------------------------------------


def store_through_a_row(m):
    a = m * 1.0
    row = a[1]
    row[0] = a[2, 2] * a[0, 0]
    a[1, 1] = row[0] * row[2]
    return np.sum(a**2) + np.sum(row)


def slice_of_a_slice(x):
    a = x * 1.0
    inner = a[1:][1:]
    inner[0] *= a[0]
    inner += a[:2]
    return a


def diagonal_is_a_view(m):
    a = m * m
    d = np.diag(a)
    a[0, 0] = a[1, 2] * 2.0
    return np.sum(d * d)


def asarray_is_the_same_array(x):
    a = x * 1.0
    b = np.asarray(a)
    c = np.array(a)
    d = np.atleast_1d(a)
    b[0] = a[1] * a[2]
    d[3] = b[0] * c[0]
    return np.sum(a * c) + np.sum(d**2)


def ravel_copies_what_is_not_contiguous(m):
    a = m * 1.0
    view = a.ravel()
    copied = a.T.ravel()
    view[1] = 5.0 * a[0, 0]
    copied[1] = 7.0 * a[1, 1]
    return np.sum(a**2) + np.sum(copied**3)


def reshape_of_a_transpose_copies(m):
    a = m * 1.0
    flat = np.reshape(a.T, (9,))
    flat[3] *= 2.0
    a[0, 1] *= 3.0
    return np.sum(flat * flat) + np.sum(a)


def chain_of_views(m):
    a = m * 1.0
    v = np.expand_dims(np.swapaxes(a, 0, 1), 0).squeeze(0).T[::-1]
    v[0, 0] = v[1, 1] * v[2, 2]
    a[1] = v[0] * 0.5
    return np.sum(v**2)


def integer_array_reads_copy(x):
    a = x * 1.0
    b = a[[0, 1, 1]]
    b[1] = a[2] * 10.0
    a[1] = b[0] * b[1]
    return np.sum(a * a) + np.sum(b * b)


def mask_reads_copy(x):
    a = x * 1.0
    b = a[a > 0]
    b *= a[0]
    a[a > 0] = b * 2.0
    return np.sum(a * a) + np.sum(b)


def two_names_for_one_array(x):
    a = x * 1.0
    b = a
    b[0] = a[1] * a[2]
    a *= b
    c = b
    a = a + c
    a[1] = 0.0
    return np.sum(b * c) + np.sum(a)


def alias_chosen_at_run_time(x, c):
    a = x * 1.0
    b = np.cos(x)
    t = a if c > 0 else b
    t[0] = a[1] * b[1]
    t *= b
    return np.sum(a * b)


def alias_in_a_dict(x):
    a = x * 1.0
    d = {"a": a, "v": a[2:]}
    d["v"] *= d["a"][:2]
    a[0] = d["v"][0] * d["v"][1]
    return np.sum(d["a"] ** 2)


def alias_only_in_the_second_trip(x):
    a = x * 1.0
    b = x * x
    t = b
    for _ in range(3):
        t[1:] *= a[:-1]
        t, a = a, t
    return np.sum(a * b)


def captured_array_changed_after_its_use(x):
    a = x * 1.0

    def use(v):
        return np.sum(a * v)

    first = use(x)
    a[1] = first
    return first * use(a)


def saved_operand_overwritten_later(x):
    a = np.exp(0.3 * x)
    b = a * a
    c = np.sin(b)
    a[:] = 1.0
    b *= 0.0
    return np.sum(c)


def row_swap_with_views_is_the_known_trap(m):
    a = m * 1.0
    a[0], a[1] = a[1], a[0]
    return np.sum(a * m)


def swap_of_elements(x):
    a = x * 1.0
    a[0], a[3] = a[3], a[0] * a[1]
    a[1], a[0] = a[0] * 2.0, a[2]
    return np.sum(a * CONSTANT)


def self_overlap(x):
    a = x * x
    a[1:] = a[:-1]
    a[:-1] += a[1:]
    a[::2] *= a[1::2]
    return np.sum(a * CONSTANT)


# -- one array in two places -----------------------------------------------------------------


def list_with_one_array_twice(x):
    a = np.sin(x)
    both = [a, a]
    s = np.sum(both[0] * x) + np.sum(both[1] ** 2)
    both[0] = both[0] * 3.0
    return s + np.sum(both[0] * both[1])


def multiplied_list(x):
    g = x * x
    rows = [g] * 3
    rows[0] = rows[0] * 2.0
    rows[2] = rows[1] * rows[0]
    return np.sum(rows[0]) + np.sum(rows[1]) * np.sum(rows[2])


def multiplied_list_stored_into(x):
    g = x * x
    rows = [g] * 3
    rows[0][1] = 2.0 * g[0]
    rows[2][2] = rows[1][1] * g[3]
    return np.sum(rows[1] * g)


def multiplied_list_of_lists(x):
    inner = [x[0], x[1]]
    rows = [inner] * 2
    rows[0][1] = rows[1][0] * x[2]
    rows[1] = [x[3], rows[0][1]]
    return rows[0][1] * rows[1][1] + inner[1]


def stored_arrays_against_copies(x):
    u = x * 1.0
    live, kept = [], []
    for _ in range(3):
        u[1:] = u[:-1] * 0.5
        u[0] = u[0] * x[1]
        live.append(u)
        kept.append(u.copy())
    return np.sum(live[0] * kept[1]) + np.sum(live[2] * kept[0])


def axpy(out, x, c):
    out[1:] += c * x[:-1]
    return out


def array_passed_twice_to_a_callee(x):
    u = x * 1.0
    axpy(u, u, 0.5)
    axpy(u[::-1], u, 2.0)
    return np.sum(u**2)


def dot_of(a, b):
    return np.sum(a * b) + a[0]


def array_passed_twice_and_read(x):
    return dot_of(x, x) * dot_of(x[1:], x[:-1])


# -- repeated indices ------------------------------------------------------------------------


def repeated_reads(x):
    i = np.array([0, 1, 1, 3, 3, 3])
    return np.sum(x[i] ** 3) + np.sum(x[[-1, 3]] ** 2)


def repeated_stores_last_wins(x):
    y = np.ones(4)
    y[[1, 1, 2, -2]] = x
    return np.sum(y * CONSTANT)


def repeated_augmented_is_buffered(x):
    y = x * 2.0
    y[np.array([0, 0, 2])] += x[:3] ** 2
    y[[3, 3]] *= x[:2]
    return np.sum(y**2)


def repeated_pairs_of_indices(m):
    a = m * 1.0
    i, j = np.array([0, 0, 2, 0]), np.array([1, 1, 2, 1])
    s = np.sum(a[i, j] ** 2)
    a[i, j] = np.array([s, a[0, 0], a[1, 1], a[2, 1] * 2.0])
    return np.sum(a * m)


def index_that_changes_later(x):
    i = np.array([0, 1])
    a = x[i] * 2.0
    i[0] = 3
    b = x[i] * a
    return np.sum(b)


def index_counter_rebound(x):
    y = x * 1.0
    k = 0
    for v in x:
        y[k] = y[k] * v + y[k - 1]
        k = (k + 2) % 3
    return np.sum(y**2)


# -- callees ---------------------------------------------------------------------------------


def scale_in_place(a, c):
    a *= c
    a[0] = a[1]


def callee_writes_its_argument(x, c):
    a = x * 1.0
    b = a
    scale_in_place(a, c)
    scale_in_place(a[2:], a[0])
    return np.sum(a * b)


def tail(a):
    return a[1:]


def callee_returns_a_view(x):
    a = x * 1.0
    t = tail(tail(a))
    t *= a[0]
    a[3] = t[0] * 2.0
    return np.sum(a * a) + t[1]


def same(a):
    return a


def callee_returns_its_seed(x):
    a = same(x)
    b = same(a) + same(x)
    b += a
    return np.sum(b * same(b)) + np.sum(a)


def both(a):
    return a, a


def callee_returns_one_thing_twice(x):
    a, b = both(x * x)
    return np.sum(a * x) + np.sum(b * b)


def grow(a, depth):
    if depth == 0:
        return a[0]
    a[depth] = a[depth] * a[depth - 1]
    s = grow(a, depth - 1)
    a[0] = a[0] + s * a[depth]
    return s * a[depth]


def recursion_that_stores(x):
    u = x * 1.0
    return grow(u, 3) + np.sum(u)


def callee_keeps_its_argument(kept, a):
    kept.append(a)
    a[0] = 2.0 * a[1]
    return len(kept)


def escapes_through_a_list(x):
    kept = []
    u = x * x
    n = callee_keeps_its_argument(kept, u)
    kept[0][2] = u[0] * n
    return np.sum(u * x)


def plus(x, y):
    z = x
    x += y
    return np.sum(z * x)


# -- order and names -------------------------------------------------------------------------


def targets_from_left_to_right(x):
    y = x * 1.0
    i = 0
    i, y[i] = 2, y[i] * 5.0
    i, y[i] = 1, y[i] * 7.0
    return np.sum(y * CONSTANT) * i


def iterated_name_is_rebound(x):
    s = 0.0
    for v in x:
        s = s + v * v
        x = x * 1.5
    return s + np.sum(x)


def returns_from_a_loop_over_a_rebound_name(x):
    for v in x:
        if v < 0:
            return np.tanh(v) * 2
        x = x * 1.0
    return np.sum(x)


def iterated_array_changes(x):
    u = x * 1.0
    s = 0.0
    for i, v in enumerate(u):
        s = s + v * v
        if i + 1 < len(u):
            u[i + 1] = u[i + 1] * v
    return s


def iterated_list_is_stored_into(x):
    u = [x[0], x[1], x[2]]
    s = 0.0
    for i, v in enumerate(u):
        s = s * v + v
        u[2] = s
        u[i] = 0.0
    return s + u[0]


def bound_of_a_range_changes(x):
    n = 4
    s = 1.0
    for i in range(n):
        n = n - 2
        s = s * x[i] + n
        i = 7
    return s * i


def shadows_builtins(x):
    reversed = x * 2.0
    zip = reversed * x
    range_ = np.sum(zip)
    len = range_ * 0.5
    list = 0.0
    for v in x:
        list = list * v + len
    return list * range_


def shadows_modules(x):
    np = x * x
    math = np + x
    return np * math


def one_argument_called_like_the_result(y, y_bar, x_dot, self):
    x = y * y_bar
    x_bar = x * x_dot
    saved = x_bar * self
    return saved * x


def a_name_that_lies(x):
    return np.sum(sin(x) * x)


def layer_fwd(x):
    return x * x


def layer_rev(x):
    return layer_fwd(x) * 2.0


def layer(x):
    return layer_rev(x) * x


def functions_named_like_generated_ones(x):
    return layer(x) + layer_fwd(x) * layer_rev(x)


def rebinds_to_other_kinds(x):
    y = x
    y = [y, y * 2.0]
    y = y[0] * y[1]
    y = np.sum(y)
    y = {"v": y}
    return y["v"] ** 2


def decision_on_overwritten_data(x):
    y = x * 1.0
    for i in range(4):
        if y[i] > 0.5:
            y[i] = y[i] * -2.0
        else:
            y[i] = y[i] ** 2
        if y[i] > 0.5:
            y[0] += y[i]
    return np.sum(y)


def temporaries_with_reused_ids(x):
    s = 0.0
    for i in range(6):
        t = x * (i + 1.0)
        u = t[1:]
        u[0] = s + np.cos(t[0])
        t = np.sin(t)
        s = 0.3 * np.sin(s) + 0.1 * np.sum(t[:2]) * np.sum(u)
        del_me = np.ones(4) * s
        del_me[i % 4] = 0.0
        s = s + 0.1 * np.sum(del_me)
    return s


def lists_of_temporaries(x):
    total = 0.0
    for i in range(5):
        rows = [x * i, x[::-1] * 2.0]
        rows[0][i % 4] = total + x[0]
        rows[i % 2] = rows[0] * rows[1]
        total = total * 0.1 + np.sum(rows[0]) + np.sum(rows[1])
    return total


# -- objects ---------------------------------------------------------------------------------


class Box:
    def __init__(self, value):
        self.value = value
        self.count = 0

    def bump(self, c):
        self.value = self.value * c + self.count
        self.count += 1
        return self.value

    def content(self):
        return self.value


def attribute_overwritten_in_a_loop(x):
    box = Box(x[0])
    s = 0.0
    for v in x:
        box.value = box.value * v
        s = s + box.value**2
        s = s * box.bump(v)
    return s


def attribute_arrays_are_aliases(x):
    a, b = Box(x * 1.0), Box(None)
    b.value = a.value
    a.value += x[::-1]
    b.value[0] = a.value[1] * 2.0
    inner = a.content()
    inner *= 0.5
    b.value = b.value * 2.0
    return np.sum(a.value * x) + np.sum(b.value)


def one_object_in_two_places(x):
    box = Box(x)
    boxes = [box, box, Box(x * 2.0)]
    for b in boxes:
        b.value = b.value * x
    boxes[0].value += 1.0
    return boxes[0].value * boxes[1].value * boxes[2].value


def list_extended_in_place(x):
    a = [x]
    b = a
    a += [x * x]
    a = a + [3.0]
    b[0] = b[1] * 2.0
    return b[0] * b[1] * a[2] + a[0]


# -- more structures, dtypes, poles ------------------------------------------------------------


def integer_buffer_truncates(x):
    y = np.zeros(4, dtype=int)
    y[:] = x * 10.37
    return np.sum(y * x)


def buffer_like_integers(x):
    y = np.zeros_like(np.arange(4))
    y[0] = x[0] * 100.3
    return y[0] * x[1]


def empty_things(x):
    y = x[:0]
    return np.sum(y * y) + np.sum(np.concatenate([y, x]) ** 2)


def result_is_an_argument(x, y):
    return y


def result_is_constant(x):
    return 3.0


def output_changed_after_a_copy(x):
    y = x * x
    first = y.copy()
    y += first
    y[0] = 0.0
    return (first, y, y)


def outputs_of_several_kinds(x):
    return {"y": x * 2.0, "label": "name", "n": 3, "pair": (x[0], x[0])}


def with_errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (x - 0.1)
        for v in x:
            if v > 2.0:
                return np.sum(y) * v
    return np.sum(y)


def prints_and_asserts(x):
    print("called with", x)
    assert np.all(x < 100.0), "too large"
    return np.sum(x**2)


PROGRAMS = [
    (iterated_name_is_rebound, (X,)),
    (returns_from_a_loop_over_a_rebound_name, (X,)),
    (store_through_a_row, (M,)),
    (slice_of_a_slice, (X,)),
    (diagonal_is_a_view, (M,)),
    (asarray_is_the_same_array, (X,)),
    (ravel_copies_what_is_not_contiguous, (M,)),
    (reshape_of_a_transpose_copies, (M,)),
    (chain_of_views, (M,)),
    (integer_array_reads_copy, (X,)),
    (mask_reads_copy, (X,)),
    (two_names_for_one_array, (X,)),
    (alias_chosen_at_run_time, (X, 1.0)),
    (alias_chosen_at_run_time, (X, -1.0)),
    (alias_in_a_dict, (X,)),
    (alias_only_in_the_second_trip, (X,)),
    (captured_array_changed_after_its_use, (X,)),
    (saved_operand_overwritten_later, (X,)),
    (row_swap_with_views_is_the_known_trap, (M,)),
    (swap_of_elements, (X,)),
    (self_overlap, (X,)),
    (list_with_one_array_twice, (X,)),
    (multiplied_list, (X,)),
    (multiplied_list_stored_into, (X,)),
    (multiplied_list_of_lists, (X,)),
    (stored_arrays_against_copies, (X,)),
    (array_passed_twice_to_a_callee, (X,)),
    (array_passed_twice_and_read, (X,)),
    (repeated_reads, (X,)),
    (repeated_stores_last_wins, (X,)),
    (repeated_augmented_is_buffered, (X,)),
    (repeated_pairs_of_indices, (M,)),
    (index_that_changes_later, (X,)),
    (index_counter_rebound, (X,)),
    (callee_writes_its_argument, (X, 1.3)),
    (callee_returns_a_view, (X,)),
    (callee_returns_its_seed, (X,)),
    (callee_returns_one_thing_twice, (X,)),
    (recursion_that_stores, (X,)),
    (escapes_through_a_list, (X,)),
    (targets_from_left_to_right, (X,)),
    (bound_of_a_range_changes, (X,)),
    (shadows_builtins, (X,)),
    (shadows_modules, (1.3,)),
    (one_argument_called_like_the_result, (1.3, 0.4, -0.6, 0.9)),
    (a_name_that_lies, (X,)),
    (functions_named_like_generated_ones, (1.3,)),
    (rebinds_to_other_kinds, (X,)),
    (decision_on_overwritten_data, (X,)),
    (temporaries_with_reused_ids, (X,)),
    (lists_of_temporaries, (X,)),
    (attribute_overwritten_in_a_loop, (X,)),
    (attribute_arrays_are_aliases, (X,)),
    (one_object_in_two_places, (1.3,)),
    (list_extended_in_place, (1.3,)),
    (empty_things, (X,)),
    (result_is_an_argument, (1.3, 0.4)),
    (result_is_an_argument, (X, M)),
    (result_is_constant, (X,)),
    (output_changed_after_a_copy, (X,)),
    (outputs_of_several_kinds, (X,)),
    (prints_and_asserts, (X,)),
]


@pytest.mark.parametrize(
    ("function", "args"), [pytest.param(f, args, id=f.__name__) for f, args in PROGRAMS]
)
def test_right(function, args):
    laws.check_function(function, args)


@pytest.mark.parametrize("function", [integer_buffer_truncates, buffer_like_integers])
def test_an_integer_buffer_cuts_the_derivative_or_is_refused(function):
    laws.right_or_refused(function, (X,))


# -- broadcasts and layouts ------------------------------------------------------------------

SHAPES = [None, (), (1,), (3,), (2, 1), (1, 3), (2, 3), (4, 1, 3), (0,), (2, 0)]


def quotient(x, y):
    return x / y


def power(x, y):
    return x**y


def in_place_quotient(x, y):
    z = np.ones((4, 2, 3)) * x
    z /= y
    return z


def broadcastable():
    for a, b in itertools.product(SHAPES, SHAPES):
        try:
            np.broadcast_shapes(a or (), b or ())
        except ValueError:
            continue
        yield a, b


def positive(shape, start):
    if shape is None:
        return start
    return start + 0.37 * np.arange(float(np.prod(shape))).reshape(shape) % 1.9


@pytest.mark.parametrize("function", [quotient, power])
@pytest.mark.parametrize(("left", "right"), list(broadcastable()))
def test_every_broadcast(function, left, right):
    laws.check_function(function, (positive(left, 0.7), positive(right, 1.2)), smooth=False)


@pytest.mark.parametrize("shape", [None, (), (1,), (3,), (2, 1), (1, 3), (2, 3), (4, 1, 3)])
def test_in_place_broadcast(shape):
    laws.check_function(in_place_quotient, (positive(shape, 0.7), positive(shape, 1.2)))


def test_one_gradient_serves_every_broadcast_in_turn():
    g = tl.grad(lambda x, y: np.sum(x / y), wrt=(0, 1))
    for left, right in broadcastable():
        x, y = positive(left, 0.7), positive(right, 1.2)
        ones = np.ones(np.broadcast_shapes(np.shape(x), np.shape(y)))
        for got, dense, like in zip(g(x, y), (ones / y, -ones * x / y**2), (x, y), strict=True):
            lead = dense.ndim - np.ndim(like)
            wanted = np.sum(dense, axis=tuple(range(lead)))
            kept = tuple(i for i, n in enumerate(np.shape(like)) if n == 1)
            wanted = np.sum(wanted, axis=kept, keepdims=True)
            assert np.shape(got) == np.shape(like)
            np.testing.assert_allclose(got, wanted, rtol=1e-12)


def stores_and_reads(a):
    u = a * a
    u[1:] += a[:-1]
    v = u[::-1]
    v[0] *= a[0]
    return np.sum(u * a) + np.sum(a.reshape(-1) ** 3)


LAYOUTS = {
    "reversed": X[::-1],
    "every other, backwards": np.arange(8.0)[::-2] / 5.0,
    "column": np.arange(12.0).reshape(4, 3)[:, 1] / 7.0,
    "zero stride": np.broadcast_to(np.float64(0.7), (4,)),
    "matrix, both reversed": M[::-1, ::-1],
    "fortran": np.asfortranarray(M),
    "transposed slice": np.arange(24.0).reshape(4, 6)[1:, ::2].T / 20.0,
}


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_layouts(layout):
    laws.check_function(stores_and_reads, (LAYOUTS[layout],))


def test_layouts_agree_with_a_contiguous_copy():
    g = tl.grad(stores_and_reads)
    for x in LAYOUTS.values():
        np.testing.assert_array_equal(g(x), g(x.copy()))


def test_read_only_input():
    x = X.copy()
    x.flags.writeable = False
    got = tl.grad(stores_and_reads)(x)
    np.testing.assert_array_equal(got, tl.grad(stores_and_reads)(X))
    got[0] = 1.0  # the gradient itself is an ordinary array


# -- arguments by place ------------------------------------------------------------------------


def product_of_two(a, b):
    return np.sum(a * a * b)


def test_one_array_for_two_arguments():
    first, second = tl.grad(product_of_two, wrt=(0, 1))(X, X)
    np.testing.assert_allclose(first, 2 * X * X)
    np.testing.assert_allclose(second, X * X)
    _, y_dot = tl.jvp(product_of_two, (X, X), (np.ones(4), None))
    np.testing.assert_allclose(y_dot, np.sum(2 * X * X))


def test_one_array_twice_in_a_list():
    got = tl.grad(lambda pair: np.sum(pair[0] ** 2 * pair[1]))([X, X])
    np.testing.assert_allclose(got[0], 2 * X * X)
    np.testing.assert_allclose(got[1], X * X)
    assert not np.shares_memory(got[0], got[1])


def test_one_list_twice_in_a_list():
    inner = [1.5, 2.0]
    got = tl.grad(lambda rows: rows[0][0] * rows[1][0] ** 2 * rows[1][1])([inner, inner])
    np.testing.assert_allclose(got, [[1.5**2 * 2.0, 0.0], [2 * 1.5 * 1.5 * 2.0, 1.5**3]])


def test_one_stored_into_array_by_two_places_is_refused():
    def stores(a, b):
        a[0] = b[1] * 2.0
        return np.sum(a * b)

    x = X.copy()
    with pytest.raises(tl.TapelessError):
        tl.grad(stores, wrt=(0, 1))(x, x)
    np.testing.assert_array_equal(x, X)
    with pytest.raises(tl.TapelessError):
        tl.grad(stores, wrt=(0, 1))(x[:3], x[1:])
    # two arrays are fine; two parts of one that do not overlap may be refused, never wrong
    laws.check_function(stores, (x, x * 2.0))
    try:
        laws.check_function(stores, (x[:2], x[2:]))
    except tl.TapelessError:
        np.testing.assert_array_equal(x, X)


@dataclass
class Pair:
    a: np.ndarray
    b: np.ndarray


def test_one_array_in_two_fields():
    got = tl.grad(lambda p: np.sum(p.a**2 * p.b))(Pair(X, X))
    assert type(got) is Pair
    np.testing.assert_allclose(got.a, 2 * X * X)
    np.testing.assert_allclose(got.b, X * X)


# -- kinds that change between calls -----------------------------------------------------------


def test_plus_equals_on_a_float_then_on_an_aliased_array():
    g = tl.grad(plus, wrt=(0, 1))
    for _ in range(2):
        assert g(1.5, 2.0) == (2 * 1.5 + 2.0, 1.5)
        x = X.copy()
        first, second = g(x, np.ones(4))
        np.testing.assert_allclose(first, 2 * (X + 1.0))
        np.testing.assert_allclose(second, 2 * (X + 1.0))
        np.testing.assert_array_equal(x, X)


def test_one_gradient_for_many_kinds():
    def energy(x):
        y = x
        y = y * y
        y += x
        return np.sum(y)

    g = tl.grad(energy)
    for x in (2.0, np.float64(2.0), np.array(2.0), X, M, np.float32(2.0), X.astype(np.float32)):
        got = g(x)
        np.testing.assert_allclose(got, 2 * x + 1, rtol=1e-6)
        assert np.shape(got) == np.shape(x) and np.asarray(got).dtype == np.asarray(x).dtype


def test_an_integer_counts_as_a_real_number():
    assert tl.grad(lambda x: x**3)(2) == 12.0
    with pytest.raises(tl.TapelessError, match="astype"):
        tl.grad(lambda x: np.sum(x**2))(np.arange(3))


def test_shapes_change_between_calls():
    g = tl.grad(lambda x, y: np.sum(x * y))
    for shape in [(3,), (2, 3), (1, 3), (1,), (5, 2, 3), (3,)]:
        got = g(np.ones(shape), np.arange(3.0))
        assert got.shape == shape
        np.testing.assert_allclose(
            np.sum(got), 3.0 * np.prod(shape) / shape[-1] if shape[-1] > 1 else 3.0 * np.prod(shape)
        )


def apply(f, x):
    return f(x) * x


def test_function_arguments_are_told_apart_by_identity():
    def double(v):
        return 2.0 * v

    def cube(v):
        return v**3

    g = tl.grad(apply, wrt=1)
    assert [g(double, 2.0), g(cube, 2.0), g(double, 2.0)] == [8.0, 32.0, 8.0]


def make_power(n):
    def to_the(x):
        return x**n

    return to_the


def test_closures_of_one_def_are_different_functions():
    square, cube = make_power(2), make_power(3)
    assert tl.grad(square)(2.0) == 4.0
    assert tl.grad(cube)(2.0) == 12.0
    assert tl.grad(square)(2.0) == 4.0


# -- what is looked up at the call --------------------------------------------------------------


def helper(x):
    return x * x


def uses_helper(x):
    return helper(x) * SCALE


SCALE = 2.0


def other_helper(x):
    return x * x * x


@pytest.mark.usefixtures("noticed")
def test_redefined_callee_and_global(monkeypatch):
    g = tl.grad(uses_helper)
    assert g(3.0) == 12.0
    monkeypatch.setitem(globals(), "helper", other_helper)
    assert g(3.0) == 54.0
    monkeypatch.setitem(globals(), "SCALE", 10.0)
    assert g(3.0) == 270.0
    monkeypatch.undo()
    assert g(3.0) == 12.0


@pytest.mark.usefixtures("noticed")
def test_redefined_callee_of_a_callee(monkeypatch):
    g = tl.grad(lambda x: uses_helper(x) + 0.0)
    assert g(3.0) == 12.0
    monkeypatch.setitem(globals(), "helper", other_helper)
    assert g(3.0) == 54.0


@pytest.mark.usefixtures("noticed")
def test_rebound_closure_cell():
    scale = 2.0

    def f(x):
        return x * scale

    g = tl.grad(f)
    assert g(1.0) == 2.0
    scale = 5.0
    assert g(1.0) == 5.0


@pytest.mark.usefixtures("noticed")
def test_redefined_method(monkeypatch):
    def value_of(x):
        return Box(x * x).content()

    g = tl.grad(value_of)
    assert g(3.0) == 6.0
    monkeypatch.setattr(Box, "content", lambda self: self.value * 10.0)
    assert g(3.0) == 60.0


def module_from(path, name, text):
    path.mkdir(exist_ok=True)
    file = path / f"{name}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(f"{path.name}_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_callees_of_one_name_from_two_modules(tmp_path):
    text = "def helper(x):\n    return x ** {0}\n\n\ndef f(x):\n    return helper(x) * {0}\n"
    one = module_from(tmp_path / "one", "tools", text.format(2))
    two = module_from(tmp_path / "two", "tools", text.format(3))
    before = dict(vars(one))

    def combined(x):
        return one.helper(x) * two.helper(x) + one.f(x) + two.f(x)

    got = tl.grad(combined)(1.5)
    assert got == pytest.approx(5 * 1.5**4 + 4 * 1.5 + 9 * 1.5**2)
    assert tl.grad(one.f)(1.5) == pytest.approx(6.0)
    assert tl.grad(two.f)(1.5) == pytest.approx(9 * 1.5**2)
    assert vars(one).keys() == before.keys(), "something was written into the user's module"


def test_nothing_is_written_into_this_module():
    names = set(globals())
    tl.grad(uses_helper)(1.0)
    tl.grad(recursion_that_stores)(X)
    assert set(globals()) == names


# -- what survives a call -----------------------------------------------------------------------


def smoothed(x, c):
    y = x * 1.0
    for i in range(1, len(y) - 1):
        y[i] = y[i] + c * (y[i - 1] * y[i + 1])
    return y


def returns_its_stored_argument(x, c):
    for i in range(1, len(x) - 1):
        x[i] = x[i] + c * (x[i - 1] * x[i + 1])
    return x


@pytest.mark.parametrize("function", [smoothed, returns_its_stored_argument])
def test_pullback_twice_while_everybody_overwrites(function):
    x = X.copy()
    y, pullback = tl.vjp(function, x, 0.3)
    seed = np.array([1.0, -2.0, 0.5, 3.0])
    first = copy.deepcopy(pullback(seed))
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, function(X.copy(), 0.3))
    y[:] = 0.0
    second = pullback(seed)
    laws.assert_identical(second, first, "the second pullback")
    second[0][:] = 0.0
    laws.assert_identical(pullback(seed), first, "the third pullback")
    laws.assert_identical(pullback(2.0 * seed)[1], 2.0 * first[1], "another seed")
    np.testing.assert_array_equal(seed, [1.0, -2.0, 0.5, 3.0])


def test_the_pullback_belongs_to_its_own_call():
    x = X.copy()
    _, first = tl.vjp(smoothed, x, 0.3)
    _, second = tl.vjp(smoothed, x * 2.0, 0.7)
    seed = np.ones(4)
    wanted = tl.vjp(smoothed, X, 0.3)[1](seed)
    second(seed)
    laws.assert_identical(first(seed), wanted, "a pullback after another call")


def fails_in_the_middle(x, n):
    for i in range(n):
        x[i] = x[i] * 2.0 + x[i - 1]
    return np.sum(x**2)


@pytest.mark.parametrize("transform", [tl.grad, tl.value_and_grad])
def test_an_exception_in_the_middle_of_a_store_loop(transform):
    g = transform(fails_in_the_middle)
    wanted = g(X.copy(), 4)
    left = X.copy()
    with pytest.raises(IndexError) as plain_error:
        fails_in_the_middle(left, 6)
    x = X.copy()
    with pytest.raises(IndexError) as error:
        g(x, 6)
    assert str(error.value) == str(plain_error.value)
    assert np.array_equal(x, left) or np.array_equal(x, X)
    laws.assert_identical(g(X.copy(), 4), wanted, "the call after the exception")


LOG = []
COUNTS = {"calls": 0}
CALLS = 0
STATE = np.zeros(4)


def counts_in_a_dict(x):
    COUNTS["calls"] += 1
    return x * x * COUNTS["calls"]


def counts_in_a_global(x):
    global CALLS
    CALLS += 1
    return x * x


def appends_to_a_log(x):
    LOG.append(len(LOG))
    return x * x * len(LOG)


def stores_into_a_global_array(x):
    for i in range(4):
        STATE[i] = STATE[i - 1] * 0.5 + np.sin(x[i])
    return np.sum(STATE**3)


def test_a_counter_in_a_global_dict_moves_by_one():
    g = tl.grad(counts_in_a_dict)
    COUNTS["calls"] = 4
    assert g(3.0) == 30.0
    assert COUNTS == {"calls": 5}
    assert tl.jvp(counts_in_a_dict, (3.0,), (1.0,))[1] == 36.0
    assert COUNTS == {"calls": 6}


def test_a_log_grows_by_one():
    LOG.clear()
    g = tl.grad(appends_to_a_log)
    assert [g(3.0), g(3.0)] == [6.0, 12.0]
    assert LOG == [0, 1]


def test_a_global_array_ends_as_after_one_plain_call():
    STATE[:] = 0.3
    stores_into_a_global_array(X)
    wanted_state = STATE.copy()
    wanted, error = laws.central_difference(lambda t: fresh_state(X + t * CONSTANT))
    STATE[:] = 0.3
    got = tl.grad(stores_into_a_global_array)(X)
    laws.assert_near(np.sum(got * CONSTANT), wanted, error, "the gradient")
    np.testing.assert_array_equal(STATE, wanted_state)
    STATE[:] = 0.3
    y, pullback = tl.vjp(stores_into_a_global_array, X)
    np.testing.assert_array_equal(STATE, wanted_state)
    laws.assert_near(np.sum(pullback(1.0)[0] * CONSTANT), wanted, error, "the pullback")
    laws.assert_near(np.sum(pullback(1.0)[0] * CONSTANT), wanted, error, "the pullback again")
    np.testing.assert_array_equal(STATE, wanted_state)


def fresh_state(x):
    STATE[:] = 0.3
    return stores_into_a_global_array(x)


def test_a_captured_object_ends_as_after_one_plain_call():
    box = Box(1.0)

    def f(x):
        for _ in range(3):
            box.value = box.value * x
            box.count += 1
        return box.value**2

    assert tl.grad(f)(2.0) == pytest.approx(6 * 2.0**5)
    assert (box.value, box.count) == (8.0, 3)


def test_prints_once(capsys):
    tl.grad(prints_and_asserts)(X)
    assert capsys.readouterr().out.count("called with") == 1
    _, pullback = tl.vjp(prints_and_asserts, X)
    pullback(1.0)
    pullback(1.0)
    tl.jvp(prints_and_asserts, (X,), (X,))
    assert capsys.readouterr().out.count("called with") == 2


def default_buffer(x, buffer=[0.5, 0.5]):  # noqa: B006
    buffer[0] = buffer[0] + 1.0
    return x * buffer[0]


def test_gradients_do_not_share_memory_with_captured_arrays():
    kept = CONSTANT.copy()
    got = tl.grad(lambda x: np.sum(x * CONSTANT))(X)
    np.testing.assert_array_equal(got, kept)
    got[:] = 0.0
    np.testing.assert_array_equal(CONSTANT, kept)
    _, pullback = tl.vjp(lambda x: x + CONSTANT, X)
    seed = np.ones(4)
    pullback(seed)[0][:] = 7.0
    np.testing.assert_array_equal(seed, np.ones(4))


def test_threads():
    g = tl.grad(lambda x: np.sum(smoothed(x, 0.3) ** 2))
    inputs = [X * (k + 1.0) for k in range(8)]
    wanted = [g(x) for x in inputs]
    found = [None] * 8

    def work(k):
        for _ in range(20):
            found[k] = g(inputs[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


# -- singular points -----------------------------------------------------------------------------


def test_powers_at_zero():
    assert tl.grad(lambda x: x**2)(0.0) == 0.0
    assert tl.grad(lambda x: x**1)(0.0) == 1.0
    assert tl.grad(lambda x: x**0)(0.0) == 0.0
    assert tl.grad(lambda x, y: x**y, wrt=1)(0.0, 2.0) == 0.0
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(x**3))(np.array([0.0, -2.0])), [0, 12])
    base = np.array([0.0, -1.5, 2.0])
    np.testing.assert_array_equal(
        tl.grad(lambda x: np.sum(x ** np.array([2, 3, 0])))(base), [0.0, 3 * 1.5**2, 0.0]
    )


def test_ties_are_shared():
    np.testing.assert_array_equal(tl.grad(lambda x: np.max(x))(np.array([2.0, 2.0])), [0.5, 0.5])
    assert tl.grad(lambda x: np.maximum(x, 1.0))(1.0) == 0.5
    assert tl.grad(lambda x: abs(x))(0.0) == 0.0
    assert tl.grad(lambda x: np.clip(x, 0.0, 1.0))(1.0) == 0.0
    np.testing.assert_array_equal(tl.grad(lambda x: np.linalg.norm(x))(np.zeros(2)), [0.0, 0.0])
    np.testing.assert_array_equal(tl.grad(lambda x: np.std(x))(np.ones(3)), np.zeros(3))
    np.testing.assert_array_equal(
        tl.grad(lambda x: np.prod(x))(np.array([0.0, 3.0, 2.0])), [6.0, 0.0, 0.0]
    )


# -- single precision ----------------------------------------------------------------------------


def everything_in_single(x, m):
    y = np.mean(x * m) + np.max(m, axis=0) / (1.0 + np.std(x))
    z = np.zeros(3, dtype=x.dtype)
    for i in range(3):
        z[i] = 0.5 * y[i] + np.var(m[i]) * 2
    return np.sum(np.where(z > 0, z, 0.1 * z) ** 2) / 3.0


def test_single_precision():
    laws.check_function(everything_in_single, (X[:3].astype(np.float32), M.astype(np.float32)))


def test_each_argument_keeps_its_own_precision():
    x, m = tl.grad(everything_in_single, wrt=(0, 1))(X[:3].astype(np.float32), M)
    assert (x.dtype, m.dtype) == (np.float32, np.float64)


# -- custom gradients ----------------------------------------------------------------------------


@tl.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


def naive_log1pexp(x):
    return np.log(1 + np.exp(x))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_example_at_100_in_single_precision():
    x = np.float32(100.0)
    got = tl.grad(log1pexp)(x)
    assert got == 1.0 and np.asarray(got).dtype == np.float32
    assert np.isnan(tl.grad(naive_log1pexp)(x))
    assert tl.grad(log1pexp)(1000.0) == 1.0


@tl.custom_gradient
def wrong_cube(x):
    def grad(upstream):
        return upstream * 10.0 * x

    return x**3, grad


def test_a_wrong_rule_governs_at_every_order():
    # f = h^2 with h' = 10 x by decree: f' = 2 h (10 x), f'' = 2 (10 x)^2 + 20 h
    f = lambda x: wrong_cube(x) ** 2
    x = 1.5
    assert tl.grad(f)(x) == pytest.approx(20.0 * x**4)
    wanted = 200.0 * x**2 + 20.0 * x**3
    assert tl.grad(tl.grad(f))(x) == pytest.approx(wanted)
    assert tl.jvp(tl.grad(f), (x,), (1.0,))[1] == pytest.approx(wanted)
    assert tl.jvp(f, (x,), (1.0,))[1] == pytest.approx(20.0 * x**4)

    def slope(v):
        _, y_dot = tl.jvp(f, (v,), (1.0,))
        return y_dot

    assert tl.grad(slope)(x) == pytest.approx(wanted)


def test_a_wrong_rule_governs_in_loops_and_callees():
    def callee(v):
        return wrong_cube(v)

    def f(x):
        y = x
        for _ in range(2):
            y = callee(y)
        return y

    x = 1.1
    assert tl.grad(f)(x) == pytest.approx(10.0 * x**3 * 10.0 * x)
    # d/dx of (10 h)(10 x) is 100 h + 100 x (10 x)
    assert tl.grad(tl.grad(f))(x) == pytest.approx(100.0 * x**3 + 1000.0 * x**2)


def test_inside_errstate():
    laws.check_function(with_errstate, (X,), smooth=False)


def test_stop_gradient():
    assert tl.grad(lambda x: x * tl.stop_gradient(x))(3.0) == 3.0
    assert tl.jvp(lambda x: x * tl.stop_gradient(x), (3.0,), (1.0,))[1] == 3.0


# -- refusals ------------------------------------------------------------------------------------


def not_a_scalar(x):
    return x * 2.0


def returns_nothing(x):
    x * 2.0  # noqa: B018


def no_rule(x):
    return np.sum(np.sort_complex(x))


def generator_function(x):
    yield x


@pytest.mark.parametrize(
    ("function", "wrt", "error"),
    [
        (not_a_scalar, 0, tl.GradientError),
        (returns_nothing, 0, tl.TapelessError),
        (product_of_two, 5, tl.GradientError),
        (product_of_two, "nobody", tl.GradientError),
        (no_rule, 0, tl.NoGradientError),
        (generator_function, 0, tl.UnsupportedSyntaxError),
    ],
)
def test_refused(function, wrt, error):
    args = (X, X) if function is product_of_two else (X,)
    with pytest.raises(error) as raised:
        tl.grad(function, wrt=wrt)(*args)
    assert isinstance(raised.value, tl.TapelessError)


def test_a_missing_rule_is_named_with_its_place():
    with pytest.raises(tl.NoGradientError, match="sort_complex") as raised:
        tl.grad(no_rule)(X)
    assert isinstance(raised.value, LookupError)
    assert raised.value.filename.endswith("test_hunt.py")
    assert raised.value.lineno == no_rule.__code__.co_firstlineno + 1


def nonlocal_accumulator(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    add(x)
    add(total)
    return total


def starred_unpacking(x):
    first, *rest = [x[0], x[1], x[2]]
    return first * rest[0] + rest[-1] ** 2


def list_methods(x):
    a = [x[0], x[1]]
    a.insert(1, x[2])
    b = a.pop()
    a.extend([b, b * b])
    return a[1] * a[-1]


def dict_methods(x):
    d = {"a": x[0]}
    d.update({"b": x[1]})
    return d.get("a", 0.0) * d.setdefault("c", x[2]) * d["b"]


def keyword_parameters(x):
    def f(a, **options):
        return a * options["c"]

    return f(x[0], c=x[1])


class Vector:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)

    def __getitem__(self, i):
        return self.a if i == 0 else self.b

    @property
    def norm(self):
        return np.hypot(self.a, self.b)


def overloaded_operators(x):
    v = Vector(x[0], x[1]) + Vector(x[2], x[3])
    return v[0] * v[1]


def properties(x):
    return Vector(x[0], x[1]).norm * x[2]


class Fancy(Vector):
    def __init__(self, a):
        super().__init__(a, a * 2.0)


def super_calls(x):
    f = Fancy(x[0])
    return f.a * f.b


def walrus(x):
    if (y := x[0] * x[1]) < 0:
        return y * y
    return y


def deletes(x):
    a = [x[0], x[1], x[2]]
    del a[0]
    return a[0] * a[1]


def comprehension(x):
    return np.sum(np.array([v * v for v in x]))


def try_finally(x):
    try:
        y = x[0] * x[1]
    finally:
        z = x[2]
    return y * z


def value_of_or(x):
    return (x[0] or x[1]) * (x[2] and x[3])


def list_that_grows_while_iterated(x):
    queue = [x[0]]
    s = 0.0
    for v in queue:
        s = s + v * v
        if len(queue) < 4:
            queue.append(v * x[len(queue)])
    return s


def integer_of_an_active_value(x):
    k = int(x[2] * 1.5)
    return x[0] ** k * k


@pytest.mark.parametrize(
    "function",
    [
        nonlocal_accumulator,
        starred_unpacking,
        list_methods,
        dict_methods,
        iterated_array_changes,
        iterated_list_is_stored_into,
        overloaded_operators,
        properties,
        super_calls,
        walrus,
        deletes,
        comprehension,
        try_finally,
        value_of_or,
        list_that_grows_while_iterated,
        integer_of_an_active_value,
    ],
)
def test_right_or_refused_with_its_place(function):
    args = (1.3,) if function is nonlocal_accumulator else (X,)
    laws.right_or_refused(function, args)


# -- cost ----------------------------------------------------------------------------------------


def element(x, i):
    return x[i] * x[i]


def loop_over_a_callee(x):
    s = 0.0
    for i in range(len(x)):
        s = s + element(x, i)
    return s


def store_in_a_callee(u, i):
    u[i] = u[i] * u[i - 1] + 0.5


def loop_over_a_storing_callee(x):
    u = x * 1.0
    for i in range(1, len(u)):
        store_in_a_callee(u, i)
    return u[-1]


def element_writes(x):
    y = x * 0.0
    for i in range(len(x)):
        y[i] = np.sin(x[i])
    return np.sum(y**2)


class Counting:
    """Count the elements of the arrays that NumPy's makers are asked for.

    The programs measured call none of these makers themselves: replacing a function that the
    user's code names is a redefinition, which a gradient must notice.
    """

    MAKERS = ("zeros", "zeros_like", "empty", "empty_like", "full", "full_like", "ones_like")

    def __init__(self, monkeypatch):
        self.elements = 0
        for name in self.MAKERS:
            monkeypatch.setattr(np, name, self.counted(getattr(np, name)))

    def counted(self, make):
        def counted_make(*args, **kwargs):
            made = make(*args, **kwargs)
            self.elements += np.size(made)
            return made

        return counted_make


def elements_made(function, n, monkeypatch):
    g = tl.grad(function)
    g(np.full(n, 0.4))
    with monkeypatch.context() as context:
        counting = Counting(context)
        g(np.full(n, 0.4))
    return counting.elements


@pytest.mark.parametrize(
    "function", [loop_over_a_callee, loop_over_a_storing_callee, element_writes]
)
def test_elements_made_grow_linearly(function, monkeypatch):
    small = elements_made(function, 100, monkeypatch)
    large = elements_made(function, 1000, monkeypatch)
    assert large <= 12 * max(small, 100), (small, large)


def most_memory(function, n):
    g = tl.grad(function)
    g(np.full(4, 0.4))
    x = np.full(n, 0.4)
    tracemalloc.start()
    try:
        g(x)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def scalar_state(x):
    s = 0.1
    for v in x:
        s = np.sin(s) * v + 0.5
    return s


@pytest.mark.parametrize(
    "function", [scalar_state, loop_over_a_callee, loop_over_a_storing_callee, element_writes]
)
def test_memory_per_iteration_is_bounded(function):
    small, large = most_memory(function, 500), most_memory(function, 4000)
    assert (large - small) / 3500 < 600.0


def test_deep_recursion():
    def down(x, n):
        if n == 0:
            return x
        return np.sin(down(x, n - 1)) * 1.01

    got = tl.grad(down)(0.7, 300)
    wanted, error = laws.central_difference(lambda t: down(0.7 + t, 300))
    laws.assert_near(got, wanted, error, "300 levels")


# -- text, defaults and small objects --------------------------------------------------------


def reads_its_own_text(x):
    return float(str(x)) * 2.0


def reads_a_formatted_text(x):
    return float(f"{x:.9f}".strip()) * 2.0


def changes_its_default(x, log=[]):  # noqa: B006
    log.append(x)
    return x * len(log)


@pytest.mark.parametrize(
    "function", [reads_its_own_text, reads_a_formatted_text, changes_its_default]
)
def test_refused_in_both_modes(function):
    with pytest.raises(tl.GradientError) as caught:
        tl.grad(function)(1.5)
    assert caught.value.filename and caught.value.lineno and caught.value.fix
    with pytest.raises(tl.GradientError):
        tl.jvp(function, (1.5,), (1.0,))
    assert changes_its_default.__defaults__ == ([],)


class Bare:
    pass


def objects_with_reused_ids(x):
    s = 0.0
    for v in x:
        box = Bare()
        box.count = 0
        box.value = v
        box.count += 1
        for _ in range(2):
            box.count += 1
            box.value = box.value * v
        s = s + box.value * box.count
    return s


def index_kept_in_a_tuple(x):
    at = (0, 1)
    m = np.outer(x, x)
    m[at] *= 2.0
    m[at] = m[at] + x[0]
    return m[at] * m[1, 0]


def result_dropped(x):
    kept = [1.0]

    def push(v):
        kept[0] = kept[0] * v
        return kept[0] * v

    push(x[0])
    return push(x[1]) * kept[0]


@pytest.mark.parametrize(
    "function", [objects_with_reused_ids, index_kept_in_a_tuple, result_dropped]
)
def test_right_in_both_modes(function):
    laws.check_function(function, (X,), smooth=False)


# -- what the objects of strangers do --------------------------------------------------------


class Forwarding:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Computing:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name == "square":
            return self.x * self.x
        raise AttributeError(name)


class Doubling:
    def __init__(self, x):
        self.x = x

    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        return value * 2.0 if name == "x" else value


class WithSetter:
    __slots__ = ("_y", "x")

    def __init__(self, x):
        self.x = x
        self._y = x

    @property
    def y(self):
        return self._y * self.x

    @y.setter
    def y(self, value):
        self._y = value * 2.0


class Scaled:
    def __get__(self, owner, cls=None):
        return owner.held * 2.0

    def __set__(self, owner, value):
        owner.held = value * 3.0


class WithDescriptor:
    w = Scaled()

    def __init__(self, w):
        self.held = w


class WithCachedProperty:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def square(self):
        return self.x**2


@dataclass
class Derived:
    a: float
    b: float = 0.0

    def __post_init__(self):
        self.b = self.a * self.a


@dataclass
class Point:
    a: object
    b: float = 0.0


def attribute_forwarded(x):
    return np.sum(Forwarding(Forwarding(WithDescriptor(x * 2.0))).held ** 2)


def attribute_computed(x):
    return np.sum(Computing(x * 3.0).square)


def attribute_changed_on_its_way(x):
    return np.sum(Doubling(x * 3.0).x ** 2)


def property_that_is_stored_into(x):
    s = WithSetter(x * 2.0)
    s.y = s.x * x
    return np.sum(s.y) + np.sum(s._y)


def descriptor(x):
    o = WithDescriptor(x)
    o.w = o.w * x
    return np.sum(o.w**2) + np.sum(o.held)


def cached_property(x):
    o = WithCachedProperty(x * 1.5)
    first = o.square
    o.x = x
    return np.sum(o.square * first)


def derived_field(x):
    d = Derived(x[0])
    return d.a * d.b


def copied_with_a_change(x):
    p = dataclasses.replace(Point(x, x[0]), b=2.0)
    return np.sum(p.a) * p.b


def very_deep_list(nested):
    return nested[0][0][0][0][0][0][0][0] ** 2


@pytest.mark.parametrize(
    "function",
    [
        attribute_forwarded, attribute_computed, attribute_changed_on_its_way,
        property_that_is_stored_into, descriptor, cached_property, derived_field,
        copied_with_a_change,
    ],
)  # fmt: skip
def test_attributes_that_run_code_are_right_or_refused(function):
    laws.right_or_refused(function, (X,))


def test_a_hook_of_a_captured_constant_is_no_obstacle():
    settings = Computing(2.0)
    laws.check_function(lambda x: np.sum(x**2) * settings.square, (X,))


VERY_DEEP = [[[[[[[[[3.0]]]]]]]]]


def deep_constant(x):
    return np.sum(x**2) * VERY_DEEP[0][0][0][0][0][0][0][0][0]


def test_what_lies_deep_in_a_constant_is_a_factor():
    laws.check_function(deep_constant, (X,))


def test_what_lies_deep_in_an_argument_is_right_or_refused():
    laws.right_or_refused(very_deep_list, ([[[[[[[[1.5]]]]]]]],))


# -- containers within arguments -------------------------------------------------------------


@dataclass
class Tree:
    value: float
    children: list = dataclasses.field(default_factory=list)


def stores_into_items(nodes):
    s = 1.0
    for d in nodes:
        d["a"] = d["a"] * s
        s = s + d["a"] ** 2
    return s


def stores_into_arrays(arrays):
    s = 1.0
    for a in arrays:
        a[0] = a[1] * s
        s = s + np.sum(a) ** 2
    return s


def stores_into_children(tree):
    s = tree.value
    first = tree.children[0]
    first.value = first.value * s
    for c in tree.children:
        c.value = c.value * s
        s = s + c.value**2
    return s


def stores_into_a_pair(pair):
    (a, b), c = pair
    a[0] = b[1] * a[1] * c
    return np.sum(a) * b[0]


def folded(tree):
    if not tree.children:
        return tree.value**2
    total = tree.value
    for i, c in enumerate(tree.children):
        total = total * 0.5 + folded(c) * (i + 1)
    return total


def folded_in_place(tree):
    if not tree.children:
        return tree.value**2
    total = tree.value
    for i, c in enumerate(tree.children):
        total = total * 0.5 + folded_in_place(c) * (i + 1)
    tree.value = total
    return total


def twice_folded(tree):
    return folded_in_place(tree) + folded_in_place(tree) * tree.value


def tree_made_here(x):
    leaf = Tree(x[2])
    tree = Tree(x[0], [Tree(x[1], [leaf, Tree(x[3])]), leaf])
    return folded_in_place(tree) + folded_in_place(tree) + leaf.value


def a_tree():
    return Tree(1.5, [Tree(0.5), Tree(0.3, [Tree(2.0)])])


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (stores_into_items, [{"a": 1.0}, {"a": 2.0}]),
        (stores_into_arrays, [X.copy(), X * 2.0]),
        (stores_into_children, a_tree()),
        (stores_into_a_pair, ((X.copy(), X * 2.0), 1.5)),
        (folded, a_tree()),
        (folded_in_place, a_tree()),
        (twice_folded, a_tree()),
        (tree_made_here, X),
    ],
)
def test_stores_into_what_an_argument_holds(function, argument):
    laws.check_function(function, (argument,))


def test_one_stored_into_object_in_two_places_of_an_argument_is_refused():
    leaf = Tree(0.7)
    with pytest.raises(tl.TapelessError, match="two places"):
        tl.grad(stores_into_children)(Tree(1.5, [leaf, leaf]))
    assert leaf == Tree(0.7)


# -- numbers that leave by texts, keys and classes that are not entered ------------------------


def number_of_a_percent_text(a):
    return float("%.12f" % a)  # noqa: UP031


def numbers_of_joined_texts(a):
    texts = ",".join(str(v) for v in [a, 2.0 * a])
    return sum(float(part) for part in texts.split(","))


def value_by_eval(a):
    return eval("a * a")


def value_by_locals(a):
    return locals()["a"] * a


def key_that_varies(a):
    table = {a: 1.0}
    return sum(table) * a


def key_stored_that_varies(a):
    table = {}
    table[a] = a
    for k in table:
        a = a * k
    return a


def vectorized(a):
    return np.sum(np.vectorize(lambda t: t * t)(np.array([a, 2.0 * a])))


@pytest.mark.parametrize(
    "function",
    [
        number_of_a_percent_text, numbers_of_joined_texts, value_by_eval, value_by_locals,
        key_that_varies, key_stored_that_varies, vectorized,
    ],
)  # fmt: skip
def test_numbers_that_leave_the_text_are_refused(function):
    for derive in (lambda: tl.grad(function)(1.3), lambda: tl.jvp(function, (1.3,), (1.0,))):
        with pytest.raises(tl.TapelessError) as caught:
            derive()
        assert caught.value.filename == __file__ and caught.value.lineno


def text_for_people_only(a):
    label = "%f" % a + f"{a:.2f}"  # noqa: UP031
    return a * len(label) * a


def complex_of_two(a):
    return complex(a, a * a).imag * abs(complex(a, 1.0)) ** 2


def complex_back_to_real(a, b):
    z = a * 1j + b
    return (z * z * np.conj(z)).imag


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (text_for_people_only, (1.3,)),
        (complex_of_two, (1.3,)),
        (complex_back_to_real, (1.3, 0.4)),
    ],
)
def test_texts_and_complex_numbers_on_the_way(function, args):
    laws.check_function(function, args)


def of_items(*a):
    x, y = a
    return np.sum(x**3 * y)


def of_the_rest(x, *rest, k=2.0):
    return np.sum(x**2 * rest[0]) * k


def sum_of_a_comprehension(x, y):
    return sum(v * v * w for v, w in zip(x, y, strict=True)) ** 2 * max(v * w for v in x for w in y)


def nested_lists(x, y):
    return np.linalg.det(np.array([[x[0], y[1]], [x[1] * y[0], 2.0]])) ** 2


@pytest.mark.parametrize("function", [of_items, of_the_rest, sum_of_a_comprehension, nested_lists])
def test_second_order_of_items_and_sequences(function):
    args = np.array([1.0, 0.5, 2.0]), np.array([0.3, 0.2, 1.1])
    laws.check_function(function, args, smooth=False)
    laws.check_second_order(function, args, (0, 1), np.random.default_rng(0), twice=False)


def test_row_2_the_text_of_a_gradient_gives_the_items_that_were_asked_for():
    x, y = np.array([1.0, 0.5]), np.array([0.3, 0.2])
    first, last = tl.grad(of_items, wrt=(0, -1))(x, y)
    np.testing.assert_allclose(first, 3.0 * x**2 * y)
    np.testing.assert_allclose(last, x**3)
    np.testing.assert_array_equal(tl.grad(of_items, wrt=1)(x, y), last)
    with pytest.raises(tl.GradientError, match="item 2 of `\\*a` .* 2 are given"):
        tl.grad(of_items, wrt=2)(x, y)


def test_row_2_vjp_gives_nothing_for_keyword_only_parameters_after_the_arguments():
    x, y = np.array([1.0, 0.5]), np.array([0.3, 0.2])
    _, pullback = tl.vjp(of_the_rest, x, y)
    assert len(pullback(1.0)) == 2


# -- what a callee may see under two names, and lists that it shortens -----------------------


def store_seen_through_a_third(a, b, c):
    b[0] = 5.0 * b[1]
    return c[0] * c[1]


def one_of_two_passed_beside_both(x):
    a, b = x * 2.0, x * 3.0
    c = a if x[0] > 3.0 else b
    return store_seen_through_a_third(a, b, c) + a[0] * b[0]


class Log:
    def __init__(self):
        self.places = []

    def push(self, place):
        self.places.append(place)

    def pop(self):
        return self.places.pop()

    def drop(self):
        self.places.pop()


def shortened_by_a_method(x):
    log = Log()
    log.push(0)
    log.push(1)
    total = 0.0
    for i in log.places:
        total += x[i] ** 3
    j = log.pop()
    return total * total * x[j]


def shortened_and_forgotten(x):
    log = Log()
    log.push(0)
    log.push(1)
    total = 0.0
    for i in log.places:
        total += x[i] ** 3
    log.drop()
    return total * total


@pytest.mark.parametrize(
    "f", [one_of_two_passed_beside_both, shortened_by_a_method, shortened_and_forgotten]
)
def test_what_a_callee_stores_into_or_shortens_is_seen_by_its_caller(f):
    laws.check_function(f, (X,))


def store_into_the_first(pair, v):
    pair[0][0] = v


def append_to_the_first(pair, v):
    pair[0].append(v)


def pop_of_the_first(pair):
    return pair[0].pop()


def array_in_a_tuple(x):
    a = x * 1.0
    pair = (a, 1)
    first = a[0] * 2.0
    store_into_the_first(pair, x[1] * x[2])
    return a[0] * a[1] * first


def list_in_a_tuple(x):
    items = [x[0], x[1]]
    pair = (items, 1)
    first = items[0] * 2.0
    store_into_the_first(pair, x[1] * x[2])
    return items[0] * items[1] * first


def list_in_a_tuple_grows_and_shrinks(x):
    items = []
    pair = (items, 1)
    append_to_the_first(pair, x[0])
    append_to_the_first(pair, x[1] * x[0])
    last = pop_of_the_first(pair)
    append_to_the_first(pair, x[2] * last)
    return items[0] * items[1] * last


@pytest.mark.parametrize(
    "f", [array_in_a_tuple, list_in_a_tuple, list_in_a_tuple_grows_and_shrinks]
)
def test_what_a_tuple_holds_and_a_callee_stores_into(f):
    laws.check_function(f, (X,), smooth=False)
