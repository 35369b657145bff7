"""The laws that every derivative obeys, as one check.

A derivative program can be wrong in more ways than in its numbers: it can change its arguments,
keep something from one call to the next, hand out memory that it still uses, or lose the dtype.
`check_function` asks all of it of one function at one point. The numbers are compared with
central differences at two step sizes: their difference estimates the error of the reference, so
that the tolerance follows the function instead of being guessed, and a sample at which the
function is not smooth is reported as a bad sample instead of passing by accident.

Structures are walked here without help of the package under test: only floats and arrays of
floats carry a derivative; ints, bools, strings, None, functions and objects of other classes
carry nothing.
"""

import copy
import dataclasses
import functools
import inspect
import os
import pathlib
import re
import zlib

import numpy as np

import tapeless as tl

STEP = 1e-4
all_samples = False  # whether to check of all functions what is checked of one in several
# how far two derivative programs for the same number may differ by rounding
AGREEMENT = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 2e-3}


def inner(a, b):
    """Return the sum of the products of two scalars or arrays; plain code, differentiated too."""
    return np.sum(a * b)


# -- structures ------------------------------------------------------------------------------


def is_float(x):
    return isinstance(x, (float, np.floating)) or (
        isinstance(x, np.ndarray) and x.dtype.kind == "f"
    )


def is_record(x):
    return dataclasses.is_dataclass(x) and not isinstance(x, type)


def children(tree):
    """Return the parts of a structure by key, or None for a leaf."""
    if isinstance(tree, dict):
        return tree
    if isinstance(tree, (list, tuple)):
        return dict(enumerate(tree))
    if is_record(tree):
        return {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}
    return None


def rebuilt(like, parts):
    """Make a structure of the same type from new parts."""
    if isinstance(like, dict):
        new = copy.copy(like)
        new.update(parts)
        return new
    if is_record(like):
        return dataclasses.replace(like, **parts)
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return type(like)(*parts.values())
    return type(like)(parts.values())


def map_floats(function, tree, *others, blank=False):
    """Apply `function` to the floats of structures; other leaves stay, or become None."""
    parts = children(tree)
    if parts is not None:
        other_parts = [children(other) for other in others]
        return rebuilt(
            tree,
            {
                key: map_floats(function, part, *[p[key] for p in other_parts], blank=blank)
                for key, part in parts.items()
            },
        )
    if is_float(tree):
        return function(tree, *others)
    return None if blank else tree


def float_leaves(tree):
    parts = children(tree)
    if parts is None:
        return [tree] if is_float(tree) else []
    return [leaf for part in parts.values() for leaf in float_leaves(part)]


def leaves_like(like, tree, what, path=""):
    """Return the leaves of `tree` at the floats of `like`, after checking structure, shape, dtype."""
    parts = children(like)
    if parts is None:
        if not is_float(like):
            return []
        place = f"{what}{path}"
        assert is_float(tree), f"{place} is {tree!r}: expected a float like {like!r}"
        assert np.shape(tree) == np.shape(like), (
            f"{place} has shape {np.shape(tree)}, its argument {np.shape(like)}"
        )
        got, wanted = np.asarray(tree).dtype, np.asarray(like).dtype
        assert got == wanted, f"{place} has dtype {got}, its argument {wanted}"
        if isinstance(like, np.ndarray) and like.ndim:
            assert isinstance(tree, np.ndarray), f"{place} is {type(tree).__name__}, not an array"
        return [tree]
    assert type(tree) is type(like), f"{what}{path} is {type(tree)}, its argument {type(like)}"
    found = children(tree)
    # equal dicts may list their keys in another order
    assert set(found) == set(parts), f"{what}{path} has {list(found)}, expected {list(parts)}"
    return [
        leaf
        for key, part in parts.items()
        for leaf in leaves_like(part, found[key], what, f"{path}[{key!r}]")
    ]


def random_like(rng, tree, blank=False):
    """Return a structure of random numbers of the same shapes and dtypes."""

    def draw(x):
        if isinstance(x, np.ndarray):
            return np.asarray(rng.normal(size=x.shape), x.dtype)
        return type(x)(rng.normal())

    return map_floats(draw, tree, blank=blank)


def tree_inner(leaves, others):
    return float(sum(np.sum(np.asarray(a, float) * b) for a, b in zip(leaves, others, strict=True)))


