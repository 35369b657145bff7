"""Views and copies of arrays, arrays under two names, and one array in two places."""

import numpy as np
X = np.array([0.6, -1.4, 2.3, 0.9])

M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])

CONSTANT = np.array([1.5, -0.5, 2.0, 0.3])


def both(a):
    return a, a


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


CASES = [
    ("store_through_a_row", store_through_a_row, (M,)),
    ("slice_of_a_slice", slice_of_a_slice, (X,)),
    ("diagonal_is_a_view", diagonal_is_a_view, (M,)),
    ("asarray_is_the_same_array", asarray_is_the_same_array, (X,)),
    ("ravel_copies_what_is_not_contiguous", ravel_copies_what_is_not_contiguous, (M,)),
    ("reshape_of_a_transpose_copies", reshape_of_a_transpose_copies, (M,)),
    ("chain_of_views", chain_of_views, (M,)),
    ("integer_array_reads_copy", integer_array_reads_copy, (X,)),
    ("mask_reads_copy", mask_reads_copy, (X,)),
    ("two_names_for_one_array", two_names_for_one_array, (X,)),
    ("alias_chosen_at_run_time_1", alias_chosen_at_run_time, (X, 1.0)),
    ("alias_chosen_at_run_time_2", alias_chosen_at_run_time, (X, -1.0)),
    ("alias_in_a_dict", alias_in_a_dict, (X,)),
    ("alias_only_in_the_second_trip", alias_only_in_the_second_trip, (X,)),
    ("captured_array_changed_after_its_use", captured_array_changed_after_its_use, (X,)),
    ("saved_operand_overwritten_later", saved_operand_overwritten_later, (X,)),
    ("row_swap_with_views_is_the_known_trap", row_swap_with_views_is_the_known_trap, (M,)),
    ("swap_of_elements", swap_of_elements, (X,)),
    ("self_overlap", self_overlap, (X,)),
    ("list_with_one_array_twice", list_with_one_array_twice, (X,)),
    ("multiplied_list", multiplied_list, (X,)),
    ("multiplied_list_stored_into", multiplied_list_stored_into, (X,)),
    ("multiplied_list_of_lists", multiplied_list_of_lists, (X,)),
    ("stored_arrays_against_copies", stored_arrays_against_copies, (X,)),
    ("array_passed_twice_to_a_callee", array_passed_twice_to_a_callee, (X,)),
    ("array_passed_twice_and_read", array_passed_twice_and_read, (X,)),
]
