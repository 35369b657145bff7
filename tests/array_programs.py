"""Writes random programs on arrays: names bound anew, views, stores, loops, jumps, errors.

The functions take vectors `x`, `y`, a matrix `m`, a number `u` and integers `places`.
"""

from __future__ import annotations

import itertools
import random

VECTORS = ("x", "y", "a", "b", "c")
MATRICES = ("m", "p", "q")
NUMBERS = ("s", "t")
UNARY = (
    "np.sin({})", "np.tanh({})", "-{}", "{} * {}", "np.abs({})", "0.5 * {}", "1.0 / (2.0 + {} ** 2)",
    "{} - 1", "np.exp(-{} * {})", "np.clip({}, -0.5, 0.5)", "np.sqrt(1.0 + {} * {})",
)  # fmt: skip
BINARY = (
    "{} + {}", "{} - {}", "{} * {}", "np.maximum({}, {})", "np.where({} > {}, 0.3, 0.7)",
    "np.where({} > 0.1, {}, -0.2)", "{} / (1.0 + {} ** 2)",
)  # fmt: skip
SHORTER = ("{}[1:]", "{}[:-1]", "{}[::-1][1:]", "{}[1:][::-1]")
VIEW = ("{}", "{}[::-1]", "{}[:]", "{}.copy()", "np.roll({}, 1)", "{}[places]", "{}[k]")
MATRIX_VIEW = ("{}", "{}.T", "{}[::-1]", "{}[:, ::-1]", "{}.copy()", "{}[places]")
NUMBER_OF = (
    "np.sum({v})", "np.max({v})", "{v}[0]", "{v}[-1]", "{v} @ {v}", "np.sum({v}[1:])",
    "np.mean({v})", "{v}[k[0]]",
)  # fmt: skip
NUMBER_OF_MATRIX = (
    "np.sum({m})", "np.min({m})", "{m}[0, -1]", "{v} @ {m} @ {v}", "np.sum({m}[1:, :-1] * {m}[:-1, 1:])",
    "np.sum({m}[0])", "np.sum({v}[:, None, None] * {m})",
)  # fmt: skip
VECTOR_OF_MATRIX = (
    "np.sum({m}, axis=0)", "np.sum({m}, axis=1)", "np.max({m}, axis=0)", "np.mean({m}, axis=1)",
    "{m} @ {v}", "{v} @ {m}", "{m}[0]", "{m}[:, -1]", "np.diag({m})",
    "np.sum({v}[:, None, None] * {m}, axis=(0, 2))", "np.max({m}, axis=1) - np.min({m}, axis=0)",
)  # fmt: skip
MATRIX_OF = (
    "{m} @ {m}", "np.outer({v}, {v})", "{v}[:, None] * {m}", "{m} + {v}", "{v}[:, None] - {v}",
    "{m} / (1.0 + np.sum({m} * {m}, axis=1, keepdims=True))", "{m} - np.max({m}, axis=0, keepdims=True)",
    "np.sum({v}[:, None, None] * {m} * {m}[:, None, :], axis=1)", "np.where({m} > {v}, {m}, 0.5)",
)  # fmt: skip
IN_PLACE = ("+=", "-=", "*=")


