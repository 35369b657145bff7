"""`tapeless dump TARGET` prints the source of a derivative.

The text is made before anything is written: a mistake of any kind leaves one message on stderr, exit
code 2, and no output file, or the old one as it was.
"""

from __future__ import annotations

from pathlib import Path

import click

import tapeless as tl
from tapeless.cli.independents import parse_wrt
from tapeless.cli.output import refuse_to_overwrite, show, write_atomically
from tapeless.cli.targets import find_function, load_arguments, restored_imports
from tapeless.progress import telling

_MODES = {"reverse": "grad", "forward": "jvp", "vjp": "vjp"}


@click.command()
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
    with restored_imports():
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
