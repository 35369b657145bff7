"""Names that nothing has, and functions without a rule."""

import math

import numpy as np

import tapeless as tl
from tests.errors.programs import A, X, refused


@refused(X)
def no_rule(x):
    return np.sum(np.intersect1d(x, 1.0))


@refused(X)
def typo_of_a_function(x):
    return np.summ(x)


@refused(X)
def typo_of_a_method(x):
    return x.summ()


@refused(X)
def typo_of_an_attribute(x):
    return np.sum(x.TT * x)


@refused(X)
def typo_of_math(x):
    return math.sinn(x[0])


@refused(X)
def typo_of_a_method_of_a_list(x):
    y = [x]
    y.apend(x * x)
    return np.sum(y[0])


@refused(X)
def typo_of_a_method_of_a_dict(x):
    d = {"a": x[0]}
    d.udpate(b=x[1])
    return d["a"]


class Spring:
    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return self.k * x * x


@refused(X)
def typo_of_a_method_of_an_object(x):
    return Spring(x[0]).enrgy(x[1])


def inner(x):
    return np.sum(np.intersect1d(x, x))


@refused(X)
def in_a_callee(x):
    return 2.0 * inner(x)


def middle(x):
    return inner(x) * 2.0


@refused(X)
def in_a_callee_of_a_callee(x):
    return middle(x)


@refused(X)
def permutation_without_a_rule(x):
    return x[0] * np.sum(np.random.default_rng(0).permuted(x))


@refused(X)
def memory_of_an_array(x):
    return np.sum(x.data) * x[0]


@refused(X)
def option_of_a_rule(x):
    return np.sum(np.asarray_chkfinite(x, order="F"))


@refused(X)
def where_of_a_sum(x):
    return np.sum(np.add(x, x, where=x > 1.0))


@refused(A)
def full_decomposition(a):
    return np.sum(np.linalg.qr(a, mode="raw")[0])


@refused(A, since="2.2.0")
def trimmed_in_two_dimensions(a):
    return np.sum(np.trim_zeros(a))


@refused(np.ones((2, 2)))
def cross_of_two_components(a):
    return np.sum(np.cross(a, a))


@refused(X)
def read_from_a_text(x):
    return float(str(x[0])) * x[1]


@refused(X)
def what_locals_reads(x):
    y = x * x
    return np.sum(locals()["y"])


@refused(X)
def what_eval_reads(x):
    text = "x[0] * x[1]"
    return eval(text)


@refused(np.ones(3), np.ones(2))
def unknown_compiled_function(x, y):
    return np.sum(np.frompyfunc(lambda v: v * v, 1, 1)(x))


@refused(X)
def draw_of_what_varies(x):
    return np.random.default_rng(0).gamma(x[0])


@refused(X)
def rule_with_a_star(x):
    rows = [v * x for v in x]
    return np.einsum("i,i", *rows)


@refused(X)
def derivative_of_what_is_not_known(x):
    functions = {"f": lambda v: v * v, "g": np.sin}
    return tl.grad(functions[str(x[0] > 0.0)])(x[0])


@refused(X, ask=lambda f, x: tl.grad(f)(x))
def undefined_name(x):
    return np.sum(x * not_defined_anywhere)  # noqa: F821


@refused(X)
def unknown_method_of_an_array(x):
    return np.sum(x.tobytes()) * x[0]


@refused(X)
def interpolation_in_one_point(x):
    return np.interp(x[0], np.array([1.0]), x[:1])


@refused(X)
def uneven_trapezoids(x):
    return np.trapezoid(x, dx=np.array([0.1, 0.2]))


@refused(X, since="2.3.0")
def unsorted(x):
    return np.sum(np.unique(x, sorted=False)) * x[0]


@refused(A)
def singular_vectors_in_full(a):
    return np.sum(np.linalg.svd(a[:1])[2])


@refused(A)
def complete_decomposition(a):
    return np.sum(np.linalg.qr(a[:, :1], mode="complete")[0])


def fill_rim(row, width, axis, keywords):
    row[: width[0]] = 0.0


@refused(X)
def padded_by_a_function(x):
    return np.sum(np.pad(x, 1, mode=fill_rim))


@refused(X)
def typo_in_a_loop(x):
    y = 0.0
    for v in x:
        y = y + np.tanhh(v)
    return y


@refused(X)
def typo_of_a_submodule(x):
    return np.linalg.nrm(x)


def stacked_by_name(x):
    return np.sum(np.stack([x, x * x]) ** 2)


@refused(X, way=stacked_by_name)
def joined_as_a_text_says(x):
    return np.sum(np.r_["0,2", x, x * x] ** 2)
