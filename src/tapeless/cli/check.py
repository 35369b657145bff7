"""`tapeless check TARGET` says whether a function can be differentiated, and whether that is right.

Without sample arguments the question is whether a derivative can be written, for what the annotations
say. With them the function is run, and its derivatives are compared with differences and by replay. The
exit code is 0 where all is well, 1 where something is refused or wrong, 2 where the question makes no sense.
"""

from __future__ import annotations

import contextlib
import copy
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import click

import tapeless as tl
from tapeless.cli.completion import complete_function, complete_name
from tapeless.cli.messages import CommandError, in_terms_of_options, told_as
from tapeless.cli.targets import TargetCommand, find_function, load_arguments, restored_imports
from tapeless.errors import Refusal
from tapeless.progress import telling
from tapeless.refusals import refusals_of
from tapeless.testing import DerivativeMismatchError, ReplayMismatchError, check_replay

_MODES = {"reverse mode": "vjp", "forward mode": "jvp"}
_SECOND = "second order"


@dataclass
class Report:
    """What was found of a function.

    Attributes
    ----------
    target
        As the user named it.
    refusals
        What is refused, each with the modes in which that was found.
    following
        Those that may only follow from another.
    checks
        The comparisons that were made, each with what was wrong; None where nothing was.
    """

    target: str
    refusals: dict[Refusal, list[str]] = field(default_factory=dict)
    following: set[Refusal] = field(default_factory=set)
    checks: dict[str, str | None] = field(default_factory=dict)

    @property
    def is_fine(self) -> bool:
        """Whether nothing is refused and nothing was wrong."""
        return not self.refusals and not any(self.checks.values())

    def as_json(self) -> str:
        """Write it for programs."""
        refused = [self.described(r, modes) for r, modes in self.refusals.items()]
        checks = {
            what: {"agrees": wrong is None, "message": wrong} for what, wrong in self.checks.items()
        }
        found = {"target": self.target, "ok": self.is_fine, "refusals": refused, "checks": checks}
        return json.dumps(found, indent=2, ensure_ascii=False)

    def described(self, refusal: Refusal, modes: list[str]) -> dict[str, Any]:
        """Describe a refusal for programs."""
        return {
            "reason": refusal.reason,
            "fix": refusal.fix,
            "file": refusal.filename,
            "line": refusal.lineno,
            "column": refusal.column(),
            "text": refusal.source_line,
            "called_from": [{"file": file, "line": line} for file, line in refusal.callers],
            "found_in": modes,
            "may_follow_from_another": refusal in self.following,
        }

    def as_text(self) -> str:
        """Write it for people."""
        count = len(self.refusals)
        if count:
            lines = [f"{self.told(r, modes)}\n" for r, modes in self.refusals.items()]
            lines.append(f"{self.target}: {count} refusal{'s' if count > 1 else ''}")
            lines.append("  more may come to light once this is mended")
            return "\n".join(lines)
        lines = [f"{self.target}: can be differentiated, in reverse and in forward mode"]
        lines += [f"  {what}: {wrong or 'right'}" for what, wrong in self.checks.items()]
        if not self.checks:
            lines.append("  give sample arguments, --like FILE:NAME, to check the numbers too")
        return "\n".join(lines)

    def told(self, refusal: Refusal, modes: list[str]) -> str:
        """Write a refusal for people."""
        notes = ""
        if len(modes) < len(_MODES):
            notes += f"\n  found {'at' if modes == [_SECOND] else 'in'} {modes[0]}"
        if refusal in self.following:
            notes += "\n  may only follow from another refusal"
        return str(refusal).removesuffix(refusal.way_out()) + notes + refusal.way_out()


@click.command(
    cls=TargetCommand, short_help="Say whether TARGET can be differentiated, and if that is right."
)
@click.argument("target", shell_complete=complete_function)
@click.option(
    "--like",
    help="module:name or file.py:name of a tuple of sample arguments.",
    shell_complete=complete_name,
)
@click.option(
    "--order", type=click.IntRange(1, 2), default=1, show_default=True, help="Of the derivatives."
)
@click.option("--json", "for_programs", is_flag=True, help="Print what is found as JSON.")
@click.pass_context
def check(
    context: click.Context, target: str, like: str | None, order: int, for_programs: bool
) -> None:
    """Say whether TARGET can be differentiated, and whether its derivatives are right.

    What is refused is listed at once, in TARGET and in what it calls. With --like the function is run
    on the sample arguments: its derivatives with respect to all of them, in both modes, are compared
    with central differences, and what the reverse sweep reads with what the forward sweep had there.

    The exit code is 0 if all is well, 1 if something is refused or wrong, 2 if the command makes no
    sense.
    """
    if order == 2 and like is None:
        raise CommandError("--order 2 is checked on sample arguments: give --like FILE:NAME")
    with restored_imports(), telling(), contextlib.redirect_stdout(sys.stderr):
        function = find_function(target)
        arguments = load_arguments(like, function)
        if arguments is not None:
            with told_as(f"{target} fails on the sample arguments"):
                function(*copy.deepcopy(arguments))
        report = Report(target)
        judge(report, function, arguments)
        if arguments is not None and not report.refusals:
            compare(report, function, arguments, order)
        told = report.as_json() if for_programs else report.as_text()
    click.echo(told)
    context.exit(0 if report.is_fine else 1)


def judge(report: Report, f: Callable[..., Any], arguments: tuple[Any, ...] | None) -> None:
    """Find what is refused in either mode, in the order of files and lines."""
    refusals: dict[Refusal, list[str]] = {}
    certain = set()
    for mode, asked in _MODES.items():
        for found in refusals_of(f, asked, arguments):
            refusal = in_terms_of_options(found.refusal)
            refusals.setdefault(refusal, []).append(mode)
            certain |= set() if found.may_follow else {refusal}
    order = sorted(refusals, key=lambda r: (str(r.filename), r.lineno or 0, r.col_offset or 0))
    report.refusals = {refusal: refusals[refusal] for refusal in order}
    report.following = set(order) - certain


def compare(report: Report, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> None:
    """Compare the derivatives with differences, and the two sweeps by replay."""
    checks = report.checks
    checks["replay of the reverse sweep"] = _wrong(lambda: check_replay(f, *arguments))
    what = "first derivatives" if order == 1 else "first and second derivatives"
    try:
        differences = _wrong(lambda: tl.check_grads(f, *arguments, order=order))
        checks[f"{what}, by differences"] = differences
    except tl.TapelessError as error:
        report.refusals = {in_terms_of_options(refusal): [_SECOND] for refusal in error.refusals}


def _wrong(run: Callable[[], None]) -> str | None:
    """Run a check; return what is wrong."""
    try:
        run()
    except (DerivativeMismatchError, ReplayMismatchError) as error:
        return str(error)
    return None
