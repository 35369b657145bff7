"""The golden texts: what is printed for each construct of the language, word for word.

`golden/primals/NAME.py` holds the functions; `golden/NAME.py` and `golden/NAME_jvp.py` their printed
derivatives, as the annotations alone give the kinds. `pytest --update-golden` writes them anew; the
diff is reviewed like code. Each printed module is imported and its numbers are compared with central
differences.
"""

import contextlib
import copy
import importlib
import io
import pathlib

import numpy as np
import pytest

import tapeless as tl
from tests import laws

HERE = pathlib.Path(__file__).parent / "golden"
NAMES = sorted(path.stem for path in (HERE / "primals").glob("*.py") if path.stem != "__init__")


def load(name):
    return importlib.import_module(f"tests.golden.primals.{name}")


CASES = [(name, key) for name in NAMES for key in load(name).INPUTS]
MODES = ("grad", "jvp")


def wrt_of(args):
    return tuple(i for i, arg in enumerate(args) if not isinstance(arg, int))


def written(name, key, mode):
    module = load(name)
    function = getattr(module, key)
    names = function.__code__.co_varnames
    wrt = tuple(names[i] for i in wrt_of(module.INPUTS[key]))
    text = tl.source(function, mode=mode, wrt=wrt if len(wrt) > 1 else wrt[0])
    return f'"""The {mode} of `{key}` in primals/{name}.py, as printed."""\n\n{text.strip()}\n'


def path_of(name, key, mode):
    return HERE / f"{name}__{key}_{mode}.py"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name, key", CASES, ids=["-".join(case) for case in CASES])
def test_text(name, key, mode, update_golden):
    text = written(name, key, mode)
    path = path_of(name, key, mode)
    if update_golden:
        path.write_text(text)
    assert path.exists(), "pytest --update-golden writes it"
    assert text == path.read_text(), (
        "if this is better, pytest --update-golden, and review the diff"
    )


def generated(name, key, mode):
    namespace = {"__name__": "golden"}
    path = path_of(name, key, mode)
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace[f"{key}_{mode}"]


def quietly(function, *args):
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*args)


def directional(name, key, args, direction, h=1e-6):
    function, wrt = getattr(load(name), key), wrt_of(args)

    def at(step):
        moved = list(copy.deepcopy(args))
        for i, d in zip(wrt, direction):
            moved[i] = laws.shifted(moved[i], d, step)
        return quietly(function, *moved)

    return (at(h) - at(-h)) / (2 * h)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name, key", CASES, ids=["-".join(case) for case in CASES])
def test_numbers(name, key, mode):
    args = load(name).INPUTS[key]
    wrt = wrt_of(args)
    rng = np.random.default_rng(7)
    direction = [laws.random_like(rng, args[i]) for i in wrt]
    want = directional(name, key, args, direction)
    given = copy.deepcopy(args)
    if mode == "jvp":
        _, got = quietly(generated(name, key, mode), *given, *copy.deepcopy(direction))
    else:
        bars = quietly(generated(name, key, mode), *given)
        bars = bars if len(wrt) > 1 else (bars,)
        got = laws.tree_inner(laws.float_leaves(list(bars)), laws.float_leaves(direction))
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-8)
    laws.assert_identical(given, args, "the arguments")
