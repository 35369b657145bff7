"""Run printed derivatives as files of their own, in a process that differentiates nothing itself.

    python tests/source/run_printed.py FOLDER

FOLDER/jobs.pickle lists, for each file: the function to call, the module and the name of its primal,
whose arguments it gets, further arguments, and the numbers that are wanted. What differs is printed.
"""

import contextlib
import copy
import importlib
import inspect
import io
import pathlib
import pickle
import runpy
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))

from tests import laws


def primal_of(module, key):
    """Return a function of the zoo or of the golden texts, and its arguments."""
    found = importlib.import_module(module)
    if hasattr(found, "INPUTS"):
        return getattr(found, key), found.INPUTS[key]
    return next((f, args) for name, f, args in found.CASES if name == key)


def check(path, name, module, key, more, wanted):
    primal, args = primal_of(module, key)
    bound = inspect.signature(primal).bind(*copy.deepcopy(args))
    bound.apply_defaults()
    with contextlib.redirect_stdout(io.StringIO()):
        derivative = runpy.run_path(str(path))[name]
        found = derivative(*bound.arguments.values(), *more)
    if name.endswith("_jvp"):
        found = found[1]
    leaves = laws.float_leaves(found)
    assert len(leaves) == len(wanted), f"{len(leaves)} results, not {len(wanted)}"
    for a, b in zip(leaves, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def main(folder):
    jobs = pickle.loads((folder / "jobs.pickle").read_bytes())
    for path, *job in jobs:
        try:
            check(folder / path, *job)
        except Exception as error:
            print(f"{path}: {type(error).__name__}: {str(error).strip()[:300]}")
    print(f"ran {len(jobs)}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
