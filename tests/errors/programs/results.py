"""Results and arguments of which no gradient can be taken."""

import numpy as np

import tapeless as tl
from tests.errors.programs import X, refused


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
def result_is_a_list(x):
    return [x[0], x[1]]


@refused(X)
def result_is_a_dict(x):
    return {"loss": np.sum(x)}


@refused(X)
def result_is_complex(x):
    return np.sum(np.exp(1j * x))


@refused(X)
def result_is_a_truth_value(x):
    return bool(x[0] > 0.0)


@refused(X)
def text_on_one_way(x):
    if x[0] > 0.0:
        return "positive"
    return x[0]


@refused("text")
def independent_is_a_string(x):
    return x


@refused(np.arange(3))
def independent_is_of_integers(x):
    return np.sum(x)


@refused(np.array(["a", "b"]))
def independent_is_of_texts(x):
    return len(x) * 1.0


@refused(np.array([1.0, None]))
def independent_is_of_objects(x):
    return np.sum(x)


@refused(np.ma.array([1.0, 2.0]))
def independent_is_masked(x):
    return np.sum(x)


@refused(None)
def independent_is_none(x):
    return 1.0


@refused(X, ask=lambda f, x: tl.grad(f, wrt="y")(x))
def no_such_parameter(x):
    return np.sum(x)


@refused(X, ask=lambda f, x: tl.grad(f, wrt=3)(x))
def no_parameter_of_this_number(x):
    return np.sum(x)


@refused(X, ask=lambda f, x: tl.grad(f, wrt=None)(x))
def nothing_asked_for(x):
    return np.sum(x)


@refused(X, ask=lambda f, x: tl.grad(f, argnums=0)(x))
def argnums_of_jax(x):
    return np.sum(x)


@refused(X, ask=lambda f, x: tl.vjp(f, x)[1](np.ones(2)))
def cotangent_of_another_shape(x):
    return x * x


@refused(X, ask=lambda f, x: tl.vjp(f, x)[1](np.ones(2)))
def cotangent_is_no_scalar(x):
    return np.sum(x)


@refused(X, ask=lambda f, x: tl.vjp(f, x)[1]((1.0,)))
def cotangent_of_another_length(x):
    return np.sum(x), x[0]


@refused(X, ask=lambda f, x: tl.jvp(f, (x,), (np.ones(2),)))
def tangent_of_another_shape(x):
    return x * x


@refused(X, ask=lambda f, x: tl.grad(f)(x, x))
def array_given_twice(x, y):
    x[0] = 2.0 * y[1]
    return np.sum(x * y)


made_by_exec = {}
exec("def f(x):\n    return x * x", made_by_exec)


@refused(2.0, ask=lambda f, x: tl.grad(made_by_exec["f"])(x))
def has_no_source():
    pass


@refused({"w": "text", "b": np.ones(2)})
def nothing_that_varies_in_a_dict(p):
    return p["b"]


@refused(2.0)
def result_is_an_object_of_the_users(x):
    return slice(x)


@refused(np.array([True, False]))
def independent_is_of_truth_values(x):
    return np.sum(x)


@refused(3.0, ask=lambda f, x: tl.grad(f, wrt=(0, "k"))(x))
def one_of_two_names_is_wrong(x):
    return x


@refused(X, ask=lambda f, x: tl.grad(f, has_aux=True)(x))
def no_auxiliary(x):
    return np.sum(x)


@refused(X, ask=lambda f, x: tl.hvp(f)(x, np.ones(2)))
def hvp_along_another_shape(x):
    return np.sum(x**3)


@refused(X, ask=lambda f, x: tl.jvp(f, (x,), (x, x)))
def too_many_tangents(x):
    return np.sum(x)
