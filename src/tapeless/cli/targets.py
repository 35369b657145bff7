"""What a command is asked about: a function, found as Python's own tools write it.

A target is `file.py:function` or `package.module:Class.method`. The user's module is imported, never run
as a script, and what it prints while it is imported goes to stderr, so that stdout holds what was
asked for and nothing else.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import linecache
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import tapeless as tl
from tapeless.cli.messages import CommandError, did_you_mean, in_terms_of_options, told_as
from tapeless.cli.notebooks import import_notebook

STDIN = "<standard input>"  # how messages name the file `-`


class TargetCommand(click.Command):
    """A command whose target may be `-:function`, which is no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, those that name stdin under a name of their own."""
        return super().parse_args(
            ctx, [f"{STDIN}{a[1:]}" if a.startswith("-:") else a for a in args]
        )


def find_function(target: str) -> Callable[..., Any]:
    """Import what `target` names and return the function.

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


def load_arguments(place: str | None, function: Callable[..., Any]) -> tuple[Any, ...] | None:
    """Load the sample arguments that `--like` names; None where it names none.

    Parameters
    ----------
    place
        `module:name` or `file.py:name` of a tuple, or of a function without parameters that
        returns one.
    function
        The function that they are for.

    Raises
    ------
    CommandError
        If it cannot be found, fails, is not a tuple, or does not fit the function.

    Examples
    --------
    >>> load_arguments("sys:version_info", lambda *numbers: sum(numbers))[0]
    3
    """
    if place is None:
        return None
    module, name = _split_target(place, option="--like")
    arguments = _look_up(_import(module), module, name)
    if callable(arguments):
        with told_as(f"--like {place} failed"):
            arguments = arguments()
    if not isinstance(arguments, tuple):
        raise CommandError(
            f"--like {place} must give a tuple with one sample per argument, "
            f"not a {type(arguments).__name__}"
        )
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        raise CommandError(f"--like {place} does not fit the function: {error}") from None
    except ValueError:  # C functions may have no signature; they are refused by `source`
        pass
    return arguments


@contextlib.contextmanager
def restored_imports() -> Iterator[None]:
    """Put back the import path and the user's modules, and tell the tool's refusals as messages."""
    path, modules = list(sys.path), set(sys.modules)
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        yield
    except tl.TapelessError as error:
        told = [str(in_terms_of_options(refusal)) for refusal in error.refusals]
        raise CommandError("\n".join(told)) from error
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
    if place == STDIN:
        return _import_stdin()
    if place.endswith(".ipynb"):
        return import_notebook(Path(place))
    if place.endswith(".py") or os.sep in place:
        return _import_file(Path(place))
    with told_as(f"importing {place} failed"), contextlib.redirect_stdout(sys.stderr):
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
        raise CommandError(f"there is no file {path}{did_you_mean(path.name, siblings)}")
    path = path.resolve()
    stem = path.stem
    present = sys.modules.get(stem)
    if present is not None and file_of(present) == path:
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
    with told_as(f"importing {path.name} failed"), contextlib.redirect_stdout(sys.stderr):
        spec.loader.exec_module(module)
    return module


def _import_stdin() -> ModuleType:
    """Import what comes from stdin as a module of the name `stdin`; it is read once."""
    present = sys.modules.get("stdin")
    if present is not None:
        return present
    text = sys.stdin.read()
    module = ModuleType("stdin")
    module.__dict__["__tapeless_target__"] = True
    sys.modules["stdin"] = module
    linecache.cache[STDIN] = len(text), None, text.splitlines(keepends=True), STDIN
    with told_as("importing stdin failed"), contextlib.redirect_stdout(sys.stderr):
        exec(compile(text, STDIN, "exec"), module.__dict__)
    return module


def file_of(module: ModuleType) -> Path | None:
    """Return the file that a module was read from, None for one without."""
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file).resolve()


def _look_up(module: ModuleType, place: str, name: str) -> Any:
    found: Any = module
    for i, part in enumerate(name.split(".")):
        if not hasattr(found, part):
            owner = ".".join([place, *name.split(".")[:i]]) if i else place
            names = [n for n in dir(found) if not n.startswith("__")]
            raise CommandError(f"there is no {part} in {owner}{did_you_mean(part, names)}")
        found = getattr(found, part)
    return found
