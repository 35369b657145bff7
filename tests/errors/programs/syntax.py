"""Constructs of Python that are refused."""

import numpy as np

from tests.errors.programs import X, refused


@refused(X)
def uses_await(x):
    async def get():
        return x

    return np.sum(x)


@refused(X)
def deletes_a_global(x):
    global last
    del last
    return np.sum(x)


class Held:
    def run(self):
        return 1.0


@refused(X)
def or_pattern_that_binds(x):
    match (1, x[0]):
        case (1, y) | (2, y):
            return y * y
    return x[0]


@refused(X)
def class_inside(x):
    class Box:
        value = x[0]

    return Box.value * 2.0


@refused(X)
def generator_that_is_kept(x):
    squares = (v * v for v in x)
    return next(squares) + x[0]


@refused(X)
def generator_function_that_is_kept(x):
    def squares():
        for v in x:
            yield v * v

    kept = [squares()]
    return next(kept[0]) + next(kept[0])


def endless(x):
    i = 0
    while True:
        yield x[0] * i
        i += 1


@refused(X)
def generator_without_an_end(x):
    numbers = endless(x)
    return next(numbers) + next(numbers)


@refused(X)
def return_in_finally(x):
    try:
        y = x[0] * x[1]
    finally:
        return y  # noqa: B012


@refused(X)
def jump_out_of_finally(x):
    y = 0.0
    for v in x:
        try:
            y = y + v
        finally:
            break  # noqa: B012
    return y


@refused(X)
def raised_with_what_varies(x):
    try:
        raise ValueError(x[0] * x[1])
    except ValueError as error:
        return error.args[0]


@refused(X)
def items_kept_as_a_view(x):
    d = {"a": x[0], "b": x[1]}
    y = 0.0
    view = d.items()
    for item in view:
        y = y + item[1]
    return y


@refused(X)
def zip_that_is_kept(x):
    pairs = zip(x, x)
    first = next(pairs)
    return first[0] * first[1]


@refused(X)
def map_that_is_kept(x):
    squares = map(lambda v: v * v, x)
    return next(squares)


@refused(X)
def lambda_with_a_star(x):
    def add(first=1.0, *values):
        return first + sum(values)

    given = [v for v in x if v > 0.0]
    return add(*given)


@refused(X)
def unknown_keywords(x):
    def add(a, b):
        return a * b

    given = {name: v for name, v in zip("ab", x)}
    return add(**given)


@refused(X)
def operator_on_a_list(x):
    items = [x[0], x[1]]
    return sum(items * x[2])


@refused(X)
def decorated_by_what_is_not_known(x):
    def twice(f):
        return lambda v: f(f(v))

    @twice
    def run(n):
        return run(n - 1) * x[0] if n > 0 else x[1]

    return run(2)


@refused(X)
def super_of_what_is_not_known(x):
    return super(Held, x).run() * x[1]


@refused(X)
def set_of_what_varies(x):
    seen = {x[0], x[1]}
    return sum(seen)


@refused(X)
def formatted_and_read_again(x):
    return float(f"{x[0]:.3f}") * x[1]


@refused(X)
def yields_in_the_function(x):
    yield x[0]


@refused(X)
def mapping_pattern_of_a_class(x):
    match x[0]:
        case unknown_class(v):  # noqa: F821
            return v
    return x[1]


@refused(X)
def async_with(x):
    async def run():
        async with x as y:
            return y

    return x[0]


@refused(X)
def async_for(x):
    async def run():
        async for v in x:
            return v

    return x[0]


@refused(X)
def nonlocal_counter_of_a_generator(x):
    n = 0

    def numbers():
        nonlocal n
        for v in x:
            n += 1
            yield v * n

    given = numbers()
    return next(given) * n + next(given) * n


@refused(X)
def starred_call_of_a_rule(x):
    pair = [x[0], x[1]]
    return np.einsum(",", *[v for v in pair if v > 0.0])


@refused(X)
def enumerated_while_it_grows(x):
    items = [x[0], x[1]]
    y = 0.0
    pairs = enumerate(items)
    for i, v in pairs:
        if i < 1:
            items.append(v * v)
            break
    for i, v in pairs:
        if i < 2:
            items.append(v * x[2])
        y = y + v * i
    return y


@refused(X)
def exec_inside(x):
    exec("y = 2.0")
    return x[0]


@refused(X)
def globals_inside(x):
    return globals()["X"][0] * x[0]
