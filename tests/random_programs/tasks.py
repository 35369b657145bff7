"""Some seeds, checked in one process, which may be another one."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.random_programs.checks import FINDS, Outcome, check_program
from tests.random_programs.minimize import minimized
from tests.random_programs.program import Program
from tests.random_programs.sources import program_of

EVERY_SECOND_ORDER = 5


@dataclass(frozen=True)
class Task:
    """Some seeds to check in one process."""

    seeds: range
    deep: bool
    report: Path | None
    limit: float


def modes_of(seed: int, deep: bool) -> tuple[str, ...]:
    """Second order costs most: it is checked of one program in five, of all if `deep`."""
    modes = ("reverse", "forward", "replay")
    return (
        ("reverse", "forward", "second", "replay")
        if deep or not seed % EVERY_SECOND_ORDER
        else modes
    )


def run(task: Task) -> list[tuple[int, str, Outcome]]:
    """Check the programs of a task; write what was found, made small."""
    results = []
    with tempfile.TemporaryDirectory(prefix="random_programs_") as name:
        folder = Path(name)
        for seed in task.seeds:
            program = program_of(seed)
            outcome = check_program(program, folder, modes_of(seed, task.deep), task.limit)
            results.append((seed, program.label, outcome))
            if task.report is not None and outcome.status in FINDS:
                small = minimized(program, outcome, folder)
                write_find(task.report, seed, small, outcome)
    return results


def write_find(report: Path, seed: int, program: Program, outcome: Outcome) -> None:
    found = outcome.find()
    assert found is not None
    mode, verdict = found
    report.mkdir(parents=True, exist_ok=True)
    detail = "\n".join(f"# {line}" for line in verdict.detail.splitlines()[:12])
    head = f"# {program.label}: {verdict.status} in {mode} mode\n{detail}\n\n"
    (report / f"{verdict.status}_{mode}_{seed}.py").write_text(head + program.text + "\n")
