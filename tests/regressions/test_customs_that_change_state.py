"""Custom gradients whose bodies change objects or state outside: in every mode as one plain call does.

Where the state is only added to, it is left alone. Where it is read elsewhere, what the body changes is
kept and put back; and no derivative of any order runs such a body a second time.
"""

import copy
import functools

import numpy as np
import pytest

import tapeless as tl
from tests.regressions.state_laws import check, check_second_order


class Box:
    def __init__(self, **attributes):
        vars(self).update(attributes)


def appended():
    log = []

    @tl.custom_gradient
    def cube(x):
        log.append(2.0)
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    def f(x):
        return np.sum(cube(x) * len(log) * x)

    return f, log


def appended_in_a_loop():
    log = []

    @tl.custom_gradient
    def cube(x):
        log.append(2.0)
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    def f(x):
        y = 0.0
        for _ in range(3):
            z = np.sum(x) * len(log)
            y = y + z * np.sum(cube(x))
        return y

    return f, log


def array():
    table = np.array([1.0, 2.0])

    @tl.custom_gradient
    def cube(x):
        table[0] += 1.0
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    def f(x):
        w = x * table[0]
        return np.sum(w * w * cube(x) * table[0] * x)

    return f, table


def array_in_a_branch():
    table = np.array([1.0, 2.0])

    @tl.custom_gradient
    def cube(x):
        table[0] *= 3.0
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    def f(x):
        w = x * table[0]
        if x[0] > 0.0:
            w = w * cube(x)
        else:
            w = w * x
        return np.sum(w * table[0] * x)

    return f, table


def attribute():
    o = Box(k=1.0)

    @tl.custom_gradient
    def cube(x):
        o.k *= 2.0
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    def f(x):
        w = x * o.k
        y = cube(x)
        w = w * w * x * o.k
        y = y * cube(x) * w
        return np.sum(y * o.k * w)

    return f, o


def attribute_of_an_argument():
    o = Box(k=1.0)

    @tl.custom_gradient
    def cube(p, x):
        p.k += 1.0
        return x**3, lambda y_bar: (None, 3.0 * x * x * y_bar)

    def f(x):
        w = x * o.k
        y = cube(o, x)
        return np.sum(w * w * y * o.k)

    return f, o


def in_a_callee():
    counts = {"n": 1.0}

    @tl.custom_gradient
    def cube(x):
        counts["n"] += 1.0
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    def inner(x):
        return cube(x) * counts["n"] * x

    def f(x):
        return np.sum(inner(x) * inner(2.0 * x) * counts["n"])

    return f, counts


def by_a_helper_of_the_body():
    counts = [1.0]

    def count():
        counts[0] += 1.0

    @tl.custom_gradient
    def cube(x):
        count()
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    def f(x):
        y = x * counts[0]
        z = cube(x)
        return np.sum(y * y * z * counts[0])

    return f, counts


def read_by_its_grad():
    log = []

    @tl.custom_gradient
    def square(x):
        log.append(1.0)

        def grad(y_bar):
            return y_bar * len(log) * 2.0 * x

        return len(log) * x * x, grad

    def f(x):
        return np.sum(square(x) * square(x))

    return f, log


def warm_start():
    class Root:
        def __init__(self):
            self.guess = 1.0
            self.count = 0

        @tl.custom_gradient
        def root(self, x):
            y = self.guess
            for _ in range(50):
                y = 0.5 * (y + x / y)
            self.guess = np.sum(y)
            self.count += 1
            return y, lambda y_bar: 0.5 * y_bar / y

    r = Root()

    def f(x):
        return np.sum(r.root(x) * x + r.root(x * x))

    return f, r


def unreadable():
    log = []

    @tl.custom_gradient
    def cube(x):
        log.append(len(vars(type("Note", (), {}))))
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    def f(x):
        y = x * len(log)
        z = cube(x)
        return np.sum((y + z) * len(log) * x)

    return f, log


PROGRAMS = [
    appended, appended_in_a_loop, array, array_in_a_branch, attribute, attribute_of_an_argument,
    in_a_callee, by_a_helper_of_the_body, read_by_its_grad, warm_start, unreadable,
]  # fmt: skip


@pytest.mark.parametrize("make", PROGRAMS)
def test_state_is_that_of_the_time_it_was_read(make):
    check(make)


@pytest.mark.parametrize("make", [array, array_in_a_branch, attribute, appended, in_a_callee])
def test_second_order_is_right_or_refused(make):
    f, state = make()
    before = copy.deepcopy(state)
    try:
        check_second_order(make)
    except tl.TapelessError as error:
        assert error.filename == __file__
        assert type(before) is type(state)


def log_only():
    log = []

    @tl.custom_gradient
    def cube(x):
        log.append(float(x[0]))
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    def f(x):
        return np.sum(cube(x) * x)

    return f, log