class Program:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.labels = itertools.count()
        self.lists: list[tuple[str, int]] = []
        self.loops = 0
        self.has_matrices = self.draw.random() < 0.45
        self.is_odd = self.draw.random() < 0.35

    def text(self) -> str:
        """Return the function."""
        lines = [
            "a = np.sin(x)",
            "b = y * 1.0",
            "c = x + y",
            "s = 0.125",
            "t = u * 0.5",
            "k = places",
        ]
        if self.has_matrices:
            lines += ["p = m * 0.5", "q = np.cos(m)"]
        for _ in range(self.draw.randint(3, 7)):
            lines += self.statement(2)
        while self.lists:
            lines += self.emptied()
        total = "np.sum(a) + np.sum(b * c) + s * t + np.sum(x) + np.sum(y)"
        if self.has_matrices:
            total += " + np.sum(p * q) + np.sum(m)"
        lines.append(f"return np.tanh(0.01 * ({total}))")
        return "\n".join(["def program(x, y, m, u, places):", *(f"    {line}" for line in lines)])

    def array(self) -> str:
        return self.draw.choice(VECTORS)

    def matrix(self) -> str:
        return self.draw.choice(MATRICES)

    def number(self) -> str:
        return self.draw.choice((*NUMBERS, "u", "0.25"))

    def filled(self, pattern: str) -> str:
        """Fill the places of a pattern with vectors and matrices."""
        for place, operand in (("{}", self.array), ("{v}", self.array), ("{m}", self.matrix)):
            while place in pattern:
                pattern = pattern.replace(place, operand(), 1)
        return pattern

    def expression(self) -> str:
        kind = self.draw.randrange(5 if self.has_matrices else 4)
        if kind == 0:
            return self.draw.choice(UNARY).replace("{}", self.array())
        if kind == 1:
            return f"{self.array()} * {self.number()}"
        if kind == 4:
            return self.filled(self.draw.choice(VECTOR_OF_MATRIX))
        return self.filled(self.draw.choice(BINARY))

    def matrix_expression(self) -> str:
        kind = self.draw.randrange(4)
        if kind == 0:
            return self.draw.choice(UNARY).replace("{}", self.matrix())
        if kind == 1:
            return f"{self.matrix()} * {self.number()}"
        return self.filled(self.draw.choice(MATRIX_OF))

    def shorter(self) -> str:
        return self.draw.choice(SHORTER).format(self.array())

    def statement(self, depth: int) -> list[str]:
        kinds = [self.new, self.new, self.view, self.store, self.store, self.number_bound]
        if self.has_matrices:
            kinds += [self.new_matrix, self.matrix_view, self.matrix_store]
        if self.is_odd:
            kinds += [self.odd]
        if depth:
            kinds += [self.loop, self.loop, self.branch]
        made = self.draw.choice(kinds)
        return made(depth) if made in (self.loop, self.branch) else made()

    def new(self) -> list[str]:
        if self.draw.random() < 0.1:
            p, q = self.draw.sample("abc", 2)
            return [f"{p}, {q} = {q}, {p}"]
        return [f"{self.draw.choice('abc')} = {self.expression()}"]

    def view(self) -> list[str]:
        return [f"{self.draw.choice('abc')} = {self.draw.choice(VIEW).format(self.array())}"]

    def new_matrix(self) -> list[str]:
        return [f"{self.draw.choice('pq')} = {self.matrix_expression()}"]

    def matrix_view(self) -> list[str]:
        return [f"{self.draw.choice('pq')} = {self.draw.choice(MATRIX_VIEW).format(self.matrix())}"]

    def matrix_store(self) -> list[str]:
        target, sign = self.matrix(), self.draw.choice(("=", *IN_PLACE))
        kind = self.draw.randrange(5)
        if kind == 0:
            return [
                f"{target}[{self.draw.choice(('0, 0', '-1, 1', '1, -1'))}] {sign} {self.number()}"
            ]
        if kind == 1:
            return [
                f"{target}[{self.draw.choice(('0', ':, 0', '-1', ':, 1'))}] {sign} {self.array()}"
            ]
        if kind == 2:
            return [f"{target}[1:, :-1] {sign} {self.matrix()}[:-1, 1:]"]
        if kind == 3:
            return [f"{target}[1:] {sign} np.sin({self.matrix()}[:-1])"]
        return [f"{target} {self.draw.choice(IN_PLACE)} np.cos({self.matrix()})"]

    def store(self) -> list[str]:
        target, sign = self.array(), self.draw.choice(("=", *IN_PLACE))
        kind = self.draw.randrange(6)
        if kind == 0:
            return [f"{target}[{self.draw.choice(('0', '-1', '1'))}] {sign} {self.number()}"]
        if kind == 1:
            return [f"{target}[1:] {sign} np.sin({self.shorter()})"]
        if kind == 2:
            return [f"{target}[:-1] {sign} {self.shorter()}"]
        if kind == 3:
            return [f"np.add.at({target}, k, 0.1 * {self.number()})"]
        if kind == 4:
            return [f"{target}[{self.draw.choice(('places', 'k'))}] {sign} {self.array()}"]
        return [f"{target} {self.draw.choice(IN_PLACE)} np.cos({self.array()})"]

    def odd(self) -> list[str]:
        """Return what is rarer: integers, truth values, steps, a `while`, a return, an error."""
        kind = self.draw.randrange(8)
        target = self.draw.choice("abc")
        if kind == 0:
            return [
                f"k = {self.draw.choice(('k[::-1]', 'places', 'np.roll(k, 1)', 'places.copy()'))}"
            ]
        if kind == 1:
            mask = self.draw.choice(
                ("({} > 0.0) & ({} < 1.0)", "~({} > {})", "({} < {}) | ({} > 0.5)")
            )
            return [
                f"inside = {self.filled(mask)}",
                f"{target} = np.where(inside, {self.array()}, {self.number()})",
            ]
        if kind == 2:
            step = self.draw.choice(("::2", "1::2", "::3"))
            return [f"{target}[{step}] {self.draw.choice(IN_PLACE)} {self.array()}[{step}]"]
        if kind == 3:
            inner = f"    {target} = 0.5 * {self.array()} + 0.1"
            n = next(self.labels)
            head = [
                f"n_{n} = 0",
                f"while n_{n} < 3 and np.sum({target}) > {self.draw.choice((0.1, 1.0))}:",
            ]
            return [*head, inner, f"    n_{n} += 1"]
        if kind == 4:
            return [f"if {self.draw.choice(NUMBERS)} > {self.draw.choice((0.4, 0.6))}:",
                    f"    return np.tanh({self.filled('np.sum({})')})"]  # fmt: skip
        if kind == 5:
            return [f"if {self.draw.choice(NUMBERS)} > {self.draw.choice((0.5, 0.7))}:",
                    "    raise ValueError('too large')"]  # fmt: skip
        if kind == 6:
            return [f"{target} = np.concatenate([{self.array()}[:2], {self.array()}[2:]])"]
        return [f"{target}[1] = {self.array()}[k[0]]", f"{target}[k[1]] *= {self.number()}"]

    def number_bound(self) -> list[str]:
        patterns = NUMBER_OF + (NUMBER_OF_MATRIX if self.has_matrices else ())
        value = self.filled(self.draw.choice(patterns))
        return [f"{self.draw.choice(NUMBERS)} = np.tanh({value})"]

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
