"""A derivative on disk is found where nothing has changed, and not where anything has.

Each case (`edits`) is a module before and after an edit. Importing a file again makes all its objects
anew, as another process does, and every call looks on the disk. `f` is differentiated by its first
argument and must be right both times; what is written for the first text must still serve it after
the second.
"""

import importlib
import sys

import numpy as np
import pytest

import tapeless as tl
from tapeless.disk import kept
from tests.disk.edits import EDITS

HEAD = "import numpy as np\nimport tapeless as tl\n"


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Return a function that writes a file and imports it as if nothing had been imported before."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    registered = []

    def imported(name, text):
        for fn in registered:
            tl.unregister_gradient(fn)
        registered.clear()
        (tmp_path / f"{name}.py").write_text(HEAD + text)
        monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        module = importlib.import_module(name)
        monkeypatch.setitem(sys.modules, name, module)
        registered.extend([module.g] if "register_gradient" in text else [])
        return module

    yield imported
    for fn in registered:
        tl.unregister_gradient(fn)


@pytest.fixture
def loads(monkeypatch):
    """Count how many derivatives were loaded from disk."""
    found = []
    derivative_of = kept.derivative_of

    def counted(*told):
        derivative = derivative_of(*told)
        found.append(derivative)
        return derivative

    monkeypatch.setattr(kept, "derivative_of", counted)
    return found


def slopes(module, monkeypatch):
    """Return the derivative as it is with the disk, and as it is without."""
    with_disk = tl.grad(module.f)(2.0)
    with monkeypatch.context() as patch:
        patch.setenv("TAPELESS_CACHE", "0")
        return with_disk, tl.grad(module.f)(2.0)


@pytest.mark.parametrize("name", EDITS)
def test_edits(name, forgetful, fresh, loads, monkeypatch):
    program, old, new = EDITS[name]
    assert program.count(old) == 1
    texts = program, program.replace(old, new)
    for text in texts:
        found, expected = slopes(fresh("model", text), monkeypatch)
        np.testing.assert_array_equal(found, expected)
    before = len(loads)
    for text in texts:
        found, expected = slopes(fresh("model", text), monkeypatch)
        np.testing.assert_array_equal(found, expected)
    assert len(loads) >= before + 2, "what is on disk is not found again"
