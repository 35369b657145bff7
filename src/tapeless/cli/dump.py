"""`tapeless dump TARGET` prints the source of a derivative.

The text is made before anything is written: a mistake of any kind leaves one message on stderr, exit
code 2, and no output file, or the old one as it was.
"""

from __future__ import annotations

import sys

import click

from tapeless.cli.completion import complete_function, complete_name
from tapeless.cli.output import show
from tapeless.cli.targets import TargetCommand
from tapeless.cli.written import MODES, Asked


@click.command(cls=TargetCommand)
@click.argument("target", shell_complete=complete_function)
@click.option("--wrt", help="Names or positions, comma-separated. [default: 0]")
@click.option(
    "--mode",
    type=click.Choice(list(MODES)),
    default="reverse",
    show_default=True,
    help="Gradient (reverse), Jacobian times a tangent (forward), or a cotangent times it (vjp).",
)
@click.option(
    "--order", type=click.IntRange(1, 2), default=1, show_default=True, help="Of the derivative."
)
@click.option(
    "--like",
    help="module:name or file.py:name of a tuple of sample arguments.",
    shell_complete=complete_name,
)
@click.option(
    "-o",
    "output",
    type=click.Path(dir_okay=False),
    help="Write to this file; never to one that was read.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write a page to this file: the source and the derivative side by side.",
)
@click.option("--standalone", is_flag=True, help="Text that needs NumPy, but not tapeless.")
@click.option(
    "--compile", "compiled", is_flag=True, help="The loops that Numba compiles; needs --like."
)
@click.option(
    "--watch", "again", is_flag=True, help="Write again whenever a file changes that counts."
)
@click.option(
    "--no-scalarize", is_flag=True, help="Leave short vectors arrays, not floats side by side."
)
@click.option("--no-color", is_flag=True, help="No colours, also on a terminal.")
def dump(
    target: str,
    wrt: str | None,
    mode: str,
    order: int,
    like: str | None,
    output: str | None,
    page: str | None,
    standalone: bool,
    compiled: bool,
    again: bool,
    no_scalarize: bool,
    no_color: bool,
) -> None:
    """Print the source of the derivative of TARGET.

    TARGET is file.py:function, package.module:function, or either with Class.method. A file named -
    is read from stdin.
    """
    asked = Asked(
        target, wrt, mode, order, like, output, standalone, page, compiled, not no_scalarize
    )

    def tell(text: str) -> None:
        if output is not None or page is not None:
            return
        if again and sys.stdout.isatty():
            click.clear()
        show(text, colored=not no_color)

    if again:
        from tapeless.cli.watch import watch  # what starts processes is imported where it is used

        watch(asked, tell)
    else:
        tell(asked.written())
