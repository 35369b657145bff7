"""Exceptions: try, except, else, finally, retries, callees that raise, and context managers."""

import contextlib
import math
import os
import threading

import numpy as np

X = np.array([0.6, 1.4, 2.3, 0.9])
B = np.array([[1.1, 0.3, -0.2], [0.3, 0.9, 0.4], [-0.5, 0.2, 1.3]])
COUPLINGS = {"a": 1.7, "b": -0.6}
CALLS = {"n": 0}
LOG = []
LOCK = threading.Lock()


class OutOfRange(Exception):
    """What a table raises that is asked beyond its ends."""


# A value, or what stands for it


def log_determinant(b, shift):
    a = b + b.T + shift * np.eye(3)
    try:
        factor = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        factor = np.linalg.cholesky(a + 10.0 * np.eye(3))
    return 2.0 * np.sum(np.log(np.diag(factor)))


def coupling(x, name):
    try:
        k = COUPLINGS[name]
    except KeyError:
        k = 0.5
    return np.sum(k * x * x)


def neighbours(x):
    s = 0.0
    for i in range(len(x)):
        try:
            s += x[i] * x[i + 1]
        except IndexError:
            s += 1.0
            continue
        s = s * 1.5
    return s


def either_way(x):
    try:
        return math.log(x) * x
    except ValueError:
        return x * x


def early_zero(x, i):
    try:
        v = x[i]
    except IndexError:
        return 0.0
    w = v * v
    return w * np.sin(w)


def classified(x, mode):
    try:
        if mode == 1:
            raise KeyError(mode)
        if mode == 2:
            raise ValueError("two")
        y = x * 2.0
    except KeyError:
        y = x**2
    except (ValueError, TypeError):
        y = x**3
    else:
        y = y * x * 5.0
    finally:
        CALLS["n"] += 1
    return y * x


def guarded_ratio(x, y):
    try:
        r = x / y
    except ZeroDivisionError:
        r = x
    return r * x


def keeps_the_start(x):
    y = x * 2.0
    try:
        y = math.log(x)
    except ValueError:
        pass
    return y * x


# Callees that raise


def interpolated(table, t):
    i = int(t)
    if not 0 <= i < len(table) - 1:
        raise OutOfRange(i)
    return table[i] + (t - i) * (table[i + 1] - table[i])


def density_or_vacuum(table, t):
    try:
        rho = interpolated(table, t)
    except OutOfRange:
        rho = 0.1 * t
    return rho * rho


def ray(table, start, step):
    t, depth = start, 0.0
    for _ in range(8):
        try:
            depth = depth + interpolated(table, t) * step
        except OutOfRange:
            break
        t = t + step
    return depth * depth


def power_by_exception(x, n):
    try:
        if n == 0:
            raise StopIteration
        return x * power_by_exception(x * 1.1, n - 1)
    except StopIteration:
        return x


def translated(x):
    try:
        y = interpolated(X, x)
    except OutOfRange as error:
        raise RuntimeError("outside") from error
    return y * x


def nested_handlers(x):
    try:
        try:
            y = x * COUPLINGS["zzz"]
        except KeyError:
            y = x
            raise ValueError("no such coupling") from None
    except ValueError:
        y = x * x
    return y * x


# Again and again


def with_more_jitter(b):
    jitter = 1e-3
    for _attempt in range(6):
        try:
            factor = np.linalg.cholesky(b + b.T + jitter * np.eye(3) - 2.5 * np.eye(3))
            break
        except np.linalg.LinAlgError:
            jitter *= 10.0
    else:
        return np.sum(b)
    return np.sum(factor**3)


def shrinking_step(x):
    step, n = 4.0, 0
    while True:
        try:
            y = math.sqrt(x - step * x)
            break
        except ValueError:
            step = step * 0.4
            n += 1
    return y * x + n


def stops_where_the_table_ends(x, n):
    out = []
    for i in range(n):
        try:
            z = x[i] * np.sin(x[i])
            z = z * z
        except IndexError:
            break
        out.append(z)
    return sum(out)


def leaves_the_loop(x):
    for k in range(8):
        try:
            step = 0.1 * interpolated(X, x)
        except OutOfRange:
            return x * x * k
        x = x + step * x
    return x


def flagged(x):
    s = x
    for key in ("a", "c", "b"):
        ok = True
        try:
            k = COUPLINGS[key] * s
            v = np.sin(k) * s
        except KeyError:
            ok = False
        if ok:
            s = s + v * k
    return s


# A body that is interrupted after it did something


def half_a_store(x):
    a = np.zeros(3)
    try:
        a[0] = x[0] * x[1]
        a[1] = COUPLINGS["c"] * x[2]
    except KeyError:
        a[2] = x[3]
    return np.sum(a * a)


def half_an_update(x):
    y = x
    try:
        y = y * x
        if y > 1.0:
            raise OverflowError
        y = y * 10.0
    except OverflowError:
        y = y + x
    return y * y


def in_each_trip(x):
    s = x
    for j in range(4):
        try:
            s = np.sin(s) * s
            s = s * (1.0, 2.0)[j]
        except IndexError:
            pass
    return s


def half_a_list(x):
    terms = []
    try:
        terms.append(x[0] * x[1])
        terms.append(x[2] * x[7])
    except IndexError:
        terms.append(x[3])
    return sum(terms) * x[0]


