"""Programs as strangers write them: aliases, stores, jumps, containers and objects, mixed."""

import dataclasses
from dataclasses import dataclass

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])
Z = np.array(1.3)


def reshape_by_name(m):
    a = m * 1.0
    n = 9
    shape = (9,)
    v = a.reshape(shape)
    w = a.T.reshape(n)
    v[3] = v[1] * v[2]
    w[4] *= v[0]
    return np.sum(a * a) + np.sum(w * w)


def view_of_view_neg(x):
    a = x * 1.0
    b = a[::-1]
    c = b[1:]
    d = c[::2]
    d *= a[0]
    b[0] += d[1]
    return a * b


def swap_views(m):
    a = m * 1.0
    a[0], a[2] = a[2], a[0]
    return a * np.arange(9.0).reshape(3, 3)


def swap_copies(m):
    a = m * 1.0
    a[0], a[2] = a[2].copy(), a[0].copy()
    return a * np.arange(9.0).reshape(3, 3)


def swap_fancy(m):
    a = m * 1.0
    a[[0, 2]] = a[[2, 0]]
    a[:, [1, 0]] = a[:, [0, 1]]
    return a * np.arange(9.0).reshape(3, 3)


def store_loop_break(x):
    y = x * 1.0
    for i in range(1, 4):
        y[i] = y[i - 1] * x[i]
        if y[i] < -1.5:
            break
        y[i] += 1.0
    else:
        y[0] = y[3] * 2.0
    return y * x


def store_loop_continue(x):
    y = np.zeros(4)
    for i in range(4):
        if x[i] < 0:
            continue
        y[i:] += x[i] * y[i] + x[i]
    return y * y


def two_names_object(x):
    class_ = Box(x * 1.0)
    other = class_
    other.v[0] = class_.v[1] * 2.0
    class_.v = class_.v * other.v
    other.v[2] += 1.0
    return np.sum(class_.v**2)


class Box:
    def __init__(self, v):
        self.v = v

    def scale(self, k):
        self.v *= k
        return self

    def view(self):
        return self.v[1:3]


def chained(x):
    b = Box(x * 1.0).scale(2.0).scale(x[0])
    return np.sum(b.v * b.v)


def method_view(x):
    b = Box(x * 1.0)
    v = b.view()
    v *= x[3]
    b.scale(x[0])
    v[0] = b.v[0]
    return b.v * b.v


def tail(a):
    a[0] = a[0] * a[1]
    return a[1:]


def callee_view(x):
    a = x * 1.0
    t = tail(a)
    t[0] = a[0] * 3.0
    u = tail(t)
    u += a[0]
    return a * a


def rec_store(a, n):
    if n == 0:
        return a
    a[n] = a[n] * a[n - 1]
    r = rec_store(a, n - 1)
    a[0] += r[n]
    return r


def recursion(x):
    a = x * 1.0
    b = rec_store(a, 3)
    return np.sum(b * a)


def dict_list_arrays(x):
    d = {"p": [x * 1.0, x * x], "q": [x + 1.0]}
    d["p"][0][1] = d["q"][0][2]
    d["q"].append(d["p"][1])
    d["q"][1][0] *= x[3]
    s = 0.0
    for k in d:
        for a in d[k]:
            s += np.sum(a * a)
    return s


def genexp(x):
    return sum(v * w for v, w in zip(x, x[::-1]) if v > w)


def gen_nested(m):
    return max(sum(v * v for v in row) for row in m)


def closure_changed(x):
    k = x[0]

    def f(t):
        return t * k

    a = f(x[1])
    k = x[2]
    b = f(x[3])
    return a * b


def nonlocal_count(x):
    n = 0
    tot = 0.0

    def add(v):
        nonlocal n, tot
        n += 1
        tot = tot + v * n
        return tot

    for v in x:
        add(v)
    return tot * n


def neg_range(x):
    y = x * 1.0
    for i in range(3, -1, -2):
        y[i] = y[i] * y[i - 1]
    return y


def neg_slice_store(x):
    y = np.zeros(4)
    y[::-1] = x * x
    y[-1:-3:-1] *= x[0]
    return y * x


