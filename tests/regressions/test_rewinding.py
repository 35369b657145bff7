"""The reverse sweep finds every name as the forward statement found it.

Indices, flags and counters that carry no derivative steer what does. Where a branch, a loop or an
`else` does nothing but bind such names, nothing of it is reversed, and yet what it overwrites must be
there again before the statements above it are reversed. The same holds of parameters that the body
binds anew: their gradients have the shape, dtype and memory of what was passed.
"""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws

X4 = np.array([1.0, 3.0, 2.0, 4.0])
P4 = np.array([1.3, 1.7, 2.1, 2.6])


# -- branches that steer -----------------------------------------------------------------------


def largest_so_far(x):
    best, y = 0, 0.0
    for i in range(1, 4):
        if x[i] > x[best]:
            best = i
        y += x[best] ** 2
    return y


def largest_so_far_with_else(x):
    best, lost, y = 0, 0, 0.0
    for i in range(1, 4):
        if x[i] > x[best]:
            best = i
        else:
            lost = i
        y += x[best] ** 2 * x[lost]
    return y


def largest_so_far_in_a_while(x):
    best, i, y = 0, 1, 0.0
    while i < 4:
        if x[i] > x[best]:
            best = i
        y += x[best] ** 3
        i += 1
    return y


def index_moved_in_a_branch(x):
    i = 0
    w = x[i] ** 2
    if x[i] > 0:
        i += 1
    return w + x[i] ** 3


def index_moved_in_either_branch(x):
    i = 0
    w = x[i] ** 2
    if x[i] > 0:
        i += 1
    else:
        i += 2
    return w + x[i] ** 3


def factor_clipped(a):
    d = 1.0
    x = a * d
    if d > 0.9:
        d = 0.5
    return x * d * a


def last_step_clipped(x):
    t, dt, t_max, y = 0.0, 0.4, 1.0, x
    while t < t_max:
        if t + dt > t_max:
            dt = t_max - t
        y = y + dt * np.sin(y)
        t += dt
    return y


def branch_in_a_branch(x):
    i, w = 0, 0.0
    for k in range(3):
        w += x[i] ** 2 * x[k]
        if k < 2:
            if x[k] < 2.0:
                i = k + 1
            else:
                i = 3
    return w


def bound_in_one_branch_first(x, deep=True):
    y = x
    if deep:
        v = 3.0
        y = y * np.sin(v * x)
    v = x * y
    return v * v


def read_after_the_first_trip(x):
    y = x
    for k in range(3):
        if k > 0:
            y = y * np.sin(v * x)
        v = 2.0 + k
    return y


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def apply(self, x):
        n, y = 1, x
        if n < 2:
            y = y * np.sin(n * x)
            n = 4
        return self.factor * y * n


def in_a_method(x):
    return Scaler(x).apply(x + 0.1)


def picked(x, start):
    i = start
    w = x[i] * x[i]
    if i < 2:
        i = i + 1
    return w * x[i]


def in_a_callee(x):
    y = 0.0
    for k in range(3):
        y += picked(x, k)
    return y


# -- loops that steer --------------------------------------------------------------------------


def counted_in_a_loop(x):
    n, y = 0, x
    for k in range(3):
        for _ in range(2):
            n += 1
        y = y * np.sin(n * x)
    return y


def counted_in_a_while(x):
    n, y = 0, x
    for k in range(3):
        b = 0
        while b < 2:
            n += 1
            b += 1
        y = y * np.sin(n * x)
    return y


def counted_after_use(x):
    n, y = 1, x
    for k in range(3):
        y = y * np.sin(n * x)
        for _ in range(k):
            n += 1
            if n > 4:
                break
    return y


def lowest_bit(x):
    y = 0.0
    for i in range(4):
        j, b = i, 2
        while j & b:
            j ^= b
            b >>= 1
        j |= b
        y += x[j % 4] ** 2 * x[i]
    return y


def collatz(x):
    n, y = 6, x
    while n != 1:
        y = y + np.sin(n * x) / n
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
    return y


def searched(x):
    lo, hi, y = 0, 4, 0.0
    while lo < hi:
        mid = (lo + hi) // 2
        y += x[mid] ** 2
        if x[mid] < 1.9:
            lo = mid + 1
        else:
            hi = mid
    return y * x[lo] ** 2


