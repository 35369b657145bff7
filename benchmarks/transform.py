"""How long a derivative takes to write: by the length of the function, by stage, with the exponent.

    python benchmarks/transform.py              straight lines and loops of 10 to 300 lines, call trees
    python benchmarks/transform.py --most 3000  up to 3,000 lines

Times are processor time in milliseconds, of a first gradient without what is kept on disk. The last column
is the ratio to what Python itself needs to compile the text of the derivative. The exponent says how the
whole grows from one row to the next: 1.0 is in proportion to the lines.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import math
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import tapeless as tl
from tapeless import pipeline
from tapeless.specialize.program import AnalysedProgram

STAGES: dict[str, tuple[tuple[Any, str], ...]] = {
    "read": ((AnalysedProgram, "core"),),
    "analyse": ((AnalysedProgram, "analyse"),),
    "differentiate": ((pipeline, "write_gradient"),),
    "optimize": ((pipeline, "finish"),),
    "print": ((pipeline, "check_bound"), (pipeline, "render"), (pipeline, "provenance")),
}


def straight(lines: int) -> str:
    """Write a function of simple statements."""
    draw = random.Random(1)
    choices = ["a = a * b + 0.1", "b = np.tanh(a) - b", "a = np.sin(b) * a", "b = b + a * 0.5"]
    body = [f"    {draw.choice(choices)}" for _ in range(lines - 3)]
    return "\n".join(
        ["def f(x):", "    a = x * 1.0", "    b = np.sin(x)", *body, "    return np.sum(a * b)"]
    )


def loopy(lines: int) -> str:
    """Write a function of loops with a branch in each."""
    body: list[str] = []
    while len(body) < lines - 4:
        body += [
            "    for i in range(3):",
            "        a = a * b + 0.1",
            "        if a[0] > 0.5:",
            "            b = np.tanh(a) - b",
            "        s = s + a[i] * b[i]",
        ]
    head = ["def f(x):", "    a = x * 1.0", "    b = np.sin(x)", "    s = 0.0"]
    return "\n".join([*head, *body, "    return np.sum(a * b) + s"])


def call_tree(functions: int) -> str:
    """Write functions of ten lines that call each other as a binary tree."""
    texts = []
    for k in range(functions - 1, 0, -1):
        below = [f"    a = a + f{c}(b)" for c in (2 * k, 2 * k + 1) if c < functions]
        texts.append(
            "\n".join(
                [
                    f"def f{k}(x):",
                    "    a = x * 1.5",
                    "    b = np.sin(a)",
                    "    for i in range(2):",
                    "        a = a * b",
                    *below,
                    "    return a - b",
                ]
            )
        )
    return "\n\n\n".join([*texts, "def f(x):\n    return np.sum(f1(x))"])


def whole_module(functions: int, lines: int) -> str:
    """Write functions that call each other as a binary tree, each long, with loops and branches."""
    draw = random.Random(1)
    simple = ["a = a * b + 0.1", "b = np.tanh(a) - b", "a = np.sin(b) * a", "b = b + a * 0.5"]
    texts = []
    for k in range(functions - 1, 0, -1):
        below = [c for c in (2 * k, 2 * k + 1) if c < functions]
        body = [f"    a = a + f{c}(b, c)" for c in below]
        while len(body) < lines - 5:
            body += [f"    {draw.choice(simple)}" for _ in range(5)]
            body += [
                "    for i in range(3):",
                "        if a[i] > 0.5:",
                "            c = c + a[i] * b[i]",
                "        else:",
                "            b = b * c",
            ]
        head = [f"def f{k}(x, c):", "    a = x * 1.5", "    b = np.sin(a)"]
        texts.append("\n".join([*head, *body, "    return a - b"]))
    return "\n\n\n".join([*texts, "def f(x):\n    return np.sum(f1(x, 0.1))"])


def function_of(text: str, folder: Path) -> Callable[..., Any]:
    """Load a text as a module of its own."""
    path = folder / f"written_{len(list(folder.iterdir()))}.py"
    path.write_text(f"import numpy as np\n\n\n{text}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    found: Callable[..., Any] = module.f
    return found


@contextmanager
def timed(spent: Counter[str]) -> Iterator[None]:
    """Add up the time of each stage; of stages that call each other the outer one counts."""
    running: list[str] = []

    def watched(stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if running:
                return function(*args, **kwargs)
            running.append(stage)
            start = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent[stage] += time.process_time() - start
                running.pop()

        return call

    with ExitStack() as stack:
        for stage, places in STAGES.items():
            for owner, key in places:
                function = watched(stage, getattr(owner, key))
                stack.enter_context(mock.patch.object(owner, key, function))
        yield


def row(label: str, text: str, folder: Path) -> float:
    """Write the derivative of a function once and print where the time went."""
    function = function_of(text, folder)
    spent: Counter[str] = Counter()
    start = time.process_time()
    with timed(spent):
        derivative = tl.source(function, like=(np.full(3, 0.7),))
    whole = time.process_time() - start
    start = time.process_time()
    compile(ast.parse(derivative), "derivative", "exec")
    ratio = whole / (time.process_time() - start)
    parts = "".join(f"{1e3 * spent[stage]:>14.0f}" for stage in STAGES)
    print(f"{label:<16}{1e3 * whole:>9.0f}{parts}{ratio:>11.0f}", flush=True)
    return whole


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=300, help="lines of the longest function")
    most = parser.parse_args().most
    os.environ["TAPELESS_CACHE"] = "0"
    print(f"{'':<16}{'whole':>9}" + "".join(f"{s:>14}" for s in STAGES) + f"{'/ compile':>11}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        row("(first of all)", straight(5), folder)
        for label, write in (("straight", straight), ("loops", loopy)):
            before: tuple[int, float] | None = None
            for lines in (n for n in (10, 30, 100, 300, 1000, 3000) if n <= most):
                whole = row(f"{label} {lines}", write(lines), folder)
                if before is not None:
                    exponent = math.log(whole / before[1]) / math.log(lines / before[0])
                    print(f"{'':<16}exponent {exponent:.2f}")
                before = lines, whole
        row("20 functions", call_tree(20), folder)
        for lines in (n for n in (15, 75) if 20 * n <= 5 * most):
            row(f"20 of {lines} lines", whole_module(20, lines), folder)


if __name__ == "__main__":
    main()
