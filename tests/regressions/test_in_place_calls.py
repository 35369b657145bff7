"""A call that changes what it is given does so in every position that it can stand in."""

import bisect
import heapq
import importlib.util
import operator
import random

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError
from tapeless.testing import check_replay
from tests import laws

X = np.array([1.3, 0.7, 1.9])

ARRAY = "z = x * 1.0"
TABLE = "z = np.outer(x, x)"
LIST = "z = [x[0] * 2.0, x[1], x[2] * x[0]]"
DICT = "z = {'a': x[0] * 2.0, 'b': x[1]}"
OBJECT = "z = Box(x[0])"
OF_ARRAY = "np.sum(z * np.array([1.0, 2.0, 3.0]) * z)"
OF_TABLE = "np.sum(z * z * np.arange(9.0).reshape(3, 3))"
OF_LIST = "sum([v * v * (i + 1) for i, v in enumerate(z)])"
OF_DICT = "sum([v * v * (i + 1) for i, v in enumerate(z.values())])"
OF_OBJECT = "z.v * z.v"

# what is made, what changes it, what is computed from it
IN_PLACE = {
    "sort": (ARRAY, "z.sort()", OF_ARRAY),
    "fill": (ARRAY, "z.fill(x[1])", OF_ARRAY),
    "put": (ARRAY, "z.put([0], x[1] * 3.0)", OF_ARRAY),
    "partition": (ARRAY, "z.partition(1)", OF_ARRAY),
    "array_setitem": (ARRAY, "z.__setitem__(0, x[1] * 3.0)", OF_ARRAY),
    "array_iadd": (ARRAY, "z.__iadd__(x)", OF_ARRAY),
    "ndarray_sort": (ARRAY, "np.ndarray.sort(z)", OF_ARRAY),
    "add_at": (ARRAY, "np.add.at(z, [0, 0], x[1])", OF_ARRAY),
    "subtract_at": (ARRAY, "np.subtract.at(z, [0, 1], x[1:])", OF_ARRAY),
    "np_put": (ARRAY, "np.put(z, [0], x[1] * 3.0)", OF_ARRAY),
    "np_put_by_name": (ARRAY, "np.put(v=x[1] * 3.0, ind=[0], a=z)", OF_ARRAY),
    "np_place": (ARRAY, "np.place(z, z > 1.0, x[1:] * 2.0)", OF_ARRAY),
    "np_putmask": (ARRAY, "np.putmask(z, z > 1.0, x * x)", OF_ARRAY),
    "np_copyto": (ARRAY, "np.copyto(z, x * x)", OF_ARRAY),
    "np_copyto_where": (ARRAY, "np.copyto(z, x * x, where=z > 1.0)", OF_ARRAY),
    "np_fill_diagonal": (TABLE, "np.fill_diagonal(z, x[1])", OF_TABLE),
    "np_put_along_axis": (
        TABLE, "np.put_along_axis(z, np.array([[0], [1], [2]]), x[1], 1)", OF_TABLE,
    ),
    "nan_to_num": (
        "z = x + np.array([0.0, np.nan, 0.0])", "np.nan_to_num(z, copy=False)", OF_ARRAY,
    ),
    "out": (ARRAY, "np.multiply(x, x, out=z)", OF_ARRAY),
    "out_by_place": (ARRAY, "np.multiply(x, x, z)", OF_ARRAY),
    "out_of_method": (ARRAY, "x.cumsum(out=z)", OF_ARRAY),
    "shuffle": (ARRAY, "np.random.default_rng(0).shuffle(z)", OF_ARRAY),
    "shuffled_list": (LIST, "random.Random(0).shuffle(z)", OF_LIST),
    "operator_setitem": (ARRAY, "operator.setitem(z, 0, x[1] * 3.0)", OF_ARRAY),
    "operator_iadd": (ARRAY, "operator.iadd(z, x)", OF_ARRAY),
    "operator_isub": (ARRAY, "operator.isub(z, x * x)", OF_ARRAY),
    "operator_delitem": (LIST, "operator.delitem(z, 0)", OF_LIST),
    "operator_iadd_list": (LIST, "operator.iadd(z, [x[1]])", OF_LIST),
    "operator_imul_list": (LIST, "operator.imul(z, 2)", OF_LIST),
    "operator_ior": (DICT, "operator.ior(z, {'a': x[1] * 3.0})", OF_DICT),
    "append": (LIST, "z.append(x[1] * 3.0)", OF_LIST),
    "list_append": (LIST, "list.append(z, x[1] * 3.0)", OF_LIST),
    "extend": (LIST, "z.extend([x[1], x[0]])", OF_LIST),
    "extend_by_array": (LIST, "z.extend(x)", OF_LIST),
    "insert": (LIST, "z.insert(0, x[1] * 3.0)", OF_LIST),
    "remove": (LIST, "z.remove(x[1])", OF_LIST),
    "pop": (LIST, "z.pop()", OF_LIST),
    "pop_first": (LIST, "z.pop(0)", OF_LIST),
    "list_clear": (LIST, "z.clear()", OF_LIST + " + x[0]"),
    "reverse": (LIST, "z.reverse()", OF_LIST),
    "list_sort": (LIST, "z.sort(key=lambda v: -v)", OF_LIST),
    "list_setitem": (LIST, "z.__setitem__(0, x[1] * 3.0)", OF_LIST),
    "list_delitem": (LIST, "z.__delitem__(0)", OF_LIST),
    "list_imul": (LIST, "z.__imul__(2)", OF_LIST),
    "heapify": (LIST, "heapq.heapify(z)", OF_LIST),
    "heappush": (LIST, "heapq.heappush(z, x[1] * 3.0)", OF_LIST),
    "heappop": (LIST, "heapq.heappop(z)", OF_LIST),
    "heapreplace": (LIST, "heapq.heapreplace(z, x[1] * 3.0)", OF_LIST),
    "heappushpop": (LIST, "heapq.heappushpop(z, x[1] * 3.0)", OF_LIST),
    "insort": (LIST + "; z.sort()", "bisect.insort(z, x[1] * 3.0)", OF_LIST),
    "insort_left": (LIST + "; z.sort()", "bisect.insort_left(z, x[1] * 3.0)", OF_LIST),
    "update": (DICT, "z.update({'a': x[2] * 3.0})", OF_DICT),
    "update_by_name": (DICT, "z.update(a=x[2] * 3.0)", OF_DICT),
    "update_by_pairs": (DICT, "z.update([('a', x[2] * 3.0)])", OF_DICT),
    "setdefault": (DICT, "z.setdefault('c', x[2])", OF_DICT),
    "dict_pop": (DICT, "z.pop('b')", OF_DICT),
    "dict_clear": (DICT, "z.clear()", OF_DICT + " + x[0]"),
    "dict_setitem": (DICT, "z.__setitem__('a', x[1] * 3.0)", OF_DICT),
    "dict_delitem": (DICT, "z.__delitem__('b')", OF_DICT),
    "dict_ior": (DICT, "z.__ior__({'a': x[1] * 3.0})", OF_DICT),
    "setattr": (OBJECT, "setattr(z, 'v', x[1] * 3.0)", OF_OBJECT),
    "own_setattr": (OBJECT, "z.__setattr__('v', x[1] * 3.0)", OF_OBJECT),
    "object_setattr": (OBJECT, "object.__setattr__(z, 'v', x[1] * 3.0)", OF_OBJECT),
    "a_method": (OBJECT, "z.bump(x[1])", OF_OBJECT),
    "a_function": (ARRAY, "store(z, x[1])", OF_ARRAY),
}  # fmt: skip

