"""Every rule at second order, as the tool writes it: one call of each, several calls in one function.

The gradient of the weighted sum of some calls is differentiated in both modes: forward over reverse is
compared with differences of the gradient, and reverse over reverse with that, as its transpose.
"""

import math

import numpy as np
import pytest

import tapeless as tl
from tapeless.rules.declare import find_rule
from tests.rules.grid import LINES, SAMPLES, VARIED, call_of, compiled, is_there, names_in

STEP = 1e-4
TOGETHER = (
    8  # calls in one function: to write its derivatives takes less time than to write one of each
)

# of symmetric matrices, whose triangles do not change by themselves, and of what has a sign of its own
SYMMETRIC = [
    "np.linalg.cholesky(s @ s.T)",
    "np.linalg.cholesky(s @ s.T, upper=True)",
    "np.linalg.eigh(s + s.T)",
    "np.linalg.eigvalsh(s + s.T, UPLO='U')",
    "np.linalg.svd(m, full_matrices=False)",
]


def first_calls():
    """Return one call of each rule that has a second derivative to write."""
    chosen = {}
    for line in [*LINES, *SYMMETRIC]:
        if is_there(line):
            rule = find_rule(call_of(line)[0])
            chosen.setdefault(line if rule is None else rule.function, line)
    return [line for line in chosen.values() if names_in(line)]


def weighted_sum(lines):
    """Write the sum of some calls, each with weights, as one function of the samples that vary."""
    rng, known, body, terms = np.random.default_rng(5), {}, [], []
    for i, line in enumerate(lines):
        y = eval(line, dict(SAMPLES))
        several = isinstance(y, tuple | list)
        body.append(f"y{i} = {line}")
        for j, part in enumerate(y if several else [y]):
            if np.asarray(part).dtype.kind not in "fc":
                continue
            known[f"w{i}_{j}"] = rng.normal(size=np.shape(part))
            term = f"np.sum(w{i}_{j} * {f'y{i}[{j}]' if several else f'y{i}'})"
            terms.append(f"np.real({term}) + np.imag({term})" if np.iscomplexobj(part) else term)
    keys = names_in("; ".join(lines))
    body.append(f"return {' + '.join(terms)}")
    return compiled("\n    ".join(body), keys, **known), [VARIED[key] for key in keys]


def pair(xs, ys):
    return sum(float(np.sum(x * y)) for x, y in zip(xs, ys, strict=True))


def check_second_order(lines):
    f, values = weighted_sum(lines)
    rng = np.random.default_rng(3)
    gradient, v, changes = check_tangent_of_gradient(f, values, rng)
    u = directions(values, rng)
    pulled = tl.vjp(gradient, *values)[1](tuple(u))
    size = sum(float(np.sum(np.abs(x * y))) for x, y in zip(u, changes, strict=True))
    assert math.isclose(pair(pulled, v), pair(u, changes), rel_tol=1e-9, abs_tol=1e-9 * (1 + size))


def check_tangent_of_gradient(f, values, rng):
    """Compare the tangent of a gradient with its differences; return it, a direction, and the tangent."""
    gradient, v = tl.grad(f, wrt=tuple(range(len(values)))), directions(values, rng)

    def moved(step):
        return gradient(*(x + step * d for x, d in zip(values, v, strict=True)))

    wide, narrow = (
        [(p - q) / (2 * h) for p, q in zip(moved(h), moved(-h), strict=True)]
        for h in (STEP, STEP / 2)
    )
    changes = tl.jvp(gradient, tuple(values), tuple(v))[1]
    for got, far, near in zip(changes, wide, narrow, strict=True):
        wanted = (4 * near - far) / 3
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5 * (1 + np.max(np.abs(wanted))))
    return gradient, v, changes


def directions(values, rng):
    return [type_like(x, rng.normal(size=np.shape(x))) for x in values]


def type_like(x, drawn):
    return float(drawn) if isinstance(x, float) else drawn


CALLS = first_calls()
GROUPS = [CALLS[i : i + TOGETHER] for i in range(0, len(CALLS), TOGETHER)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.sampled(5)
@pytest.mark.parametrize("lines", GROUPS, ids=[group[0] for group in GROUPS])
def test_second_order(lines):
    try:
        check_second_order(lines)
    except (AssertionError, tl.GradientError):  # together they may be refused where none is alone
        for line in lines:
            check_second_order([line])
