"""Draw programs and count what becomes of them: `python -m tests.random_programs --help`."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.random_programs.checks import BAD, FINDS, Outcome
from tests.random_programs.minimize import mark
from tests.random_programs.tasks import Task, run

DEEP_COUNT = 20_000
CHUNK = 10


def results_of(tasks: list[Task], jobs: int) -> Iterator[list[tuple[int, str, Outcome]]]:
    if jobs == 1:
        yield from map(run, tasks)
        return
    # a new process now and then: derivatives are kept as long as their process lives
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=5) as pool:
        yield from pool.imap_unordered(run, tasks)


def main() -> int:
    os.environ["TAPELESS_CACHE"] = "0"  # what the tool writes now is what is tried
    parser = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=300, help="how many programs")
    parser.add_argument(
        "--deep", action="store_true", help=f"{DEEP_COUNT} programs, all at second order"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds per program")
    parser.add_argument("--report", type=Path, help="a folder for the finds, made small")
    options = parser.parse_args()
    count = DEEP_COUNT if options.deep and options.count == 300 else options.count
    seeds = range(options.seed, options.seed + count)
    tasks = [
        Task(seeds[at : at + CHUNK], options.deep, options.report, options.limit)
        for at in range(0, count, CHUNK)
    ]
    start = time.monotonic()
    statuses: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for results in results_of(tasks, options.jobs):
        for seed, label, outcome in results:
            statuses[outcome.status] += 1
            refusals.update(outcome.refusals())
            if outcome.status in FINDS:
                found = outcome.find()
                assert found is not None
                classes[str(mark(outcome))] += 1
                print(
                    f"{seed}: {label}: {found[1].status} in {found[0]}: {found[1].detail[:200]}",
                    flush=True,
                )
        done = sum(statuses.values())
        if not done % 100:
            print(f"{done} programs in {time.monotonic() - start:.0f} s", flush=True)
    show(statuses, refusals, classes, time.monotonic() - start)
    return 1 if any(statuses[status] for status in FINDS) else 0


def show(
    statuses: Counter[str], refusals: Counter[str], classes: Counter[str], seconds: float
) -> None:
    total = sum(statuses.values())
    checked = total - statuses[BAD]
    print(f"\n{total} programs in {seconds:.0f} s, {checked} of them good samples:")
    for status, count in statuses.most_common():
        share = f" ({100.0 * count / max(checked, 1):.1f} %)" if status != BAD else ""
        print(f"{count:7d}  {status}{share}")
    print("\nrefused:")
    for reason, count in refusals.most_common(40):
        print(f"{count:7d}  {reason}")
    print("\nfinds:")
    for reason, count in classes.most_common(40):
        print(f"{count:7d}  {reason}")


if __name__ == "__main__":
    raise SystemExit(main())