def merged(x):
    a, b = x[:2], x[2:]
    i = j = 0
    y, w = 0.0, 1.0
    while i < 2 and j < 2:
        if a[i] <= b[j]:
            v = a[i]
            i += 1
        else:
            v = b[j]
            j += 1
        y += w * v * v
        w *= 0.5
    return y


# -- jumps ---------------------------------------------------------------------------------------


def rebound_before_a_break(x):
    n, y = 2, x
    for k in range(5):
        y = y * np.cos(n * x)
        if k == n:
            n = 5
            break
    return y * n


def rebound_behind_a_continue(x):
    n, y = 0, x
    for k in range(4):
        y = y * np.sin(n * x + 1.0)
        if k == 2:
            continue
        n += 1
    return y


def rebound_behind_two_continues(x):
    n, m, y = 1, 1, x
    for k in range(5):
        y = y * np.sin(n * x + m)
        if k == 1:
            continue
        n += 1
        if k == 3:
            continue
        m += 2
    return y


def rebound_in_an_inner_loop_with_jumps(x):
    n, y = 1, x
    for k in range(3):
        for j in range(4):
            y = y * np.cos(n * x)
            if j > k:
                break
            n += 1
    return y


def rebound_in_else(x):
    n, y = 1, x
    for k in range(3):
        y = y * np.sin(n * x)
        if k > 5:
            break
    else:
        n = 5
    return y * n


def rebound_in_body_and_else(x):
    n, y = 1, x
    for k in range(3):
        y = y * np.sin(n * x)
        n += 1
        if k > 5:
            break
    else:
        n = 5
    return y * n


def early_return_after_rebinding(x):
    n, y = 1, x
    for k in range(4):
        y = y * np.sin(n * x)
        if k == 2:
            return y * n
        n += 1
    return y


# -- results of calls that live in the adjoint memory ------------------------------------------------


def flux(x):
    m = 2.0 * x
    f = m
    f -= x * x
    return f, 2.0 * x


def first_of_two_results(x):
    f, g = flux(x)
    return np.sum(f)


def second_of_two_results(x):
    f, g = flux(x)
    return np.sum(g * g)


def one_of_two_results_in_a_loop(x):
    y = x
    for k in range(2):
        f, g = flux(y)
        y = f
    return np.sum(y)


def one_of_two_results_in_a_branch(x):
    y = 0.0
    if x[0] < 1.0:
        f, g = flux(x)
        y = np.sum(f * x)
    return y


# -- parameters that the body binds anew -------------------------------------------------------------


def step(x):
    x += 0.1 * x * x
    return 2.0 * x


def rebound_to_what_a_call_stored_into(x):
    x = step(x)
    return np.sum(x)


def rebound_in_a_loop(x):
    for _ in range(3):
        x = step(x)
    return np.sum(x)


def rebound_to_another_parameter(x, y):
    z = x
    x = y
    return np.sum(z) + 0.0 * np.sum(x)


def rebound_in_one_branch(x, y):
    z = np.sum(x)
    if z > 0.0:
        x = y
    return z * np.sum(x)


def exchanged_with_a_slot(x, d):
    d["w"] *= 2.0
    d["w"], x = x, d["w"]
    return np.sum(d["w"])


def exchanged(x, y):
    x, y = y, x
    return np.sum(x * x) - 2.0 * np.sum(y)


def summed_into(x, y):
    y -= np.sum(x)
    return np.sum(y * y)


# -- other statements that bind what steers ----------------------------------------------------------


def rebound_in_a_try(x):
    n, y = 1, x
    for k in range(3):
        y = y * np.sin(n * x)
        try:
            n = {0: 2, 1: 3}[k]
        except KeyError:
            n = 7
    return y * n


def rebound_in_a_handler_and_finally(x):
    n, y = 1, x
    y = y * np.sin(n * x)
    try:
        n = [1, 2][5]
    except IndexError:
        n += 3
    finally:
        n += 1
    return y * np.cos(n * x)


def rebound_in_a_with(x):
    n, y = 1, x
    for k in range(3):
        y = y * np.sin(n * x)
        with np.errstate(all="ignore"):
            n += k
    return y * n


