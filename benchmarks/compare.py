"""Compare engines on the workloads: one table in Markdown, and one plot.

    python -m benchmarks.compare                          all workloads, all engines that are installed
    python -m benchmarks.compare thomas lstm              some workloads
    python -m benchmarks.compare --engines hand tapeless  some engines
    python -m benchmarks.compare --plot ratios.png        draw, too; needs matplotlib
    python -m benchmarks.compare --page docs/reference/benchmarks.md   write the table into a page

Each engine runs in a process of its own, with one thread, on one core. They are run by turns, so that all
of them meet the same state of the machine. A number is the median, over the rounds, of an engine's
processor time per call in relation to that of the adjoint written by hand in the same round.
"""

from __future__ import annotations

import argparse
import inspect
import math
import multiprocessing
import os
import re
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import engines, workloads
from benchmarks.statements import statements, statements_reached

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
JAX_ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"
ERROR_ALLOWED = 1e-6
SECONDS_TO_PREPARE = 30.0
SECONDS_TO_START = 300.0


class EngineError(Exception):
    """An engine is absent, does not support a workload, or takes too long."""


class Engine:
    """The process of an engine, started again after it took too long."""

    def __init__(self, name: str, core: int):
        self.name, self.core = name, core
        self.version = self._start()

    def _start(self) -> str:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        from benchmarks.worker import serve

        self.process = context.Process(
            target=serve, args=(self.name, self.core, theirs), daemon=True
        )
        self.process.start()
        theirs.close()
        return self._answer(SECONDS_TO_START)

    def ask(self, question: str, *details: str):
        """Return the answer to a question."""
        self.pipe.send((question, *details))
        return self._answer(SECONDS_TO_PREPARE)

    def _answer(self, most: float):
        if not self.pipe.poll(most):
            self.process.kill()
            self._start()
            raise EngineError(f"takes more than {most:.0f} s")
        done, answer = self.pipe.recv()
        if not done:
            raise EngineError(answer)
        return answer


@dataclass
class Row:
    """What was measured of a workload of some size: by engine, what it took per call."""

    name: str
    size: str
    seconds: dict[str, list[float]] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def ratio(self, engine: str) -> float | None:
        """Return what an engine takes in relation to the adjoint by hand."""
        if engine not in self.seconds:
            return None
        pairs = zip(self.seconds[engine], self.seconds["hand"], strict=True)
        return statistics.median(found / by_hand for found, by_hand in pairs)

    def memory_ratio(self, engine: str) -> float | None:
        """Return what an engine needs at once in relation to the adjoint by hand."""
        by_hand = self.bytes.get("hand", 0)
        return self.bytes[engine] / by_hand if engine in self.bytes and by_hand else None


def measure(name: str, size: str, running: list[Engine], rounds: int) -> Row:
    """Run the engines by turns on one workload."""
    row = Row(name, size)
    able = []
    for engine in running:
        try:
            error = engine.ask("prepare", name, size)
            if not error < ERROR_ALLOWED:
                raise EngineError(f"gives another gradient: off by {error:.1e}")
            memory = engine.ask("memory")
        except EngineError as error:
            row.failed[engine.name] = str(error)
            continue
        able.append(engine)
        if memory is not None:
            row.bytes[engine.name] = memory
    for _ in range(rounds):
        for engine in able:
            row.seconds.setdefault(engine.name, []).append(engine.ask("round"))
    return row


def counted(name: str) -> tuple[int, int]:
    """Return the statements of the generated derivative and of the one by hand."""
    import ast

    import numpy as np

    import tapeless as tl

    workload = workloads.load(name)
    args = workload.make_inputs(np.random.default_rng(0), *workload.SIZES["test"])
    text = tl.source(workload.primal, wrt=workload.WRT, like=args)
    return statements(ast.parse(text)), statements_reached(inspect.getsource(workload), "hand")