POSITIONS = {
    "statement": "    {call}\n",
    "bound_and_left": "    _ = {call}\n",
    "bound_and_used": "    got = {call}\n    found = got is None\n",
    "returned_by_a_helper": "    helper(z, x)\n",
    "decided_by_and": "    c and {call}\n",
    "chosen": "    w = {call} if c else None\n",
    "in_a_comprehension": "    [{call} for _ in range(1)]\n",
    "argument": "    same({call})\n",
    "in_a_tuple": "    w = ({call}, 1.0)\n",
    "in_a_test": "    if {call} is None:\n        x = x * 2.0\n",
    "in_a_loop": "    for k in range(2):\n        _ = {call}\n",
    "in_a_lambda": "    g = lambda: {call}\n    g()\n",
    "walrus": "    if (w := {call}) is None:\n        x = x * 2.0\n",
}
HEAD = """import bisect, heapq, operator, random
import numpy as np

class Box:
    def __init__(self, v):
        self.v = v

    def bump(self, v):
        self.v = self.v * v

def same(q):
    return q

def store(q, v):
    q[0] = v * v

"""


def program(folder, operation, position):
    """Write a function that has a call in a position, as a file, and read it."""
    setup, call, result = IN_PLACE[operation]
    lines = [HEAD, f"def helper(z, x):\n    return {call}\n\n", "def f(x, c=True):\n"]
    lines += [f"    {line}\n" for line in setup.split("; ")]
    lines += [POSITIONS[position].format(call=call), f"    return {result}\n"]
    label = f"in_place_{operation}_{position}"
    path = folder / f"{label}.py"
    path.write_text("".join(lines))
    spec = importlib.util.spec_from_file_location(label, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def slopes(f, x, h=1e-6):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(x.size)])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operation", IN_PLACE)