def into_an_argument(x, work):
    try:
        work[0] = 5.0
        y = x * COUPLINGS["c"]
    except KeyError:
        y = x * work[0]
    return np.sum(y * work[0])


# finally, and with


def counted(x):
    try:
        y = np.sum(x * x)
    finally:
        CALLS["n"] += 1
    return y * x[0]


def returned_and_counted(x):
    try:
        return np.sum(x * x)
    finally:
        CALLS["n"] += 1


def added_at_the_end_of_each_trip(x):
    s = x
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            s = s * x
        finally:
            s = s + x * i
    return s


class Rotated:
    """A frame that is turned while it is entered."""

    def __init__(self, angle):
        self.angle = angle
        self.depth = 0

    def __enter__(self):
        self.depth += 1
        return np.cos(self.angle)

    def __exit__(self, kind, error, trace):
        self.depth -= 1
        self.angle = self.angle * 0.5


class Ledger:
    """Sums what is booked; booking in a block that fails is ignored."""

    def __init__(self):
        self.total = 0.0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.total = self.total * 2.0
        return kind is not None and issubclass(kind, ValueError)


def in_a_frame(x):
    frame = Rotated(x[0])
    with frame as c:
        y = c * x[1] * x[1]
    return y * frame.angle


def returns_from_a_frame(x):
    with Rotated(x) as c:
        if x > 100.0:
            return c
        return c * x


def frames_in_a_loop(x):
    for i in range(4):
        with Rotated(x) as c:
            if i == 2:
                break
            x = x + 0.1 * c
    return x * x


def booked(x, sign):
    ledger = Ledger()
    with ledger:
        ledger.total = x * math.log(sign * x)
    return ledger.total * x


def suppressed(x):
    y = x
    with contextlib.suppress(KeyError, IndexError):
        y = COUPLINGS["c"] * x * x
    with contextlib.suppress(KeyError):
        y = y * COUPLINGS["b"] * x
    return y


@contextlib.contextmanager
def timed(label):
    LOG.append(label)
    yield len(label)
    LOG.append("done")


def as_written(x):
    with LOCK, timed("energy") as n:
        y = x * x * n
    with np.printoptions(precision=3), open(os.devnull) as f:
        z = y * x + len(f.read())
    with contextlib.nullcontext(2.0 * x) as v:
        return z * v


def told_by_the_message(x):
    table = {"p": x}
    try:
        y = table["q"] * x
    except KeyError as error:
        y = table["p"] ** 2 if "q" in str(error) else 0.0
    return y


CASES = [
    ("told_by_the_message", told_by_the_message, (1.3,)),
    ("log_determinant", log_determinant, (B, 3.0)),
    ("log_determinant_shifted", log_determinant, (B, -3.0)),
    ("coupling", coupling, (X, "a")),
    ("coupling_missing", coupling, (X, "z")),
    ("neighbours", neighbours, (X,)),
    ("either_way_log", either_way, (1.3,)),
    ("either_way_square", either_way, (-0.7,)),
    ("early_zero_in", early_zero, (X, 2)),
    ("early_zero_out", early_zero, (X, 9)),
    ("classified_0", classified, (1.3, 0)),
    ("classified_1", classified, (1.3, 1)),
    ("classified_2", classified, (1.3, 2)),
    ("guarded_ratio", guarded_ratio, (1.3, 2)),
    ("guarded_ratio_zero", guarded_ratio, (1.3, 0)),
    ("keeps_the_start_log", keeps_the_start, (1.3,)),
    ("keeps_the_start", keeps_the_start, (-0.7,)),
    ("density_or_vacuum_in", density_or_vacuum, (X, 1.3)),
    ("density_or_vacuum_out", density_or_vacuum, (X, 7.3)),
    ("ray", ray, (X, 0.21, 0.43)),
    ("power_by_exception", power_by_exception, (1.2, 4)),
    ("translated", translated, (1.3,)),
    ("nested_handlers", nested_handlers, (1.3,)),
    ("with_more_jitter", with_more_jitter, (B,)),
    ("shrinking_step", shrinking_step, (1.3,)),
    ("stops_where_the_table_ends", stops_where_the_table_ends, (X, 7)),
    ("leaves_the_loop", leaves_the_loop, (1.3,)),
    ("flagged", flagged, (1.3,)),
    ("half_a_store", half_a_store, (X,)),
    ("half_an_update", half_an_update, (1.3,)),
    ("half_an_update_whole", half_an_update, (0.7,)),
    ("in_each_trip", in_each_trip, (1.3,)),
    ("half_a_list", half_a_list, (X,)),
    ("into_an_argument", into_an_argument, (X, np.ones(2))),
    ("counted", counted, (X,)),
    ("returned_and_counted", returned_and_counted, (X,)),
    ("added_at_the_end_of_each_trip", added_at_the_end_of_each_trip, (1.3,)),
    ("in_a_frame", in_a_frame, (X,)),
    ("returns_from_a_frame", returns_from_a_frame, (1.3,)),
    ("frames_in_a_loop", frames_in_a_loop, (1.3,)),
    ("booked", booked, (1.3, 1)),
    ("booked_in_vain", booked, (1.3, -1)),
    ("suppressed", suppressed, (1.3,)),
    ("as_written", as_written, (1.3,)),
]
