"""Programs of functions that call each other several deep and hand on what they were given, or made.

What is made deep inside is stored into by a caller far above, used twice, kept in a tuple beside other
things. So each function on the way has to know what those around it do with what passes through.
"""

from __future__ import annotations

import random

DEPTH = 5  # of the functions: each calls those before it

_TEXT = """import numpy as np


{definitions}


def f(x, s):
    {body}
    return {result}


def samples():
    return [(np.array([0.3, -0.4, 0.5]), 0.6)]
"""


def write_chain(seed: int) -> str:
    """Write the program of a seed: of methods of objects, or of functions of pairs."""
    rng = random.Random(f"chain {seed}")
    return _of_objects(rng) if rng.random() < 0.5 else _of_pairs(rng)


def _of_objects(rng: random.Random) -> str:
    made = [
        "Point(self.a * o.a, self.b + o.b)",
        "Point(self.a + o.a, self.b * o.b)",
        "Point(self.a - 0.5 * o.a[::-1], o.b)",
    ]
    lines = [
        "class Point:",
        "    def __init__(self, a, b):",
        "        self.a, self.b = a, b",
        "",
        "    def put(self, i, value):",
        "        self.a[i] = value",
        "",
        "    def add(self, o):",
        "        self.a += o.a",
        "        return self",
        "",
        "    def norm(self):",
        "        return np.sum(self.a ** 2) + self.b ** 2",
    ]
    for i in range(DEPTH):
        c, d = (f"m{rng.randrange(max(i, 1))}" for _ in range(2))
        bodies = [
            f"return self.{c}(o)",
            f"return o.{c}(self)",
            f"r = self.{c}(o)\n        return r.{d}(r)",
            f"r = self.{c}(o)\n        r.a[{rng.randrange(3)}] = o.b\n        return r",
            f"if self.b > 0.5:\n            return self.{c}(o)\n        return o.{d}(self)",
            f"return {rng.choice(made)}",
        ]
        lines += [
            "",
            f"    def m{i}(self, o):",
            f"        {rng.choice(bodies) if i else bodies[-1]}",
        ]
    things = ["p", "q"]
    body = ["p = Point(x * 1.0, s)", "q = Point(np.sin(x), s * s)"]
    for n in range(rng.randrange(4, 8)):
        one, other, third = (rng.choice(things) for _ in range(3))
        method = f"m{rng.randrange(DEPTH)}"
        step, makes = rng.choice([
            (f"v{n} = {one}.{method}({other})", True),
            (f"v{n} = {one}.{method}({one})", True),
            (f"{one}.put({rng.randrange(3)}, {rng.choice(['0.5', 's', other + '.b'])})", False),
            (f"{one}.add({other})", False),
            (f"{one}.a[{rng.randrange(3)}] *= 0.5", False),
            (f"for _ in range(2):\n        {one} = {other}.{method}({third})", False),
        ])  # fmt: skip
        body.append(step)
        things += [f"v{n}"] if makes else []
    result = " + ".join(f"0.1 * {t}.norm()" for t in rng.sample(things, min(4, len(things))))
    return _TEXT.format(definitions="\n".join(lines), body="\n    ".join(body), result=result)


def _of_pairs(rng: random.Random) -> str:
    first, second, display = rng.choice([
        ("[0]", "[1]", "[{}, {}]"), ("[0]", "[1]", "({}, {})"), ("['a']", "['b']", "{{'a': {}, 'b': {}}}"),
    ])  # fmt: skip
    may_change = not display.startswith("(")
    lines: list[str] = []
    for i in range(DEPTH):
        c, d = (f"g{rng.randrange(max(i, 1))}" for _ in range(2))
        made = [
            display.format(f"p{first} * q{first}", f"p{second} + q{second}"),
            display.format(f"p{first} + q{first}", f"q{second}[::-1] * p{second}"),
            display.format(f"np.sin(p{first})", f"q{second}"),
        ]
        bodies = [
            f"return {c}(p, q)",
            f"return {c}(q, p)",
            f"r = {c}(p, q)\n    return {d}(r, r)",
            f"r = {c}(p, q)\n    r{first}[{rng.randrange(3)}] = p{second}[0]\n    return r",
            f"if p{second}[0] > 0.1:\n        return {c}(p, q)\n    return {d}(q, p)",
            f"p{first}[1] *= 0.5\n    return {c}(p, q)",
            f"r = {c}(p, q)\n    return {display.format('r' + first, 'q' + first)}",
            f"return {rng.choice(made)}",
        ]
        if may_change:
            bodies.append(f"r = {c}(p, q)\n    r{first} = r{second} * 0.5\n    return r")
        chosen = rng.choice(bodies) if i else f"return {rng.choice(made)}"
        lines += [f"def g{i}(p, q):", f"    {chosen}", "", ""]
    things = ["p", "q"]
    body = [
        f"p = {display.format('x * 1.0', 's * x')}",
        f"q = {display.format('np.sin(x)', 'x * x + s')}",
    ]
    for n in range(rng.randrange(4, 8)):
        one, other, third = (rng.choice(things) for _ in range(3))
        call = f"g{rng.randrange(DEPTH)}({other}, {third})"
        value = rng.choice(["0.5", "s", f"{other}{first}[1]"])
        steps = [
            (f"v{n} = {call}", True),
            (f"v{n} = {one}", True),
            (f"{one}{rng.choice([first, second])}[{rng.randrange(3)}] = {value}", False),
            (f"for _ in range(2):\n        {one} = {call}", False),
        ]
        if may_change:
            steps.append((f"{one}{first} = {other}{second} * 0.5", False))
        step, makes = rng.choice(steps)
        body.append(step)
        things += [f"v{n}"] if makes else []
    shown = rng.sample(things, min(4, len(things)))
    result = " + ".join(f"0.1 * np.sum({t}{first} ** 2) + 0.1 * np.sum({t}{second})" for t in shown)
    return _TEXT.format(
        definitions="\n".join(lines).rstrip(), body="\n    ".join(body), result=result
    )
