"""Every rule for `scipy.special`, run by itself, and derivatives of them by families."""

import subprocess
import sys

import numpy as np
import pytest

special = pytest.importorskip("scipy.special", reason="SciPy is not installed")

import tapeless as tl  # noqa: E402
from tapeless.errors import NoGradientError  # noqa: E402
from tapeless.rules import declare  # noqa: E402
from tapeless.rules.scipy.special.orthogonal_objects import (  # noqa: E402
    coefficients_of,
    powers_of,
    weights_of,
)
from tapeless.runtime.shape_derivatives import (  # noqa: E402
    betainc_scores,
    gammainc_scores,
    stdtr_df_slope,
)
from tapeless.runtime.special import rgamma_slope  # noqa: E402
from tapeless.source.loader import load  # noqa: E402
from tapeless.testing import check_grads, check_rule  # noqa: E402
from tests.rules.test_grid import emptied, with_strides  # noqa: E402

x = np.array([-1.3, 0.4, 2.2])  # anywhere
p = np.array([0.3, 1.7, 4.2])  # positive
u = np.array([0.15, 0.5, 0.8])  # in the unit interval
s = np.array([-0.6, 0.2, 0.7])  # between -1 and 1
a = np.array([0.7, 2.5, 1.3])
b = np.array([1.9, 0.8, 3.1])
z = x + 1j * np.array([0.5, -0.3, 0.8])