def mask_both(x):
    y = x * 1.0
    m = x > 0
    y[m] = y[m] * y[m]
    y[~m] -= y[m][0]
    return y * x


def mask_2d(m):
    y = m * 1.0
    k = y > 0.4
    y[k] = y[k] ** 2
    y[k & (y < 1.0)] = y[0, 1]
    return y


def f32arg(x):
    y = x * 2
    y[0] *= x[1]
    return np.sum(y * y)


def int_arrays(x):
    k = np.array([3, 1, 0])
    w = np.arange(3)
    y = x[k] * w
    y[w] += k
    return y


def empty(x):
    y = x[:0] * 2.0
    s = np.sum(y)
    z = np.concatenate([y, x])
    z[4:] = 1.0
    return np.sum(z * z) + s


def zero_trips(x):
    y = x * 1.0
    s = 0.0
    for i in range(0):
        y[i] = s
        s = s + y[i]
    while s > 1.0:
        s = s * 2
    for v in x[:0]:
        s = s * v
    return np.sum(y * x) + s


def while_state(a):
    x = a
    n = 0
    while True:
        x_new = x - (x * x - 2.0) / (2.0 * x)
        n += 1
        if abs(x_new - x) < 1e-9 or n > 20:
            break
        x = x_new
    return x * n


def aug_everything(x):
    row = [x[0], x[1]]
    d = {"k": x[2]}
    o = Box(x[3])
    t = x * 1.0
    row[0] *= row[1]
    row[-1] -= row[0]
    d["k"] /= row[0]
    o.v **= 2
    t[1] //= 1.0
    t[2] %= 0.7
    t[-1] *= o.v
    t[:2] += row
    row += [d["k"]]
    o.v -= row[2]
    return row[0] * row[1] + row[2] * o.v + np.sum(t * t)


def aug_bitwise(x):
    n = 5
    n |= 2
    n <<= 1
    n &= 14
    m = x > 0
    m &= x < 2
    m |= x > 2.2
    m ^= True
    return np.sum(x[m]) * n


def list_mul_shared(x):
    rows = [[x[0]] * 2] * 3
    rows[0][1] = x[1] * x[2]
    return rows[1][1] * rows[2][0] + rows[0][1]


def list_slices(x):
    row = [v * v for v in x]
    row[1:3] = [row[0]]
    row.insert(1, x[2])
    del row[0]
    row.reverse()
    row.extend(x[:2])
    return sum(v * (i + 1) for i, v in enumerate(row))


def pop_push(x):
    st = list(x)
    while len(st) > 1:
        a = st.pop()
        b = st.pop(0)
        st.append(a * b + 1.0)
    return st[0]


def tuple_swap_loop(x):
    a, b = x[0], x[1]
    for v in x:
        a, b = b, a * v + b
    return a * b


def star_unpack(x):
    a, *m, b = x
    m[0] = m[0] * a
    (c, d), e = m, b
    return c * d * e + a


def default_dict_get(x):
    d = {}
    for i, v in enumerate(x):
        d[i % 2] = d.get(i % 2, 0.0) + v * v
    return d[0] * d[1]


def setdefault(x):
    d = {}
    for i, v in enumerate(x):
        d.setdefault(i % 2, []).append(v)
    return sum(a * b for a, b in zip(d[0], d[1]))


def memo(a):
    cache = {}

    def fib(n):
        if n in cache:
            return cache[n]
        r = a if n < 2 else fib(n - 1) * a + fib(n - 2)
        cache[n] = r
        return r

    return fib(5)