def counted_by_a_method():
    class Model:
        def __init__(self):
            self.scale = 2.0
            self.calls = 0

        @tl.custom_gradient
        def cube(self, x):
            self.calls += 1
            scale = self.scale
            return x**3 * scale, lambda y_bar: 3.0 * x * x * scale * y_bar

    m = Model()

    def f(x):
        return np.sum(m.cube(x) * x)

    return f, m


@pytest.mark.parametrize("make", [log_only, array, array_in_a_branch, counted_by_a_method])
def test_the_body_runs_once_at_second_order(make):
    check(make)
    check_second_order(make)


def test_a_value_that_its_body_counts_is_not_counted_again():
    log = []

    @tl.custom_gradient
    def square(x):
        log.append(1.0)
        n = len(log)
        return n * x * x, lambda y_bar: y_bar * n * 2.0 * x

    def f(x):
        return square(x) * square(x)

    assert tl.grad(f)(2.0) == 2.0 * 4.0 * 2.0 * 4.0
    log.clear()
    with pytest.raises(tl.GradientError, match="depends on state that its body changes") as caught:
        tl.hvp(f)(2.0, 1.0)
    assert caught.value.filename == __file__
    assert log == []


COUNT = 0


@tl.custom_gradient
def counting(x):
    global COUNT
    COUNT += 1
    return x**3, lambda y_bar: 3.0 * x * x * y_bar


def reads_the_count(x):
    w = x * COUNT
    return w * counting(x)


def reads_it_in_a_callee(x):
    def scaled(y):
        return y * COUNT

    return scaled(x) * counting(x)


@pytest.mark.parametrize("f", [reads_the_count, reads_it_in_a_callee])
def test_a_global_that_is_bound_anew_is_not_read(f):
    for attempt in (lambda: tl.grad(f)(2.0), lambda: tl.jvp(f, (2.0,), (1.0,))):
        with pytest.raises(tl.GradientError, match="binds the global `COUNT` anew") as caught:
            attempt()
        assert caught.value.filename == __file__


def test_a_global_that_only_counts_may_be_bound_anew():
    before = COUNT
    assert tl.grad(lambda x: counting(x) * x)(2.0) == 4.0 * 8.0
    assert before + 1 == COUNT


def test_what_a_grad_changes_is_not_read():
    seen = []

    @tl.custom_gradient
    def square(x):
        def grad(y_bar):
            seen.append(1)
            return 2.0 * x * y_bar

        return x * x, grad

    def f(x):
        return square(x) * len(seen)

    for attempt in (lambda: tl.grad(f)(2.0), lambda: tl.jvp(f, (2.0,), (1.0,))):
        with pytest.raises(tl.GradientError, match="gradient function of 'square' changes `seen`"):
            attempt()
    assert seen == []
    assert tl.grad(lambda x: square(x) * x)(2.0) == 12.0
    assert seen == [1]


class Scale:
    def __init__(self):
        self.factor = 2.0
        self.pulled = 0

    def change(self, factor):
        self.factor = factor

    def pull(self, y_bar):
        self.factor = 5.0
        return y_bar

    def apply(self, x):
        return x * self.factor


def by_a_helper(scale):
    def note():
        scale.factor = 5.0

    def grad(y_bar):
        note()
        return y_bar

    return grad


def by_a_method_of_the_object(scale):
    def grad(y_bar):
        scale.change(5.0)
        return y_bar

    return grad


def by_another_name(scale):
    def grad(y_bar):
        other = scale
        other.factor = 5.0
        return y_bar

    return grad


def by_setattr(scale):
    def grad(y_bar):
        setattr(scale, "factor", 5.0)  # noqa: B010
        return y_bar

    return grad


def by_a_function_given_the_object(scale):
    def note(given):
        given.factor = 5.0

    def grad(y_bar):
        note(scale)
        return y_bar

    return grad


def by_what_is_not_looked_into(scale):
    def grad(y_bar):
        class Note:
            pass

        scale.factor = 5.0
        return y_bar

    return grad


def by_a_bound_method(scale):
    return scale.pull


def by_a_partial(scale):
    def pull(factor, y_bar):
        scale.factor = factor
        return y_bar

    return functools.partial(pull, 5.0)


HELPERS = [
    by_a_helper, by_a_method_of_the_object, by_another_name, by_setattr,
    by_a_function_given_the_object, by_what_is_not_looked_into, by_a_bound_method, by_a_partial,
]  # fmt: skip