def tree_size(leaves, others):
    """Return the size of the terms of an inner product: the scale of its rounding."""
    terms = [np.sum(np.abs(np.asarray(a, float) * b)) for a, b in zip(leaves, others, strict=True)]
    return float(sum(terms))


def assert_identical(got, wanted, what):
    """Assert that two structures hold the same bits."""
    parts = children(wanted)
    if parts is not None:
        assert type(got) is type(wanted), f"{what}: {type(got)} instead of {type(wanted)}"
        found = children(got)
        assert list(found) == list(parts), f"{what}: {list(found)} instead of {list(parts)}"
        for key in parts:
            assert_identical(found[key], parts[key], f"{what}[{key!r}]")
    elif isinstance(wanted, (bool, int, float, np.generic, np.ndarray)):
        a, b = np.asarray(got), np.asarray(wanted)
        assert (a.dtype, a.shape) == (b.dtype, b.shape), f"{what}: {got!r} instead of {wanted!r}"
        assert a.tobytes() == b.tobytes(), f"{what}: {got!r} instead of {wanted!r}"
    elif hasattr(wanted, "__dict__") and not callable(wanted):
        assert_identical(vars(got), vars(wanted), what)
    elif not callable(wanted):
        assert got == wanted or got is wanted, f"{what}: {got!r} instead of {wanted!r}"


def assert_own_memory(grads, others, what):
    arrays = [x for x in float_leaves(grads) if isinstance(x, np.ndarray)]
    for i, x in enumerate(arrays):
        for y in arrays[:i]:
            assert not np.shares_memory(x, y), f"two {what} share memory"
        for y in float_leaves(others):
            if isinstance(y, np.ndarray):
                assert not np.shares_memory(x, y), f"{what}: memory shared with inputs or outputs"


# -- numbers ---------------------------------------------------------------------------------


def central_difference(phi):
    """Differentiate a function of a step numerically: the best estimate and its error bound."""
    coarse = (phi(STEP) - phi(-STEP)) / (2 * STEP)
    fine = (phi(STEP / 2) - phi(-STEP / 2)) / STEP
    best = (4.0 * fine - coarse) / 3.0
    error = abs(fine - coarse)
    assert np.isfinite(best), f"a bad sample: the central difference is {best}"
    assert error <= 1e-4 * (1.0 + abs(best)), (
        f"a bad sample: not smooth, differences {coarse} and {fine} at two step sizes"
    )
    return best, error + 1e-9 * (1.0 + abs(best)) + 1e-14 * abs(phi(0.0)) / STEP


def assert_near(got, wanted, error, what):
    assert np.isfinite(got), f"{what}: {got}, expected {wanted}"
    assert abs(got - wanted) <= error, f"{what}: {got}, expected {wanted} +- {error:.1e}"


def plain(f, args):
    """Call the function itself on private copies."""
    return f(*copy.deepcopy(args))


def in_double(tree):
    def widen(x):
        return x.astype(np.float64) if isinstance(x, np.ndarray) else float(x)

    return map_floats(widen, tree)


def shifted(tree, direction, step):
    def shift(x, d):
        moved = x + step * d
        return np.asarray(moved) if isinstance(x, np.ndarray) else moved

    return map_floats(shift, tree, direction)


def positions_with_floats(args):
    return tuple(i for i, arg in enumerate(args) if float_leaves(arg))


def least_dtype(args):
    dtypes = [np.asarray(leaf).dtype for leaf in float_leaves(args)]
    return min(dtypes, key=lambda dtype: dtype.itemsize, default=np.dtype(np.float64))


def directions_for(rng, args, wrt):
    """Return random directions: all of `wrt` together, each alone, and each leaf of a structure."""
    full = tuple(
        random_like(rng, arg) if i in wrt else map_floats(np.zeros_like, arg)
        for i, arg in enumerate(args)
    )
    yield full
    count = len(float_leaves(args))
    for chosen in range(count if 1 < count <= 8 else 0):
        at = iter(range(count))

        def only(d, at=at, chosen=chosen):
            return d if next(at) == chosen else np.zeros_like(d)[()]

        direction = map_floats(only, full)
        if any(np.any(leaf) for leaf in float_leaves(direction)):
            yield direction


# -- the laws --------------------------------------------------------------------------------