CALLS = {
    "expit": [(x,)],
    "logit": [(u,)],
    "log_expit": [(x,)],
    "erf": [(x,), (z,)],
    "erfc": [(x,), (z,)],
    "erfcx": [(x,), (z,)],
    "erfi": [(x,), (z,)],
    "erfinv": [(s,)],
    "erfcinv": [(u,)],
    "dawsn": [(x,), (z,)],
    "wofz": [(z,)],
    "voigt_profile": [(x, a, b)],
    "fresnel": [(x,)],
    "ndtr": [(x,)],
    "log_ndtr": [(x,), (np.array([-40.0, -5.0, 5.0]),)],
    "ndtri": [(u,)],
    "ndtri_exp": [(np.log(u),)],
    "owens_t": [(x, a)],
    "entr": [(p,)],
    "rel_entr": [(a, b)],
    "kl_div": [(a, b)],
    "xlogy": [(x, p)],
    "xlog1py": [(x, p)],
    "huber": [(p, x)],
    "pseudo_huber": [(p, x)],
    "cbrt": [(p,)],
    "exp2": [(x,)],
    "exp10": [(x,)],
    "expm1": [(x,), (z,)],
    "log1p": [(p,), (z,)],
    "powm1": [(p, x)],
    "exprel": [(x,), (np.array([-0.3, 1e-9, 0.2]),)],
    "spence": [(p,), (np.array([0.985, 1.0, 1.019]),)],
    "boxcox": [(p, s), (p, np.array([0.0, 1e-9, 0.2]))],
    "boxcox1p": [(p, s)],
    "inv_boxcox": [(p, s)],
    "inv_boxcox1p": [(p, s)],
    "cosm1": [(x,)],
    "sindg": [(20 * x,)],
    "cosdg": [(20 * x,)],
    "tandg": [(20 * x,)],
    "cotdg": [(20 * x,)],
    "radian": [(x, a, b)],
    "gamma": [(p,), (np.array([-1.3, -0.4, 0.5]),), (z,)],
    "gammaln": [(p,), (np.array([-1.3, -0.4, 0.5]),)],
    "loggamma": [(p,), (z,)],
    "rgamma": [(p,), (np.array([-1.3, -0.4, 0.5]),), (np.array([-2.0, -1.0, 0.0]),)],
    "psi": [(p,), (np.array([-1.3, -0.4, 0.5]),)],
    "polygamma": [(0, p), (2, p)],
    "multigammaln": [(p + 1.0, 3)],
    "beta": [(a, b)],
    "betaln": [(a, b)],
    "poch": [(a, b)],
    "binom": [(a + 3.0, b)],
    "comb": [(a + 3.0, b)],
    "factorial": [(p,)],
    "gammainc": [(a, p), (3, p), (a, np.array([0.1, 9.0, 30.0]))],
    "gammaincc": [(a, p), (2, p)],
    "gammaincinv": [(a, u), (2, u)],
    "gammainccinv": [(a, u), (2, u)],
    "betainc": [(a, b, u), (2, 3, u)],
    "betaincc": [(a, b, u), (2, 3, u)],
    "betaincinv": [(a, b, u), (2, 3, u)],
    "betainccinv": [(a, b, u), (2, 3, u)],
    "exp1": [(p,), (z,)],
    "expi": [(p,)],
    "expn": [(0, p), (1, p), (3, p)],
    "sici": [(p,)],
    "shichi": [(p,)],
    "zeta": [(3, p)],
    "lambertw": [(p,), (z,)],
    "wrightomega": [(x,)],
    "j0": [(x,)],
    "j1": [(x,)],
    "jv": [(0, x), (2, x), (2, z)],
    "jve": [(2, x)],
    "y0": [(p,)],
    "y1": [(p,)],
    "yn": [(2, p)],
    "yv": [(2, p), (1, z)],
    "yve": [(2, p)],
    "hankel1": [(1, z)],
    "hankel2": [(1, z)],
    "hankel1e": [(1, z)],
    "hankel2e": [(1, z)],
    "i0": [(x,)],
    "i1": [(x,)],
    "iv": [(2, x), (2, z)],
    "i0e": [(x,)],
    "i1e": [(x,)],
    "ive": [(2, x)],
    "k0": [(p,)],
    "k1": [(p,)],
    "k0e": [(p,)],
    "k1e": [(p,)],
    "kn": [(2, p)],
    "kv": [(2, p), (1, z)],
    "kve": [(2, p)],
    "spherical_jn": [(2, p), (2, p, True)],
    "spherical_yn": [(2, p), (2, p, True)],
    "spherical_in": [(2, p), (2, p, True)],
    "spherical_kn": [(2, p), (2, p, True)],
    **{name: [(x,), (np.zeros(1),)] for name in ("ber", "bei", "berp", "beip")},
    **{name: [(p,)] for name in ("ker", "kei", "kerp", "keip")},
    "struve": [(2, p), (1, np.array([-0.3, 0.0, 0.4])), (0, np.array([-0.3, 0.0, 0.4]))],
    "modstruve": [
        (2, p),
        (1, np.array([-0.3, 0.0, 0.4])),
        (0, np.array([-0.3, 0.0, 0.4])),
    ],
    "airy": [(x,), (z,)],
    "ellipk": [(s,), (np.array([-3.0, 0.0, 0.95]),)],
    "ellipkm1": [(u,)],
    "ellipe": [(s,), (np.array([-3.0, 0.0, 0.95]),)],
    "ellipkinc": [(u, s), (u, np.array([0.0, 0.1, 0.2]))],
    "ellipeinc": [(u, s), (u, np.array([0.0, 0.1, 0.2]))],
    "ellipj": [(x, 0)],
    "elliprf": [(p, a, b)],
    "elliprc": [(p, a), (p, -b), (a, a)],
    "elliprd": [(p, a, b), (a, b, a), (a, a, a), (b, a, b * 1.001)],
    "elliprg": [(p, a, b), (a, a, a)],
    "elliprj": [(p, a, b, u), (a, p, b, a), (a, a, a, a), (p, a, b, -u), (p, a, b, a * 0.998)],
    "hyp0f1": [(2, x)],
    "hyp1f1": [(2, 3, x)],
    "hyp2f1": [(2, 1, 3, s)],
    "hyperu": [(2, 3, p)],
    "eval_legendre": [(0, s), (3, s)],
    "eval_sh_legendre": [(3, u)],
    "eval_chebyt": [(0, s), (3, s)],
    "eval_sh_chebyt": [(3, u)],
    "eval_chebyu": [(0, s), (3, s)],
    "eval_sh_chebyu": [(3, u)],
    "eval_gegenbauer": [(0, 2, s), (3, 2, s)],
    "eval_jacobi": [(0, 1, 2, s), (3, 1, 2, s)],
    "eval_laguerre": [(0, s), (3, s)],
    "eval_genlaguerre": [(0, 2, s), (3, 2, s)],
    "eval_hermite": [(0, s), (3, s)],
    "eval_hermitenorm": [(0, s), (3, s)],
    "eval_chebyc": [(0, s), (3, s)],
    "eval_chebys": [(0, s), (3, s)],
    "eval_sh_jacobi": [(0, 3, 2, u), (3, 3, 2, u)],
    "lpmv": [(1, 2, s)],
    "stdtr": [(a, x), (3, x)],
    "stdtrit": [(a, u), (3, u)],
    "chdtr": [(a, p), (3, p)],
    "chdtrc": [(a, p), (3, p)],
    "chdtri": [(a, u), (3, u)],
    "gdtr": [(a, b, p), (a, 2, p)],
    "gdtrc": [(a, b, p), (a, 2, p)],
    "fdtr": [(a, b, p), (3, 5, p)],
    "fdtrc": [(a, b, p), (3, 5, p)],
    "pdtr": [(2, p)],
    "pdtrc": [(2, p)],
    "bdtr": [(2, 5, u)],
    "bdtrc": [(2, 5, u)],
    "nbdtr": [(2, 5, u)],
    "nbdtrc": [(2, 5, u)],
    "kolmogorov": [(p,), (np.array([0.1, 0.4, 0.9]),)],
    "kolmogi": [(u,)],
    "sph_harm_y": [(3, 2, p, x), (2, -1, p, x)],
    "softplus": [(x,)],
    "softmax": [(x,), (np.array([[0.3, -1.0], [2.0, 0.1]]), 0)],
    "log_softmax": [(x,), (np.array([[0.3, -1.0], [2.0, 0.1]]), 0)],
    "logsumexp": [(x,), (np.array([[0.3, -1.0], [2.0, 0.1]]), 1), (x, None, p)],
    "gammasgn": [(p,)],
    "round": [(p,)],
}


