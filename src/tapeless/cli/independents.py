"""The independents, as `--wrt` names them: names or positions with commas between them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tapeless.cli.messages import CommandError, did_you_mean


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
            f"{did_you_mean(entry, names)}; the parameters are ({', '.join(names)})"
        )
    if any(p.kind is p.VAR_POSITIONAL for p in parameters) and entry >= 0:
        return str(entry) if entry >= len(names) else names[entry]
    if -len(names) <= entry < len(names):
        return names[entry]
    raise CommandError(
        f"--wrt: there is no parameter at position {entry}; "
        f"the parameters are ({', '.join(names)}), counted from 0"
    )
