"""Every function of SciPy with a derivative takes what SciPy takes, and stands in a test."""

import inspect
from pathlib import Path

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="SciPy is not installed")

from scipy import fft, optimize, special  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402

import tapeless as tl  # noqa: E402
from tapeless.coverage import covered, module_or_class  # noqa: E402
from tapeless.rules.declare import find_rule, find_written  # noqa: E402
from tapeless.rules.sparse import functions_of_sparse  # noqa: E402
from tapeless.testing import check_grads  # noqa: E402
from tests.rules.calls import calls_in_tests  # noqa: E402
from tests.rules.test_keywords import NAMES  # noqa: E402

VERSION = tuple(int(part) for part in scipy.__version__.split(".")[:2])
UNTRIED = Path(__file__).with_name("untried_keywords.txt")
KNOWN = [
    one
    for one in covered()
    if one.name.startswith("scipy.") and one.form in ("rule", "elementwise", "written")
]


def found_of(one):
    """Return the function of a name; of a sparse array, what its method stands for."""
    if one.module == "scipy.sparse.csr_array":
        return functions_of_sparse()[one.label]
    return getattr(module_or_class(one.module), one.label)


def declared(one):
    """Return a function of SciPy, and the one of ours whose parameters are its own."""
    primal = found_of(one)
    written = find_written(primal)
    if written is not None:
        return primal, list(inspect.signature(written).parameters.values())
    rule = find_rule(primal)
    ours = list(inspect.signature(rule.function).parameters.values())
    return primal, ours[1:] if rule.form == "elementwise" else ours


def module_functions():
    return [one for one in KNOWN if one.name.count(".") == 2 or ".spatial." in one.name]


@pytest.mark.skipif(VERSION < (1, 17), reason="the signatures are those of SciPy 1.17")
@pytest.mark.parametrize("one", module_functions(), ids=lambda one: one.name)
def test_parameters_are_those_of_the_function(one):
    primal, ours = declared(one)
    try:
        theirs = list(inspect.signature(primal).parameters.values())
    except (TypeError, ValueError):
        pytest.skip("this version does not tell its signature")
    if isinstance(primal, np.ufunc):
        theirs = theirs[: primal.nin]
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in theirs):
        return  # what it takes is not told
    by_place = [p for p in ours if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for place, parameter in enumerate(by_place):
        known = place < len(theirs) and theirs[place].kind is not inspect.Parameter.KEYWORD_ONLY
        assert known or parameter.name in {p.name for p in theirs}, parameter.name
        if known and theirs[place].kind is not parameter.POSITIONAL_ONLY:
            assert theirs[place].name == parameter.name
    by_name = {p.name for p in ours if p.kind is p.KEYWORD_ONLY}
    assert by_name <= {p.name for p in theirs}


def test_each_is_in_a_test():
    called, in_tables = calls_in_tests(NAMES)
    missing = []
    for one in module_functions():
        primal = declared(one)[0]
        by_name = {one.label, getattr(primal, "__name__", one.label)} & in_tables
        if not by_name and primal not in called:
            missing.append(one.name)
    assert missing == ["scipy.spatial.transform.Rotation.apply"]  # a method, which `others` calls


def test_each_keyword_is_in_a_test():
    """What no test gives stands in `untried_keywords.txt`, and nothing else does."""
    called, _ = calls_in_tests(NAMES)
    untried = []
    for one in module_functions():
        primal, ours = declared(one)
        keys = {p.name for p in ours if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
        missing = sorted(keys - called.get(primal, keys))
        untried += [f"{one.name}: {', '.join(missing)}"] if missing else []
    kept = UNTRIED.read_text(encoding="utf-8").splitlines()
    assert untried == [line for line in kept if line[:1] not in ("#", "")]


def test_what_is_written_out_has_no_rule():
    """Such a call is not taken apart as one that is constant would be."""
    assert [
        one.name for one in KNOWN if find_written(found_of(one)) and find_rule(found_of(one))
    ] == []


def others(x, m):
    """What no other test calls."""
    planes = fft.ifft2(fft.fft2(m) ** 2).real + fft.irfftn(fft.rfftn(m) ** 2, s=np.shape(m))
    planes = planes + fft.ifftn(fft.fftn(m) ** 3).real * fft.ifftshift(m)
    line = fft.irfft(fft.rfft(x) ** 2, n=4) * special.sinc(x) * optimize.rosen_der(x)
    root = optimize.brenth(lambda z: z**3 - x[0], 0.0, 2.0)
    return np.sum(planes) + np.sum(line) + root * np.sum(Rotation.identity().apply(x[:3]) ** 2)


def test_others():
    x, m = np.array([0.7, -0.3, 0.2, 0.9]), np.arange(8.0).reshape(2, 4) * 0.37 % 1.1
    assert np.isclose(tl.value_and_grad(others)(x, m)[0], others(x, m))
    check_grads(others, x, m, order=1, modes=("reverse",), rtol=1e-5)
