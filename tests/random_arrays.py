"""Random programs on arrays, run as they are and as loops: their values, and their gradients.

    python -m tests.random_arrays --seed 1 --count 300

Names are bound anew, to new arrays, to views and to each other; entries, slices and whole arrays are stored
into; loops carry all that, jump, and save on lists what other loops take back.
"""

from __future__ import annotations

import argparse
import itertools
import linecache
import random
from collections import Counter

import numpy as np

import tapeless as tl
from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops

ARRAYS = ("x", "y", "a", "b", "c")
NUMBERS = ("s", "t")
UNARY = (
    "np.sin({})",
    "np.tanh({})",
    "-{}",
    "{} * {}",
    "np.abs({})",
    "0.5 * {}",
    "1.0 / (2.0 + {} ** 2)",
)
BINARY = ("{} + {}", "{} - {}", "{} * {}", "np.maximum({}, {})", "np.where({} > {}, 0.3, 0.7)")
SHORTER = ("{}[1:]", "{}[:-1]", "{}[::-1][1:]", "{}[1:][::-1]")
NUMBER_OF = ("np.sum({})", "np.max({})", "{}[0]", "{}[-1]", "{} @ {}", "np.sum({}[1:])")
VIEW = ("{}", "{}[::-1]", "{}[:]", "{}.copy()", "np.roll({}, 1)", "{}[places]")
IN_PLACE = ("+=", "-=", "*=")


class Program:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.labels = itertools.count()
        self.lists: list[tuple[str, int]] = []
        self.loops = 0

    def text(self) -> str:
        """Return a function of two arrays, a number and places."""
        lines = ["a = np.sin(x)", "b = y * 1.0", "c = x + y", "s = 0.1", "t = u * 0.5"]
        for _ in range(self.draw.randint(3, 7)):
            lines += self.statement(2)
        while self.lists:
            lines += self.emptied()
        total = "np.sum(a) + np.sum(b * c) + s * t + np.sum(x) + np.sum(y)"
        lines.append(f"return np.tanh(0.01 * ({total}))")
        return "\n".join(["def program(x, y, u, places):", *(f"    {line}" for line in lines)])

    def array(self) -> str:
        return self.draw.choice(ARRAYS)

    def number(self) -> str:
        return self.draw.choice((*NUMBERS, "u", "0.25"))

    def filled(self, pattern: str, operand) -> str:
        return pattern.format(*(operand() for _ in range(pattern.count("{}"))))

    def expression(self) -> str:
        kind = self.draw.randrange(4)
        if kind == 0:
            operand = self.array()
            return self.draw.choice(UNARY).replace("{}", operand)
        if kind == 1:
            return f"{self.array()} * {self.number()}"
        return self.filled(self.draw.choice(BINARY), self.array)

    def shorter(self) -> str:
        return self.draw.choice(SHORTER).format(self.array())

    def statement(self, depth: int) -> list[str]:
        kinds = [self.new, self.new, self.view, self.store, self.store, self.number_bound]
        if depth:
            kinds += [self.loop, self.loop, self.branch]
        made = self.draw.choice(kinds)
        return made(depth) if made in (self.loop, self.branch) else made()

    def new(self) -> list[str]:
        target = self.draw.choice("abc")
        if self.draw.random() < 0.1:
            p, q = self.draw.sample("abc", 2)
            return [f"{p}, {q} = {q}, {p}"]
        return [f"{target} = {self.expression()}"]

    def view(self) -> list[str]:
        return [f"{self.draw.choice('abc')} = {self.draw.choice(VIEW).format(self.array())}"]

    def store(self) -> list[str]:
        target, sign = self.array(), self.draw.choice(("=", *IN_PLACE))
        kind = self.draw.randrange(5)
        if kind == 0:
            return [f"{target}[{self.draw.choice(('0', '-1', '1'))}] {sign} {self.number()}"]
        if kind == 1:
            return [f"{target}[1:] {sign} np.sin({self.shorter()})"]
        if kind == 2:
            return [f"{target}[:-1] {sign} {self.shorter()}"]
        if kind == 3:
            return [f"np.add.at({target}, places, 0.1 * {self.number()})"]
        sign = self.draw.choice(IN_PLACE)
        return [f"{target} {sign} np.cos({self.array()})"]

    def number_bound(self) -> list[str]:
        target = self.draw.choice(NUMBERS)
        value = self.filled(self.draw.choice(NUMBER_OF), self.array)
        return [f"{target} = np.tanh({value})"]

    def block(self, depth: int) -> list[str]:
        lines = [line for _ in range(self.draw.randint(1, 3)) for line in self.statement(depth)]
        return [f"    {line}" for line in lines]

    def branch(self, depth: int) -> list[str]:
        lines = [f"if {self.draw.choice(NUMBERS)} > {self.draw.choice(('0.0', 'u'))}:"]
        lines += self.block(depth - 1)
        if self.draw.random() < 0.6:
            lines += ["else:", *self.block(depth - 1)]
        elif self.loops and self.draw.random() < 0.5:
            lines.append(f"    {self.draw.choice(('break', 'continue'))}")
        return lines

    def loop(self, depth: int) -> list[str]:
        trips, saved = self.draw.randint(0, 3), f"saved_{next(self.labels)}"
        self.loops += 1
        body = self.block(depth - 1)
        self.loops -= 1
        before: list[str] = []
        if self.draw.random() < 0.4 and not self.loops:
            kept = self.draw.choice((self.array(), "(a, s)", self.shorter()))
            push = [f"    {saved}.append({kept})"]
            if self.draw.random() < 0.3:
                push = ["    if s > 0.0:", f"        {saved}.append({kept})"]
            place = self.draw.randint(0, 1)
            body = push + body if place else body + push
            before = [f"{saved} = []"]
            self.lists.append((saved, trips))
        return [*before, f"for _ in range({trips}):", *body]

    def emptied(self) -> list[str]:
        saved, trips = self.lists.pop()
        if self.draw.random() < 0.5:
            return [f"for kept in reversed({saved}):", f"    {self.use()}"]
        head = f"for _ in range({trips - 1}, -1, -1):"
        return [
            head,
            f"    if len({saved}) > 0:",
            f"        kept = {saved}.pop()",
            f"        {self.use()}",
        ]

    def use(self) -> str:
        return "s = s + 0.1 * np.sum(kept[0])"


