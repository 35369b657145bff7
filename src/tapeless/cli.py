"""The command line: `tapeless dump TARGET` prints the source of a derivative, `cache` cares for the disk.

A target is written as Python's own tools write it, `file.py:function` or
`package.module:Class.method`. The user's module is imported, never run as a script, and what it
prints while it is imported goes to stderr, so that stdout holds the derivative and nothing else.
The text is made before anything is written: a mistake of any kind leaves one message on stderr,
exit code 2, and no output file, or the old one as it was.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import click

import tapeless as tl
from tapeless.disk import folder
from tapeless.disk.functions import files_described
from tapeless.origins import is_users
from tapeless.progress import telling
from tapeless.source.reader import files_read

_MODES = {"reverse": "grad", "forward": "jvp", "vjp": "vjp"}


class CommandError(click.ClickException):
    """What went wrong, in one message on stderr; the exit code is 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message, on stderr unless another stream is given."""
        click.echo(f"tapeless: {self.message}", file=file, err=file is None)


def _version() -> str:
    try:
        return importlib.metadata.version("tapeless")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="tapeless", message="%(prog)s %(version)s")
def main() -> None:
    """Turn Python functions into the Python source of their derivatives."""


@main.command()
@click.argument("target")
@click.option("--wrt", help="Names or positions, comma-separated. [default: 0]")
@click.option(
    "--mode",
    type=click.Choice(list(_MODES)),
    default="reverse",
    show_default=True,
    help="Gradient (reverse), Jacobian times a tangent (forward), or a cotangent times it (vjp).",
)
@click.option(
    "--order", type=click.IntRange(1, 2), default=1, show_default=True, help="Of the derivative."
)
@click.option("--like", help="module:name or file.py:name of a tuple of sample arguments.")
@click.option("-o", "output", type=click.Path(dir_okay=False), help="Write to this file.")
@click.option("--standalone", is_flag=True, help="Text that needs NumPy, but not tapeless.")
@click.option("--no-color", is_flag=True, help="No colours, also on a terminal.")
def dump(
    target: str,
    wrt: str | None,
    mode: str,
    order: int,
    like: str | None,
    output: str | None,
    standalone: bool,
    no_color: bool,
) -> None:
    """Print the source of the derivative of TARGET.

    TARGET is file.py:function, package.module:function, or either with Class.method.
    """
    with _restored_imports():
        function = find_function(target)
        arguments = None if like is None else load_arguments(like)
        independents = parse_wrt(wrt, function)
        with telling():
            text = tl.source(
                function,
                mode=_MODES[mode],
                wrt=independents,
                like=arguments,
                order=order,
                standalone=standalone,
            )
        if output is not None:
            refuse_to_overwrite(Path(output), text)
    if output is not None:
        write_atomically(Path(output), text)
    else:
        show(text, colored=not no_color)


@main.group()
def cache() -> None:
    """Look at the derivatives that are kept on disk, or remove them."""


@cache.command()
def info() -> None:
    """Print where they are, how many, and their size."""
    found, obstacle = list(folder.files()), folder.obstacle()
    size = sum(file.st_size for file in found) / 1000
    click.echo(f"folder:   {folder.place()}")
    click.echo(f"in use:   {f'no: {obstacle}' if obstacle else 'yes'}")
    click.echo(f"entries:  {len(found)} ({size:.1f} kB)")


@cache.command()
def clear() -> None:
    """Remove all derivatives that are kept on disk."""
    try:
        count = folder.clear()
    except OSError as error:
        raise CommandError(f"cannot clear {folder.place()}: {error.strerror}") from None
    click.echo(f"removed {count} {'entry' if count == 1 else 'entries'}")


def find_function(target: str) -> Callable[..., Any]:
    """Import what `target` names and give the function.

    Parameters
    ----------
    target
        `file.py:function`, `package.module:function`, or either with `Class.method`.

    Raises
    ------
    CommandError
        If there is no such file, module or function, or if it is not a function.

    Examples
    --------
    >>> find_function("textwrap:dedent").__name__
    'dedent'
    """
    place, name = _split_target(target)
    found: Callable[..., Any] = _look_up(_import(place), place, name)
    if inspect.isclass(found):
        methods = [n for n, member in vars(found).items() if inspect.isfunction(member)]
        example = next((n for n in methods if not n.startswith("__")), "method")
        raise CommandError(
            f"{name} in {place} is a class, not a function; "
            f"name one of its methods, as in {place}:{name}.{example}"
        )
    if not callable(found):
        raise CommandError(f"{name} in {place} is not a function: it is a {type(found).__name__}")
    return found


def parse_wrt(text: str | None, function: Callable[..., Any]) -> Any:
    """Read the value of `--wrt` and check it against the parameters of `function`.

    Parameters
    ----------
    text
        Names or positions with commas between them; None stands for the first parameter.
    function
        The function whose parameters are meant.

    Returns
    -------
    A position or a name for one, a tuple of them for several.

    Raises
    ------
    CommandError
        If there is no such parameter, or if one is given twice.

    Examples
    --------
    >>> parse_wrt("w, 0", lambda x, w: x * w)
    ('w', 0)
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # C functions may have none; they are refused by `source`
        parameters = None
    entries: list[str | int] = [_parse_entry(part.strip()) for part in (text or "0").split(",")]
    if parameters is not None:
        named = [_parameter_name(entry, parameters) for entry in entries]
        for i, name in enumerate(named):
            if name in named[:i]:
                raise CommandError(f"--wrt {text}: the parameter {name} is given twice")
    return entries[0] if len(entries) == 1 else tuple(entries)


