"""Time derivatives as compiled loops, beside the NumPy text and the adjoint written by hand.

    python -m benchmarks.loops                                   all workloads
    python -m benchmarks.loops thomas heat                       some of them
    python -m benchmarks.loops --page docs/howto/compile.md      write the table into a page
    python -m benchmarks.loops --rows FILE                       keep what is measured, go on from it
    python -m benchmarks.loops --plot FILE                       draw what is measured

Each workload runs in two processes, one after the other, with one thread, on one core: in the first one
nothing is kept on disk, in the second one what the first one kept. Times of calls are taken by turns in
the second; a number is the median, over the rounds, of the ratio in one round. What compiling takes is
processor time beside that of writing the NumPy text and of what Numba needs once per process. Where JAX is
installed its compiled gradients take turns with the others; what is cached of it is kept in the same folder.
A program that takes it more than ten minutes is measured without it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import engines, workloads
from benchmarks.compare import JAX_ONE_THREAD, ONE_THREAD, mean, shown, write_page

ERROR_ALLOWED = 1e-6
SECONDS_PER_ROUND = 1e-2
SECONDS_TO_RUN = 600.0


def measured_in_child(name: str, size: str, rounds: int, beside_jax: bool) -> dict:
    """Measure one workload in this process."""
    import numba

    import tapeless as tl

    numba.njit(lambda x: x + 1.0)(1.0)
    workload = workloads.load(name)
    args = workload.make_inputs(np.random.default_rng(0), *workload.SIZES[size])
    plain = tl.grad(workload.primal, wrt=workload.WRT)
    loops = tl.grad(workload.primal, wrt=workload.WRT, compile="numba")
    plain(*args)
    started = time.process_time()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = loops(*args)
    compiling = time.process_time() - started
    by_hand = workload.hand(*args)
    error = max(
        float(np.max(np.abs(g - h)) / (np.max(np.abs(h)) + 1e-300))
        for g, h in zip(found, by_hand, strict=True)
    )
    assert error < ERROR_ALLOWED, f"{name}: off by {error:.1e}"
    reason = next((str(w.message) for w in told if "is not compiled" in str(w.message)), "")
    calls = {"hand": lambda: workload.hand(*args)}
    calls |= {"plain": lambda: plain(*args), "loops": lambda: loops(*args)}
    of_jax, jax_compiling = by_jax(workload, args, by_hand) if beside_jax else (None, 0.0)
    if of_jax is not None:
        calls["jax"] = of_jax
    in_parts = "" if reason else why_in_parts(workload, args)
    times = by_turns(calls, rounds)
    return {
        "compiling": compiling, "reason": reason, "in parts": in_parts, "times": times,
        "jax": jax_compiling,
    }  # fmt: skip


def why_in_parts(workload, args) -> str:
    """Return why a derivative does not run as loops as a whole; nothing where it does."""
    import tapeless as tl

    options = {"wrt": workload.WRT, "like": args, "compile": "numba", "strict": True}
    try:
        tl.source(workload.primal, **options)
    except tl.GradientError as error:
        return str(error)
    return ""


def by_jax(workload, args, by_hand) -> tuple[Callable[[], object] | None, float]:
    """Return a call of JAX's compiled gradient, and what the first one took; None where it has none."""
    try:
        import jax

        jax.config.update("jax_compilation_cache_dir", os.environ["TAPELESS_CACHE_DIR"])
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.numpy.add(1.0, 1.0).block_until_ready()  # what it needs once per process
        call = engines.load("jax").gradient(workload, args)
        started = time.process_time()
        found = call()
        compiling = time.process_time() - started
    except Exception:  # it is absent, or refuses the program in a way of its own
        return None, 0.0
    close = all(
        np.allclose(p, q, rtol=1e-6, atol=1e-9) for p, q in zip(found, by_hand, strict=True)
    )
    return (call, compiling) if close else (None, 0.0)


