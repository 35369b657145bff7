"""Arrays of rank 0: aliases, views and stores, where NumPy computes scalars."""

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])
Z = np.array(1.3)


def zd_alias(a):
    b = a.copy()
    c = b
    b *= a
    return c * b


def zd_store_ellipsis(a):
    b = a.copy()
    b[...] = a * a * 2.0
    return b * a


def zd_store_unit(a):
    b = a.copy()
    b[()] = a * a * 2.0
    return b * a


def zd_aug_unit(a):
    b = a * 1.0
    b = np.array(b)
    c = b
    b[()] *= a
    c[...] += b
    return b * c * a


def zd_read(a):
    b = np.array(a)
    v = b[()]
    b[...] = 3.0 * v
    return v * b


def zd_of_vector(x):
    b = np.zeros(())
    for i in range(4):
        b[()] = b[()] + x[i] * x[i]
    c = b
    c += x[0]
    return b * 1.0


def zd_sum_inplace(x):
    s = np.array(0.0)
    t = s
    for v in x:
        s += v * v
    return t * s


def where_alias(a):
    b = np.where(a > 0, a, a * 2.0)
    c = b
    b *= a
    return c + b


def where_floats(a, b):
    y = np.where(a > b, a * b, b)
    y += a
    z = y
    z -= 1.0
    return y * y


def tensordot(x):
    b = np.tensordot(x, x, axes=1)
    c = b
    c += x[0]
    c[...] *= 2.0
    return b * 1.0


def ellipsis_view(x):
    y = x * 1.0
    v = y[1, ...]
    v *= x[0]
    v[...] += 3.0
    return y * y


def squeezed(x):
    y = x[:1] * 1.0
    s = y.squeeze()
    s *= x[1]
    return y * s


def reshaped(x):
    y = x[:1] * 1.0
    s = y.reshape(())
    s += x[1] * x[0]
    return y * s


def loop0(a):
    b = np.array(1.0)
    for i in range(3):
        c = b
        b *= a
        c += 1.0
    return b * c


def loop_cond(a):
    b = np.zeros(())
    for i in range(3):
        if i == 1:
            b[...] = b * b + a
        else:
            b += a * i + 0.5
    return b * b


def callee(b, a):
    b *= a
    return b


def via_call(a):
    b = a * 2.0
    b = np.array(b)
    c = callee(b, a)
    c += 1.0
    return b * c


def arg_store(a):
    a *= a
    a[...] += 1.0
    return a * a


def inlist(a):
    b = [np.array(1.0), a.copy()]
    b[0] += a
    b[1] *= b[0]
    c = b[1]
    c -= 1.0
    return b[0] * b[1]


def astype(a):
    b = a.astype(float)
    c = b
    b /= 3.0
    return c * a


CASES = [
    ("tensordot", tensordot, (X,)),
    ("ellipsis_view", ellipsis_view, (X,)),
    ("reshaped", reshaped, (X,)),
    ("where_alias", where_alias, (Z,)),
    ("loop0", loop0, (Z,)),
    ("loop_cond", loop_cond, (Z,)),
    ("via_call", via_call, (Z,)),
    ("arg_store", arg_store, (Z,)),
    ("inlist", inlist, (Z,)),
    ("astype", astype, (Z,)),
    ("where_floats", where_floats, (1.3, 0.4)),
    ("zd_alias", zd_alias, (Z,)),
    ("zd_store_ellipsis", zd_store_ellipsis, (Z,)),
    ("zd_store_unit", zd_store_unit, (Z,)),
    ("zd_aug_unit", zd_aug_unit, (Z,)),
    ("zd_read", zd_read, (Z,)),
    ("zd_of_vector", zd_of_vector, (X,)),
    ("zd_sum_inplace", zd_sum_inplace, (X,)),
]
