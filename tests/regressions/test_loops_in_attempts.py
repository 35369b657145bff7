"""Loops and branches that an exception interrupts within a `try`, whose handler goes on from there."""

import contextlib

import numpy as np
import pytest

import tapeless as tl


def loop_raise(x):
    total = 0.0
    try:
        for v in x:
            if v > 1.0:
                raise ValueError("big")
            total += v * v
    except ValueError:
        pass
    return total * x[3]


def while_index(x):
    s = 1.0
    i = 0
    try:
        while True:
            s = s * x[i] + 1.0
            i += 1
    except IndexError:
        pass
    return s


def branch_then_raise(x):
    r = x[0]
    try:
        if x[1] > 0:
            r = x[1] * x[2]
            raise KeyError("a")
        r = r * 2.0
    except KeyError:
        r = r * x[3]
    return r


def lookup_branch(x):
    d = {"a": x[0], "b": x[1]}
    r = x[2]
    try:
        if x[0] < 1:
            r = r * d["a"]
            r = r + d["zz"]
        r = r * 3.0
    except KeyError:
        r = r + 0.5
    return r


def appended(x):
    out = []
    try:
        for i in range(10):
            out.append(x[i] * x[i])
    except IndexError:
        out.append(x[0])
    return sum(out)


def stored(x):
    y = np.zeros(4)
    try:
        for i in range(9):
            y[i] = x[i] ** 2
    except IndexError:
        y[0] = y[0] * 2.0
    return np.sum(y * x)


def newton(x):
    z = x[0]
    n = 0
    try:
        while True:
            step = (z * z - x[1]) / (2 * z)
            z = z - step
            n += 1
            if abs(step) < 1e-12:
                raise StopIteration
    except StopIteration:
        pass
    return z * x[2]


def iterator(x):
    it = iter(x)
    s = 0.0
    try:
        while True:
            s = s * 0.5 + next(it) ** 2
    except StopIteration:
        pass
    return s


def step(state, v):
    if v > 1.0:
        raise OverflowError("too big")
    return state * 0.9 + v


def sim(x):
    st = x[0]
    ok = True
    try:
        for v in x:
            st = step(st, v)
    except OverflowError:
        ok = False
    return st if ok else st * 2.0


class Sys:
    def __init__(self, q):
        self.q = q
        self.hist = []

    def advance(self, v):
        if v > 1.0:
            raise RuntimeError("diverged")
        self.q = self.q * 0.5 + v * v
        self.hist.append(self.q)


def sim_cls(x):
    s = Sys(x[0])
    try:
        for v in x:
            s.advance(v)
    except RuntimeError as e:
        s.q = s.q * 2.0
    return s.q + sum(s.hist)


def nested(x):
    s = 0.0
    for i in range(3):
        try:
            for j in range(3):
                if i + j > 3:
                    raise IndexError
                s = s + x[i] * x[i + j]
        except IndexError:
            s = s * 0.5
    return s


def best_so_far(x):
    best = x[0]
    try:
        for v in x:
            best = max(best, v)
            if best > 1.0:
                raise ValueError(f"{best}")
            best = best * 1.1
    except ValueError as e:
        return best * 2.0
    return best


def two_handlers(x):
    s = 0.0
    try:
        for i in range(6):
            if s > 2.0:
                raise ValueError("x")
            s += x[i] * x[i]
    except ValueError:
        s *= 2.0
    except IndexError:
        s *= 3.0
    return s


def with_else(x):
    s = 0.0
    try:
        for v in x:
            if v > 5.0:
                raise ValueError("x")
            s += v * v
    except ValueError:
        s = 0.0
    else:
        s *= x[0]
    return s


def with_finally(x):
    s = 0.0
    n = 1.0
    try:
        for v in x:
            if v > 1.0:
                raise ValueError("x")
            s += v * v
    except ValueError:
        s *= x[0]
    finally:
        n = n * x[1]
    return s * n


