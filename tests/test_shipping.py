"""Standalone derivatives: what they carry, what they refuse, and that they need NumPy only."""

import collections
import dataclasses
import inspect
import math
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tapeless as tl
from tapeless import shipped
from tapeless.cache import kind_key
from tapeless.shipping import standalone_for
from tests import laws

SCALE = 2.0
TABLE = {"shift": np.arange(3.0)}


def rounded(x, digits=1):
    return np.round(times_scale(x), digits)


def times_scale(x):
    return SCALE * x if math.isfinite(SCALE) else x


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def loss(w, x, n=3):
    return np.sum(np.tanh(w * rounded(x) + TABLE["shift"])) * factorial(n)


W, X = np.array([0.5, -1.0, 2.0]), np.array([0.31, 1.22, -0.47])


@pytest.fixture(scope="module")
def gradient():
    return tl.standalone(tl.value_and_grad(loss), like=(W, X))


def sent(g):
    return pickle.loads(pickle.dumps(g))


def test_it_is_equal_to_the_gradient_also_after_two_journeys(gradient):
    y, w_bar = tl.value_and_grad(loss)(W, X)
    for made in gradient, sent(gradient), sent(sent(gradient)):
        found = made(W, x=X)
        assert found[0] == y
        np.testing.assert_array_equal(found[1], w_bar)
    assert str(inspect.signature(sent(gradient))) == "(w, x, n=3)"
    assert type(sent(gradient)) is type(sent(gradient))
    assert sent(gradient).__name__ == "loss_value_and_grad"
    first = "# Sent along: SCALE, TABLE, factorial\nimport math\nimport numpy as np\n"
    assert gradient.text.startswith(first)


ELSEWHERE = """
import sys
sys.path = [p for p in sys.path if "site-packages" not in p] + [sys.argv[1]]
import pickle
gradient, arguments = pickle.load(open(sys.argv[2], "rb"))
open(sys.argv[2], "wb").write(pickle.dumps(gradient(*arguments)))
try:
    import tapeless
except ImportError:
    print("no tapeless")
"""


def test_only_numpy_is_needed_where_it_arrives(gradient, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    for package in pathlib.Path(np.__file__).parent.parent.glob("numpy*"):
        (site / package.name).symlink_to(package)
    (tmp_path / "sent").write_bytes(pickle.dumps((gradient, (W, X, 4))))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ELSEWHERE, str(site), str(tmp_path / "sent")],
        capture_output=True, text=True, timeout=60, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout == "no tapeless\n", done.stderr
    y, w_bar = pickle.loads((tmp_path / "sent").read_bytes())
    wanted = tl.value_and_grad(loss)(W, X, 4)
    assert y == wanted[0]
    np.testing.assert_array_equal(w_bar, wanted[1])


def test_what_is_read_stays_as_it_was(gradient, monkeypatch):
    made = sent(gradient)
    before = made(W, X)[0]
    monkeypatch.setitem(TABLE, "shift", np.zeros(3))
    assert made(W, X)[0] == before != loss(W, X)


def test_other_kinds_are_refused(gradient):
    for x in ([0.3], X[None], X.astype(np.float32), np.ones(1)):
        with pytest.raises(ValueError, match="'x' as it is here: a.*\n  fix: give sample"):
            gradient(W, x)
    with pytest.raises(TypeError, match="missing a required argument"):
        gradient(W)
    both = standalone_for(tl.grad(loss), [[W, X, 3], [W, np.ones(1), 3], [W, X[:2], 3]])
    np.testing.assert_array_equal(both(W, np.ones(1)), tl.grad(loss)(W, np.ones(1)))
    with pytest.raises(ValueError, match="'n' as it is here: a float"):
        both(W, X, 3.0)


def power(w, n):
    for _ in range(n):
        w = w * w
    return np.sum(w)


def test_without_samples_it_serves_numbers_and_arrays():
    made = sent(tl.standalone(tl.grad(power)))
    assert made(3.0, 1) == 6.0
    np.testing.assert_array_equal(made(np.full((2, 2), 3.0), 1), np.full((2, 2), 6.0))
    for w in (3, [3.0], 3j, None, np.ones(2, int)):
        with pytest.raises(ValueError, match="'w' as it is here"):
            made(w, 1)


