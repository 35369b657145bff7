"""Custom gradients that break their contract, and what may not be done with Variables."""

import numpy as np

import tapeless as tl
from tests.errors.programs import X, refused

K = tl.Variable([1.0, 2.0, 3.0], name="K")


@tl.custom_gradient
def no_pair(x):
    return x * x


@refused(X)
def custom_without_a_pair(x):
    return np.sum(no_pair(x))


@tl.custom_gradient
def no_function(x):
    return x * x, 2.0


@refused(X)
def custom_without_a_function(x):
    return np.sum(no_function(x))


@tl.custom_gradient
def no_return(x):
    def grad(up):
        up * 2.0

    return x * x, grad


@refused(X)
def custom_whose_grad_returns_nothing(x):
    return np.sum(no_return(x))


@tl.custom_gradient
def too_many(x):
    def grad(up):
        return up, up

    return x * x, grad


@refused(X)
def custom_with_too_many_gradients(x):
    return np.sum(too_many(x))


@tl.custom_gradient
def too_few(x, y):
    def grad(up):
        return up

    return x * y, grad


@refused(X)
def custom_with_too_few_gradients(x):
    return np.sum(too_few(x, x * 2.0))


@tl.custom_gradient
def wrong_shape(x):
    def grad(up):
        return np.ones(2)

    return x * x, grad


@refused(X)
def custom_with_another_shape(x):
    return np.sum(wrong_shape(x))


@tl.custom_gradient
def wrong_type(x):
    def grad(up):
        return "nothing"

    return x * x, grad


@refused(X)
def custom_with_a_text(x):
    return np.sum(wrong_type(x))


@tl.custom_gradient
def complex_gradient(x):
    def grad(up):
        return up * 1j

    return x * x, grad


@refused(X)
def custom_with_a_complex_gradient(x):
    return np.sum(complex_gradient(x))


@tl.custom_gradient
def two_upstreams(x):
    def grad(a, b):
        return a + b

    return x * x, grad


@refused(X)
def custom_with_too_many_upstreams(x):
    return np.sum(two_upstreams(x))


@tl.custom_gradient
def stores(x):
    x[0] = 1.0

    def grad(up):
        return up

    return x * 2.0, grad


@refused(X)
def custom_that_stores(x):
    return np.sum(stores(x * 1.0))


class Plain:
    def __init__(self, v):
        self.v = v


@tl.custom_gradient
def an_object(x):
    def grad(up):
        return up.v

    return Plain(x), grad


@refused(X)
def custom_that_returns_an_object(x):
    return np.sum(an_object(x).v)


@tl.custom_gradient
def the_argument(x):
    def grad(up):
        return up

    return x, grad


@refused(X)
def value_that_is_its_argument(x):
    y = x * 1.0
    z = the_argument(y)
    z[0] = 2.0
    return np.sum(y * z)


@tl.custom_gradient
def reads(x):
    def grad(up):
        return up * K.value

    return x * K, grad


@refused(X, ask=lambda f, x: tl.grad(f, variables=[K])(x))
def custom_that_reads_a_variable(x):
    return np.sum(reads(x))


@refused(X)
def variable_made_inside(x):
    v = tl.Variable(x)
    return np.sum(v * x)


@refused(X)
def variable_written_in_place(x):
    v = K
    v += x
    return np.sum(v)


@refused(X, ask=lambda f, x: tl.grad(f, variables=[K])(x))
def variable_behind_a_vectorized_function(x):
    hidden = np.vectorize(lambda v: v * K.value[0])
    return np.sum(hidden(3.0)) + np.sum(x)


@refused(X, ask=lambda f, x: tl.grad(f, variables=K)(x))
def variables_is_no_list(x):
    return np.sum(K * x)


@refused(X, ask=lambda f, x: tl.grad(f, variables=[x])(x))
def variables_holds_an_array(x):
    return np.sum(K * x)


@refused(X, ask=lambda f, x: tl.grad(f, variables=[K, K])(x))
def variable_asked_for_twice(x):
    return np.sum(K * x)


@refused(X, ask=lambda f, x: tl.grad(f, variables=[tl.Variable([1])])(x))
def variable_of_integers(x):
    return np.sum(K * x)


@refused(X, ask=lambda f, x: tl.grad(f, wrt="K")(x))
def variable_is_no_parameter(x):
    return np.sum(K * x)


@refused(X, ask=lambda f, x: K.assign(x[:2]))
def assigned_another_shape(x):
    return np.sum(K * x)


@refused(X, ask=lambda f, x: K.assign(x * 1j))
def assigned_complex_numbers(x):
    return np.sum(K * x)


@refused(X)
def stores_into_what_is_stopped(x):
    y = tl.stop_gradient(x * 1.0)
    y[0] = 2.0
    return np.sum(y * x)


def registered(x):
    return x * 2.0


@tl.register_gradient(registered)
def registered_rule(x):
    def grad(up):
        return up * 2.0

    return registered(x), grad


@refused(X, ask=lambda f, x: tl.register_gradient(registered, lambda x: (x, x)))
def registered_twice(x):
    return x


@refused(X)
def rule_given_more(x):
    return np.sum(registered(x, x))


@refused(X)
def recomputed_with_a_change(x):
    seen = []

    @tl.recompute_grad
    def step(v):
        seen.append(v)
        return v * v * len(seen)

    return np.sum(step(x)) * len(seen)


def drawn_step(u, i):
    return u * np.random.normal()


@refused(X)
def long_loop_that_draws(x):
    return np.sum(tl.checkpoint_loop(drawn_step, x, 5))


def doubled_step(u, i):
    return u, u


@refused(X)
def long_loop_whose_state_changes_its_form(x):
    return np.sum(tl.checkpoint_loop(doubled_step, x, 5)[0])


def listed_step(u, i):
    return [2.0 * u[0]]


@refused(X)
def long_loop_over_lists(x):
    return np.sum(tl.checkpoint_loop(listed_step, [x], 5)[0])


class Held:
    def __init__(self, k):
        self.k, self.last = k, k

    def step(self, s, i):
        u, v = s
        u[1:] += self.k[1:] * v[:-1]
        return u, v + u


@refused(X)
def long_loop_whose_adjoints_stay(x):
    held = Held(x)
    return np.sum(tl.checkpoint_loop(held.step, (x, 2.0 * x), 5)[0])