def made(text: str, label: str):
    """Make the function of a text, whose lines can be found."""
    filename = f"<random arrays {label}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    namespace = {"np": np}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"]


def arguments(n: int, seed: int, strided: bool = False):
    """Return arguments of some size."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n))
    if strided:
        x, y = x[::-1].copy()[::-1], np.repeat(y, 2)[::2]
    return x, y, float(rng.normal()), rng.integers(-max(n, 1), max(n, 1), size=n)


def must_not_run(*_):
    raise AssertionError("the NumPy text runs")


def outcome(f, given):
    """Return what a call returns and leaves, or the class of what it raises."""
    try:
        found = f(*given)
    except AssertionError:
        raise
    except Exception as error:
        return type(error)
    return found, given[0], given[1]


def differ(a, b) -> bool:
    """Whether two outcomes differ."""
    if isinstance(a, type) or isinstance(b, type):
        return a is not b
    if isinstance(a, tuple):
        return len(a) != len(b) or any(map(differ, a, b))
    return np.shape(a) != np.shape(b) or not np.allclose(
        a, b, rtol=1e-9, atol=1e-11, equal_nan=True
    )


def check(f, plain=None) -> str:
    """Return "agrees" or why a function is not lowered; raise AssertionError where loops are wrong."""
    plain = plain or f
    for n in (5, 3):
        try:
            found = lowered(plain, arguments(n, 0))
        except NotLowered as refusal:
            return refusal.reason
        strict = with_loops(found, must_not_run, "program", jit=False)
        lenient = with_loops(found, plain, "program", jit=False)
        for size, strided, run in ((n, False, strict), (n + 2, True, lenient), (n - 2, False, lenient),
                                   (1, False, lenient), (0, False, lenient)):  # fmt: skip
            for seed in (1, 2):
                a = outcome(plain, arguments(size, seed, strided))
                if run is strict and isinstance(a, type):
                    continue
                b = outcome(run, arguments(size, seed, strided))
                assert not differ(a, b), f"size {size}: {a} is {b} as loops\n{found.text}"
    return "agrees"


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + given.count):
        text = Program(seed).text()
        f = made(text, str(seed))
        for label, plain in (("value", lambda f=f: f), ("gradient", lambda f=f: gradient(f))):
            try:
                with np.errstate(all="ignore"):
                    counts[f"{label}: {check(f, plain())}"] += 1
            except AssertionError as error:
                counts[f"{label}: WRONG"] += 1
                print(f"seed {seed}, {label}\n{text}\n{error}\n")
            except tl.TapelessError as error:
                counts[f"{label}: {str(error).splitlines()[0]}"] += 1
    for reason, count in counts.most_common():
        print(f"{count:5} {reason}")


def gradient(f):
    """Return the text of a gradient as a function."""
    return tl.grad(f, wrt=(0, 1, 2), scalarize=False).serving(arguments(5, 0)).function


if __name__ == "__main__":
    main()
