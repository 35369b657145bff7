"""Every rule in a grid: the calls of `grid.txt`, each at several layouts, sizes and dtypes.

A line of the grid is one call. Its rule is run by itself on the arrays below, and on the same ones with
other strides, in Fortran's order, complex and empty, where the function takes them: value, cotangents,
tangents and, once, the second order are compared with differences. No derivative is written for that.
"""

import inspect
from pathlib import Path

import numpy as np
import pytest

import tapeless as tl
from tapeless.coverage import covered, module_or_class
from tapeless.rules.declare import find_rule
from tapeless.rules.reasons import reason_without
from tapeless.testing import check_rule
from tests.rules.calls import calls_in_tests
from tests.rules.grid import LINES, call_of, is_there, run

HERE = Path(__file__).parent


def is_real(x):
    return isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.ndim > 0


def with_strides(x):
    if not is_real(x):
        return x
    wide = np.zeros(tuple(2 * n for n in x.shape))
    every_other = wide[tuple(slice(None, None, 2) for _ in x.shape)]
    every_other[...] = x
    return every_other


def in_fortran_order(x):
    return np.asfortranarray(x) if is_real(x) else x


def made_complex(x):
    return x + 0.4j * np.cos(3.0 * x + 1.0) if is_real(x) else x


def emptied(x):
    return x[:0] if is_real(x) else x


VARIANTS = [with_strides, in_fortran_order, made_complex, emptied]


def is_finite(y):
    parts = y if isinstance(y, tuple | list) else [y]
    return all(np.all(np.isfinite(part)) for part in parts)


def varied(line, change):
    """Return the call of a line with other arrays; None where the function does not take them."""
    primal, args, keywords = call_of(line)
    args = [change(x) for x in args]
    keywords = {key: change(x) for key, x in keywords.items()}
    if all(x is y for x, y in zip(args, call_of(line)[1], strict=True)):
        return None
    try:
        return (primal, args, keywords) if is_finite(run(primal, args, keywords)) else None
    except (ValueError, TypeError, IndexError, ZeroDivisionError, np.linalg.LinAlgError):
        return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", LINES)
def test_call(line):
    if not is_there(line):
        pytest.skip("this version of NumPy does not take it")
    primal, args, keywords = call_of(line)
    check_rule(primal, *args, **keywords)
    for change in VARIANTS:
        call = varied(line, change)
        if call is None or any(word in line for word in NOT_AS[change]):
            continue
        try:
            check_rule(
                call[0], *call[1], check_order=1, check_float32=False, check_shapes=False, **call[2]
            )
        except tl.TapelessError as error:  # what is refused says so
            assert "is differentiated" in str(error) or "has no gradient" in str(error)


# What compares looks at real parts first; einsum and its like sum in another order; some read nothing,
# or what they are given to divide by is zero.
NOT_AS = {
    made_complex: ("max", "min", "sort", "partition", "median", "ptp", "unique", "heaviside", "clip",
                   "quantile", "percentile", "dtype=float", "aweights"),
    with_strides: (),
    in_fortran_order: (),
    emptied: ("weights=", "polymul", "einsum", "unstack", "histogram", "hfft",
              "irfft(m", "tensorsolve"),
}  # fmt: skip


def built_in_rules():
    """List the rules for functions of Python and NumPy, with the names of the functions."""
    found = {}
    for one in covered(with_scipy=False):
        if one.form in ("rule", "elementwise"):
            found.setdefault(getattr(module_or_class(one.module), one.label), one.name)
    return [pytest.param(primal, id=name) for primal, name in found.items()]


@pytest.fixture(scope="module")
def tested():
    return calls_in_tests({})


@pytest.mark.parametrize("primal", built_in_rules())
def test_each_rule_is_checked(primal, tested, request):
    label = request.node.callspec.id.rpartition(".")[2]
    called, in_tables = tested
    by_name = {label, getattr(primal, "__name__", label)} & (in_tables | NOT_CALLED)
    assert by_name or primal in called, "add a call of it to tests/rules/grid.txt"


