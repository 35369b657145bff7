"""Lists, dicts and arrays: their methods, slices, merges, stores while they are iterated."""

import collections
import copy
import itertools

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])


def list_methods(x):
    a = [x[0], x[1]]
    a.insert(1, x[2])
    b = a.pop()
    a.extend([b, b * b])
    c = a.copy()
    c[0] = x[3]
    d = a.pop(0)
    return a[1] * a[-1] * c[0] * d + len(a) * c[1]


def list_slices(x):
    a = [x[0], x[1], x[2], x[3]]
    b = a[1:3]
    b[0] = b[0] * 2.0
    a[0:2] = [x[3], x[2]]
    c = a[::-1]
    return a[0] * a[1] * b[0] + c[0] * b[-1]


def list_arithmetic(x):
    a = [x[0], x[1]] + [x[2]]
    b = [x[3]] * 3
    b[1] = a[0]
    a += b
    c = [0.0] * 4
    c[2] = x[1]
    return a[3] * a[4] + a[2] * c[2]


def list_order(x):
    a = [x[0], x[1], x[2]]
    a.reverse()
    a.sort()
    a.remove(a[0])
    return a[0] * a[1]


def dict_methods(x):
    d = {"a": x[0]}
    d.update({"b": x[1]}, c=x[2])
    e = d.setdefault("e", x[3])
    f = d.pop("c")
    g = d.pop("missing", 2.0)
    h = d.get("zzz", x[0])
    return d.get("a", 0.0) * d["b"] * e * f * g + h * len(d)


def dict_merges(x):
    a = {"p": x[0], "q": x[1]}
    b = {**a, "q": x[2]}
    c = a | {"r": x[3]}
    b |= {"p": x[1] * x[0]}
    return b["p"] * b["q"] * c["r"] + sum(c.values())