def by_turns(calls: dict, rounds: int) -> dict[str, list[float]]:
    """Return the times of each call, taken by turns."""
    counts = {}
    for key, call in calls.items():
        counts[key] = 1
        while seconds(call, counts[key]) < SECONDS_PER_ROUND / 2:
            counts[key] *= 2
    times: dict[str, list[float]] = {key: [] for key in calls}
    for _ in range(rounds):
        for key, call in calls.items():
            times[key].append(seconds(call, counts[key]) / counts[key])
    return times


def seconds(call, count: int) -> float:
    """Return the processor time of some calls."""
    start = time.process_time()
    for _ in range(count):
        call()
    return time.process_time() - start


def measured(name: str, size: str, given: argparse.Namespace) -> dict:
    """Measure a workload in two processes, of which the second finds what the first one kept."""
    with tempfile.TemporaryDirectory() as kept:
        environment = os.environ | dict.fromkeys(ONE_THREAD, "1") | {"TAPELESS_CACHE_DIR": kept}
        environment["XLA_FLAGS"] = JAX_ONE_THREAD
        command = [sys.executable, "-m", "benchmarks.loops", name, "--child", size]
        results = []
        for rounds in (0, given.rounds):
            asked = [*command, "--rounds", str(rounds), "--core", str(given.core)]
            done = ended(asked, environment) or ended([*asked, "--without-jax"], environment)
            if done is None:
                raise SystemExit(f"{name}, {size}: not done in {SECONDS_TO_RUN:.0f} s")
            if done.returncode:
                raise SystemExit(f"{name}, {size}: {done.stderr}")
            results.append(json.loads(done.stdout.splitlines()[-1]))
    cold, cached = results
    colds = {"cold": cold["compiling"], "jax cold": cold["jax"]}
    return {"name": name, "size": size, **colds, **cached}


def ratio(row: dict, other: str) -> float:
    """Return what loops take in relation to something else."""
    pairs = zip(row["times"]["loops"], row["times"][other], strict=True)
    return statistics.median(mine / theirs for mine, theirs in pairs)