def returned_within(x):
    s = 0.0
    try:
        for v in x:
            if v > 0.6:
                return s * v
            s += v * v
            if v < 0.0:
                raise ValueError
    except ValueError:
        s *= x[0]
    return s


def message2(x):
    s = 0.0
    try:
        for i, v in enumerate(x):
            if v > 1.0:
                raise ValueError("at", i)
            s += v * v
    except ValueError as e:
        s = s * (1 + e.args[1])
    return s


def in_outer_loop(x):
    s = 0.0
    for k in range(3):
        try:
            if k == 1:
                continue
            for i in range(k + 3):
                s = s * 0.9 + x[i] * x[k]
        except IndexError:
            s += x[0]
            break
    return s


def zero_division(x):
    s = 0.0
    try:
        for d in [1.0, 2.0, 0.0, 4.0]:
            s += float(x[1]) / d
    except ZeroDivisionError:
        s = -s
    return s * x[0]


def buf(x):
    out = np.zeros(4)
    n = 0
    try:
        for v in x:
            if v > 1.0:
                raise StopIteration
            out[n] = v**3
            n += 1
    except StopIteration:
        pass
    return np.sum(out) * n


def objs(x):
    class P:
        def __init__(self, m):
            self.m = m

    ps = [P(v) for v in x]
    try:
        for p in ps:
            p.m = p.m * 2.0
            if p.m > 2.0:
                raise OverflowError
    except OverflowError:
        ps[-1].m = ps[-1].m * 5.0
    return sum(p.m**2 for p in ps)


def while_cond_raises(x):
    i = 0
    s = 1.0
    try:
        while x[i] > 0.0:
            s = s * x[i]
            i += 1
    except IndexError:
        s = s + x[0]
    return s


def branch_cond_raises(x):
    s = x[0]
    try:
        if x[7] > 0.0:
            s = s * 2.0
        else:
            s = s * 3.0
        s = s * 7.0
    except IndexError:
        s = s * x[1]
    return s


def assert_in(x):
    s = 0.0
    try:
        for v in x:
            assert v < 1.0, "too big"
            s += v * v
    except AssertionError:
        s *= 2
    return s


def retry(x):
    s = x[0]
    for attempt in range(3):
        try:
            for v in x:
                if v > 1.0 and attempt < 2:
                    raise RuntimeError
                s = s + v * 0.5
            break
        except RuntimeError:
            s = s * 0.9
    return s


def tuple_types(x):
    s = 0.0
    try:
        for i in range(9):
            s += x[i] ** 2
    except (KeyError, IndexError):
        s *= x[0]
    return s


def bare(x):
    s = 0.0
    try:
        for i in range(9):
            s += x[i] ** 2
    except:  # noqa: E722
        s *= x[0]
    return s


def any_exception(x):
    s = 0.0
    try:
        for v in x:
            y = np.sin(v)
            if y > 0.9:
                raise ValueError
            s = s + y * v
    except Exception:
        s *= x[0]
    return s


def with_suppress(x):
    s = 0.0
    with contextlib.suppress(IndexError):
        for i in range(9):
            s += x[i] ** 2
    return s


def generator_raises(x):
    def g():
        for v in x:
            if v > 1.0:
                raise ValueError
            yield v * v

    s = 0.0
    try:
        for v in g():
            s += v
    except ValueError:
        s *= 2.0
    return s


def gg(x):
    for v in x:
        if v > 1.0:
            raise ValueError
        yield v * v


def generator_raises2(x):
    s = 0.0
    try:
        for v in gg(x):
            s = s + v
    except ValueError:
        s = s * 2.0
    return s


def generator_raises3(x):
    s = 1.0
    out = []
    try:
        for v in gg(x):
            out.append(v)
    except ValueError:
        s = s * 2.0
    return s * sum(out)


