"""What went wrong, told in one message, in the words of the command line.

The library's messages name its arguments. Here the user gives options, so a way out that names an
argument is told with the option in its place. What the user's own code raises while it is imported is
told with its place, without a traceback.
"""

from __future__ import annotations

import contextlib
import difflib
import re
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import click

import tapeless as tl
from tapeless.errors import Refusal
from tapeless.origins import is_users

_OPTIONS = {"like=": "--like FILE:NAME", "wrt=": "--wrt NAMES"}
_ARGUMENTS = re.compile(r"\b(?:like|wrt)=(?!\w)")


class CommandError(click.ClickException):
    """What went wrong, in one message on stderr; the exit code is 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message, on stderr unless another stream is given."""
        click.echo(f"tapeless: {self.message}", file=file, err=file is None)


def in_terms_of_options(refusal: Refusal) -> Refusal:
    """Name the option of the command where the way out names the argument of the function.

    Examples
    --------
    >>> in_terms_of_options(Refusal("what?", "annotate the parameters, or give like=")).fix
    'annotate the parameters, or give --like FILE:NAME'
    """
    if refusal.fix is None:
        return refusal
    return replace(refusal, fix=_ARGUMENTS.sub(lambda found: _OPTIONS[found[0]], refusal.fix))


@contextlib.contextmanager
def told_as(what: str) -> Iterator[None]:
    """Tell whatever the user's code raises in one message that ends with its place."""
    try:
        yield
    except (click.ClickException, tl.TapelessError):
        raise
    except (Exception, SystemExit) as error:
        reason = traceback.format_exception_only(error)[-1].strip()
        if isinstance(error, ImportError) and "relative import" in str(error):
            reason += "; a file of a package is named as package.module:function"
        raise CommandError(f"{what}: {reason}{_location_of(error)}") from error


def _location_of(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f" ({Path(error.filename or '?').name}, line {error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    users = [frame for frame in frames if is_users(frame.filename)]
    return f" ({Path(users[-1].filename).name}, line {users[-1].lineno})" if users else ""


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """Ask whether a name was meant that is there, as the end of a message; "" where none is close."""
    close = difflib.get_close_matches(name, list(candidates), n=1)
    return f"; did you mean {close[0]}?" if close else ""