def load_arguments(place: str) -> tuple[Any, ...]:
    """Load the sample arguments that `--like` names.

    Parameters
    ----------
    place
        `module:name` or `file.py:name` of a tuple, or of a function without parameters that
        returns one.

    Raises
    ------
    CommandError
        If it cannot be found, fails, or is not a tuple.

    Examples
    --------
    >>> load_arguments("sys:version_info")[0]
    3
    """
    module, name = _split_target(place, option="--like")
    arguments = _look_up(_import(module), module, name)
    if callable(arguments):
        with _told_as(f"--like {place} failed"):
            arguments = arguments()
    if not isinstance(arguments, tuple):
        raise CommandError(
            f"--like {place} must give a tuple with one sample per argument, "
            f"not a {type(arguments).__name__}"
        )
    return arguments


def refuse_to_overwrite(path: Path, text: str) -> None:
    """Refuse to write over a file that was read, or with a name that the text imports.

    Parameters
    ----------
    path
        Where the text is to go.
    text
        A complete module, made of modules that are imported.

    Raises
    ------
    CommandError
        If the file is that of a module, or takes the name of one that the text imports.
    """
    if path.exists():
        loaded = [_file_of(module) for module in list(sys.modules.values())]
        read = [*filter(None, loaded), *map(Path, [*files_read(), *files_described()])]
        if any(file.exists() and path.samefile(file) for file in read):
            raise CommandError(f"-o {path} is a file that was read; write to another")
    if path.suffix == ".py" and path.stem in _modules_imported(text):
        raise CommandError(
            f"-o {path} has the name of the module {path.stem}, which the text imports; "
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


def _in_terms_of_options(message: str) -> str:
    """Name the option of the command where a way out names the argument of the function.

    Examples
    --------
    >>> _in_terms_of_options("  fix: annotate the parameters, or give like=")
    '  fix: annotate the parameters, or give --like FILE:NAME'
    """
    lines = message.splitlines()
    ways_out = [line.lstrip().startswith("fix:") for line in lines]
    told = [
        line.replace("like=", "--like FILE:NAME") if way_out else line
        for line, way_out in zip(lines, ways_out, strict=True)
    ]
    return "\n".join(told)


@contextlib.contextmanager
def _restored_imports() -> Iterator[None]:
    """Put back the import path and the user's modules, and tell the tool's refusals as messages."""
    path, modules = list(sys.path), set(sys.modules)
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        yield
    except tl.TapelessError as error:
        raise CommandError(_in_terms_of_options(str(error))) from error
    finally:
        sys.path[:] = path
        for name, module in list(sys.modules.items()):
            if name not in modules and getattr(module, "__tapeless_target__", False) is True:
                del sys.modules[name]


def _split_target(target: str, option: str = "") -> tuple[str, str]:
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        example = f"{target.rstrip(':')}:name" if option else f"{target.rstrip(':')}:function"
        raise CommandError(
            f"{option} {target} does not say which one is meant; write it as in {example}".lstrip()
        )
    return place, name


def _import(place: str) -> ModuleType:
    if place.endswith(".py") or os.sep in place:
        return _import_file(Path(place))
    with _told_as(f"importing {place} failed"), contextlib.redirect_stdout(sys.stderr):
        try:
            return importlib.import_module(place)
        except ModuleNotFoundError as error:
            if error.name is not None and f"{place}.".startswith(f"{error.name}."):
                hint = f"; did you mean {place}.py:...?" if Path(f"{place}.py").is_file() else ""
                raise CommandError(f"there is no module {error.name}{hint}") from None
            raise


def _import_file(path: Path) -> ModuleType:
    """Import a file under its stem, with its folder first on the path, as `import` would."""
    if not path.is_file():
        siblings = [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else []
        raise CommandError(f"there is no file {path}{_did_you_mean(path.name, siblings)}")
    path = path.resolve()
    stem = path.stem
    present = sys.modules.get(stem)
    if present is not None and _file_of(present) == path:
        return present
    if present is not None:
        raise CommandError(
            f"{path.name} cannot be imported: another module is called {stem}; rename the file"
        )
    spec = importlib.util.spec_from_file_location(stem, path)
    if spec is None or spec.loader is None:
        raise CommandError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__tapeless_target__"] = True
    sys.path.insert(0, str(path.parent))
    sys.modules[stem] = module
    with _told_as(f"importing {path.name} failed"), contextlib.redirect_stdout(sys.stderr):
        spec.loader.exec_module(module)
    return module


def _file_of(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file).resolve()


@contextlib.contextmanager
def _told_as(what: str) -> Iterator[None]:
    """Tell whatever the user's code raises in one message that ends with its place."""
    try:
        yield
    except (click.ClickException, tl.TapelessError):
        raise
    except (Exception, SystemExit) as error:
        reason = traceback.format_exception_only(error)[-1].strip()
        if isinstance(error, ImportError) and "relative import" in str(error):
            reason += "; a file of a package is named as package.module:function"
        raise CommandError(f"{what}: {reason}{_place_of(error)}") from error


def _place_of(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f" ({Path(error.filename or '?').name}, line {error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    users = [frame for frame in frames if is_users(frame.filename)]
    return f" ({Path(users[-1].filename).name}, line {users[-1].lineno})" if users else ""


def _look_up(module: ModuleType, place: str, name: str) -> Any:
    found: Any = module
    for i, part in enumerate(name.split(".")):
        if not hasattr(found, part):
            owner = ".".join([place, *name.split(".")[:i]]) if i else place
            names = [n for n in dir(found) if not n.startswith("__")]
            raise CommandError(f"there is no {part} in {owner}{_did_you_mean(part, names)}")
        found = getattr(found, part)
    return found


def _parse_entry(text: str) -> str | int:
    try:
        return int(text)
    except ValueError:
        return text


def _parameter_name(entry: str | int, parameters: Sequence[inspect.Parameter]) -> str:
    names = [parameter.name for parameter in parameters]
    if isinstance(entry, str):
        if entry in names:
            return entry
        raise CommandError(
            f"--wrt: there is no parameter {entry or '(an empty name)'}"
            f"{_did_you_mean(entry, names)}; the parameters are ({', '.join(names)})"
        )
    if any(p.kind is p.VAR_POSITIONAL for p in parameters) and entry >= 0:
        return str(entry) if entry >= len(names) else names[entry]
    if -len(names) <= entry < len(names):
        return names[entry]
    raise CommandError(
        f"--wrt: there is no parameter at position {entry}; "
        f"the parameters are ({', '.join(names)}), counted from 0"
    )


def _did_you_mean(name: str, candidates: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(candidates), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _mode_of(path: Path) -> int:
    """Return the permissions of a file that is there, else those that a new file gets."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
