"""Jumps: break, continue, loops' else, early returns from loops in loops, while True."""

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9, -0.2, 1.7])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8], [0.1, 1.2, 0.3]])


def skip_negative(x):
    total = 0.0
    for v in x:
        if v < 0:
            continue
        total = total + v**3
    return total


def until_large(x, limit):
    p = 1.0
    for v in x:
        p = p * (1.0 + v * v)
        if p > limit:
            break
        p = p + v
    return p * p


def first_above(x, limit):
    for v in x:
        if v > limit:
            return v * v
    return x[0] * limit


def search_with_else(x, limit):
    for v in x:
        if v > limit:
            y = v * limit
            break
    else:
        y = np.sum(x) * limit**2
    return y * y


def while_else(x, limit):
    n = 0
    while n < 5:
        x = x + np.sin(x)
        n += 1
        if x > limit:
            x = x * 2.0
            break
    else:
        x = x * x
    return x * limit


def forever_with_break(a):
    x = a
    n = 0
    while True:
        d = (x**3 - a) / (3.0 * x**2)
        x = x - d
        n += 1
        if abs(d) < 1e-2 or n == 30:
            break
    return x


def forever_with_return(x, r):
    k = 0
    while True:
        k += 1
        x = r * x + 0.3
        if k == 3:
            continue
        if x > 4.0:
            return x * k
        r = r * 1.1


def nested_breaks(m, limit):
    total = 0.0
    for row in m:
        s = 1.0
        for v in row:
            if v < 0:
                break
            s = s * (1.0 + v)
            if s > limit:
                total = total + s
                break
        else:
            total = total + s**2
            continue
        total = total * 1.5
        if total > 20.0:
            break
    return total


def return_from_the_inner_loop(m, limit):
    acc = 0.5
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            acc = acc + np.sin(acc * m[i, j])
            if acc > limit:
                return acc * m[i, j]
        acc = acc * 0.9
    return acc**2


def return_of_different_expressions(x, c):
    s = c
    for i, v in enumerate(x):
        s = s * v + 1.0
        if s < -2.0:
            return s * c
        if s > 4.0:
            return c - s
        if i == 4:
            return s
    return s * s


def continue_before_a_store(x, c):
    u = x * 1.0
    for i in range(1, len(u) - 1):
        if u[i] < 0:
            continue
        u[i] = u[i] * c + u[i - 1]
        if u[i] > 3.0:
            break
        u[i + 1] = u[i + 1] * u[i]
    return np.sum(u**2)


def jump_out_of_a_while_in_a_for(x):
    total = 0.0
    for v in x:
        k = 0
        w = v
        while True:
            w = np.cos(w)
            k += 1
            if k > 2:
                break
            if w < 0.2:
                w = w * w
                break
        if w > 0.95:
            continue
        total = total + w * v
    return total


def return_inside_while_in_for(x, c):
    for v in x:
        n = 0
        while n < 4:
            c = c * v + 0.5
            n += 1
            if c > 2.5:
                return c * v
            if c < -2.5:
                break
    return c


def only_jumps_in_ifs(x, c):
    y = 0.0
    for v in x:
        if v > c:
            if v > 2.0 * c:
                y = y + v * c
                continue
            y = y - v
        elif v < -c:
            y = y * v
            if y < -100.0:
                break
        y = y + c
    return y * y


def carried_value_of_a_broken_loop(x):
    last = x[0]
    prev = x[0]
    for v in x:
        prev = last
        last = v * prev
        if last < -1.0:
            break
    return last * prev + v


def find_the_root(lo, hi, c):
    f_lo = lo**3 - c
    for _ in range(4):
        mid = 0.5 * (lo + hi)
        f_mid = mid**3 - c
        if f_lo * f_mid <= 0:
            hi = mid
        else:
            lo = mid
            f_lo = f_mid
    return mid - (mid**3 - c) / (3.0 * mid**2)


def returns_in_both_loops_and_after(m):
    best = m[0, 0]
    for row in m:
        t = row[0] * row[1]
        if t > 100.0:
            return t
        for v in row:
            if v > 100.0:
                return v
            t = t + v * best
        best = best + np.tanh(t)
    if best > 0.0:
        return best * m[1, 1]
    return best


