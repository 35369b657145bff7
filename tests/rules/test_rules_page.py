"""The page that lists what is covered is what the declarations say."""

import inspect
from pathlib import Path

import numpy as np
import pytest

from tapeless.coverage import Covered, covered, nearest

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGE = REFERENCE / "rules.md"
HEAD = """# The functions that have a derivative

Written from the declarations of the rules by `pytest tests/rules/test_rules_page.py --update-golden`,
for {versions}. `tapeless rules` prints the same for the versions that you have, and
`tapeless rules NAME` says what is known of one function.

How a derivative is known:

- `rule`: a function says what the cotangents, and the tangents, are.
- `partials`: entry by entry; a function says the partials.
- `written out`: a function in Python is differentiated in its place.
- `store`: it is written as an assignment into an array.
- constant: the value does not change under small changes of the arguments, and the derivative is zero.

The derivative of each is ordinary code, so it is differentiated again like yours. What is refused is
refused where something varies. The last columns say which functions JAX and autograd have as well.
"""


def versions():
    scipy = pytest.importorskip("scipy")
    names = [".".join(text.split(".")[:2]) for text in (np.__version__, scipy.__version__)]
    return "NumPy {} and SciPy {}".format(*names)


def others():
    """Map the dotted names to the libraries that have a derivative of them."""
    found, library, module = {}, "", ""
    for line in (REFERENCE / "peers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            library, module = line.strip("[]").split(" ")
        elif not line.startswith("#"):
            for key in line.split():
                found.setdefault(f"{module}.{key}", set()).add(library)
    return found


def grouped(known):
    """Sort what is known by module; a distribution stands in its module as one entry."""
    modules = {}
    for one in known:
        parts = one.name.split(".")
        distribution = parts[:2] == ["scipy", "stats"] and len(parts) == 4
        modules.setdefault(".".join(parts[:2]) if distribution else one.module, []).append(one)
    return modules


def row(one, peers):
    modes = ["yes" if has else "no" for has in (one.forward, one.second)]
    refused = [f"`{key}`" for key in one.refused]
    refused += [f"`{key}` ({reason})" for key, reason in one.constant]
    marks = ["yes" if name in peers.get(one.name, ()) else "" for name in ("JAX", "autograd")]
    cells = [f"`{one.label}`", one.kind, "yes", *modes, "; ".join(refused), *marks]
    return f"| {' | '.join(cells)} |".replace("  |", " |")


RULED = ("rule", "elementwise", "written", "store")


def section(module, known, peers):
    lines = [f"## {module}", ""]
    plain = [one for one in known if one.form in RULED and one.module == module]
    if plain:
        lines += [
            "| function | how | reverse | forward | second order | refused | JAX | autograd |"
        ]
        lines += ["|---|---|---|---|---|---|---|---|"]
        lines += [row(one, peers) for one in plain] + [""]
    owners = {}
    for one in known:
        if one.module != module:
            owners.setdefault(one.module.rpartition(".")[2], []).append(f"`{one.label}`")
    if owners:
        lines += ["Distributions, written out, in all modes:", ""]
        lines += [f"- `{key}`: {', '.join(methods)}" for key, methods in owners.items()] + [""]
    constant = [f"`{one.label}`" for one in known if one.form == "zero"]
    if constant:
        lines += [f"Constant: {', '.join(constant)}.", ""]
    values = [f"`{one.label}`" for one in known if one.form == "value"]
    if values:
        lines += [f"Values: {', '.join(values)}.", ""]
    language = {}
    for one in known:
        if one.form == "language":
            language.setdefault(one.reason, []).append(f"`{one.label}`")
    if language:
        listed = [f"- {', '.join(labels)}: {reason}" for reason, labels in language.items()]
        lines += ["Part of the language:", "", *listed, ""]
    refused = [one for one in known if one.form == "none" and one.module == module]
    if refused:
        lines += ["Refused:", ""]
        for one in refused:
            close = nearest(one.name, known)
            way_out = f" The nearest that work: {', '.join(f'`{key}`' for key in close)}."
            lines.append(f"- `{one.label}`: {one.reason}.{way_out if close else ''}")
        lines.append("")
    return lines


def page():
    lines, peers = [HEAD.format(versions=versions())], others()
    for module, known in grouped(covered()).items():
        lines += section(module, known, peers)
    return "\n".join(lines).rstrip() + "\n"


def test_page(update_golden):
    if update_golden:
        PAGE.write_text(page(), encoding="utf-8")
    kept = PAGE.read_text(encoding="utf-8")
    if versions() not in kept:
        pytest.skip(f"the page is written for other versions than {versions()}")
    assert kept == page(), (
        "pytest tests/rules/test_rules_page.py --update-golden writes it anew; review the diff"
    )


def test_each_name_of_numpy_stands_on_the_page():
    names = {key for key in dir(np) if not key.startswith("_")}
    modules = {key for key in names if inspect.ismodule(getattr(np, key))}
    known = {one.label for one in covered(with_scipy=False) if one.module == "numpy"}
    assert names - modules - known == set()


def test_a_function_that_is_refused_names_those_that_work():
    known = [Covered("numpy.polymul", "rule"), Covered("numpy.sin", "elementwise")]
    refused = Covered("numpy.polydiv", "none", reason="it has no rule")
    assert nearest(refused.name, [*known, refused]) == ["numpy.polymul"]
