"""The text that `tapeless dump` is asked for, made from nothing but what stands on the command line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tapeless as tl
from tapeless.cli.independents import parse_wrt
from tapeless.cli.messages import CommandError
from tapeless.cli.output import refuse_to_overwrite, write_atomically
from tapeless.cli.targets import find_function, load_arguments, restored_imports
from tapeless.progress import telling

MODES = {"reverse": "grad", "forward": "jvp", "vjp": "vjp"}


@dataclass(frozen=True)
class Asked:
    """What is asked for, by the names of the options."""

    target: str
    wrt: str | None
    mode: str
    order: int
    like: str | None
    output: str | None
    standalone: bool
    page: str | None = None
    compiled: bool = False
    scalarize: bool = True

    def written(self) -> str:
        """Write the derivative, into a file if one is named.

        Raises
        ------
        CommandError
            If it cannot be written. The file then is as it was.
        """
        with restored_imports():
            function = find_function(self.target)
            arguments = load_arguments(self.like, function)
            independents = parse_wrt(self.wrt, function)
            loops: dict[str, Any] = {"compile": "numba"} if self.compiled else {}
            with telling(), _demanding_loops():
                text = tl.source(
                    function,
                    mode=MODES[self.mode],
                    wrt=independents,
                    like=arguments,
                    order=self.order,
                    standalone=self.standalone,
                    **loops,
                    scalarize=self.scalarize,
                )
            if self.output is not None:
                refuse_to_overwrite(Path(self.output), text)
            if self.page is not None:
                mode = MODES[self.mode]
                shown = tl.view(function, mode, independents, like=arguments, order=self.order)
                refuse_to_overwrite(Path(self.page), "", option="--html")
                write_atomically(Path(self.page), shown.html)
        if self.output is not None:
            write_atomically(Path(self.output), text)
        return text


@contextmanager
def _demanding_loops() -> Iterator[None]:
    """Refuse what has no loops at all: it was asked for them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", tl.TapelessWarning)
        try:
            yield
        except tl.TapelessWarning as told:
            reason = str(told).removesuffix(" The NumPy text runs instead.")
            raise CommandError(f"{reason}\n  fix: leave --compile out") from None