def rebound_by_a_match(x):
    n, y = 1, x
    for k in range(3):
        y = y * np.sin(n * x)
        match k:
            case 0:
                n = 2
            case 1:
                n = 5
    return y * n


def rebound_in_a_loop_with_else(x):
    n, m, y = 1, 1, x
    for k in range(4):
        y = y * np.sin(n * x + m)
        if k % 2:
            for j in range(k):
                if j > 1:
                    break
                n += j
            else:
                m += 1
    return y * n


def index_reset_in_else_of_a_while(x):
    i, y = 0, 0.0
    while i < 3:
        y += x[i] ** 2 * x[0]
        i += 1
    else:
        i = 0
    return y * x[i]


def index_before_a_return_in_a_loop(x):
    i = 0
    y = x[i] ** 2
    while True:
        i += 1
        if x[i] > 2.0:
            return y * x[i]
        y = y * x[i]


def indices_exchanged(x):
    a, b, y = 0, 1, 0.0
    for k in range(3):
        y += x[a] ** 2 * x[b]
        a, b = b, (a + b) % 3
    return y


def indices_in_a_list(x):
    order = [0, 1, 2]
    y = 0.0
    for k in range(3):
        y += x[order[0]] ** (k + 2)
        order.append(order.pop(0))
    return y


def index_in_a_dict(x):
    d = {"i": 0}
    y = 0.0
    for k in range(3):
        y += x[d["i"]] ** 2 * x[k]
        if x[k] > 1.5:
            d["i"] = k
    return y


def indices_in_an_array(x):
    p = np.arange(3)
    y = 0.0
    for k in range(3):
        y += x[p[0]] ** 2 * x[k]
        p[0], p[k] = p[k], p[0]
    return y


def counted_by_an_assignment_expression(x):
    y, n = x, 0
    while (n := n + 1) < 4:
        y = y * np.sin(n * x)
        if n == 2:
            n = 3
    return y * n


def flag_set_once(x):
    seen, s = False, 0.0
    for k in range(4):
        if seen:
            s += x[k] ** 2
        else:
            s += x[k] ** 3
        seen = seen or bool(x[k] > 1.5)
    return s


def index_chosen(x):
    i, s = 0, 0.0
    for k in range(4):
        s += x[i] * x[k]
        i = k if x[k] > x[i] else i
    return s


def factor_rebound_after_a_comprehension(x):
    n = 2
    y = [v * n for v in x]
    n = 5
    return sum(y) * n


class Cursor:
    def __init__(self):
        self.i = 0

    def adv(self):
        self.i += 1
        return self.i


def index_in_an_object(x):
    c, y = Cursor(), 0.0
    for k in range(3):
        y += x[c.i] ** 2 * x[k]
        if x[k] > 1.4:
            c.adv()
    return y


def index_of_a_closure(x):
    i = 0

    def adv():
        nonlocal i
        i += 1

    y = x[i] ** 2
    adv()
    y = y * x[i]
    if x[0] > 0:
        adv()
    return y * x[i] ** 2


