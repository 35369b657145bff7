"""`tapeless cache` cares for the derivatives that are kept on disk."""

from __future__ import annotations

import click
from rich.filesize import decimal

from tapeless.cli.messages import CommandError
from tapeless.disk import folder, loops


@click.group()
def cache() -> None:
    """Look at the derivatives that are kept on disk, or remove them."""


@cache.command()
def info() -> None:
    """Print where they are, how many, and their size."""
    found, obstacle = list(folder.files()), folder.obstacle()
    size = sum(file.st_size for file in found)
    click.echo(f"folder:   {folder.place()}")
    click.echo(f"in use:   {f'no: {obstacle}' if obstacle else 'yes'}")
    click.echo(f"entries:  {len(found)} ({decimal(size)})")


@cache.command()
def clear() -> None:
    """Remove all derivatives that are kept on disk."""
    try:
        count = folder.clear()
        loops.clear()
    except OSError as error:
        raise CommandError(f"cannot clear {folder.place()}: {error.strerror}") from None
    click.echo(f"removed {count} {'entry' if count == 1 else 'entries'}")
