"""The command line: one file per command, and beside them what several commands need."""

from __future__ import annotations

import importlib.metadata

import click

from tapeless.cli.cache import cache
from tapeless.cli.check import check
from tapeless.cli.dump import dump
from tapeless.cli.rules import rules


def _version() -> str:
    try:
        return importlib.metadata.version("tapeless")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="tapeless", message="%(prog)s %(version)s")
def main() -> None:
    """Turn Python functions into the Python source of their derivatives."""


for _command in (cache, check, dump, rules):
    main.add_command(_command)