class Acc:
    def __init__(self):
        self.t = 0.0

    def eat(self, x):
        for v in gg(x):
            self.t = self.t + v


def generator_in_method(x):
    a = Acc()
    try:
        a.eat(x)
    except ValueError:
        pass
    return a.t * x[0] + x[1]


def generator_not_caught(x):
    s = 0.0
    for v in gg(x * 0.5):
        s = s + v
    return s


def generator_caught_elsewhere(x):
    s = 0.0
    try:
        for v in gg(x * 0.5):
            s = s + v
    except KeyError:
        s = 1.0
    return s


def generator_at_once(x):
    s = x[0]
    try:
        s = s + sum(gg(x))
    except ValueError:
        s = s * 2.0
    return s


def comp_in_try(x):
    s = 0.0
    try:
        for v in (t / (1.0 if t < 1 else {}[t]) for t in x):
            s = s + v
    except KeyError:
        s = s * 2.0
    return s


def plain(x):
    for v in x:
        yield v * v + 1.0


class It:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for v in self.x:
            if v > 1.0:
                raise ValueError
            yield v * v


def own_iter(x):
    s = 0.0
    try:
        for v in It(x):
            s = s + v
    except ValueError:
        s = s * 2.0
    return s


class It2:
    def __init__(self, x):
        self.x = x
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= len(self.x):
            raise StopIteration
        v = self.x[self.i]
        self.i += 1
        if v > 1.0:
            raise ValueError
        return v * v


def zip_gen(x):
    s = 0.0
    try:
        for v, w in zip(gg(x), x):
            s = s + v * w
    except ValueError:
        s = s * 2.0
    return s


def enum_gen(x):
    s = 0.0
    try:
        for i, v in enumerate(gg(x)):
            s = s + v * i
    except ValueError:
        s = s * 2.0
    return s


def eat(it):
    s = 0.0
    try:
        for v in it:
            s = s + v
    except ValueError:
        s = s * 3.0
    return s


def given_gen(x):
    return eat(gg(x))


def partial_sum(x):
    x, s = x[0], 0.0
    try:
        for i in range(5):
            s += x * (1.0, 2.0)[i]
    except IndexError:
        s = s * 2.0
    return s


def kept_in_a_loop(x):
    x = x[0]
    s = x
    for j in range(4):
        try:
            t = s
            for i in range(j):
                t = np.sin(t) * (1.0, 2.0)[i]
            s = t
        except IndexError:
            s = s * x
    return s


def interrupted_after_a_break(x):
    terms = []
    try:
        while True:
            terms.append(x[0] * x[1])
            break
        terms.append(x[2] * x[7])
    except IndexError:
        terms.append(x[3])
    return sum(terms) * x[0]


def interrupted_after_a_continue(x):
    terms = []
    try:
        for i in (1, 7):
            terms.append(x[0] * x[i])
            if i == 1:
                continue
    except IndexError:
        terms.append(x[3])
    return sum(terms) * x[0]


def kept_in_a_loop_that_is_left(x):
    y = x[0]
    for k in range(3):
        try:
            while True:
                y = y * np.sin(y) * x[0]
                break
            y = y + x[6 + k]
        except IndexError:
            y = y * x[1]
    return y


def lookups(d):
    s = 1.0
    try:
        for k in ["a", "b", "c", "a"]:
            s = s * 2.0 + d[k] * s
    except KeyError as e:
        s = s + len(str(e))
    return s


RIGHT = [
    loop_raise,
    while_index,
    branch_then_raise,
    lookup_branch,
    appended,
    stored,
    newton,
    iterator,
    sim,
    sim_cls,
    nested,
    best_so_far,
    two_handlers,
    with_else,
    with_finally,
    returned_within,
    message2,
    in_outer_loop,
    zero_division,
    buf,
    objs,
    while_cond_raises,
    branch_cond_raises,
    assert_in,
    retry,
    tuple_types,
    bare,
    any_exception,
    with_suppress,
    generator_not_caught,
    generator_caught_elsewhere,
    generator_at_once,
    comp_in_try,
    partial_sum,
    kept_in_a_loop,
    interrupted_after_a_break,
    interrupted_after_a_continue,
    kept_in_a_loop_that_is_left,
]