def dict_loops(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    s = 0.0
    for key in d:
        s = s + d[key] * len(key)
    for key, value in sorted(d.items()):
        s = s * 0.5 + value
    for value in d.values():
        s = s * value
    return s * max(d.values())


def default_dict(x):
    groups = collections.defaultdict(list)
    sums = collections.defaultdict(float)
    for i, v in enumerate(x):
        groups[i % 2].append(v)
        sums[i % 2] += v * v
    return groups[0][1] * groups[1][0] * sums[1]


def tuple_keys(x):
    table = {}
    for i in range(2):
        for j in range(2):
            table[i, j] = x[i] * x[j + 1]
    return table[0, 1] * table[1, 0]


def counted(x):
    counts = {}
    for v in x:
        key = "pos" if v > 0 else "neg"
        counts[key] = counts.get(key, 0) + 1
    return x[0] * counts["pos"] + x[1] * counts["neg"]


def queue(x):
    q = collections.deque([x[0], x[1]])
    s = 0.0
    while q:
        v = q.popleft()
        s = s + v * v
        if len(q) < 2 and s < 8.0:
            q.append(v * x[2])
    return s


def deep_copies(x):
    a = [[x[0], x[1]], [x[2]]]
    b = copy.deepcopy(a)
    c = copy.copy(a)
    b[0][0] = x[3]
    c[1][0] = x[3] * 2.0
    return a[0][0] * b[0][0] * a[1][0]


def shared_rows(x):
    rows = [[0.0] * 2] * 2
    rows[0][0] = x[0]
    grid = [[0.0] * 2 for _ in range(2)]
    grid[0][1] = x[1]
    grid[1][1] = x[2]
    return rows[1][0] * grid[0][1] * grid[1][1] + grid[1][0]


def overwritten_after_use(x):
    a = [x[0], x[1]]
    s = a[0] * 2.0
    a[0] = x[2] * s
    return s * a[0] + a[1]


def iterated_array_changes(x):
    a = x * 1.0
    s = 0.0
    for i, v in enumerate(a):
        s = s + v * v
        if i + 1 < len(a):
            a[i + 1] = a[i + 1] * v
    return s


def iterated_list_is_stored_into(x):
    a = [x[0], x[1], x[2]]
    s = 0.0
    for i, v in enumerate(a):
        s = s + v * v * x[3]
        if i < 2:
            a[i + 1] = a[i + 1] * v
    return s


def list_that_grows(x):
    todo = [x[0]]
    s = 0.0
    for v in todo:
        s = s + v * v
        if len(todo) < 4:
            todo.append(v * x[len(todo)])
    return s


def rows_changed_while_iterated(m):
    a = m * 1.0
    s = 0.0
    for i, row in enumerate(a):
        row *= 2.0
        if i < 2:
            a[i + 1] += row
        s = s + row[0] * row[1]
    return s + np.sum(a)


def iterated_transpose(m):
    s = 0.0
    for column in m.T:
        s = s * 0.5 + column[0] * column[2]
    for v in m.flat:
        s = s + v * v
    for (i, j), v in np.ndenumerate(m):
        s = s + i * j * v**3
    return s


def flat_stores(m):
    a = m * 1.0
    a.flat[2] = a[0, 0] * a[1, 1]
    a.flat[::4] = 1.5 * m[0]
    return np.sum(a * a) * a[0, 2]


def shuffled_indices(x):
    rng = np.random.default_rng(0)
    order = np.arange(4)
    rng.shuffle(order)
    return x[order[0]] * x[order[1]]


def shuffled(x):
    rng = np.random.default_rng(0)
    y = x * 1.0
    rng.shuffle(y)
    return y[0] * y[1] + y[2]


def permuted(x):
    rng = np.random.default_rng(0)
    y = x[rng.permutation(4)]
    return y[0] * y[1] + y[2]


def fortran_order(m):
    a = np.asfortranarray(m * 1.0)
    flat = a.ravel(order="F")
    flat[1] = a[0, 0] * a[2, 2]
    rows = a.reshape(9)
    rows[2] = 7.0
    return np.sum(a * a) + np.sum(rows)


def added_at(x):
    a = np.zeros(3)
    np.add.at(a, [0, 0, 2, 1], x)
    np.subtract.at(a, [0, 1], x[:2] * 2.0)
    return np.sum(a * a)


def out_argument(x):
    y = np.empty(4)
    np.multiply(x, x, out=y)
    np.add(y, x, out=y)
    np.sin(y, y)
    return np.sum(y * x)


def filled(x):
    a = np.empty(3)
    a.fill(x[0])
    b = np.full(2, x[1])
    np.copyto(a, x[1:])
    np.copyto(b, x[2:], where=np.array([True, False]))
    return np.sum(a * a) * b[0] * b[1]


def sorted_in_place(x):
    a = x * 2.0
    a.sort()
    return a[0] * a[1] ** 2 + a[3]


def products_of_indices(x):
    s = 0.0
    for i, j in itertools.product(range(2), range(2)):
        s = s + x[i] * x[j + 2]
    for i, j in itertools.combinations(range(4), 2):
        s = s + x[i] * x[j] ** 2
    for i, j in np.ndindex(2, 2):
        s = s * x[i + j]
    return s


def iterator_tools(x):
    s = 0.0
    for v in itertools.chain([x[0], x[1]], [x[2]]):
        s = s * 0.5 + v * v
    it = iter([x[0], x[1]])
    first = next(it)
    return s * first * next(it) + list(itertools.accumulate([x[0], x[1], x[2]]))[-1]


def loops_with_else(x):
    s = 0.0
    for v in x:
        if v > 100.0:
            break
        s = s + v * v
    else:
        s = s * x[0]
    i = 0
    while i < 3:
        i += 1
        if i == 2:
            continue
        s = s + x[i]
    else:
        s = s * x[1]
    return s


def data_dependent_indices(x):
    k = int(np.floor(abs(x[2])))
    i = np.argmax(x)
    j = np.searchsorted(np.array([0.0, 0.5, 1.0]), x[3])
    s = 0.0
    for _ in range(k):
        s = s + x[i] * x[j]
    return s * x[np.argsort(x)[0]]


def shared_arrays_in_a_list(x):
    a = x * 1.0
    both = [a, a, a.copy()]
    a[0] = x[1] * x[2]
    both[1][1] = x[3] ** 2
    return np.sum(both[0] * both[1]) + np.sum(both[2])


def string_keys_and_flags(x, mode="fast", flags=None):
    flags = flags or {}
    scale = {"fast": 2.0, "slow": 1.0}[mode]
    if flags.get("square") or mode.startswith("f"):
        return np.sum(x**2) * scale
    return np.sum(x)


def tuples(x):
    a = (x[0], x[1]) + (x[2],)
    b = a[1:] + a[:1]
    c = (x[3],) * 2
    return b[0] * b[2] * c[1] + len(b) * a.index(a[0])


def bound_in_a_branch_only(x):
    if x[0] > -10.0:
        items = iter(x * 2.0)
        pair = iter({"a": x[0], "b": x[1]})
    rest = list(items)
    return sum(rest) * (x[1] if next(pair) == "a" else x[0])


def of_several_sorts(x):
    y = x * 2.0
    y = [y[0], y[1]]
    if x[0] > -10.0:
        y = y[0] * y[1]
    y = {"v": y * x[2]}
    return y["v"]


CASES = [
    ("list_methods", list_methods, (X,)),
    ("list_slices", list_slices, (X,)),
    ("list_arithmetic", list_arithmetic, (X,)),
    ("list_order", list_order, (X,)),
    ("dict_methods", dict_methods, (X,)),
    ("dict_merges", dict_merges, (X,)),
    ("dict_loops", dict_loops, (X,)),
    ("default_dict", default_dict, (X,)),
    ("tuple_keys", tuple_keys, (X,)),
    ("counted", counted, (X,)),
    ("queue", queue, (X,)),
    ("deep_copies", deep_copies, (X,)),
    ("shared_rows", shared_rows, (X,)),
    ("overwritten_after_use", overwritten_after_use, (X,)),
    ("iterated_array_changes", iterated_array_changes, (X,)),
    ("iterated_list_is_stored_into", iterated_list_is_stored_into, (X,)),
    ("list_that_grows", list_that_grows, (X,)),
    ("rows_changed_while_iterated", rows_changed_while_iterated, (M,)),
    ("iterated_transpose", iterated_transpose, (M,)),
    ("flat_stores", flat_stores, (M,)),
    ("shuffled_indices", shuffled_indices, (X,)),
    ("shuffled", shuffled, (X,)),
    ("permuted", permuted, (X,)),
    ("fortran_order", fortran_order, (M,)),
    ("added_at", added_at, (X,)),
    ("out_argument", out_argument, (X,)),
    ("filled", filled, (X,)),
    ("sorted_in_place", sorted_in_place, (X,)),
    ("products_of_indices", products_of_indices, (X,)),
    ("iterator_tools", iterator_tools, (X,)),
    ("loops_with_else", loops_with_else, (X,)),
    ("bound_in_a_branch_only", bound_in_a_branch_only, (X,)),
    ("of_several_sorts", of_several_sorts, (X,)),
    ("data_dependent_indices", data_dependent_indices, (X,)),
    ("shared_arrays_in_a_list", shared_arrays_in_a_list, (X,)),
    ("string_keys_and_flags", string_keys_and_flags, (X, "fast")),
    ("tuples", tuples, (X,)),
]
