"""`tapeless rules` lists the functions that have a derivative, and what is refused of each.

What is printed is read off the declarations of the rules, by `tapeless.coverage`.
"""

from __future__ import annotations

import click

from tapeless.cli.messages import CommandError
from tapeless.coverage import Covered, covered, nearest


@click.command(short_help="List the functions that have a derivative.")
@click.argument("name", required=False)
def rules(name: str | None) -> None:
    """List the functions that have a derivative, or say what is known of NAME.

    NAME is a function such as np.clip, clip or scipy.special.expit, or a module such as numpy.linalg.
    """
    if name is None:
        click.echo(listed(covered()), nl=False)
        return
    name = f"numpy{name[2:]}" if name == "np" or name.startswith("np.") else name
    known = covered(with_scipy=name.startswith("scipy"))
    chosen = named_by(name, known)
    if not chosen and not name.startswith(("scipy", "numpy")):
        known = covered()
        chosen = named_by(name, known)
    if not chosen:
        close = nearest(name, known)
        way_out = f"; the nearest that have one: {', '.join(close)}" if close else ""
        raise CommandError(f"no derivative is declared for {name}{way_out}")
    if any(one.module == name for one in chosen):
        click.echo(listed(chosen), nl=False)
    else:
        click.echo("\n\n".join(described(one, known) for one in chosen))


def named_by(name: str, known: list[Covered]) -> list[Covered]:
    """Return what a name stands for: one function, those of that name, or those of a module.

    Examples
    --------
    >>> sine = Covered("numpy.sin", "elementwise")
    >>> named_by("sin", [sine]) == named_by("numpy.sin", [sine]) == named_by("numpy", [sine]) == [sine]
    True
    """
    exact = [one for one in known if one.name == name]
    return exact or [one for one in known if name in (one.module, one.label)]


def listed(known: list[Covered]) -> str:
    """Write one line for each function, under the name of its module.

    Examples
    --------
    >>> print(listed([Covered("numpy.sin", "elementwise"), Covered("numpy.floor", "zero")]), end="")
    numpy
      floor  constant
      sin    partials  reverse, forward, second order
    """
    lines: list[str] = []
    for module in dict.fromkeys(one.module for one in known):
        inside = sorted((one for one in known if one.module == module), key=lambda one: one.label)
        width = max(len(one.label) for one in inside)
        lines.append(module)
        for one in inside:
            refused = f"; refused: {', '.join(one.refused)}" if one.refused else ""
            line = f"  {one.label:{width}}  {one.kind:8}  {modes_of(one)}{refused}"
            lines.append(line.rstrip())
    return "\n".join(lines) + "\n"


def modes_of(one: Covered) -> str:
    """Name the modes that a function has a derivative in; none for what is constant."""
    if one.form in ("none", "zero", "language", "value"):
        return one.reason or ""
    modes = ("reverse", "forward" if one.forward else "", "second order" if one.second else "")
    return ", ".join(filter(None, modes))


_FORMS = {
    "rule": "a rule says its derivative",
    "elementwise": "entry by entry; a rule says its partials",
    "zero": "piecewise constant: its derivative is zero",
    "written": "a function in Python is differentiated in its place",
    "store": "written as a store",
    "language": "part of the language",
    "value": "a value that does not vary",
}


def described(one: Covered, known: list[Covered]) -> str:
    """Say what is known of one function.

    Examples
    --------
    >>> print(described(Covered("numpy.clip", "elementwise", refused=("out",)), []))
    numpy.clip
      entry by entry; a rule says its partials
      modes: reverse, forward, second order
      keywords refused: out
    """
    if one.form == "none":
        close = nearest(one.name, known)
        way_out = f"\n  the nearest that have one: {', '.join(close)}" if close else ""
        return f"{one.name}\n  no derivative: {one.reason}{way_out}"
    lines = [one.name, _FORMS[one.form]]
    if one.form == "language":
        lines.append(str(one.reason))
    elif one.form not in ("zero", "value"):
        lines.append(f"modes: {modes_of(one)}")
    if one.refused:
        lines.append(f"keywords refused: {', '.join(one.refused)}")
    lines += [f"no derivative in {key}: {reason}" for key, reason in one.constant]
    return "\n  ".join(lines)