def mean(ratios: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def shown(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def table(rows: list[Row], names: list[str]) -> Iterator[str]:
    """Write the table, line by line."""
    others = [name for name in names if name != "hand"]
    heads = ["workload", "size", "by hand", *others, "memory", "statements"]
    yield "| " + " | ".join(heads) + " |"
    yield "|---|---|" + "--:|" * (len(heads) - 2)
    counts = {name: counted(name) for name in dict.fromkeys(row.name for row in rows)}
    for row in rows:
        own = f"{statistics.median(row.seconds['hand']) * 1e6:,.1f} µs"
        ratios = [shown(row.ratio(name)) for name in others]
        written, by_hand = counts[row.name]
        cells = [row.name.replace("_", " "), row.size, own, *ratios]
        cells += [shown(row.memory_ratio("tapeless")), f"{written} : {by_hand}"]
        yield "| " + " | ".join(cells) + " |"
    means = [[r for row in rows if (r := row.ratio(name)) is not None] for name in others]
    memory = [r for row in rows if (r := row.memory_ratio("tapeless")) is not None]
    shares = [written / by_hand for written, by_hand in counts.values()]
    cells = ["geometric mean", "", "1", *(shown(mean(found)) if found else "–" for found in means)]
    cells += [shown(mean(memory)) if memory else "–", shown(mean(shares))]
    yield "| " + " | ".join(f"**{cell}**" if cell else "" for cell in cells) + " |"


def failures(rows: list[Row]) -> Iterator[str]:
    """Say which engines did not run which workloads, and why."""
    for row in rows:
        for engine, reason in row.failed.items():
            yield f"{engine} does not run {row.name} ({row.size}): {reason}"


def plot(rows: list[Row], names: list[str], path: Path) -> None:
    """Draw the ratios, one line of marks per row."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 0.24 * len(rows) + 1.2), layout="constrained")
    places = range(len(rows), 0, -1)
    for name, mark in zip([name for name in names if name != "hand"], "xosd^v", strict=False):
        found = [(row.ratio(name), place) for row, place in zip(rows, places, strict=True)]
        axes.plot(*zip(*[pair for pair in found if pair[0] is not None]), mark, label=name)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(places, [f"{row.name.replace('_', ' ')}, {row.size}" for row in rows])
    axes.set_ylim(0.2, len(rows) + 0.8)
    axes.tick_params(axis="y", labelsize=7)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.grid(which="both", linewidth=0.3)
    axes.set_xlabel("processor time in relation to the adjoint written by hand")
    figure.legend(loc="outside upper center", ncols=len(names), fontsize=8)
    figure.savefig(path)


def write_page(path: Path, lines: list[str]) -> None:
    """Put the table between the two marks of a page."""
    start, end = "<!-- measured: start -->\n", "<!-- measured: end -->"
    body = re.compile(f"(?<={re.escape(start)}).*?(?={re.escape(end)})", re.DOTALL)
    path.write_text(body.sub(lambda _: "\n".join(lines) + "\n", path.read_text()))


def started(wanted: list[str], core: int) -> Iterator[Engine]:
    """Start the engines that are installed; name the others."""
    for name in dict.fromkeys(["hand", *wanted]):
        try:
            yield Engine(name, core)
        except EngineError as error:
            print(f"{name} is absent: {error}", file=sys.stderr)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("workloads", nargs="*", choices=[[], *workloads.NAMES], metavar="workload")
    parser.add_argument("--engines", nargs="+", choices=engines.NAMES, default=engines.NAMES)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--page", type=Path)
    return parser.parse_args()


def main() -> None:
    given = options()
    os.environ |= dict.fromkeys(ONE_THREAD, "1") | {"XLA_FLAGS": JAX_ONE_THREAD}
    running = list(started(list(given.engines), given.core))
    names = [engine.name for engine in running]
    rows = []
    for name in given.workloads or workloads.NAMES:
        for size in workloads.load(name).SIZES:
            if size != "test":
                rows.append(measure(name, size, running, given.rounds))
                print(f"{name}, {size}: done", file=sys.stderr)
    lines = [
        *table(rows, names),
        "",
        "Measured with " + ", ".join(dict.fromkeys(e.version for e in running)) + ".",
    ]
    print("\n".join(lines))
    print("\n".join(failures(rows)), file=sys.stderr)
    if given.page:
        write_page(given.page, lines)
    if given.plot:
        plot(rows, names, given.plot)


if __name__ == "__main__":
    main()