@dataclass
class P:
    x: float
    y: float = 2.0

    def norm(self):
        return self.x * self.x + self.y

    def __mul__(self, k):
        return P(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __add__(self, o):
        return P(self.x + o.x, self.y - o.y)

    def __iadd__(self, o):
        self.x += o.x
        return self


def overloads(x):
    p = P(x[0], x[1])
    q = p
    p += P(x[2])
    r = 3.0 * q + p * x[3]
    return r.norm() * q.x


def frozen_replace(x):
    p = P(x[0])
    q = dataclasses.replace(p, y=x[1])
    p.x = q.y * 2
    return q.norm() * p.norm()


class Node:
    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt


def linked(x):
    n = None
    for v in x:
        n = Node(v * v, n)
    s = 1.0
    while n is not None:
        s = s * n.v + 1.0
        n.v = s
        n = n.nxt
    return s


def linked_shared(x):
    a = Node(x[0])
    b = Node(x[1], a)
    c = Node(x[2], a)
    b.nxt.v *= x[3]
    c.nxt.v += b.nxt.v
    return a.v * b.v * c.v


def matmul_inplace(m):
    a = m * 1.0
    a @= m
    b = a
    b += m
    return a @ b


def out_row(m):
    a = np.zeros((3, 3))
    np.multiply(m[0], m[1], out=a[1])
    np.add(a[1], m[2], out=a[1])
    return a * m


def diag_store(m):
    a = m * 1.0
    i = np.arange(3)
    a[i, i] = a[i, (i + 1) % 3] * 2.0
    a[i, 0] += a[0, i]
    return a


def ix(m):
    a = m * 1.0
    a[np.ix_([0, 2], [1, 0])] *= a[np.ix_([1, 2], [0, 0])]
    return a


def newaxis_store(m):
    a = m * 1.0
    a[:, None][0, 0] = m[1] * m[2]
    a[None][0, 2, 1:] = m[0, 0]
    return a


def moveaxis_view(m):
    a = m * 1.0
    b = np.moveaxis(a, 0, 1)
    b[0] = b[1] * b[2]
    c = a.swapaxes(0, 1)[1:]
    c[0, 0] = b[2, 2]
    return a * a


def broadcast_store(m):
    a = np.zeros((2, 3, 3))
    a[:] = m
    a[1, :] *= m[0]
    a[..., 1] = m[2]
    return a


def iter_rows(m):
    a = m * 1.0
    for r in a:
        r *= a[0, 0]
        r[1] += 1.0
    return a


def iter_rows_enum(m):
    a = m * 1.0
    for i, r in enumerate(a[1:]):
        r -= a[i]
    return a * a


def zip_rows(m):
    a = m * 1.0
    b = m * 2.0
    for r, s in zip(a, b):
        r *= s
        s += r
    return a * b


def assign_in_cond(x):
    if (n := np.sum(x * x)) > 1.0:
        y = x / n
    else:
        y = x
    return y * n


def late_lambda(x):
    fs = 0.0
    for i in range(4):
        g = lambda t: t * x[i] * i
        fs += g(x[0])
    return fs


def shadow_builtin(x):
    sum = x[0]
    max = x[1]
    list = sum * max
    return list * np.abs(sum)


def del_names(x):
    y = x * 1.0
    z = y
    del y
    z[0] = x[1] * x[1]
    y = z
    del z
    return y * x


def cond_alias_store(x):
    a = x * 1.0
    b = x * x
    c = a if x[0] > 0 else b
    c[1] = x[2]
    d = b if x[1] > 0 else a
    d *= c
    return a * b


def ternary_chain(a):
    y = a * a if a > 2 else (a + 1.0 if a > 1.2 else 0.0)
    return y if y > 0 else -y


def boolops(a):
    y = (a - 1.3) or a * 2.0
    z = a and a * 3.0
    w = None or a
    return z * w + a


def multi_return(x):
    for i in range(4):
        for j in range(i):
            if x[i] * x[j] < -1.0:
                return x[i] * x[j] * x
    return x * 2.0


def ret_in_while(x):
    s = x[0]
    i = 0
    while i < 10:
        s = s * 1.5 + x[i % 4]
        i += 1
        if s > 3.0:
            return s * s
    return s


def prod_loop_zero(x):
    y = x.copy()
    y[1] = 0.0
    p = 1.0
    for v in y:
        p *= v
    return p + np.prod(y) + np.sum(y)


def cum(x):
    y = np.cumsum(x)
    y[1:] -= y[:-1] * x[0]
    return np.cumprod(y)


def strided_overlap(x):
    a = x * 1.0
    a[1:] = a[:-1]
    a[:-1] += a[1:]
    a[::2] = a[1::2] * x[0]
    return a * a


def inplace_sort(x):
    a = x * x
    a.sort()
    b = a[::-1]
    b[0] *= x[0]
    return a * np.arange(4.0)


def argmax_store(x):
    a = x * 1.0
    k = np.argmax(a)
    a[k] = a[k] * a[0]
    a[np.argmin(a)] += a[k]
    return a * a


def list_of_views(m):
    a = m * 1.0
    rows = [a[i] for i in range(3)]
    rows[0] *= rows[1]
    rows[2][:] = rows[0]
    a[1] = rows[2]
    return a * a


def dict_of_views(m):
    a = m * 1.0
    d = {i: a[:, i] for i in range(3)}
    d[0] *= d[1]
    d[2] -= d[0]
    return a * a


def tuple_views(m):
    a = m * 1.0
    t = (a[0], a[1])
    t[0][:] = t[1] * m[2]
    u, v = t
    v += u
    return a * a


def arg_default(x, k=[1.0, 2.0], s=np.array([1.0, 2.0, 3.0, 4.0])):
    return np.sum(x * s) * k[1]


def kwonly(x, *, p=2, q=3.0):
    return x**p * q


def call_kwonly(a):
    return kwonly(a, q=a, p=3) + kwonly(q=a * a, x=2.0)


def mutate_global_free(x):
    y = []

    def push(v):
        y.append(v * v)

    for v in x:
        push(v)
    return y[0] * y[-1] + sum(y)


def early_in_with(x):
    with np.errstate(all="ignore"):
        y = np.sqrt(x)
        if np.isnan(y[1]):
            return x[0] * x[2]
    return np.sum(y)


def complexint(x):
    z = x[0] + 1j * x[1]
    w = z * z * np.exp(z)
    return w.real * w.imag + abs(z)


def array_of_arrays(x):
    a = np.array([x, x * x, x[::-1]])
    a[0, 1] = 5.0 * x[0]
    return a @ x


def einsum_store(m):
    a = np.einsum("ij,jk->ik", m, m)
    a[0] = np.einsum("ij->j", a)
    return np.einsum("ii", a)


def cplx_cast(x):
    return np.sum((x + 0j).real * x)


def any_all(x):
    return x[0] if any(v > 2 for v in x) and not all(v > 0 for v in x) else x[1]


def divzero_guard(x):
    y = np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0)
    return y * x


