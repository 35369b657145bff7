"""Distributions with their parameters: `d = stats.norm(loc, scale)`, written out as classes.

The methods of such an object are those of the distribution, with the parameters that it holds:

    class FrozenNorm(NamedTuple):
        loc: Any
        scale: Any

        def logpdf(self, x):
            return stats.norm.logpdf(x, self.loc, self.scale)

It stands for the object wherever a program makes one, also of numbers: what its methods are given may
vary. One that was made outside is read as it is: it calls the methods of a copy of the distribution.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scipy import stats

from tapeless.rules.declare import written_out
from tapeless.rules.scipy.stats.formulas import CONTINUOUS, DISCRETE, Continuous, Discrete
from tapeless.source.loader import load

_OF_BOTH = {
    "cdf": "x", "logcdf": "x", "sf": "x", "logsf": "x", "ppf": "q", "isf": "q",
    "interval": "confidence", "moment": "order", "mean": "", "median": "", "var": "", "std": "",
    "entropy": "", "support": "",
}  # fmt: skip
_CONTINUOUS = {"pdf": "x", "logpdf": "x", **_OF_BOTH}
_DISCRETE = {"pmf": "k", "logpmf": "k", **_OF_BOTH}


def class_text(name: str, known: Continuous | Discrete) -> str:
    """Write the class that stands for a distribution with its parameters.

    Examples
    --------
    >>> text = class_text("expon", Continuous())
    >>> print(text[: text.index("    def logpdf")])
    class FrozenExpon(NamedTuple):
        loc: Any
        scale: Any
    <BLANKLINE>
        def pdf(self, x):
            return stats.expon.pdf(x, self.loc, self.scale)
    <BLANKLINE>
    <BLANKLINE>
    """
    continuous = isinstance(known, Continuous)
    held = [*known.shapes, "loc", "scale"] if continuous else [*known.shapes, "loc"]
    defaults = ", ".join([*known.shapes, "loc=0.0, scale=1.0" if continuous else "loc=0"])
    own = ", ".join(f"self.{key}" for key in held)
    fields = "".join(f"    {key}: Any\n" for key in held)
    parts = [f"class {class_name(name)}(NamedTuple):\n{fields}"]
    for method, place in (_CONTINUOUS if continuous else _DISCRETE).items():
        given, passed = (f", {place}", f"{place}, {own}") if place else ("", own)
        body = f"        return stats.{name}.{method}({passed})\n"
        parts.append(f"    def {method}(self{given}):\n{body}")
    drawn = f"stats.{name}.rvs({own}, size=size, random_state=random_state)"
    parts.append(f"    def rvs(self, size=None, random_state=None):\n        return {drawn}\n")
    made = f"def frozen_{name}({defaults}):\n    return {class_name(name)}({', '.join(held)})\n"
    return "\n".join(parts) + f"\n\n{made}"


def class_name(name: str) -> str:
    """Return the name of the class for a distribution.

    Examples
    --------
    >>> class_name("weibull_min")
    'FrozenWeibullMin'
    """
    return "Frozen" + "".join(part.capitalize() for part in name.split("_"))


_NAMES = {"stats": stats, "NamedTuple": NamedTuple, "Any": Any}
_MODULES: list[dict[str, Any]] = []  # whose texts are kept as long as they are read
for _name, _known in (CONTINUOUS | DISCRETE).items():
    if hasattr(stats, _name):
        _module = load(class_text(_name, _known), __name__, _NAMES)
        _MODULES.append(_module)
        for _key in (class_name(_name), f"frozen_{_name}"):
            globals()[_key] = _module[_key]  # what is written imports it from here
        _made = _module[f"frozen_{_name}"]
        written_out(getattr(stats, _name), _made, always=True, of_arrays=True)
