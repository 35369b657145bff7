"""Every printed derivative is a module: a file of its own that imports, and gives the same numbers.

The derivatives of the zoo and of the golden functions are written to files, also with the runtime
functions written out, and run by `run_printed.py` in a fresh process.
"""

import contextlib
import copy
import enum
import importlib
import inspect
import io
import itertools
import os
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import tapeless as tl
from tapeless.externals import External
from tapeless.source.complete import complete
from tapeless.source.standalone import standalone
from tests import laws
from tests.test_golden import MODES, generated, path_of, wrt_of
from tests.test_golden import NAMES as GOLDEN
from tests.test_golden import load as golden
from tests.test_zoo import FAMILIES

HERE = pathlib.Path(__file__).parent


def function_name(label, mode):
    return f"{label.strip('_') or 'f'}_{mode}"


def quietly(function, *args):
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*copy.deepcopy(args))


def label_of(function):
    label = getattr(function, "__name__", type(function).__name__)
    return "lambda_" if label == "<lambda>" else label


def both_ways(stem, text, job):
    """Return the files of a text as it is and written out, if it can be."""
    yield f"{stem}.py", text, job
    try:
        yield f"{stem}_alone.py", standalone(text), job
    except tl.GradientError as error:
        assert "leave out standalone" in str(error)


def text_for(gradient, args):
    """Return what `tl.source` prints for these arguments, without writing the derivative again."""
    arguments = gradient.target.arguments(copy.deepcopy(args), {})
    derivative = gradient.serving(arguments).derivative
    return complete(derivative.text, derivative.externals)


def files_of_the_zoo(family, step):
    module = f"tests.zoo.{family}"
    for name, function, args in importlib.import_module(module).CASES[::step]:
        wrt = laws.positions_with_floats(args)
        gradient = tl.grad(function, wrt=wrt)
        try:
            found = quietly(gradient, *args)
        except tl.TapelessError:
            continue  # only results that are scalars have one
        leaves = [np.asarray(leaf) for leaf in laws.float_leaves(found)]
        job = function_name(label_of(function), "grad"), module, name, (), leaves
        yield from both_ways(f"{family}_{name}", text_for(gradient, args), job)


def files_of_golden(name):
    """Return the printed texts as they are kept, with second derivatives of functions of a number.

    That the kept texts are right is tested beside them: what is wanted is what they give here.
    """
    module = f"tests.golden.primals.{name}"
    for key, args in golden(name).INPUTS.items():
        function, wrt = getattr(golden(name), key), wrt_of(args)
        bars = quietly(generated(name, key, "grad"), *args)
        directions = [laws.random_like(np.random.default_rng(3), args[i]) for i in wrt]
        leaves = [np.asarray(leaf) for leaf in laws.float_leaves(bars)]
        slope = np.asarray(laws.tree_inner(leaves, laws.float_leaves(directions)))
        for mode in MODES:
            text = path_of(name, key, mode).read_text()
            more, wanted = (directions, [slope]) if mode == "jvp" else ((), leaves)
            job = function_name(key, mode), module, key, more, wanted
            yield from both_ways(f"{name}_{key}_{mode}", text, job)
        if isinstance(args[0], float):
            second = tl.grad(tl.grad(function))
            try:
                again = np.asarray(quietly(second, *args))
            except tl.TapelessError:
                continue
            text = text_for(second, args)
            job = function_name(f"{key}_grad", "grad"), module, key, (), [again]
            yield from both_ways(f"{name}_{key}_grad_grad", text, job)


