"""A gradient over the rows of two processes, of which one has no tapeless."""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

import tapeless as tl

PROGRAM = """
import pathlib, pickle, sys
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
made = None
if comm.rank:
    sys.modules["tapeless"] = None
else:
    made = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())
gradient = comm.bcast(made)
x = np.random.default_rng(comm.rank).normal(size=(50, 3))
total = comm.allreduce(gradient(np.ones(3), x))
if comm.rank:
    np.save(sys.argv[2], total)
"""


def loss(w, x):
    return np.sum(np.tanh(x @ w) ** 2)


def test_two_processes(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    beside = pathlib.Path(sys.executable).parent / "mpiexec"
    mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("there is no mpiexec")
    like = np.ones(3), np.ones((2, 3))
    (tmp_path / "sent").write_bytes(pickle.dumps(tl.standalone(tl.grad(loss), like=like)))
    (tmp_path / "run.py").write_text(PROGRAM)
    allowed = {f"OMPI_ALLOW_RUN_AS_ROOT{end}": "1" for end in ("", "_CONFIRM")}
    subprocess.run(
        [mpiexec, "-n", "2", "--oversubscribe", sys.executable, "run.py", "sent", "sum.npy"],
        check=True, timeout=120, cwd=tmp_path, env={**os.environ, **allowed},
    )  # fmt: skip
    xs = [np.random.default_rng(rank).normal(size=(50, 3)) for rank in range(2)]
    wanted = tl.grad(loss)(np.ones(3), np.concatenate(xs))
    np.testing.assert_allclose(np.load(tmp_path / "sum.npy"), wanted, rtol=1e-12)
