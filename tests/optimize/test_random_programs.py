"""Programs made at random, with views, stores, copies and loops: the same numbers."""

import random

import gast
import numpy as np
import pytest

from tapeless.externals import MISSING
from tapeless.kinds import UNKNOWN, Array, Real
from tapeless.optimize import Context, optimize
from tapeless.source.printer import unparse
from tapeless.tree.comments import comment

ARRAYS = ["x", "y", "a", "b", "u", "v", "v_1", "v_2", "v_3", "v_bar", "a_bar", "b_bar"]
SCALARS = ["c", "s", "t", "k", "s_bar", "v_4", "v_5"]
TEMPORARIES = {n for n in ARRAYS + SCALARS if n[0] == "v" or n.endswith("_bar")} | {
    "k",
    *(f"v_{i}" for i in range(90, 140)),
}


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.stacks = []
        self.count = 0
        self.arrays = ["x", "y"]
        self.scalars = ["c"]

    def pick(self, items):
        return self.random.choice(items)

    def array(self, depth=0):
        r = self.random.random()
        if r < 0.35 or depth > 1:
            return self.pick(self.arrays)
        if r < 0.6:
            op = self.pick(["+", "-", "*"])
            return f"({self.array(depth + 1)} {op} {self.array(depth + 1)})"
        if r < 0.7:
            return f"np.sin({self.array(depth + 1)})"
        if r < 0.8:
            return f"{self.scalar(1)} * {self.array(depth + 1)}"
        if r < 0.85:
            return f"{self.pick(self.arrays)}[::-1]"
        if r < 0.9:
            return f"{self.pick(self.arrays)}[:]"
        if r < 0.97:
            return f"1.0 * {self.pick(self.arrays)}"
        return f"-{self.pick(self.arrays)}"

    def scalar(self, depth=0):
        r = self.random.random()
        if r < 0.3 or depth > 1:
            return self.pick(self.scalars)
        if r < 0.5:
            return f"{self.pick(self.arrays)}[{self.random.randrange(3)}]"
        if r < 0.7:
            return f"({self.scalar(depth + 1)} {self.pick('+-*')} {self.scalar(depth + 1)})"
        if r < 0.8:
            return self.pick(["1.0", "0.0", "2.0", "-1.0"])
        if r < 0.9:
            return f"float(np.sum({self.array(depth + 1)}))"
        return f"-{self.pick(self.scalars)}"

    def block(self, depth, length, in_loop):
        lines = []
        for _ in range(length):
            lines += self.statement(depth, in_loop)
        return ["    " + line for line in lines or ["pass"]]

    def new(self, kind):
        names = ARRAYS[2:] if kind == "array" else SCALARS[1:]
        return self.pick(names)

    def statement(self, depth, in_loop):
        r = self.random.random()
        if r < 0.08:
            return self.kept_across()
        if r < 0.3:
            key, value = self.new("array"), self.array()
            self.know(self.arrays, key)
            return [f"{key} = {value}"]
        if r < 0.42:
            key, value = self.new("scalar"), self.scalar()
            self.know(self.scalars, key)
            return [f"{key} = {value}"]
        if r < 0.5:
            key = self.pick(self.arrays)
            return [f"{key} {self.pick(['+=', '-='])} 0.5 * np.sin({self.array()})"]
        if r < 0.58:
            return [
                f"{self.pick(self.arrays)}[{self.random.randrange(3)}] = np.cos({self.scalar()})"
            ]
        if r < 0.62:
            key = self.pick(self.arrays)
            return [f"{key}[{self.random.randrange(3)}] += {self.scalar()} * 0.1"]
        if r < 0.66:
            key = self.pick(self.arrays)
            return [f"{key}[...] = np.sin({self.array()})"]
        if r < 0.72:
            key = self.pick(self.scalars)
            return [f"{key} += np.tanh({self.scalar()})"]
        if r < 0.76 and not in_loop:
            return self.saves(depth)
        if r < 0.78 and in_loop and depth > 1:
            return [f"if {self.scalar()} > 1.0:", f"    {self.pick(['break', 'continue'])}"]
        if r < 0.79 and depth == 1:
            return [f"if {self.scalar()} > 5.0:", f"    return {self.scalar()}, {self.array()}"]
        if depth > 2:
            return [f"log({self.pick(self.scalars)}, {self.pick(self.arrays)})"]
        if r < 0.9:
            before = list(self.arrays), list(self.scalars)
            test = f"{self.scalar()} > {self.scalar()}"
            yes = self.block(depth + 1, self.random.randrange(1, 4), in_loop)
            after = self.arrays, self.scalars
            self.arrays, self.scalars = list(before[0]), list(before[1])
            no = self.block(depth + 1, self.random.randrange(1, 3), in_loop)
            self.arrays = [k for k in after[0] if k in self.arrays]
            self.scalars = [k for k in after[1] if k in self.scalars]
            return [f"if {test}:", *yes, "else:", *no]
        before = list(self.arrays), list(self.scalars)
        body = self.block(depth + 1, self.random.randrange(1, 5), True)
        self.arrays, self.scalars = before
        return [f"for _ in range({self.random.randrange(4)}):", *body]

    def kept_across(self):
        """A temporary that is read once, after a store into what it may show."""
        self.count += 1
        key, value = f"v_{90 + self.count}", self.array()
        changed = self.pick(self.arrays)
        store = self.pick([f"{changed}[1] = 0.7", f"{changed} += 0.1", f"{changed} = -{changed}"])
        user = self.new("array")
        self.know(self.arrays, user)
        return [f"{key} = {value}", store, f"{user} = {key} * 2.0"]

    def saves(self, depth):
        """A loop that pushes and a loop that pops."""
        stack = f"saved_{len(self.stacks)}"
        self.stacks.append(stack)
        before = list(self.arrays), list(self.scalars)
        key, value = self.new("array"), self.array()
        self.know(self.arrays, key)
        other = self.pick(self.arrays)
        third = self.pick(self.scalars)
        body = self.block(depth + 1, 2, True)
        body = [line for line in body if "break" not in line and "continue" not in line]
        if any(line.rstrip().endswith(":") for line in body):
            body = ["    pass"]
        first = [
            "for _ in range(3):",
            f"    {key} = {value}",
            f"    {stack}.append(({key}, {other}, {third}))",
            *body,
        ]
        self.arrays, self.scalars = list(before[0]), list(before[1])
        p, q, r = self.new("array"), self.new("array"), self.new("scalar")
        while q == p:
            q = self.new("array")
        self.know(self.arrays, p), self.know(self.arrays, q), self.know(self.scalars, r)
        inner = self.block(depth + 1, 2, True)
        inner = [line for line in inner if "break" not in line and "continue" not in line]
        if any(line.rstrip().endswith(":") for line in inner):
            inner = ["    pass"]
        self.arrays, self.scalars = before
        return [*first, "for _ in range(3):", f"    {p}, {q}, {r} = {stack}.pop()", *inner]

    @staticmethod
    def know(known, key):
        if key not in known:
            known.append(key)

    def function(self):
        head = self.block(1, self.random.randrange(4, 10), False)
        mark = len(head)
        tail = self.block(1, self.random.randrange(4, 14), False)
        result = ", ".join([*self.arrays, *self.scalars])
        if self.random.random() < 0.7:
            kept = self.random.sample(self.arrays, min(2, len(self.arrays)))
            result = ", ".join([*kept, self.pick(self.scalars)])
        start = [f"    {stack} = []" for stack in self.stacks]
        lines = ["def f(x, y, c):", *start, *head, "    'Reverse sweep'", *tail]
        return "\n".join([*lines, f"    return ({result})"]), mark