def unreachable_code(x):
    for v in x:
        return v * v
        x = undefined_name  # noqa: F821
    return x[0]


def summed_in_an_else(x, weights):
    largest = 0.0
    for v in x:
        if v > 5.0:
            break
    else:
        largest = sum([x[1] * w for w in weights])
    return np.sum(x) + largest


def idle_in_an_else(x, weights):
    for _ in x:
        break
    else:
        sum([x[1] * w for w in weights])
    return np.sum(x)


def rebound_in_an_else(x, limit):
    for k in range(3):
        if x[k] > limit:
            return x[k] * x[0]
    else:
        x = x * 2.0
    return x[0] * x[1]


def bound_to_itself_in_an_else(x, limit):
    for v in x:
        if v > limit:
            return v * x[0]
    else:
        x = x
    return x[0]


def always_left(x):
    for v in x:
        return v * x[1]
    else:
        x[2] = x[0]


def sum_of_the_last_trip(x, n):
    for k in range(n):
        t = np.sum(x) * (k + 1.0)
        if t > 50.0:
            break
    return t


CASES = [
    ("skip_negative", skip_negative, (X,)),
    ("until_large_yes", until_large, (X, 5.0)),
    ("until_large_never", until_large, (X, 1e6)),
    ("first_above_found", first_above, (X, 2.0)),
    ("first_above_missing", first_above, (X, 5.0)),
    ("first_above_list", first_above, ([0.3, 2.5, 0.7], 2.0)),
    ("search_with_else_found", search_with_else, (X, 2.0)),
    ("search_with_else_missing", search_with_else, (X, 5.0)),
    ("while_else_broken", while_else, (0.9, 2.0)),
    ("while_else_exhausted", while_else, (0.9, 20.0)),
    ("rebound_in_an_else_found", rebound_in_an_else, (X, 2.0)),
    ("rebound_in_an_else_missing", rebound_in_an_else, (X, 5.0)),
    ("bound_to_itself_in_an_else_found", bound_to_itself_in_an_else, (X, 2.0)),
    ("bound_to_itself_in_an_else_missing", bound_to_itself_in_an_else, (X, 5.0)),
    ("always_left", always_left, (list(X),)),
    ("sum_of_the_last_trip", sum_of_the_last_trip, (X, 3)),
    ("summed_in_an_else", summed_in_an_else, (X, [0.5, 1.5])),
    ("idle_in_an_else", idle_in_an_else, (X, [0.5, 1.5])),
    ("forever_with_break", forever_with_break, (5.0,)),
    ("forever_with_return", forever_with_return, (0.7, 1.3)),
    ("nested_breaks", nested_breaks, (M, 4.0)),
    ("nested_breaks_low", nested_breaks, (np.abs(M), 2.0)),
    ("return_from_the_inner_loop", return_from_the_inner_loop, (M, 1.5)),
    ("return_from_the_inner_loop_never", return_from_the_inner_loop, (M, 50.0)),
    ("return_of_different_1", return_of_different_expressions, (X, 1.2)),
    ("return_of_different_2", return_of_different_expressions, (X * 2.5, 1.2)),
    ("return_of_different_3", return_of_different_expressions, (X[:3] * 0.3, 0.2)),
    ("continue_before_a_store", continue_before_a_store, (X, 1.3)),
    ("jump_out_of_a_while_in_a_for", jump_out_of_a_while_in_a_for, (X,)),
    ("return_inside_while_in_for", return_inside_while_in_for, (X, 1.1)),
    ("return_inside_while_in_for_2", return_inside_while_in_for, (X[::-1].copy(), 0.1)),
    ("only_jumps_in_ifs", only_jumps_in_ifs, (X, 0.7)),
    ("carried_value_of_a_broken_loop", carried_value_of_a_broken_loop, (X,)),
    ("find_the_root", find_the_root, (0.5, 3.0, 5.0)),
    ("returns_in_both_loops_and_after", returns_in_both_loops_and_after, (M,)),
    ("unreachable_code", unreachable_code, (X,)),
]
