"""Some seeds, checked in one process, which may be another one."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.random_programs.checks import CRASHED, FINDS, Outcome, check_program
from tests.random_programs.minimize import mark, minimized
from tests.random_programs.program import Program
from tests.random_programs.sources import program_of


@dataclass(frozen=True)
class Task:
    """Some seeds to check in one process."""

    seeds: range
    deep: bool
    report: Path | None
    limit: float


def modes_of(seed: int, replay_every: int = 1, second_every: int = 5) -> tuple[str, ...]:
    """Return the modes that a program is checked in: second order costs most, then replay."""
    second = () if seed % second_every else ("second",)
    replay = () if seed % replay_every else ("replay",)
    return ("reverse", "forward", *second, *replay)


def run(task: Task) -> list[tuple[int, str, Outcome]]:
    """Check the programs of a task; write what was found, made small."""
    results = []
    with tempfile.TemporaryDirectory(prefix="random_programs_") as name:
        folder = Path(name)
        for seed in task.seeds:
            program = program_of(seed)
            outcome = check_program(
                program, folder, modes_of(seed, second_every=1 if task.deep else 5), task.limit
            )
            results.append((seed, program.label, outcome))
            if task.report is not None and outcome.status in FINDS:
                report(task.report, seed, program, outcome, folder)
    return results


MOST_ALIKE = 3


def report(to: Path, seed: int, program: Program, outcome: Outcome, folder: Path) -> None:
    """Write a find, made small, unless there are enough crashes with the same message."""
    marked = mark(outcome)
    slug = "_".join(re.findall("[A-Za-z]+", " ".join(marked or ())))[:80]
    if outcome.status == CRASHED and len(list(to.glob(f"{slug}_*.py"))) >= MOST_ALIKE:
        return
    to.mkdir(parents=True, exist_ok=True)
    path = to / f"{slug}_{seed}.py"
    path.write_text(described(program, outcome))
    path.write_text(described(minimized(program, outcome, folder), outcome))


def described(program: Program, outcome: Outcome) -> str:
    found = outcome.find()
    assert found is not None
    mode, verdict = found
    detail = "\n".join(f"# {line}" for line in verdict.detail.splitlines()[:12])
    return f"# {program.label}: {verdict.status} in {mode} mode\n{detail}\n\n{program.text}\n"