def rules_of(module):
    """The functions with a rule that a module of rules declares."""
    declare.find_rule(special.expit)
    homes = [
        (fn, getattr(rule.function, "__module__", "")) for fn, rule in declare._BUILT_IN.items()
    ]
    return {fn for fn, home in homes if str(home).startswith(module)}


def present():
    return [name for name in CALLS if hasattr(special, name)]


@pytest.mark.parametrize("name", present())
def test_rule(name):
    for args in CALLS[name]:
        check_rule(getattr(special, name), *args, check_rtol=1e-5)
    for change in (with_strides, emptied):
        varied = [change(x) for x in CALLS[name][0]]
        quick = {"check_order": 1, "check_float32": False, "check_shapes": False}
        if change is with_strides or name not in ("logsumexp", "softmax", "log_softmax"):
            check_rule(getattr(special, name), *varied, check_rtol=1e-5, **quick)


def test_every_rule_is_checked():
    checked = {getattr(special, n) for n in present()} | {fn for fn, _ in IN_SHAPES}
    checked |= {rgamma_slope}  # by the second derivatives of rgamma
    checked |= {coefficients_of, powers_of, weights_of}  # by the polynomials that are made of them
    assert rules_of("tapeless.rules.scipy.special") - checked == set()


IN_SHAPES = [
    (gammainc_scores, (1, a, p)),
    (gammainc_scores, (2, a, p)),
    (betainc_scores, (1, 0, a, b, u)),
    (betainc_scores, (1, 1, a, b, u)),
    (stdtr_df_slope, (p, x)),
]


@pytest.mark.parametrize("primal, args", IN_SHAPES)
def test_derivatives_in_shapes(primal, args):
    check_rule(primal, *args, check_rtol=1e-5)


POINTS = {"x": x, "p": p, "u": u, "s": s, "a": a, "b": b}
SECOND_ORDER_UNKNOWN = {"gammasgn", "round"}


def sum_of(names):
    """Write the sum of the first calls of some functions at the points above."""
    terms = []
    for name in names:
        keys = [next((k for k, v in POINTS.items() if v is arg), None) for arg in CALLS[name][0]]
        passed = [k or repr(arg) for k, arg in zip(keys, CALLS[name][0])]
        if None not in keys or all(np.ndim(arg) == 0 or k for k, arg in zip(keys, CALLS[name][0])):
            call = f"special.{name}({', '.join(passed)})"
            terms.append(f"sum({call})" if name in SEVERAL else call)
    text = "def f(x, p, u, s, a, b):\n    return " + "\\\n        + ".join(terms)
    return load(text, "f", {"special": special})["f"]


SEVERAL = {"fresnel", "sici", "shichi", "airy", "ellipj"}
SMOOTH = [n for n in present() if n not in SECOND_ORDER_UNKNOWN and n != "sph_harm_y"]


@pytest.mark.parametrize("start", range(0, len(SMOOTH), 12))
def test_second_order(start):
    f = sum_of(SMOOTH[start : start + 12])
    if start % 36 == 0:  # the other mode puts the same partials to use
        check_grads(f, x, p, u, s, a, b, order=1, modes=("reverse",), rtol=1e-5)
    check_grads(f, x, p, u, s, a, b, order=2, modes=("forward",), rtol=1e-5)


def test_what_is_not_known_is_refused_by_name():
    with pytest.raises(NoGradientError, match="scipy.special.jv in `v`.* order"):
        tl.grad(lambda v, x: special.jv(v, x))(0.5, 2.0)
    with pytest.raises(NoGradientError, match="scipy.special.zeta in `x`.*exponent"):
        tl.jvp(lambda x, q: special.zeta(x, q), (2.5, 2.0), (1.0, 0.0))
    with pytest.raises(NoGradientError, match="scipy.special.zetac: .*exponent"):
        tl.grad(lambda x: special.zetac(x))(2.5)


def of_carlson(x, y, z):
    twice = special.elliprd(x, y, x) + special.elliprj(x, y, z, z) * special.elliprc(y, x)
    return np.sum(twice + special.elliprg(x, z, z) * special.elliprf(y, y, z))