@pytest.mark.parametrize("made", HELPERS)
@pytest.mark.parametrize("by_method", [False, True])
def test_what_a_grad_changes_through_others_is_not_read(made, by_method):
    scale = Scale()
    grad = made(scale)

    @tl.custom_gradient
    def same(x):
        return x * 1.0, grad

    def f(x):
        y = scale.apply(x) if by_method else x * scale.factor
        return same(y) * 1.0

    for attempt in (lambda: tl.grad(f)(2.0), lambda: tl.jvp(f, (2.0,), (1.0,))):
        with pytest.raises(tl.GradientError, match="gradient function of 'same' changes") as caught:
            attempt()
        assert caught.value.filename == __file__
    assert scale.factor == 2.0
    assert tl.grad(lambda x: same(x) * x)(2.0) == 4.0
    assert scale.factor == 5.0


def doubled(x):
    return 2.0 * x


RULED = Scale()


@tl.register_gradient(doubled)
def doubled_rule(x):
    def grad(y_bar):
        RULED.change(5.0)
        RULED.pulled += 1
        return 2.0 * y_bar

    return doubled(x), grad


def test_what_the_grad_of_a_registered_rule_changes_is_not_read():
    with pytest.raises(tl.GradientError, match="gradient function of 'doubled' changes") as caught:
        tl.grad(lambda x: doubled(x * RULED.factor))(2.0)
    assert caught.value.filename == __file__
    assert RULED.factor == 2.0
    assert tl.grad(lambda x: doubled(x) * x)(2.0) == 8.0
    assert (RULED.factor, RULED.pulled) == (5.0, 1)


def test_a_partial_that_changes_nothing_is_no_hindrance():
    scale = Scale()
    grad = functools.partial(lambda factor, y_bar: y_bar * factor, 3.0)

    @tl.custom_gradient
    def tripled(x):
        return x * 3.0, grad

    assert tl.grad(lambda x: tripled(x * scale.factor) * scale.factor)(2.0) == 12.0


def rebinding_in_the_body():
    factor = 2.0

    @tl.custom_gradient
    def same(x):
        nonlocal factor
        factor = 5.0
        return x * 1.0, lambda y_bar: y_bar

    return same, lambda x: same(x * factor) * factor


def rebinding_in_its_grad():
    factor = 2.0

    @tl.custom_gradient
    def same(x):
        def grad(y_bar):
            nonlocal factor
            factor = 5.0
            return y_bar

        return x * 1.0, grad

    return same, lambda x: same(x * factor) * 1.0


@pytest.mark.parametrize("make", [rebinding_in_the_body, rebinding_in_its_grad])
def test_a_nonlocal_that_is_bound_anew_is_not_read(make):
    same, f = make()
    for attempt in (lambda: tl.grad(f)(2.0), lambda: tl.jvp(f, (2.0,), (1.0,))):
        with pytest.raises(tl.GradientError, match="binds the name `factor` anew") as caught:
            attempt()
        assert caught.value.filename == __file__
    assert tl.grad(lambda x: same(x) * x)(2.0) == 4.0


def test_a_nonlocal_that_only_counts_may_be_bound_anew():
    forward, backward = 0, 0

    @tl.custom_gradient
    def doubled(x):
        nonlocal forward
        forward += 1

        def grad(y_bar):
            nonlocal backward
            backward += 1
            return 2.0 * y_bar

        return 2.0 * x, grad

    assert tl.grad(lambda x: doubled(doubled(x)) * x)(3.0) == 24.0
    assert (forward, backward) == (2, 2)


def test_a_grad_may_count_on_the_object_whose_other_attributes_are_read():
    class Model:
        def __init__(self):
            self.scale = 2.0
            self.pulled = 0

        @tl.custom_gradient
        def square(self, x):
            def grad(y_bar):
                self.pulled += 1
                return 2.0 * x * self.scale * y_bar

            return x * x * self.scale, grad

    m = Model()
    assert tl.grad(lambda x: m.square(x) * m.scale)(3.0) == 24.0
    assert m.pulled == 1


def leak_by_an_attribute():
    o = Box(k=1.0)

    @tl.custom_gradient
    def cube(x):
        o.k = x * 2.0
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    return (lambda x: cube(x) * o.k), o


def leak_by_a_list():
    log = [0.0]

    @tl.custom_gradient
    def cube(x):
        log.append(x)
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    return (lambda x: cube(x) * log[-1]), log


def leak_by_a_callee():
    table = np.zeros(2)

    def note(x):
        table[0] = x

    @tl.custom_gradient
    def cube(x):
        note(x)
        return x**3, lambda y_bar: 3.0 * x * x * y_bar

    return (lambda x: cube(x) * np.sum(table)), table


@pytest.mark.parametrize("make", [leak_by_an_attribute, leak_by_a_list, leak_by_a_callee])
def test_a_derivative_is_not_lost_in_state(make):
    f, _ = make()
    for attempt in (lambda: tl.grad(f)(2.0), lambda: tl.jvp(f, (2.0,), (1.0,))):
        with pytest.raises(tl.GradientError, match="stores into it what varies") as caught:
            attempt()
        assert caught.value.filename == __file__