def table(rows: list[dict]) -> list[str]:
    """Write the table."""
    lines = [
        "| workload | size | by hand | / by hand | / NumPy text | / JAX | compile, s | from disk, ms "
        "| JAX compile, s | cached, ms |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lowered = [row for row in rows if not row["reason"]]
    for row in lowered:
        own = f"{statistics.median(row['times']['hand']) * 1e6:,.1f} µs"
        mark = " (in parts)" if row.get("in parts") else ""
        cells = [row["name"].replace("_", " ") + mark, row["size"], own]
        cells += [shown(ratio(row, "hand")), shown(ratio(row, "plain"))]
        runs_in_jax = "jax" in row["times"]
        cells.append(shown(ratio(row, "jax")) if runs_in_jax else "")
        cells += [f"{row['cold']:.1f}", f"{row['compiling'] * 1e3:.0f}"]
        cells += [f"{row['jax cold']:.1f}", f"{row['jax'] * 1e3:.0f}"] if runs_in_jax else ["", ""]
        lines.append("| " + " | ".join(cells) + " |")
    wholly = [row for row in lowered if not row.get("in parts")]
    lines.append(mean_line("geometric mean", wholly))
    if len(wholly) < len(lowered):
        lines.append(mean_line("with those in parts", lowered))
    return lines


def mean_line(label: str, rows: list[dict]) -> str:
    """Write the geometric means of the ratios of some rows."""
    means = [
        shown(mean([ratio(row, key) for row in rows if key in row["times"]]))
        for key in ("hand", "plain", "jax")
        if any(key in row["times"] for row in rows)
    ]
    means += [""] * (3 - len(means))
    bold = " | ".join(f"**{m}**" if m else "" for m in means)
    return f"| **{label}** | | | {bold} | | | | |"


def compared_with_jax(rows: list[dict]) -> list[str]:
    """Say on how many workloads, in each of their sizes, loops are faster than JAX."""
    found = [row for row in rows if "jax" in row["times"]]
    names = {row["name"] for row in found}
    slower = {row["name"] for row in found if ratio(row, "jax") >= 1.0}
    if not names:
        return []
    lines = [f"JAX runs {len(names)} of the programs; loops are faster on {len(names - slower)}."]
    if slower:
        lines.append(f"Not on {', '.join(name.replace('_', ' ') for name in sorted(slower))}.")
    return lines


def draw(rows: list[dict], path: Path) -> None:
    """Draw the times of loops and of JAX in relation to the adjoint by hand."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    shown_rows = [row for row in rows if not row["reason"]]
    labels = [f"{row['name'].replace('_', ' ')}, {row['size']}" for row in shown_rows]
    places = range(len(shown_rows))
    figure, axes = pyplot.subplots(figsize=(8, 0.22 * len(shown_rows) + 1))
    marks = {"plain": ("|", "NumPy text"), "jax": ("x", "jax.jit"), "loops": ("o", "loops")}
    for key, (mark, label) in marks.items():
        pairs = [(relative(row, key), k) for k, row in enumerate(shown_rows) if key in row["times"]]
        axes.plot(*zip(*pairs, strict=True), mark, label=label) if pairs else None
    axes.axvline(1.0, color="gray", linewidth=0.8)
    axes.set(xscale="log", xlabel="time of a call / adjoint by hand", ylim=(len(labels), -1))
    axes.set_yticks(list(places), labels, fontsize=7)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def relative(row: dict, key: str) -> float:
    """Return what something takes in relation to the adjoint by hand."""
    pairs = zip(row["times"][key], row["times"]["hand"], strict=True)
    return statistics.median(mine / theirs for mine, theirs in pairs)


def reasons(rows: list[dict]) -> list[str]:
    """Say why workloads are not lowered."""
    found = {row["name"]: row["reason"] or row.get("in parts") for row in rows}
    told = {name: reason for name, reason in found.items() if reason}
    in_parts = {row["name"] for row in rows if row.get("in parts")}
    lines = [f"{len(found) - len(told)} of {len(found)} workloads run as loops as a whole."]
    for name, reason in told.items():
        why = reason.splitlines()[0].partition("is not compiled: ")[2]
        what, _, place = why.partition(". The NumPy text")[0].rpartition(" (")
        line = f" (line {place.rstrip(')').rpartition(':')[2]})" if place else ""
        how = "In parts" if name in in_parts else "Not"
        lines.append(f"{how} `{name}`: {what or why}{line}.")
    return lines


def ended(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess | None:
    """Return what a process gave; None if it took too long, as JAX does to compile some programs."""
    try:
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=SECONDS_TO_RUN,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None


def kept_rows(path: Path | None) -> list[dict]:
    """Return what an earlier run measured."""
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("workloads", nargs="*", choices=[[], *workloads.NAMES], metavar="workload")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--without-jax", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {given.core})
        name, beside_jax = given.workloads[0], not given.without_jax
        print(json.dumps(measured_in_child(name, given.child, given.rounds, beside_jax)))
        return
    rows = kept_rows(given.rows)
    known = {(row["name"], row["size"]) for row in rows}
    for name in given.workloads or workloads.NAMES:
        for size in workloads.load(name).SIZES:
            if size != "test" and (name, size) not in known:
                rows.append(measured(name, size, given))
                print(f"{name}, {size}: done", file=sys.stderr)
                if given.rows:
                    with given.rows.open("a") as stream:
                        stream.write(json.dumps(rows[-1]) + "\n")
    rows.sort(key=lambda row: row["name"])
    lines = [*table(rows), "", *reasons(rows), *compared_with_jax(rows)]
    print("\n".join(lines))
    if given.plot:
        draw(rows, given.plot)
    if given.page:
        write_page(given.page, lines)


if __name__ == "__main__":
    main()
