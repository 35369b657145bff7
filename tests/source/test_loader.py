"""Generated functions must be shown by Python's own tools, for as long as they live."""

import gc
import inspect
import io
import linecache
import pdb
import sys
import traceback

import pytest

from tapeless.source.loader import add_origin_note, load
from tapeless.source.reader import read

TEXT = '''"""A module."""
import math


def loss_grad(x):
    # Forward sweep
    y = math.sqrt(x)
    return 0.5 / y


class Thing:
    def method(self):
        return 2
'''


def test_the_namespace_of_the_module():
    module = load(TEXT, "loss_grad", {"extra": 3})
    assert module["loss_grad"](4.0) == 0.25
    assert module["__name__"] == module["loss_grad"].__module__ == "loss_grad"
    assert module["extra"] == 3 and module["__doc__"] == "A module."
    assert load("y = extra + 1", "m", {"extra": 3})["y"] == 4


def test_given_names_are_not_written_to():
    names = {"a": 1}
    load("a = 2", "m", names)
    assert names == {"a": 1}


def test_future_statements_of_this_library_are_not_inherited():
    module = load("def f(x: 1 + 1): pass", "m")
    assert module["f"].__annotations__ == {"x": 2}


def test_filenames_are_unique():
    first, second = (load(TEXT, "loss_grad")["loss_grad"].__code__ for _ in range(2))
    assert first.co_filename != second.co_filename
    assert first.co_filename.startswith("<tapeless loss_grad ")
    numbers = [int(code.co_filename.split()[-1].rstrip(">")) for code in (first, second)]
    assert numbers[1] == numbers[0] + 1


def test_inspect_finds_the_source():
    module = load(TEXT, "loss_grad")
    for _ in range(2):
        assert inspect.getsource(module["loss_grad"]).splitlines()[1] == "    # Forward sweep"
        assert inspect.getsource(module["Thing"].method).strip().endswith("return 2")
        assert inspect.getsourcelines(module["loss_grad"])[1] == 5
        linecache.checkcache()
    assert inspect.getmodule(module["loss_grad"]) is None
    assert inspect.getdoc(module["loss_grad"]) is None
    assert str(inspect.signature(module["loss_grad"])) == "(x)"


def test_the_reader_reads_generated_functions():
    module = load(TEXT, "loss_grad")
    assert read(module["loss_grad"]).tree.lineno == 5


def test_tracebacks_show_generated_lines():
    module = load(TEXT, "loss_grad")
    with pytest.raises(ValueError) as caught:
        module["loss_grad"](-1.0)
    assert "    y = math.sqrt(x)\n" in "".join(traceback.format_exception(caught.value))


def test_pdb_steps_through_generated_lines():
    module = load(TEXT, "loss_grad")
    shown = io.StringIO()
    commands = io.StringIO("step\nlist\ncontinue\n")
    debugger = pdb.Pdb(stdin=commands, stdout=shown, nosigint=True, readrc=False)
    tracing = sys.gettrace()
    try:
        debugger.runcall(module["loss_grad"], 4.0)
    finally:
        sys.settrace(tracing)
    assert "-> return 0.5 / y" in shown.getvalue()
    assert "# Forward sweep" in shown.getvalue()


def test_lines_are_released_with_the_module():
    module = load(TEXT, "loss_grad")
    function = module["loss_grad"]
    filename = function.__code__.co_filename
    del module
    gc.collect()
    assert filename in linecache.cache
    del function
    gc.collect()
    assert filename not in linecache.cache


def test_lines_are_released_if_the_text_fails():
    before = set(linecache.cache)
    with pytest.raises(SyntaxError):
        load("def", "broken")
    with pytest.raises(ZeroDivisionError):
        load("1 / 0", "broken")
    gc.collect()
    assert not [name for name in set(linecache.cache) - before if "broken" in name]


def failing(text, *args):
    try:
        load(text, "g")["f"](*args)
    except Exception as error:
        return error


def test_origin_note(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("import numpy as np\n    y = np.sqrt(x)\n")
    error = failing("def f(x):\n    y = x\n    return 1 / y\n", 0)
    for _ in range(2):
        add_origin_note(error, {3: (str(path), 2), 2: (str(path), 1)})
    assert error.__notes__ == [f"generated from {path}:2: y = np.sqrt(x)"]
    assert "generated from" in "".join(traceback.format_exception(error))


def test_origin_note_of_the_innermost_generated_line():
    text = "def h(x):\n    return 1 / x\n\ndef f(x):\n    return h(x)\n"
    error = failing(text, 0)
    add_origin_note(error, {2: ("nowhere.py", 7), 5: ("nowhere.py", 9)})
    assert error.__notes__ == ["generated from nowhere.py:7"]


def test_no_origin_note_without_an_origin():
    error = failing("def f(x):\n    return 1 / x\n", 0)
    add_origin_note(error, {1: ("nowhere.py", 7)})
    add_origin_note(ValueError(), {1: ("nowhere.py", 7)})
    try:
        raise ValueError
    except ValueError as other:
        add_origin_note(other, {n: ("nowhere.py", 7) for n in range(999)})
        assert not hasattr(other, "__notes__")
    assert not hasattr(error, "__notes__")
