"""A seed makes a program: drawn, or one of the zoo; as it stands, or rewritten."""

from __future__ import annotations

import functools
import importlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.random_programs.generator import write_program
from tests.random_programs.program import Program
from tests.random_programs.rewrites import rewritten
from tests.test_zoo import FAMILIES

ENDING = """

import copy as copy_module


def the_samples():
    return [copy_module.deepcopy(args) for name, _, args in CASES if name == {name!r}]


the_function = next(function for name, function, _ in CASES if name == {name!r})
"""


def program_of(seed: int) -> Program:
    """Return the program of this seed: of three, one is drawn, two are rewritten."""
    rng = random.Random(f"source {seed}")
    sort = rng.choice(["drawn", "drawn", "drawn rewritten", "zoo rewritten"])
    if sort == "drawn":
        return drawn(seed)
    if sort == "drawn rewritten":
        program = drawn(seed)
        text, done = rewritten(program.text, "f", seed)
        return program.with_text(text, f"{program.label}, {', '.join(done)}")
    family, name = rng.choice(programs_of_the_zoo())
    return of_the_zoo(family, name, seed)


def drawn(seed: int) -> Program:
    return Program(f"drawn {seed}", write_program(seed))


@functools.cache
def programs_of_the_zoo() -> list[tuple[str, str]]:
    """Return the families and names of all programs that the zoo differentiates."""
    return [
        (family, name)
        for family in FAMILIES
        for name, function, _ in _module(family).CASES
        if _name_in_module(function, family)
    ]


def of_the_zoo(family: str, name: str, seed: int | None = None) -> Program:
    """Return a program of the zoo, rewritten if there is a seed."""
    function = next(f for one, f, _ in _module(family).CASES if one == name)
    text = Path(str(_module(family).__file__)).read_text()
    label = f"zoo {family}-{name}"
    if seed is not None:
        text, done = rewritten(text, str(_name_in_module(function, family)), seed)
        label = f"{label} ({seed}), {', '.join(done)}"
    return Program(label, text + ENDING.format(name=name), "the_function", "the_samples")


def _module(family: str) -> Any:
    return importlib.import_module(f"tests.zoo.{family}")


def _name_in_module(function: Callable[..., Any], family: str) -> str | None:
    """Return the name under which a function stands in its file, if it has a `def` there."""
    name = getattr(function, "__name__", None)
    own = getattr(_module(family), str(name), None) is function
    return name if own and hasattr(function, "__code__") else None
