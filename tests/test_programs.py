"""Programs as physicists, statisticians, quants, engineers, chemists and others write them, as they stand.

Each file of `tests/programs` holds an `objective` and `ARGUMENTS` for it. Its gradient is compared with
central differences, its tangent with its gradient, a product with its Hessian with differences of the
gradient, and its value with what Python computes; what the reverse sweep reads is replayed for those that
are short. What is refused stands in `REFUSED` and `REFUSED_AGAIN` with the reason: a program that is
refused and not listed fails, and so does one that is listed and runs.
`pytest tests/test_programs.py --update-golden` writes the page.
"""

import ast
import copy
import importlib
import re
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import tapeless as tl
import tapeless.testing

FOLDER = Path(__file__).with_name("programs")
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "what_runs.md"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))
SHORT = 78  # lines: these are replayed

MIXED = "whether what is made here is an array that is stored into or a number is not known here"
REFUSED = {
    ("molecular_dynamics", "reverse"): MIXED,
}
REFUSED_AGAIN = {
    "molecular_dynamics": MIXED,
}
HEAD = """# Programs that run as they stand

Written by `pytest tests/test_programs.py --update-golden` from the programs in `tests/programs`, which
use the tool nowhere: classes with state, settings in dicts, callbacks, messages to logs, arrays that are
stored into, early returns, helpers in other modules. Their gradients are tested in both modes against
central differences, and against each other; products with their Hessians (`hvp`) against differences of
the gradient.

- seconds: of processor time, to write the gradient when it is asked for the first time; it is
  [kept on disk](../howto/cache.md) afterwards;
- gradient / primal: the time of the gradient over that of the program, the arrays being small.

A column with a reason below the table says `refused`; the others are right.
"""


def text_of(label):
    return (FOLDER / f"{label}.py").read_text(encoding="utf-8")


def program(label):
    if re.search(r"^from scipy", text_of(label), re.MULTILINE):
        pytest.importorskip("scipy", reason="SciPy is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(f"programs.{label}")


def given(label):
    return copy.deepcopy(program(label).ARGUMENTS)


def directions(arguments, seed):
    """Draw a direction that is small beside each argument."""
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=np.shape(x))
        * np.minimum(1.0, np.abs(x) + (0.1 if isinstance(x, np.ndarray) else 0.0))
        for x in arguments
    ]


def moved(arguments, dots, h):
    parts = zip(copy.deepcopy(arguments), dots, strict=True)
    return [x + h * d if isinstance(x, np.ndarray) else float(x + h * d) for x, d in parts]


def slope(f, arguments, dots, step=1e-3):
    """Differentiate by central differences with two steps, extrapolated."""
    coarse, fine = (
        (f(*moved(arguments, dots, h)) - f(*moved(arguments, dots, -h))) / (2 * h)
        for h in (step, step / 2)
    )
    return (4 * fine - coarse) / 3


def inner(parts, dots):
    return sum(np.sum(np.asarray(p) * d) for p, d in zip(parts, dots, strict=True))


def derived(label, mode, derive):
    """Ask for a derivative; None where it is refused, as it should be."""
    reason = REFUSED.get((label, mode))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if reason is None:
            return derive()
        with pytest.raises(tl.TapelessError, match=re.escape(reason)):
            derive()
    return None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("label", PROGRAMS)
def test_program(label):
    f, arguments = program(label).objective, given(label)
    wrt, dots = tuple(range(len(arguments))), directions(arguments, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, wanted = f(*given(label)), slope(f, arguments, dots)
    reverse = derived(label, "reverse", lambda: tl.value_and_grad(f, wrt=wrt)(*given(label)))
    tangents = tuple(float(d) if np.ndim(d) == 0 else d for d in dots)
    forward = derived(label, "forward", lambda: tl.jvp(f, tuple(given(label)), tangents))
    for found in (reverse, forward):
        if found is not None:
            np.testing.assert_equal(np.asarray(found[0]), np.asarray(value))
    scale = max(abs(wanted), 1e-3)
    if reverse is not None:
        assert abs(inner(reverse[1], dots) - wanted) < 2e-5 * scale
    if forward is not None:
        assert abs(forward[1] - wanted) < 2e-5 * scale
    if reverse is not None and forward is not None:
        assert abs(inner(reverse[1], dots) - forward[1]) < 1e-8 * scale


def lines_of(label):
    return len(text_of(label).splitlines())


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "label", [p for p in PROGRAMS if lines_of(p) <= SHORT and (p, "reverse") not in REFUSED]
)
def test_replay(label):
    tapeless.testing.check_replay(program(label).objective, *given(label))


@pytest.mark.sampled(16)
@pytest.mark.parametrize("label", PROGRAMS)
def test_second_order(label):
    f, arguments = program(label).objective, given(label)
    dots, other = directions(arguments, 1), directions(arguments, 2)
    wrt = tuple(range(len(arguments)))
    reason = REFUSED_AGAIN.get(label)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if reason is not None:
            with pytest.raises(tl.TapelessError, match=re.escape(reason)):
                tl.hvp(f, wrt=wrt)(*given(label), tuple(other))
            return
        product = tl.hvp(f, wrt=wrt)(*given(label), tuple(other))
        gradient = tl.grad(f, wrt=wrt)
        wanted = slope(lambda *x: inner(gradient(*x), other), arguments, dots, 1e-5)
    assert abs(inner(product, dots) - wanted) < 1e-5 * max(abs(wanted), 1e-3)


# -- the page -----------------------------------------------------------------------------------


def timed(call, repeats=5):
    found = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return statistics.median(found)


def measured(label):
    """Measure what it takes to write a gradient, and the gradient over the program."""
    f, arguments = program(label).objective, given(label)
    gradient = tl.grad(f, wrt=tuple(range(len(arguments))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        gradient(*arguments)
        write = time.process_time() - start
        ratio = timed(lambda: gradient(*arguments)) / max(timed(lambda: f(*arguments)), 1e-6)
    return f"{write:.1f}", f"{ratio:.1f}"


def facts_of(label):
    about = ast.get_docstring(ast.parse(text_of(label))).splitlines()[0]
    modes = ["refused" if (label, m) in REFUSED else "yes" for m in ("reverse", "forward")]
    again = "refused" if label in REFUSED_AGAIN else "yes"
    return [f"`{label}`", about, str(lines_of(label)), *modes, again]


def page(times):
    lines = [
        HEAD,
        "| program | about | lines | reverse | forward | second order | seconds | gradient / primal |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for label in PROGRAMS:
        lines.append(f"| {' | '.join([*facts_of(label), *times.get(label, ('', ''))])} |")
    lines += ["", "## Refused", ""]
    again = {(label, "second order"): reason for label, reason in REFUSED_AGAIN.items()}
    for (label, mode), reason in sorted((REFUSED | again).items()):
        lines.append(f"- `{label}`, {mode}: {reason}.")
    return "\n".join(lines) + "\n"


def test_page(update_golden):
    if update_golden:
        runs = [label for label in PROGRAMS if (label, "reverse") not in REFUSED]
        PAGE.write_text(page({label: measured(label) for label in runs}), encoding="utf-8")
    kept = PAGE.read_text(encoding="utf-8")
    rows = [row.strip("|").split(" | ") for row in kept.splitlines() if row.startswith("| `")]
    times = {row[0].strip(" `"): (row[6].strip(), row[7].strip()) for row in rows}
    assert kept == page(times), (
        "pytest tests/test_programs.py --update-golden writes it anew; review the diff"
    )
