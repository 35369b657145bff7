"""`tapeless dump --watch` writes the derivative again whenever a file changes that it depends on.

Each time a new process imports the user's files, as if the command were given again: nothing of an
earlier version is left, whatever the files do when they are imported. While a file cannot be read, because
somebody is in the middle of a line, the message says so, and the next change is waited for.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

import click

from tapeless.cli.messages import CommandError
from tapeless.cli.targets import STDIN, file_of
from tapeless.cli.written import Asked
from tapeless.origins import is_users
from tapeless.source.reader import files_read

SECONDS = 0.3  # between two looks at the files
State = dict[str, tuple[int, int, int]]


@dataclass(frozen=True)
class Attempt:
    """A text, or the message why there is none, and the files of the user's that were met."""

    text: str | None
    message: str | None
    files: frozenset[str]


def attempt(asked: Asked) -> Attempt:
    """Write a derivative once."""
    text = message = None
    try:
        text = asked.written()
    except click.ClickException as error:
        message = error.message
    imported = [file_of(module) for module in list(sys.modules.values())]
    met = {str(file) for file in imported if file is not None} | set(files_read())
    files = {str(Path(file).resolve()) for file in met if is_users(file)}
    return Attempt(text, message, frozenset(file for file in files if Path(file).is_file()))


def attempt_elsewhere(asked: Asked) -> Attempt:
    """Write a derivative once, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(1, context, _leave_interrupts_to_the_parent) as pool:
            return pool.submit(attempt, asked).result()
    except BrokenProcessPool:
        return Attempt(None, "the process that imported the file ended", frozenset())


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def watch(asked: Asked, show: Callable[[str], None]) -> None:
    """Write a derivative and show it, again and again, until the user interrupts.

    Parameters
    ----------
    asked
        What is asked for.
    show
        Is called with each text that differs from the one before.
    """
    files, shown = named_files(asked), None
    try:
        while True:
            before = state_of(files)
            found = attempt_elsewhere(asked)
            if found.text is not None and found.text != shown:
                show(found.text)
            if found.message is not None:
                CommandError(found.message).show()
            shown = found.text
            before |= state_of(found.files - files)
            files |= found.files
            click.echo(f"tapeless: watching {_counted(files)}; Ctrl-C ends it", err=True)
            wait_for_change(files, before)
    except KeyboardInterrupt:
        click.echo(err=True)


def named_files(asked: Asked) -> frozenset[str]:
    """Return the files that the options name, whether they can be imported or not."""
    places = [place.rpartition(":")[0] for place in (asked.target, asked.like) if place]
    if STDIN in places:
        raise CommandError("what comes from stdin does not change: --watch needs a file")
    return frozenset(str(file.resolve()) for file in map(_file_named, places) if file is not None)


def _file_named(place: str) -> Path | None:
    if place.endswith(".py") or os.sep in place:
        return Path(place)
    try:
        spec = importlib.util.find_spec(place)
    except (ImportError, ValueError):
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin)


def state_of(files: frozenset[str]) -> State:
    """Return what tells that a file was written; nothing for one that is not there."""
    found: State = {}
    for file in files:
        try:
            status = os.stat(file)
        except OSError:  # an editor may be about to put another in its place
            continue
        found[file] = status.st_mtime_ns, status.st_size, status.st_ino
    return found


def wait_for_change(files: frozenset[str], before: State) -> None:
    """Wait until one of the files is another than before."""
    while all(before.get(file) == state for file, state in state_of(files).items()):
        time.sleep(SECONDS)


def _counted(files: frozenset[str]) -> str:
    if len(files) == 1:
        return os.path.relpath(*files)
    return f"{len(files)} files" if files else "nothing yet"
