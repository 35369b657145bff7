"""Draws from distributions of `scipy.stats`, in location and scale.

What is drawn is `loc + scale * z`, where `z` comes from the stream of random numbers and does not depend
on the two. So its derivative in the scale, `z`, is read off the draw that was made. A shape parameter
changes what is taken from the stream.
"""

from __future__ import annotations

from typing import Any

from scipy import stats

from tapeless.rules.declare import elementwise
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results.draws import drawn_with
from tapeless.rules.scipy.stats.formulas import CONTINUOUS
from tapeless.source.loader import load

_MODULES: list[dict[str, Any]] = []  # whose texts are kept as long as they are read


def partials_text(name: str, shapes: tuple[str, ...]) -> str:
    """Write the partials of a draw.

    Examples
    --------
    >>> print(partials_text("gamma", ("a",)), end="")
    def gamma_rvs(y, a, loc=0.0, scale=1.0, size=None, random_state=None):
        return None, 1.0, (y - loc) / scale, None, None
    """
    given = ", ".join(["y", *shapes, "loc=0.0, scale=1.0, size=None, random_state=None"])
    partials = ", ".join(["None"] * len(shapes) + ["1.0, (y - loc) / scale, None, None"])
    return f"def {name}_rvs({given}):\n    return {partials}\n"


for _name, _known in CONTINUOUS.items():
    if hasattr(stats, _name):
        _draw = getattr(stats, _name).rvs
        _module = load(partials_text(_name, _known.shapes), __name__)
        _MODULES.append(_module)
        elementwise(_draw, kind=drawn_with(len(_known.shapes) + 2))(_module[f"{_name}_rvs"])
        for _shape in _known.shapes:
            no_derivative(
                "a shape parameter changes the draws otherwise than by shift and stretch",
                _draw,
                parameter=_shape,
            )