def test_is_in_place_in_every_position(tmp_path, operation):
    # bound by every one of them, and in another position by turns
    others = [p for p in POSITIONS if p not in ("statement", "bound_and_left")]
    f = program(tmp_path, operation, "bound_and_left")
    given, expected = X.copy(), slopes(f, X)
    np.testing.assert_allclose(tl.grad(f)(given), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(given, X)
    np.testing.assert_allclose(tl.jvp(f, (X,), (X,))[1], expected @ X, rtol=1e-5, atol=1e-6)
    f = program(tmp_path, operation, others[list(IN_PLACE).index(operation) % len(others)])
    try:
        expected = slopes(f, X)
    except (IndexError, ValueError, KeyError):
        return  # it cannot be done twice
    np.testing.assert_allclose(tl.grad(f)(X.copy()), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("operation", ["sort", "add_at"])
def test_every_position_of_some(tmp_path, operation, position):
    f = program(tmp_path, operation, position)
    np.testing.assert_allclose(tl.grad(f)(X.copy()), slopes(f, X), rtol=1e-5, atol=1e-6)


def test_functions_as_values():
    def by_name(x):
        z = x * 1.0
        add = np.add.at
        add(z, [0, 0], x[1])
        return np.sum(z * z)

    def by_partial(x):
        from functools import partial

        z = x * 1.0
        put = partial(np.put, z)
        put([0], x[1])
        return np.sum(z * z)

    def by_argument(x):
        def apply(f, *given):
            return f(*given)

        z = x * 1.0
        apply(np.put, z, [0], x[1])
        return np.sum(z * z)

    def by_choice(x):
        z = [x[0], x[1]]
        for change in (list.append, list.remove):
            change(z, x[1])
        return z[0] * z[0]

    for f in (by_name, by_partial, by_argument, by_choice):
        laws.check_function(f, (X,), smooth=True)


def test_what_an_operator_function_gives():
    def aliased(x):
        z = x * 1.0
        w = operator.iadd(z, x)
        w *= 2.0
        return np.sum(z * w)

    def of_numbers(x):
        y = x[0]
        z = operator.iadd(y, x[1])
        return y * z * operator.imul(z, x[2])

    def by_slice(x):
        z = x * 1.0
        operator.setitem(z, slice(0, 2), x[2] * x[1])
        return np.sum(z * z)

    for f in (aliased, of_numbers, by_slice):
        laws.check_function(f, (X,), smooth=True)


def test_list_times_in_place():
    def repeated(x):
        items = [x[0], x[0] * x[1]]
        items *= 2
        return sum(items)

    def aliased(x):
        items = [x[0], x[1]]
        other = items
        items *= 3
        return other[0] * other[2] * other[5] + len(other)

    def in_a_loop(x):
        items = [x[0]]
        for _ in range(2):
            items *= 2
            items[0] = items[1] * x[1]
        return items[0] * items[-1]

    def emptied(x):
        items = [x[0], x[1]]
        y = items[0] * items[1]
        items *= 0
        return y * (1 + len(items))

    def in_a_callee(x):
        def repeat(items, n):
            items *= n

        items = [x[0], x[1] * x[2]]
        repeat(items, 2)
        return items[2] * items[3]

    for f in (repeated, aliased, in_a_loop, emptied, in_a_callee):
        laws.check_function(f, (X,), smooth=True)


def test_shortest_paths_with_a_heap():
    def shortest(w):
        arcs = {0: [(1, w[0]), (2, w[1])], 1: [(3, w[2] * w[2])], 2: [(3, w[0] * w[2])], 3: []}
        lengths = [0.0, 99.0, 99.0, 99.0]
        queue = [(0.0, 0)]
        while queue:
            length, node = heapq.heappop(queue)
            for other, arc in arcs[node]:
                if length + arc < lengths[other]:
                    lengths[other] = length + arc
                    heapq.heappush(queue, (length + arc, other))
        return lengths[3]

    np.testing.assert_allclose(tl.grad(shortest)(X), slopes(shortest, X), atol=1e-6)


def test_heap_is_that_of_the_library():
    rng = random.Random(1)
    from tapeless.runtime import heap_ordered, heap_popped, heap_pushed

    ours = [rng.randrange(20) for _ in range(50)]
    theirs = list(ours)
    heap_ordered(ours)
    heapq.heapify(theirs)
    for _ in range(60):
        if rng.random() < 0.5 and theirs:
            assert heap_popped(ours) == heapq.heappop(theirs)
        else:
            item = rng.randrange(20)
            heap_pushed(ours, item)
            heapq.heappush(theirs, item)
        assert ours == theirs


def test_state_that_carries_nothing_is_put_back():
    def scaled(x):
        scale = np.array([3.0, 1.0, 2.0])
        y = x * scale
        np.multiply.at(scale, [0, 0, 1], 2.0)
        scale.sort()
        return np.sum(y * y * scale)

    def with_list(x):
        steps = [3, 1, 2]
        y = x[steps[0] - 1] ** 2
        bisect.insort(steps, 0)
        heapq.heapify(steps)
        return y * x[steps[0]]

    def in_a_loop(x):
        scale = np.ones(3)
        y = 0.0
        for k in range(3):
            y += x[k] ** 2 * scale[k]
            np.maximum.at(scale, [k, 2], 2.0 + k)
        return y

    for f in (scaled, with_list, in_a_loop):
        laws.check_function(f, (X,), smooth=True)


def test_unknown_code_may_not_store_into_what_varies():
    def by_descriptor(x):
        z = x * 1.0
        _ = z.byteswap(inplace=True)
        return np.sum(z)

    def in_a_helper(x):
        def change(z):
            return z.byteswap(inplace=True)

        z = x * 1.0
        change(z)
        return np.sum(z)

    for f in (by_descriptor, in_a_helper):
        with pytest.raises(GradientError):
            tl.grad(f)(X)
        with pytest.raises(GradientError):
            tl.jvp(f, (X,), (X,))


def test_store_in_a_test_is_no_plain_expression():
    def f(x):
        z = x * 1.0
        if np.multiply(x, x, out=z)[0] > 1.0:
            return np.sum(z * z)
        return np.sum(z)

    def g(x):
        z = x * 1.0
        while np.add(z, 1.0, z)[0] < 4.0:
            z[1] = z[1] * x[0]
        return np.sum(z * x)

    for h in (f, g):
        laws.check_function(h, (X,), smooth=True)


def test_draws_into_an_array():
    def of_constants(x):
        rng = np.random.default_rng(0)
        z = np.ones(3)
        y = np.sum(z * x) ** 2
        _ = rng.random(out=z)
        return y * z[0]

    def of_what_varies(x):
        rng = np.random.default_rng(0)
        z = x * 1.0
        _ = rng.random(out=z)
        return np.sum(z * z)

    np.testing.assert_allclose(tl.grad(of_constants)(X), slopes(of_constants, X), rtol=1e-6)
    with pytest.raises(GradientError, match="not looked into"):
        tl.grad(of_what_varies)(X)


def test_key_that_counts_its_calls():
    def f(x):
        calls = [0]

        def key(v):
            calls[0] += 1
            return v

        y = x[0] ** 2
        max([x[0], x[1], x[2]], key=key)
        return y * calls[0]

    laws.check_function(f, (X,), smooth=True)


def put_where_a_number_comes_later(x):
    slots = {"v": np.array([0.72, 0.77, 0.96])}
    first, _ = slots["v"][0], slots["v"][1]
    np.put(slots["v"], [0], first)
    slots["v"] = np.sum(slots["v"])
    return x[0] * slots["v"]


def copied_where_a_number_comes_later(x):
    slots = {"v": np.array([0.72, 0.77, 0.96])}
    w = slots["v"][1]
    np.copyto(slots["v"], 0.5)
    slots["v"] = slots["v"][0]
    return x[0] * slots["v"] * w


def put_from_what_stays(x):
    table, filler = np.zeros(3), np.array([2.0, 3.0])
    np.put(table, [0, 2], filler)
    y = np.sum(table * x)
    filler[0] = 5.0
    return y * filler[0]


@pytest.mark.parametrize(
    "f",
    [
        put_where_a_number_comes_later,
        copied_where_a_number_comes_later,
        put_from_what_stays,
    ],
)
def test_only_the_array_is_put_back(f):
    laws.check_function(f, [X])
    check_replay(f, X)