def run_files(folder, files):
    """Write the files, run them in a process of their own, and give what it says of each."""
    jobs = []
    for path, text, job in files:
        (folder / path).write_text(text)
        jobs.append((path, *job))
    (folder / "jobs.pickle").write_bytes(pickle.dumps(jobs))
    done = subprocess.run(
        [sys.executable, str(HERE / "run_printed.py"), str(folder)],
        capture_output=True, text=True, timeout=600, env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *said, last = done.stdout.splitlines()
    assert last == f"ran {len(jobs)}"
    return said


# Several families share a process: to start one takes longer than to run a text.
PROCESSES = 6


@pytest.mark.parametrize("first", range(PROCESSES))
def test_the_zoo(first, tmp_path, all_samples):
    step = 1 if all_samples else 16
    found = (files_of_the_zoo(family, step) for family in FAMILIES[first::PROCESSES])
    assert run_files(tmp_path, itertools.chain.from_iterable(found)) == []


@pytest.mark.parametrize("first", range(PROCESSES))
def test_golden_texts(first, tmp_path):
    found = map(files_of_golden, GOLDEN[first::PROCESSES])
    assert run_files(tmp_path, itertools.chain.from_iterable(found)) == []


# What no import gives


K = 3.0
TABLE = np.ones(2)


def cubed(x):
    return K * x**3


def closure(c, table):
    def g(x):
        return c * x * np.sum(table)

    return g


def chosen(x, h):
    return h(x) if h is not None else x


def module_of(text):
    namespace = {"__name__": "printed"}
    exec(compile(text, "printed", "exec"), namespace)
    return namespace


def test_a_second_derivative_imports_from_the_users_module():
    text = tl.source(cubed, order=2, like=(2.0,))
    assert f"from {__name__} import K" in text
    assert module_of(text)["cubed_grad_grad"](2.0) == 36.0


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (np.linalg.norm, "from numpy.linalg import norm as f"),
        (np.tanh, "from numpy import tanh as f"),
    ],
)
def test_a_function_of_a_library(function, line):
    text = tl.source(function, like=(np.ones(2),), mode="vjp")
    assert line in text
    module_of(text)


def test_a_captured_number_is_written_down():
    text = tl.source(closure(2.5, 4.0), like=(2.0,))
    assert "c = 2.5\n" in text and "table = 4.0\n" in text
    assert module_of(text)["g_grad"](2.0) == 10.0


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


def scaled(x, side=Side.RIGHT, sides=(Side.LEFT, Side.RIGHT)):
    factor = 2.0 if side is Side.LEFT else 3.0
    return factor * x**2 + len(sides) * x


def test_a_member_of_an_enumeration_is_written_by_its_class():
    def f(x):
        return scaled(x)

    text = tl.source(tl.grad(f), 2.0)
    assert "bind it before use" not in text
    space: dict = {}
    exec(text, space)
    assert space["f_grad"](2.0) == 14.0


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (Side.LEFT, "k = Side.LEFT"),
        ((Side.LEFT,), "k = (Side.LEFT,)"),
        ((1.0, (Side.LEFT, "a")), "k = (1.0, (Side.LEFT, 'a'))"),
    ],
)
def test_the_class_of_a_member_is_imported(value, line):
    text = complete("def f_grad(x):\n    return k * x\n", {"k": External(None, "k", value)})
    assert line in text.splitlines()
    assert f"from {Side.__module__} import Side" in text.splitlines()
    assert text.count("import Side") == 1


def test_a_class_whose_name_means_something_else_is_not_imported():
    held = {"k": External(None, "k", Side.LEFT)}
    text = complete("def f_grad(Side):\n    return k * Side\n", held)
    assert "# k = ...  (a Side: bind it before use)" in text.splitlines()
    assert "import Side" not in text


def test_of_a_member_of_a_local_enumeration_the_reader_is_told():
    local = enum.Enum("local", ["A"])
    text = complete("def f_grad(x):\n    return k * x\n", {"k": External(None, "k", local.A)})
    assert "# k = ...  (a local: bind it before use)" in text.splitlines()


def test_of_a_captured_array_the_reader_is_told():
    text = tl.source(closure(2.5, TABLE), like=(2.0,))
    assert "# table = ...  (an array of shape (2,): bind it before use)" in text
    found = module_of(text)
    found["table"] = TABLE
    assert found["g_grad"](2.0) == 5.0