def of_struve(x):
    return np.sum(special.struve(1, x) * special.modstruve(0, x) + special.struve(1.5, x**2 + 1.0))


def of_given_orders(x):
    first = special.jvp(1.5, x) + special.yvp(1, x, 2) * special.ivp(0, x, n=3)
    return np.sum(first * special.kvp(0.5, x, 2) + np.abs(special.h1vp(1, x) * special.h2vp(0, x)))


@pytest.mark.parametrize("name", ["jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp"])
@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_derivatives_of_a_given_order_have_the_value_of_scipy(name, order):
    fn = getattr(special, name)
    for v in (0, 1.5, -2):
        found, wanted = declare.find_written(fn)(v, p, order), fn(v, p, order)
        assert np.allclose(found, wanted, rtol=1e-12)


def test_derivatives_of_a_given_order():
    check_grads(of_given_orders, p, rtol=1e-5, modes=("reverse",))


@pytest.mark.parametrize(
    ("f", "args"), [(of_carlson, (a, b, p)), (of_struve, (np.array([-0.4, 0.0, 1.3]),))]
)
def test_carlson_and_struve_twice(f, args):
    """Where two arguments of an integral are equal, and at 0."""
    check_grads(f, *args, rtol=1e-5, replay=True)


@pytest.mark.parametrize("shape", [1e-3, 0.3, 2.0, 50.0, 1e4])
@pytest.mark.parametrize("share", [1e-9, 0.2, 0.5, 0.999])
def test_shapes_of_incomplete_gamma_functions(shape, share):
    """From a shape to the next one the function falls by ``x**a * exp(-x) / gamma(a + 1)``."""
    x = special.gammaincinv(shape, share)
    if x > 1e-200:
        here = tl.grad(lambda a: special.gammainc(a, x))(shape)
        above = tl.grad(lambda a: special.gammainc(a + 1.0, x))(shape)
        step = np.exp(shape * np.log(x) - x - special.gammaln(shape + 1.0))
        assert np.isclose(here - above, step * (np.log(x) - special.psi(shape + 1.0)), rtol=1e-9)


def test_shapes_at_the_ends():
    at_zero = tl.grad(lambda a: np.sum(special.gammainc(a, np.array([0.0, np.inf]))))
    assert abs(at_zero(2.5)) < 1e-15
    of_beta = tl.grad(lambda a: np.sum(special.betainc(a, 1.3, np.array([0.0, 1.0]))))
    assert abs(of_beta(2.5)) < 1e-15


def test_order_that_does_not_move():
    slope = tl.grad(lambda v, x: special.jv(v, x), "x")(0, 2.0)
    assert slope == pytest.approx(-special.j1(2.0))


def written_out(a, b, x):
    return np.sum(special.agm(a, b) * special.diric(x, 4))


def test_what_is_written_out():
    places = np.array([-1.3, 0.4, 2.0 * np.pi])
    assert np.isclose(tl.value_and_grad(written_out)(a, b, places)[0], written_out(a, b, places))
    check_grads(written_out, a, b, np.array([-1.3, 0.4, 6.2]), order=1, modes=("reverse",))
    if hasattr(special, "sph_harm_y"):  # since SciPy 1.15
        check_grads(lambda t: np.abs(special.sph_harm_y(3, 1, t, 0.4)) ** 2, 0.3, order=1)


def masked(x):
    return np.sum(np.where(x > 0, special.gammaln(x), 0.0))


def test_poles_behind_a_mask():
    assert np.array_equal(tl.grad(masked)(np.array([0.0, 1.0])), [0.0, special.psi(1.0)])


def test_terms_without_weight():
    slope = tl.grad(lambda p: np.sum(special.xlogy(np.array([0.0, 1.0]), p)))
    assert np.array_equal(slope(np.array([0.0, 0.5])), [0.0, 2.0])
    shares = tl.grad(lambda x: special.logsumexp(x))(np.array([-np.inf, 0.0]))
    assert np.array_equal(shares, [0.0, 1.0])


ON_DEMAND = """
import sys
import tapeless as tl
from tapeless.rules.declare import find_rule
assert "scipy" not in sys.modules
from scipy import special
assert not any(name.startswith("tapeless.rules.scipy.") for name in sys.modules)
rule = lambda x: (special.expit(x), lambda y_bar: 7.0)
tl.register_gradient(special.expit, rule, override=True)
assert find_rule(special.expit).function is rule
tl.unregister_gradient(special.expit)
assert find_rule(special.expit).function.__module__.startswith("tapeless.rules.scipy.special")
"""


def test_rules_are_loaded_when_a_function_is_met():
    done = subprocess.run([sys.executable, "-c", ON_DEMAND], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