def check_function(f, args, wrt=None, smooth=True, seed=0):
    """Assert every law of derivatives of `f` at `args`.

    Parameters
    ----------
    f
        A function with a float, an array of floats, or a structure of them as its result.
    args
        Its positional arguments, at which it is smooth.
    wrt
        The position, or a tuple of the positions, to differentiate; all with floats if left out.
    smooth
        Also check the second derivative, of one function in three: it takes the most time.
    """
    args = tuple(args)
    smooth = smooth and is_one_in(3, f)
    rng = np.random.default_rng(seed)
    if wrt is None:
        wrt = positions_with_floats(args)
    wrt = (wrt,) if isinstance(wrt, int) else tuple(wrt)
    y = check_reverse(f, args, wrt, rng)
    check_forward(f, args, wrt, rng)
    if is_float(y) and np.ndim(y) == 0:
        check_grad(f, args, wrt, rng)
        if smooth and least_dtype(args) == np.float64:
            right_or_refused_second_order(f, args, wrt, rng)
    elif is_float(y) and smooth and least_dtype(args) == np.float64:
        right_or_refused_second_order(weighted(f, random_like(rng, y)), args, wrt, rng, f.__name__)


def check_orders(f, *args, **tolerances):
    """Assert that derivatives are right, and that their reverse sweeps read what was there.

    Of one program in three the second derivatives too, and of one in two what is read: these take the
    most time.
    """
    check = functools.partial(tl.check_grads, f, *args, replay=is_one_in(2, f), **tolerances)
    if not is_one_in(3, f) or not right_or_listed(f.__name__, args, lambda: check(order=2)):
        check(order=1)


def right_or_refused_second_order(f, args, wrt, rng, label=None):
    """Assert that second derivatives are right, or refused as the list of those says."""
    right_or_listed(
        label or f.__name__, args, lambda: check_second_order(f, args, wrt, rng, twice=False)
    )


def right_or_listed(label, args, check):
    """Return whether a check of second derivatives passes; if they are refused, the list must say so."""
    known = known_refusals()
    key = f"{running_test()} {label}"
    before = copy.deepcopy(args)
    try:
        check()
    except tl.TapelessError as refusal:
        assert_identical(args, before, "an argument after a refusal")
        reason = refusal_reason(refusal)
        assert known.get(key) == reason, f"refused at second order:\n{key} | {reason}\n{refusal}"
        return False
    assert key not in known, f"no longer refused: take it out of {REFUSALS.name}: {key}"
    return True


def running_test():
    """Return the name of the test that runs."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" ", 1)[0]


REFUSALS = pathlib.Path(__file__).with_name("refused_at_second_order.txt")


@functools.cache
def known_refusals():
    """Read which second derivatives are refused, by test and function, and why."""
    lines = REFUSALS.read_text().splitlines()
    return dict(line.split(" | ", 1) for line in lines if line and not line.startswith("#"))


def refusal_reason(refusal):
    """Return the first line of the reason of a refusal, without places and names of the tool's own."""
    first = str(refusal).splitlines()[0]
    return re.sub(r"^.*?:\d+: ", "", first)


def weighted(f, weights):
    """Make a function with an array as its result into one with a scalar."""

    def scalar(*a):
        return inner(f(*a), weights)

    return scalar


def check_reverse(f, args, wrt, rng):
    """Assert the laws of `vjp`; return the value."""
    before = copy.deepcopy(args)
    expected = plain(f, args)
    y, pullback = tl.vjp(f, *args)
    assert_identical(y, expected, "the value of vjp")
    assert_identical(args, before, "an argument after the forward sweep")
    y_bar = random_like(rng, y)
    y_bar_before = copy.deepcopy(y_bar)
    bars = pullback(y_bar)
    assert isinstance(bars, tuple) and len(bars) == len(args), "the pullback's result"
    assert_identical(args, before, "an argument after the reverse sweep")
    assert_identical(y_bar, y_bar_before, "the seed after the reverse sweep")
    assert_identical(y, expected, "the value after the reverse sweep")
    assert_own_memory([bars[i] for i in wrt], [args, y, y_bar], "cotangents")
    assert_identical(pullback(y_bar), bars, "the pullback called twice")
    check_numbers(f, args, wrt, y_bar, bars, rng)
    return y