def mean_center(x):
    y = x - x.mean()
    y /= y.std()
    y -= np.max(y)
    return np.exp(y) / np.exp(y).sum()


def index_neg(x):
    a = x * 1.0
    a[-1] = a[-2] * a[-3]
    a[-4] += a[3]
    return a * a


def obj_in_dict(x):
    d = {"a": Box(x * 1.0), "b": Box(x * x)}
    d["b"].v = d["a"].v
    d["b"].v[0] = x[1] * x[2]
    d["c"] = d["a"]
    d["c"].scale(x[3])
    return d["a"].v * d["b"].v


def obj_in_list_loop(x):
    bs = [Box(v) for v in x]
    for a, b in zip(bs, bs[1:]):
        b.v = a.v * b.v
        a.v += 1.0
    bs[0], bs[-1] = bs[-1], bs[0]
    return bs[0].v * bs[1].v + bs[3].v


def attr_swap(x):
    a, b = Box(x[0]), Box(x[1])
    a.v, b.v = b.v * 2.0, a.v
    a, b = b, a
    a.v *= x[2]
    return a.v * b.v


CASES = [
    ("reshape_by_name", reshape_by_name, (M,)),
    ("view_of_view_neg", view_of_view_neg, (X,)),
    ("swap_views", swap_views, (M,)),
    ("swap_copies", swap_copies, (M,)),
    ("swap_fancy", swap_fancy, (M,)),
    ("store_loop_break", store_loop_break, (X,)),
    ("store_loop_continue", store_loop_continue, (X,)),
    ("two_names_object", two_names_object, (X,)),
    ("chained", chained, (X,)),
    ("method_view", method_view, (X,)),
    ("callee_view", callee_view, (X,)),
    ("recursion", recursion, (X,)),
    ("dict_list_arrays", dict_list_arrays, (X,)),
    ("genexp", genexp, (X,)),
    ("gen_nested", gen_nested, (M,)),
    ("closure_changed", closure_changed, (X,)),
    ("nonlocal_count", nonlocal_count, (X,)),
    ("neg_range", neg_range, (X,)),
    ("neg_slice_store", neg_slice_store, (X,)),
    ("mask_both", mask_both, (X,)),
    ("mask_2d", mask_2d, (M,)),
    ("f32arg", f32arg, (X.astype(np.float32),)),
    ("int_arrays", int_arrays, (X,)),
    ("empty", empty, (X,)),
    ("zero_trips", zero_trips, (X,)),
    ("while_state", while_state, (1.3,)),
    ("aug_everything", aug_everything, (X,)),
    ("aug_bitwise", aug_bitwise, (X,)),
    ("list_mul_shared", list_mul_shared, (X,)),
    ("list_slices", list_slices, (X,)),
    ("pop_push", pop_push, (X,)),
    ("tuple_swap_loop", tuple_swap_loop, (X,)),
    ("star_unpack", star_unpack, (X,)),
    ("default_dict_get", default_dict_get, (X,)),
    ("setdefault", setdefault, (X,)),
    ("memo", memo, (1.3,)),
    ("overloads", overloads, (X,)),
    ("frozen_replace", frozen_replace, (X,)),
    ("linked", linked, (X,)),
    ("linked_shared", linked_shared, (X,)),
    ("matmul_inplace", matmul_inplace, (M,)),
    ("out_row", out_row, (M,)),
    ("diag_store", diag_store, (M,)),
    ("ix", ix, (M,)),
    ("newaxis_store", newaxis_store, (M,)),
    ("moveaxis_view", moveaxis_view, (M,)),
    ("broadcast_store", broadcast_store, (M,)),
    ("iter_rows", iter_rows, (M,)),
    ("iter_rows_enum", iter_rows_enum, (M,)),
    ("zip_rows", zip_rows, (M,)),
    ("assign_in_cond", assign_in_cond, (X,)),
    ("late_lambda", late_lambda, (X,)),
    ("shadow_builtin", shadow_builtin, (X,)),
    ("del_names", del_names, (X,)),
    ("cond_alias_store", cond_alias_store, (X,)),
    ("ternary_chain", ternary_chain, (1.3,)),
    ("boolops", boolops, (1.3,)),
    ("multi_return", multi_return, (X,)),
    ("ret_in_while", ret_in_while, (X,)),
    ("prod_loop_zero", prod_loop_zero, (X,)),
    ("cum", cum, (X,)),
    ("strided_overlap", strided_overlap, (X,)),
    ("inplace_sort", inplace_sort, (X,)),
    ("argmax_store", argmax_store, (X,)),
    ("list_of_views", list_of_views, (M,)),
    ("dict_of_views", dict_of_views, (M,)),
    ("tuple_views", tuple_views, (M,)),
    ("arg_default", arg_default, (X, [1.0, 2.0], np.array([1.0, 2.0, 3.0, 4.0]))),
    ("call_kwonly", call_kwonly, (1.3,)),
    ("mutate_global_free", mutate_global_free, (X,)),
    ("early_in_with", early_in_with, (X,)),
    ("complexint", complexint, (X,)),
    ("array_of_arrays", array_of_arrays, (X,)),
    ("einsum_store", einsum_store, (M,)),
    ("cplx_cast", cplx_cast, (X,)),
    ("any_all", any_all, (X,)),
    ("divzero_guard", divzero_guard, (X,)),
    ("mean_center", mean_center, (X,)),
    ("index_neg", index_neg, (X,)),
    ("obj_in_dict", obj_in_dict, (X,)),
    ("obj_in_list_loop", obj_in_list_loop, (X,)),
    ("attr_swap", attr_swap, (X,)),
]
