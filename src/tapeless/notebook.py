"""In a notebook: `%load_ext tapeless` adds `%derivative f` and `%%derivative`, which show views.

IPython is never imported here: it is what calls.
"""

from __future__ import annotations

import argparse
import ast
import shlex
from typing import Any

from tapeless.errors import GradientError
from tapeless.view import View, view


def load_ipython_extension(ipython: Any) -> None:
    """Add the magics; IPython calls this for `%load_ext tapeless`."""

    def derivative(line: str, cell: str | None = None) -> View | None:
        """Show the derivative of a function, or run the cell and show that of its last function."""
        options = _options().parse_args(shlex.split(line))
        if cell is not None:
            ipython.run_cell(cell)
            options.function = options.function or _last_function(cell)
        if not options.function:
            raise GradientError("no function is named", fix="write %derivative f")
        function = ipython.ev(options.function)
        like = None if options.like is None else ipython.ev(options.like)
        wrt = None if options.wrt is None else tuple(_entry(w) for w in options.wrt.split(","))
        only = wrt[0] if wrt is not None and len(wrt) == 1 else wrt
        return view(function, options.mode, only, like=like, order=options.order)

    ipython.register_magic_function(derivative, "line_cell", "derivative")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        """Tell what is wrong without leaving the kernel."""
        raise GradientError(f"%derivative: {message}", fix=self.format_usage().strip())


def _options() -> argparse.ArgumentParser:
    parser = _Parser("%derivative", add_help=False)
    parser.add_argument("function", nargs="?", help="its name")
    parser.add_argument("--mode", default="grad", help="grad, value_and_grad, vjp or jvp")
    parser.add_argument("--wrt", help="names or positions, comma-separated")
    parser.add_argument("--order", type=int, default=1, choices=(1, 2))
    parser.add_argument("--like", help="an expression that gives a tuple of sample arguments")
    return parser


def _entry(text: str) -> int | str:
    return int(text) if text.strip().lstrip("-").isdigit() else text.strip()


def _last_function(cell: str) -> str:
    r"""Name the last function that a cell defines; "" where it defines none.

    Examples
    --------
    >>> _last_function("k = 2\ndef f(x):\n    return k * x\n")
    'f'
    """
    try:
        names = [s.name for s in ast.parse(cell).body if isinstance(s, ast.FunctionDef)]
    except SyntaxError:
        return ""
    return names[-1] if names else ""