def check_numbers(f, args, wrt, y_bar, bars, rng):
    """Assert that cotangents agree with central differences of `inner(y_bar, f(args))`."""
    leaves = {i: leaves_like(args[i], bars[i], f"cotangent {i}") for i in wrt}
    wide, seeds = in_double(args), float_leaves(y_bar)
    for direction in directions_for(rng, wide, wrt):

        def along(step, direction=direction):
            return tree_inner(float_leaves(plain(f, shifted(wide, direction, step))), seeds)

        d_leaves = {i: float_leaves(direction[i]) for i in wrt}
        got = sum(tree_inner(leaves[i], d_leaves[i]) for i in wrt)
        size = sum(tree_size(leaves[i], d_leaves[i]) for i in wrt)
        wanted, error = central_difference(along)
        error += AGREEMENT[least_dtype(args)] * (size + abs(wanted))
        if least_dtype(args) == np.float32:
            error += 1e-5 * (1.0 + abs(along(0.0)))
        assert_near(got, wanted, error, "vjp against central differences")


def check_forward(f, args, wrt, rng):
    """Assert the laws of `jvp`, and that it is the transpose of `vjp`."""
    before = copy.deepcopy(args)
    tangents = tuple(
        random_like(rng, arg, blank=True) if i in wrt else None for i, arg in enumerate(args)
    )
    tangents_before = copy.deepcopy(tangents)
    y, y_dot = tl.jvp(f, args, tangents)
    assert_identical(y, plain(f, args), "the value of jvp")
    assert_identical(args, before, "an argument after jvp")
    assert_identical(tangents, tangents_before, "a tangent after jvp")
    y_bar = random_like(rng, y)
    seeds = float_leaves(y_bar)
    y_dots = leaves_like(y, y_dot, "the tangent of the value")
    assert_own_memory(y_dot, [args, tangents, y], "tangents")
    _, pullback = tl.vjp(f, *args)
    bars = pullback(y_bar)
    leaves = [leaf for i in wrt for leaf in leaves_like(args[i], bars[i], f"cotangent {i}")]
    dots = [leaf for i in wrt for leaf in float_leaves(tangents[i])]
    size = tree_size(seeds, y_dots) + tree_size(leaves, dots)
    error = AGREEMENT[least_dtype(args)] * (1.0 + size)
    assert_near(
        tree_inner(seeds, y_dots), tree_inner(leaves, dots), error, "jvp against vjp, transposed"
    )


def check_grad(f, args, wrt, rng):
    """Assert the laws of `value_and_grad` beyond those of `vjp`; of some functions those of `grad`."""
    before = copy.deepcopy(args)
    expected = plain(f, args)
    g = tl.value_and_grad(f, wrt=independents(f, wrt))
    value, grads = g(*args)
    assert_identical(value, expected, "the value of value_and_grad")
    assert isinstance(grads, tuple) and len(grads) == len(wrt), "the result of value_and_grad"
    assert_identical(args, before, "an argument after value_and_grad")
    assert_own_memory(grads, args, "gradients")
    _, pullback = tl.vjp(f, *args)
    bars = pullback(type(expected)(1.0) if np.isscalar(expected) else np.ones_like(expected))
    for i, grad_i in zip(wrt, grads, strict=True):
        leaves = leaves_like(args[i], grad_i, f"gradient {i}")
        for a, b in zip(leaves, leaves_like(args[i], bars[i], "cotangent"), strict=True):
            tolerance = AGREEMENT[least_dtype(args)]
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    # another call in between must not change the next one
    g(*shifted_copy(args, rng))
    assert_identical(g(*args)[1], grads, "value_and_grad called again")
    if is_one_in(12, f):
        check_forms_of_grad(f, args, wrt, grads)


def independents(f, wrt):
    """Return the names of parameters, by which `check_replay` asks for a derivative, too."""
    if not inspect.isfunction(f):
        return wrt
    found = inspect.signature(f).parameters.values()
    named = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return tuple(named[i] for i in wrt) if max(wrt, default=0) < len(named) else wrt


def is_one_in(count, f):
    """Whether a function is one in so many, by its name and that of the test, or all are to be checked."""
    label = f"{running_test()} {getattr(f, '__name__', '')}"
    return all_samples or zlib.crc32(label.encode()) % count == 0