CASES = [
    *((f, (X4,)) for f in (largest_so_far, largest_so_far_with_else, largest_so_far_in_a_while)),
    (index_moved_in_a_branch, (np.array([2.0, -3.0]),)),
    (index_moved_in_either_branch, (np.array([2.0, -3.0, 1.0]),)),
    (index_moved_in_either_branch, (np.array([-2.0, -3.0, 1.0]),)),
    *((f, (1.3,)) for f in (factor_clipped, last_step_clipped, bound_in_one_branch_first)),
    (bound_in_one_branch_first, (1.3, False)),
    (branch_in_a_branch, (P4,)),
    *((f, (1.3,)) for f in (read_after_the_first_trip, in_a_method)),
    (in_a_callee, (P4,)),
    *((f, (1.3,)) for f in (counted_in_a_loop, counted_in_a_while, counted_after_use, collatz)),
    *((f, (P4,)) for f in (lowest_bit, searched, merged)),
    *((f, (1.3,)) for f in (rebound_before_a_break, rebound_behind_a_continue)),
    *((f, (1.3,)) for f in (rebound_behind_two_continues, rebound_in_an_inner_loop_with_jumps)),
    *((f, (1.3,)) for f in (rebound_in_else, rebound_in_body_and_else)),
    (early_return_after_rebinding, (1.3,)),
    *((f, (np.array([0.3, 0.4]),)) for f in (first_of_two_results, second_of_two_results)),
    (one_of_two_results_in_a_loop, (np.array([0.3, 0.4]),)),
    (one_of_two_results_in_a_branch, (np.array([0.3, 0.4]),)),
    *((f, (X4,)) for f in (rebound_to_what_a_call_stored_into, rebound_in_a_loop)),
    (rebound_to_another_parameter, (np.ones(3), np.ones(2))),
    (rebound_in_one_branch, (np.ones(3), np.ones(2))),
    (exchanged_with_a_slot, (np.array([1.0, 2.0]), {"w": np.array([3.0, 4.0])})),
    (exchanged, (np.ones(3), np.ones((2, 2)))),
    (summed_into, (np.ones(3), np.array([1.0, 2.0]))),
    (summed_into, (np.ones(3, np.float32), np.array([1.0, 2.0], np.float32))),
    (rebound_in_a_try, (1.3,)),
    (rebound_in_a_handler_and_finally, (1.3,)),
    (rebound_in_a_with, (1.3,)),
    (rebound_by_a_match, (1.3,)),
    (rebound_in_a_loop_with_else, (1.3,)),
    (index_reset_in_else_of_a_while, (P4,)),
    (index_before_a_return_in_a_loop, (P4,)),
    (indices_exchanged, (P4,)),
    (indices_in_a_list, (P4,)),
    (index_in_a_dict, (P4,)),
    (indices_in_an_array, (P4,)),
    (counted_by_an_assignment_expression, (1.3,)),
    (flag_set_once, (P4,)),
    (index_chosen, (P4,)),
    (factor_rebound_after_a_comprehension, (P4,)),
    (index_in_an_object, (P4,)),
    (index_of_a_closure, (P4,)),
]


@pytest.mark.parametrize(("function", "args"), CASES)
def test_names_are_rewound(function, args):
    laws.check_function(function, args)
    check_replay(function, *args)


# -- what is known of names settles --------------------------------------------------------------------


def shift_register(x):
    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = a8 = a9 = a10 = a11 = a12 = x * 0.0
    for _ in range(14):
        a0 = a1
        a1 = a2
        a2 = a3
        a3 = a4
        a4 = a5
        a5 = a6
        a6 = a7
        a7 = a8
        a8 = a9
        a9 = a10
        a10 = a11
        a11 = a12
        a12 = x * x
    return a0


def shift_register_in_a_callee(x):
    return 2.0 * shift_register(x + 1.0)


def shifted_through_a_list(x):
    kept = [x * 0.0 for _ in range(14)]
    for _ in range(20):
        for i in range(13):
            kept[i] = kept[i + 1]
        kept[13] = x * x
    return kept[0]


@pytest.mark.parametrize(
    "function", [shift_register, shift_register_in_a_callee, shifted_through_a_list]
)
def test_what_varies_is_followed_to_its_end(function):
    laws.check_function(function, (3.0,), smooth=False)
    assert tl.grad(shift_register)(3.0) == 6.0


# -- jumps out of a `try` that stands in a branch with stores -------------------------------------


def number_of_a_text(x, n):
    s, seen = 1.0, []
    for text in ("1.5", "?", "2.5"):
        if n:
            seen.append(0)
            try:
                c = float(text)
            except ValueError:
                continue
        s = c * x[0] * s
    return s


def number_of_a_text_then_break(x, n):
    s, seen = 1.0, []
    for text in ("1.5", "2.5", "?"):
        if n:
            seen.append(0)
            try:
                c = float(text)
            except ValueError:
                break
        s = c * x[0] * s
    return s


def number_of_a_text_or_another(x, n):
    s, c, seen = 1.0, 1.0, []
    for text in ("1.5", "?", "2.5"):
        if n > len(seen):
            seen.append(0)
            try:
                c = float(text)
            except ValueError:
                continue
        else:
            c = c + 1.0
        s = c * x[1] * s
    return s


@pytest.mark.parametrize(
    "f", [number_of_a_text, number_of_a_text_then_break, number_of_a_text_or_another]
)
def test_what_is_bound_in_a_try_that_is_left(f):
    tl.check_grads(f, X4, 2, order=1, replay=True)
