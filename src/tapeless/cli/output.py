"""Where a text goes: to stdout, or to a file that holds the old text or the new one, never a part."""

from __future__ import annotations

import ast
import os
import sys
import tempfile
from pathlib import Path

import click

from tapeless.cli.messages import CommandError
from tapeless.cli.targets import file_of
from tapeless.disk.functions import files_described
from tapeless.source.reader import files_read


def refuse_to_overwrite(path: Path, text: str, option: str = "-o") -> None:
    """Refuse to write over a file that was read, or with a name that the text imports.

    Parameters
    ----------
    path
        Where the text is to go.
    text
        A complete module, made of modules that are imported.
    option
        The option that names the file.

    Raises
    ------
    CommandError
        If the file is that of a module, or takes the name of one that the text imports.
    """
    if path.exists():
        loaded = [file_of(module) for module in list(sys.modules.values())]
        read = [*filter(None, loaded), *map(Path, [*files_read(), *files_described()])]
        if any(file.exists() and path.samefile(file) for file in read):
            raise CommandError(f"{option} {path} is a file that was read; write to another")
    if path.suffix == ".py" and path.stem in _modules_imported(text):
        raise CommandError(
            f"{option} {path} has the name of the module {path.stem}, which the text imports; "
            "write to another file"
        )


def _modules_imported(text: str) -> set[str]:
    """Name the modules that a text imports, those of packages by the package."""
    found: set[str] = set()
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            found.add(str(statement.module).partition(".")[0])
    return found


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that it holds the old text or the new one, never a part.

    Raises
    ------
    CommandError
        If the file cannot be written.
    """
    path = Path(os.path.realpath(path))
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with open(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        os.chmod(temporary, _mode_of(path))
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def _mode_of(path: Path) -> int:
    """Return the permissions of a file that is there, else those that a new file gets."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def show(text: str, *, colored: bool = True) -> None:
    """Print the text on stdout, in colours where a person reads it on a terminal."""
    stream = sys.stdout
    if not colored or os.environ.get("NO_COLOR") or not stream.isatty():
        click.echo(text, nl=not text.endswith("\n"))
        return
    from rich.console import Console
    from rich.syntax import Syntax

    # `highlight` instead of the `Syntax` itself, which would pad the lines to the terminal's width.
    highlighted = Syntax("", "python", theme="ansi_dark").highlight(text)
    highlighted.rstrip()
    Console(file=stream).print(highlighted, soft_wrap=True)