def check_forms_of_grad(f, args, wrt, grads):
    """Assert that `grad`, and `grad` of one independent, give the same as `value_and_grad`."""
    before = copy.deepcopy(args)
    g = tl.grad(f, wrt=wrt)
    again = g(*args)
    assert_identical(args, before, "an argument after grad")
    assert isinstance(again, tuple) and len(again) == len(wrt), "the result of grad"
    assert_own_memory(again, args, "gradients")
    assert_identical(g(*args), again, "grad called again")
    for i, a_grad, b_grad in zip(wrt, again, grads, strict=True):
        found = leaves_like(args[i], a_grad, f"gradient {i} of grad")
        for a, b in zip(found, leaves_like(args[i], b_grad, "gradient"), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)
    bare = tl.grad(f, wrt=wrt[0])(*args)
    leaves_like(args[wrt[0]], bare, "the bare gradient")


def shifted_copy(args, rng):
    """Return arguments nearby, of the same dtypes, so close that no branch changes."""

    def nudge(x, d):
        if isinstance(x, np.ndarray):
            return np.asarray(x + 1e-6 * d, x.dtype)
        return x + type(x)(1e-6)

    return map_floats(nudge, args, random_like(rng, args))


def check_second_order(f, args, wrt, rng, twice=True):
    """Assert forward over reverse against differences of the gradient; `twice`: and reverse over it."""
    g = tl.grad(f, wrt=wrt)
    first_order = tl.value_and_grad(f, wrt=independents(f, wrt))
    before = copy.deepcopy(args)
    tangents = tuple(
        random_like(rng, arg, blank=True) if i in wrt else None for i, arg in enumerate(args)
    )
    direction = tuple(
        random_like(rng, arg) if i in wrt else map_floats(np.zeros_like, arg)
        for i, arg in enumerate(args)
    )
    for i in wrt:
        direction = direction[:i] + (filled(args[i], tangents[i]),) + direction[i + 1 :]
    grads, grads_dot = tl.jvp(g, args, tangents)
    weights = [random_like(rng, args[i]) for i in wrt]

    def along(step, k):
        found = first_order(*shifted(args, direction, step))[1][k]
        leaves = leaves_like(args[wrt[k]], found, f"gradient {wrt[k]}")
        return tree_inner(leaves, float_leaves(weights[k]))

    for k, i in enumerate(wrt):
        leaves_like(args[i], grads[k], f"gradient {i} under jvp")
        dots = leaves_like(args[i], grads_dot[k], f"tangent of gradient {i}")
        wanted, error = central_difference(lambda step, k=k: along(step, k))
        size = tree_size(dots, float_leaves(weights[k]))
        got = tree_inner(dots, float_leaves(weights[k]))
        assert_near(got, wanted, error + 1e-7 * (1.0 + size), "jvp of grad")
    assert_identical(args, before, "an argument after jvp of grad")
    if not twice or any(children(args[i]) is not None for i in wrt):
        return
    for k, i in enumerate(wrt[:1]):
        product = gradient_along(tl.grad(f, wrt=i), weights[k])
        grads = tl.grad(product, wrt=wrt)(*args)
        wanted, error = central_difference(lambda step, k=k: along(step, k))
        pairs = [
            (leaf, d)
            for j, grad_j in zip(wrt, grads, strict=True)
            for leaf, d in zip(
                leaves_like(args[j], grad_j, f"second gradient {j}"),
                float_leaves(direction[j]),
                strict=True,
            )
        ]
        got = sum(tree_inner([leaf], [d]) for leaf, d in pairs)
        size = sum(tree_size([leaf], [d]) for leaf, d in pairs)
        assert_near(got, wanted, error + 1e-7 * (1.0 + size), "grad of grad")
    assert_identical(args, before, "an argument after grad of grad")


def gradient_along(g, v):
    """Make the directional derivative `<g(x), v>`, the function whose gradient is `H v`."""

    def product(*a):
        return inner(g(*a), v)

    return product


def filled(arg, tangent):
    """Return a tangent with the argument's own leaves where the tangent has None."""
    parts = children(arg)
    if parts is None:
        return arg if tangent is None else tangent
    found = children(tangent)
    return rebuilt(arg, {key: filled(part, found[key]) for key, part in parts.items()})


def right_or_refused(f, args, wrt=None, smooth=False):
    """Assert that a construct is differentiated rightly, or refused with file and line."""
    try:
        check_function(f, args, wrt=wrt, smooth=smooth)
    except tl.TapelessError as error:
        assert error.filename and error.lineno, f"a refusal without its place: {error}"
        return "refused"
    return "right"