def marked(tree):
    body = []
    for s in tree.body:
        if isinstance(s, gast.Expr) and isinstance(s.value, gast.Constant):
            s = comment(s.value.value)
        body.append(s)
    tree.body = body
    return tree


def resolve(tree):
    if isinstance(tree, gast.Name):
        return {"float": float, "range": range, "np": np}.get(tree.id, MISSING)
    if isinstance(tree, gast.Attribute) and isinstance(tree.value, gast.Name):
        if tree.value.id == "np":
            return getattr(np, tree.attr)
    return MISSING


KINDS = {n: Array((3,)) for n in ARRAYS} | {n: Real() for n in SCALARS}


def run(text):
    logged = []
    space = {"np": np, "log": lambda *args: logged.extend(np.copy(a) for a in args)}
    exec(text, space)
    x, y = np.array([0.3, -0.2, 0.9]), np.array([1.1, 0.4, -0.7])
    result = space["f"](x, y, 0.6)
    return [np.copy(part) for part in (*result, x, y, *logged)]


@pytest.mark.parametrize("seed", range(12))
def test_the_same_numbers(seed):
    for i in range(15):
        number = 1000 * seed + i
        text, _ = Maker(number).function()
        tree = marked(gast.parse(text).body[0])
        with np.errstate(all="ignore"):
            try:
                expected = run(unparse(tree))
            except UnboundLocalError:
                continue
            for kinds in ({}, KINDS):
                context = Context(
                    resolve=resolve,
                    temporaries=lambda key: key in TEMPORARIES or key.startswith("saved"),
                    kind_of=lambda key: kinds.get(key, UNKNOWN),
                )
                made = unparse(optimize(tree, context))
                found = run(made)
                assert len(found) == len(expected), f"{number}\n{text}\n\n{made}"
                for a, b in zip(found, expected):
                    same = np.allclose(a, b, rtol=1e-9, equal_nan=True)
                    assert same, f"{number}\n{text}\n\n{made}"