def bound_before_a_branch(x):
    r = x[0] * x[1]
    try:
        r = 0.4
        if x[0] < 0.5:
            r = 0.6
            raise KeyError
        r = r * x[2]
    except (ValueError, KeyError):
        pass
    return x[1] * r


def bound_by_a_constant_twice(x):
    r = x * x[1]
    try:
        r = np.full(4, 0.95)
        if 0.84 < 1.81 < 2.5:
            r = np.full(4, 0.75)
            {}[0]
        x = x * 2.0
    except (ValueError, KeyError):
        pass
    return np.sum(x * r)


def raised_for_sure(x):
    n = 1
    r = x * 2
    try:
        if n % 2 == 1:
            r = np.full(4, 1.78)
            raise ValueError
        r = r * r[0]
    except ValueError:
        pass
    return np.sum(x) - np.sum(r**2)


def raised_for_sure_before_a_loop(x):
    n = 1
    r = x * 2
    try:
        if n % 2 == 1:
            r = x * r
            raise ValueError
        for k in range(3):
            np.multiply(r, r[k], out=r)
    except ValueError:
        pass
    return np.sum(x) - np.sum(r**2)


def never_raised(x):
    n = 2
    r = x * 2
    try:
        if n % 2 == 1:
            r = np.full(4, 1.78)
            raise ValueError
        for k in range(3):
            r = r * r[k]
    except ValueError:
        pass
    return np.sum(x) - np.sum(r**2)


BEFORE_A_BRANCH = [
    bound_before_a_branch,
    bound_by_a_constant_twice,
    raised_for_sure,
    raised_for_sure_before_a_loop,
    never_raised,
]
IN_STEP = [
    enum_gen,
    generator_raises,
    generator_raises2,
    generator_raises3,
    generator_in_method,
    own_iter,
    zip_gen,
]


@pytest.mark.parametrize("f", [*RIGHT, *BEFORE_A_BRANCH, *IN_STEP], ids=lambda f: f.__name__)
def test_the_derivative_goes_back_from_where_the_body_was_interrupted(f):
    tl.check_grads(f, np.array([0.3, 0.7, 1.2, 0.5]), order=2, replay=True)


def test_a_dict_that_lacks_a_key():
    tl.check_grads(lookups, {"a": 1.5, "b": 0.5}, order=2, replay=True)


def test_a_generator_that_raises_on_the_way_is_not_made_a_list():
    with pytest.raises(tl.GradientError, match="may raise once the loop"):
        tl.grad(given_gen)(np.array([0.3, 0.7, 1.2, 0.5]))


def changed_between_what_may_raise(x):
    s, t = x[0], x[1]
    try:
        s = s * x[int(t)]
        if t > 0.5:
            t = t * x[2]
        s = s + x[2] * x[int(t) + 3]
    except IndexError:
        s = s * t
    return s


def test_a_branch_between_what_may_raise_is_taken_out_once():
    tl.check_grads(
        changed_between_what_may_raise, np.array([0.3, 0.7, 1.2, 0.5]), order=2, replay=True
    )


def out_of_memory(x):
    s = x[0]
    try:
        for v in x:
            s = s + np.sum(np.ones(3) * v)
    except MemoryError:
        s = s * 2.0
    return s


def test_what_any_statement_may_raise_is_caught_where_it_was():
    try:
        tl.check_grads(out_of_memory, np.array([0.3, 0.7]), replay=True)
    except tl.GradientError as error:
        assert "how far the body came" in str(error)
    assert "except MemoryError" in tl.source(
        out_of_memory, mode="jvp", like=(np.array([0.3, 0.7]),)
    )
