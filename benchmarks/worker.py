"""One engine in a process of its own, which does what it is asked to through a pipe.

It answers "prepare" with the error of the engine's gradients beside those by hand, "round" with the
seconds of processor time that a call took, "memory" with the bytes that a call had at most at once.
"""

from __future__ import annotations

import contextlib
import os
import time
import tracemalloc
from multiprocessing.connection import Connection
from typing import Any

SECONDS_PER_ROUND = 1e-2


def serve(engine_name: str, core: int, pipe: Connection) -> None:
    """Answer questions until the pipe is closed. The first answer is the version of the engine."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    from benchmarks import engines  # imports NumPy, whose threads are decided by then

    try:
        engine = engines.load(engine_name)
    except ImportError as error:
        pipe.send((False, str(error)))
        return
    asked = Measured(engine)
    pipe.send((True, engine.version()))
    with contextlib.suppress(EOFError, BrokenPipeError):  # nobody asks any more
        while True:
            question, *details = pipe.recv()
            pipe.send(answer(asked, question, details))


def answer(asked: Measured, question: str, details: list[str]) -> tuple[bool, Any]:
    """Return what an engine answers, or why it does not."""
    try:
        return True, getattr(asked, question)(*details)
    except Exception as error:  # whatever a library raises for what it does not support
        lines = [line for line in str(error).splitlines() if any(map(str.isalnum, line))]
        return False, f"{type(error).__name__}: {lines[0] if lines else ''}"


class Measured:
    """An engine with the call that is measured now."""

    def __init__(self, engine):
        self.engine = engine
        self.call = None
        self.calls = 1

    def prepare(self, name: str, size: str) -> float:
        """Take up a workload; return the largest error of the gradients, relative to each one's size."""
        import numpy as np

        from benchmarks import workloads

        workload = workloads.load(name)
        args = workload.make_inputs(np.random.default_rng(0), *workload.SIZES[size])
        by_hand = workload.hand(*args)
        self.call = self.engine.gradient(workload, args)
        found = self.call()
        self.calls = 1
        while self._seconds() < SECONDS_PER_ROUND / 2:
            self.calls *= 2
        return max(
            float(np.max(np.abs(g - h)) / (np.max(np.abs(h)) + 1e-300))
            for g, h in zip(found, by_hand, strict=True)
        )

    def round(self) -> float:
        """Return the processor time of a call, in seconds."""
        return self._seconds() / self.calls

    def memory(self) -> int | None:
        """Return how many bytes a call needs, if its arrays are NumPy's."""
        if not self.engine.ARRAYS_ARE_NUMPY:
            return None
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            self.call()
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()

    def _seconds(self) -> float:
        start = time.process_time()
        for _ in range(self.calls):
            self.call()
        return time.process_time() - start