UNTRIED = {"builtins.pow: mod", "numpy.random.normal: loc, scale, size"}  # which other tests give


def test_each_keyword_is_in_a_test(tested):
    """Each parameter that a rule takes is given by a call of the grid, or of another test."""
    untried = set()
    for param in built_in_rules():
        [primal] = param.values
        rule = find_rule(primal)
        ours = list(inspect.signature(rule.function).parameters.values())
        ours = ours[1:] if rule.form == "elementwise" else ours
        keys = {p.name for p in ours if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
        missing = sorted(keys - tested[0].get(primal, keys))
        if missing:
            untried.add(f"{param.id}: {', '.join(missing)}")
    assert untried <= UNTRIED


# Attributes; what an operator of Python stands for; families whose names the tests put together
NOT_CALLED = {
    "imag", "real", "T", "mT", "divmod", "mod", "neg", "truediv", "complex64", "csingle", "fromiter",
    "eigvalsh", "fftfreq", "rfftfreq",
} | {
    f"{base}{action}"
    for base in ("poly", "cheb", "leg", "lag", "herm", "herme")
    for action in ("fit", "line", "fromroots")
}  # fmt: skip


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="some have other names")
@pytest.mark.parametrize("primal", built_in_rules())
def test_parameters_are_those_of_the_function(primal):
    rule = find_rule(primal)
    try:
        theirs = list(inspect.signature(primal).parameters.values())
    except (TypeError, ValueError):
        pytest.skip("this version does not tell its signature")
    if isinstance(primal, np.ufunc):
        theirs = theirs[: primal.nin]
    ours = list(inspect.signature(rule.function).parameters.values())
    ours = ours[1:] if rule.form == "elementwise" else ours
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in theirs):
        return  # what it takes is not told
    by_place = [p for p in ours if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for place, parameter in enumerate(by_place):
        assert place < len(theirs), f"{parameter.name} is no parameter of it"
        only_by_place = theirs[place].kind is parameter.POSITIONAL_ONLY
        assert only_by_place or theirs[place].name == parameter.name
        unsaid = theirs[place].default is np._NoValue or parameter.kind is parameter.POSITIONAL_ONLY
        assert unsaid or theirs[place].default == parameter.default
    by_name = {p.name for p in ours if p.kind is p.KEYWORD_ONLY}
    assert by_name <= {p.name for p in inspect.signature(primal).parameters.values()}


BY_ONE = ["exponential", "rayleigh", "weibull", "power", "pareto"]
DRAWS = ["normal", "laplace", "logistic", "gumbel", "uniform", "lognormal", "gamma", *BY_ONE]


@pytest.mark.parametrize("owner", [np.random, np.random.RandomState, np.random.Generator])
@pytest.mark.parametrize("label", DRAWS)
def test_draws_move_with_their_parameters(owner, label):
    def drawn(*parameters):
        if owner is np.random.Generator:
            return getattr(np.random.default_rng(3), label)(*parameters, size=4)
        return getattr(np.random.RandomState(3), label)(*parameters, size=4)

    parameters = [0.7] if label in BY_ONE else [0.5, 1.3]
    own = () if owner is np.random else (None,)
    y = drawn(*parameters)
    partials = find_rule(getattr(owner, label)).function(y, *own, *parameters, 4)
    partials = partials[len(own) :] if isinstance(partials, tuple) else (partials,)
    for i, partial in enumerate(partials[: len(parameters)]):
        if partial is None:  # the shape of a gamma distribution
            assert reason_without(getattr(owner, label), "shape")
            continue
        ahead, behind = list(parameters), list(parameters)
        ahead[i] += 1e-6
        behind[i] -= 1e-6
        assert np.allclose((drawn(*ahead) - drawn(*behind)) / 2e-6, partial, rtol=1e-6)