def test_of_a_local_function_the_reader_is_told():
    def local(x):
        return x * x

    def among(x, n):
        h = [local, np.sin][n]
        return h(x)

    text = tl.source(among, like=(2.0, 0))
    assert "# local = ...  (the function local: bind it before use)" in text
    found = module_of(text)
    found["local"] = local
    assert found["among_grad"](2.0, 0) == 4.0


def test_what_is_captured_stays_in_standalone_text():
    text = tl.source(closure(2.5, TABLE), like=(np.ones(2),), mode="vjp", standalone=True)
    assert "c = 2.5\n" in text and "# table = " in text
    assert not re.search(r"\btapeless\b", text)


def test_a_name_that_is_not_bound_is_not_imported():
    def f(x, debug=False):
        if debug:
            print(no_such_name)  # noqa: F821
        return x * x

    text = tl.source(f, like=(2.0,))
    assert "import no_such_name" not in text and "no_such_name =" not in text
    assert module_of(text)["f_grad"](2.0, False) == 4.0


SCRIPT = """
import numpy as np
import tapeless as tl

K = 2.0


def g(x):
    return K * x


def f(x):
    h = [g, np.sin][0]
    return K * h(x) * x


if __name__ == "__main__":
    print(tl.source(f, like=(3.0,)))
"""


@pytest.mark.parametrize("way", [["script.py"], ["-m", "script"]])
def test_names_of_a_script_are_imported_from_its_file(tmp_path, way):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, *way], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "__main__" not in done.stdout and "from script import K" in done.stdout
    (tmp_path / "printed.py").write_text(done.stdout)
    call = "from printed import f_grad; print(f_grad(3.0))"
    done = subprocess.run(
        [sys.executable, "-c", call], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == "24.0\n", done.stderr


def test_names_of_a_session_are_told():
    """A notebook or a prompt has no file: its text stands in `linecache` alone."""
    text = inspect.cleandoc("""
        import linecache
        import numpy as np
        import tapeless as tl
        cell = "def g(x):\\n    return w * x\\ndef f(x):\\n    return w * [g, np.sin][0](x) * k\\n"
        linecache.cache["<cell>"] = len(cell), None, cell.splitlines(True), "<cell>"
        w, k = np.ones(2), 2.0
        exec(compile(cell, "<cell>", "exec"))
        print(tl.source(f, mode="vjp", like=(3.0,)))
    """)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "from __main__" not in done.stdout
    assert "# w = ...  (an array of shape (2,): bind it before use)" in done.stdout
    assert "k = 2.0\n" in done.stdout
    module_of(done.stdout)


HELD = """
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

TABLE = {"relu": lambda x: np.maximum(x, 0.0), "square": lambda x: x * x}
LIST = [lambda x: x**3]


class Layer:
    shifted = staticmethod(lambda x: x + 1.0)

    def __init__(self, label):
        self.function = TABLE[label]

    def __call__(self, x):
        return self.function(x)


@dataclass
class Settings:
    scale: float
    gains: dict = field(default_factory=lambda: {"p": 0.5})
    function: Callable = lambda v: v * v


def f(x):
    settings = Settings(x)
    y = settings.scale * settings.gains["p"] + settings.function(x) + Layer.shifted(x)
    for layer in (Layer("relu"), Layer("square")):
        y = y + layer(x)
    for function in LIST:
        y = y + function(x)
    return y


ARGUMENTS = (2.0,)
"""


def test_functions_without_a_name_are_had_from_what_holds_them(tmp_path):
    (tmp_path / "held.py").write_text(HELD)
    call = (
        "import held, tapeless as tl; text = tl.source(held.f, like=(2.0,)); "
        "open('printed.py', 'w').write(text); print(tl.grad(held.f)(2.0))"
    )
    again = "from printed import f_grad; print(f_grad(2.0))"
    shown = [
        subprocess.run([sys.executable, "-c", c], cwd=tmp_path, capture_output=True, text=True)
        for c in (call, again)
    ]
    assert shown[0].stdout == shown[1].stdout == "22.5\n", shown
    text = (tmp_path / "printed.py").read_text()
    assert 'TABLE["relu"]' in text and "bind it before use" not in text
