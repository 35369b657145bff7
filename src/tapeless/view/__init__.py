"""`view`: the user's source and the derivative side by side, as one HTML page.

`facts` says which lines there are and which come from which; `page` writes them; `page.html`, `style.css`
and `script.js` are its parts.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from tapeless.operators.gradients import Gradients, register_view
from tapeless.operators.source import asked_for
from tapeless.operators.target import Wrt
from tapeless.source.spans import Provenance
from tapeless.tracebacks import public
from tapeless.tree.names import unshadowed

_WORDS = {
    "grad": "gradient of {f} with respect to {wrt}",
    "value_and_grad": "value and gradient of {f} with respect to {wrt}",
    "vjp": "value and pullback of {f}",
    "jvp": "value and tangent of {f} along {wrt}",
    "jacobian": "Jacobian of {f} with respect to {wrt}, by its pullback",
    "hessian": "Hessian of {f} with respect to {wrt}, by tangents of the gradient",
    "hvp": "Hessian of {f} with respect to {wrt}, times a vector",
}


class View:
    """A page that shows a derivative beside the source that it comes from.

    A notebook shows it in the output of a cell.

    Attributes
    ----------
    html
        The page, a complete HTML file.
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, whose colours and script touch nothing else."""
        longer = max(self.html.count('<li id="d'), self.html.count('<li id="s') + 4)
        height = min(170 + 21 * longer, 680)
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" title="A derivative beside '
            f'its source" style="width: 100%; height: {height}px; border: 0"></iframe>'
        )

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        Path(file).write_text(self.html, encoding="utf-8")


@public
def view(
    f: Any, mode: str = "grad", wrt: Wrt | None = None, *, like: Any = None, order: int = 1,
    file: str | os.PathLike[str] | None = None,
) -> View:  # fmt: skip
    """Show a derivative beside the source that it comes from, as one HTML page.

    Parameters
    ----------
    f, mode, wrt, like, order
        Which derivative, as in `source`.
    file
        Where to write the page. It needs no other file and no network.

    Returns
    -------
    The page: `html` is its text, `save` writes it, and a notebook shows it.

    Examples
    --------
    >>> import tapeless as tl
    >>> tl.view(lambda x: x * x, like=(3.0,)).html[:15]
    '<!doctype html>'
    """
    page = view_of(asked_for(f, mode, wrt, order), like)
    if file is not None:
        page.save(file)
    return page


def view_of(made: Gradients, like: Any = None) -> View:
    """Show what was written: for `like`, for the last call, or generic."""
    from tapeless.view.page import page_of

    return View(page_of(*facts_asked_for(made, like)))


@register_view
def _shown(made: Gradients) -> str:
    return view_of(made)._repr_html_()


def facts_asked_for(made: Gradients, like: Any) -> tuple[Any, str]:
    """Collect what the view of a derivative shows, and say in words which one it is."""
    from tapeless.view.facts import facts_of

    derivative, text = made.derivative(like), made.text(like)
    below = len(text.splitlines()) - len(derivative.text.splitlines())
    provenance = derivative.provenance
    shifted = Provenance(
        tuple(span._replace(line=span.line + below) for span in provenance.spans),
        sweeps={line + below: sweep for line, sweep in provenance.sweeps.items()},
        tangents=frozenset(line + below for line in provenance.tangents),
    )
    varied = derivative.varied if made.mode == "jvp" else made.wrt_names
    names = ", ".join(n for n in made.wrt_names if unshadowed(n) in varied)
    what = _WORDS[made.mode].format(f=made.target.label, wrt=names)
    return facts_of(derivative.name, text, shifted), what