def annotated(w: float, x: 'Float[np.ndarray, "n"]'):  # noqa: F722, F821
    return w * np.sum(x)


def listed(w: list[float]):
    return w[0]


def test_without_samples_annotations_are_kept():
    made = tl.standalone(tl.grad(annotated))
    assert made(2.0, np.ones(3)) == 3.0
    with pytest.raises(ValueError, match="'w'"):
        made(np.ones(2), np.ones(3))
    with pytest.raises(ValueError, match="'x'"):
        made(2.0, np.ones((3, 3)))
    with pytest.raises(ValueError, match="'x'"):
        made(2.0, np.ones(1))  # dimensions with a name are more than one
    with pytest.raises(tl.GradientError, match="the annotation of 'w' promises"):
        tl.standalone(tl.grad(listed))


@dataclasses.dataclass
class Model:
    w: np.ndarray
    b: float

    def cost(self, x):
        return np.sum((x * self.w + self.b) ** 2)


def test_structures_methods_and_bound_arguments():
    model = Model(W, 0.5)
    g = tl.grad(Model.cost)
    found = sent(tl.standalone(g, like=(model, X)))(model, X)
    np.testing.assert_array_equal(found.w, g(model, X).w)
    by_x = sent(tl.standalone(tl.grad(model.cost), like=(X,)))
    np.testing.assert_array_equal(by_x(X), tl.grad(model.cost)(X))
    again = tl.grad(tl.grad(lambda x: x**3))
    assert sent(tl.standalone(again, like=(2.0,)))(2.0) == again(2.0) == 12.0


def fill(a, b):
    a[0] = b[0] * a[1]
    return a[0]


def test_one_array_in_two_places_is_refused_where_it_is_changed():
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    made = sent(tl.standalone(tl.grad(fill, wrt=(0, 1)), like=(a, b)))
    for found, wanted in zip(made(a, b), tl.grad(fill, wrt=(0, 1))(a, b)):
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match="passed in two places"):
        made(a, a)
    with pytest.raises(ValueError, match="passed in two places"):
        made(a, a[:])


def odd(n):
    return n != 0 and even(n - 1)


def even(n):
    return n == 0 or odd(n - 1)


def test_what_cannot_be_sent_is_refused():
    held = [tl.Variable(2.0)]
    inner = tl.grad(lambda x: x * x)
    cases = [
        (lambda x, n: x * np.asarray(laws.float_leaves([1.0]))[0], "'laws' is a module of yours"),
        (lambda x, n: x if odd(n) else -x, "'odd' calls itself by way of another"),
        (lambda x, n: x * len(held), "'held' is or holds a Variable"),
        (lambda x, n: x * len(str(inner)), "'inner' needs tapeless"),
    ]
    for f, message in cases:
        with pytest.raises(tl.GradientError, match=message):
            tl.standalone(tl.grad(f), like=(2.0, 3))
    with pytest.raises(tl.GradientError, match="standalone takes a derivative, not 'loss'"):
        tl.standalone(loss)
    with pytest.raises(tl.GradientError, match="a hessian is made of several"):
        tl.standalone(tl.hessian(loss))


VALUES = [
    1, 1.0, True, None, "a", 2j, np.float64(1), np.float32(1), np.ones(2), np.ones((2, 1)),
    np.ones(2, np.float32), [1.0], [1.0, 2], [np.ones(2)], (1.0,), (1.0, 2), {"a": 1.0}, {"b": 1.0},
    {"a": 1}, Model(W, 0.5), Model(W, 1), np.sin, loss, collections.OrderedDict(a=1.0),
    collections.defaultdict(float), collections.defaultdict(int), collections.Counter("ab"),
]  # fmt: skip


def test_kinds_are_told_apart_at_least_as_finely_as_in_the_process_that_writes():
    for i, a in enumerate(VALUES):
        for b in VALUES[i:]:
            if shipped.kind_of(a) == shipped.kind_of(b):
                assert kind_key(a) == kind_key(b)
            else:
                assert a is not b
    assert shipped.kind_of(np.ones((3, 4))) == shipped.kind_of(np.ones((5, 6)))
