"""Measure what a long loop keeps, and how long it takes, by itself and as a `checkpoint_loop`.

The loop is the diffusion of heat with a source, on a grid of 100 x 100. Memory is counted in such
fields, time in runs of the loop itself. A loop that is written out keeps something of each step.

    python benchmarks/long_loops.py [--plot docs/images/long_loops.png]
"""

from __future__ import annotations

import argparse
import math
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeless as tl

FIELD = np.random.default_rng(0).normal(size=(100, 100))
RATE = 0.1
STEPS = (10, 30, 100, 300, 1000, 3000, 10_000)
MOST_WRITTEN_OUT = 1000  # more of them do not fit into the memory of a small machine


def heat(u: Any, i: int, k: float) -> Any:
    """Return the field after one step."""
    inside = u[1:-1, 1:-1]
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    new = u.copy()
    new[1:-1, 1:-1] = inside + k * (around - 4.0 * inside) - 0.001 * np.sin(inside)
    return new


def written_out(u: Any, k: float, n: int) -> Any:
    """Return the energy after n steps of a loop as it is written without a library."""
    for i in range(n):
        u = heat(u, i, k)
    return np.sum(u**2)


def by_default(u: Any, k: float, n: int) -> Any:
    """Return the energy after n steps; the step runs at most 4 n times in a gradient."""
    return np.sum(tl.checkpoint_loop(heat, u, n, k) ** 2)


def with_snapshots(u: Any, k: float, n: int, snapshots: int) -> Any:
    """Return the energy after n steps, with a number of snapshots."""
    return np.sum(tl.checkpoint_loop(heat, u, n, k, snapshots=snapshots) ** 2)


def logarithmic(n: int) -> int:
    """Return a number of snapshots of the order of log n."""
    return max(math.ceil(math.log2(n)), 1)


def seconds(run: Callable[[], Any]) -> float:
    """Return the processor time of one run."""
    start = time.process_time()
    run()
    return time.process_time() - start


def fields(run: Callable[[], Any]) -> float:
    """Return how many fields of memory a run needs at most at once."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / FIELD.nbytes


def measured() -> dict[str, list[tuple[int, float, float]]]:
    """Measure all programs: for each the steps, the fields, and the time over that of the loop."""
    slopes = {f: tl.grad(f) for f in (written_out, by_default, with_snapshots)}
    found: dict[str, list[tuple[int, float, float]]] = {}
    for n in STEPS:
        loop = min(seconds(lambda n=n: written_out(FIELD, RATE, n)) for _ in range(3))
        programs: dict[str, Callable[[], Any]] = {
            "checkpoint_loop": lambda n=n: slopes[by_default](FIELD, RATE, n),
            "snapshots=log2(n)": lambda n=n: slopes[with_snapshots](FIELD, RATE, n, logarithmic(n)),
        }
        if n <= MOST_WRITTEN_OUT:
            programs["the loop written out"] = lambda n=n: slopes[written_out](FIELD, RATE, n)
        for label, run in programs.items():
            run() if n < MOST_WRITTEN_OUT else None
            line = n, fields(run), seconds(run) / loop
            found.setdefault(label, []).append(line)
            print(f"{label:22} {n:6} steps {line[1]:8.0f} fields {line[2]:6.1f} x the loop")
    return found


def draw(found: dict[str, list[tuple[int, float, float]]], path: str) -> None:
    """Draw memory and time over the number of steps."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (memory, duration) = pyplot.subplots(1, 2, figsize=(9.0, 3.6))
    for label, lines in sorted(found.items()):
        n, kept, ratio = zip(*lines, strict=True)
        memory.loglog(n, kept, "o-", label=label)
        duration.semilogx(n, ratio, "o-", label=label)
    memory.set(xlabel="steps", ylabel="memory of a gradient, in fields")
    duration.set(xlabel="steps", ylabel="time of a gradient over the loop's", ylim=(0, None))
    memory.legend(frameon=False)
    for axes in (memory, duration):
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure, and draw if a path is given."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plot", help="where to write the picture")
    chosen = parser.parse_args()
    found = measured()
    if chosen.plot:
        draw(found, chosen.plot)


if __name__ == "__main__":
    main()
