"""Programs that are refused, each for one reason; `test_errors.py` compares what is said."""

import numpy as np

X = np.array([0.6, 1.4, 2.3])
ARGUMENTS = {}


def refused(*args):
    """Take a program with the arguments for which it is refused."""

    def take(function):
        ARGUMENTS[function] = args
        return function

    return take


@refused(X)
def no_rule(x):
    return np.sum(np.setdiff1d(x, 1.0))


@refused(X)
def typo_of_a_function(x):
    return np.summ(x)


@refused(X)
def typo_of_a_method(x):
    return x.summ()


@refused(X)
def typo_of_an_attribute(x):
    return np.sum(x.TT * x)


def inner(x):
    return np.sum(np.union1d(x, x))


@refused(X)
def in_a_callee(x):
    return 2.0 * inner(x)


@refused(X)
def result_is_an_array(x):
    return x * x


@refused(X)
def result_is_a_tuple(x):
    return np.sum(x), 1.0


@refused(X)
def result_is_none(x):
    np.sum(x)


@refused(X)
def uses_await(x):
    async def get():
        return x

    return np.sum(x)


@refused(X)
def assigns_a_global(x):
    global X
    X = x
    return np.sum(x)


@refused(X)
def operator_on_a_list(x):
    items = [x[0], x[1]]
    return sum(items - x[2])


@refused("text")
def independent_is_a_string(x):
    return x


@refused(np.arange(3))
def independent_is_of_integers(x):
    return np.sum(x)


@refused(X)
def key_that_varies(x):
    table = {}
    table[x[0]] = x[1]
    return table[x[0]]
