"""Classes whose syntax means calls: properties, items, operators, counters, contexts."""

from __future__ import annotations

from tests.random_programs.expressions import scalar, scalar_atom, vector_of
from tests.random_programs.language import SCALAR, Writer
from tests.random_programs.statements import deep, statement

METERED = """
class {name}:
    def __init__(self, value):
        self._value = value
        self.last = {number}
        self.reads = 0

    @property
    def value(self):
        self.reads += 1
        self.last = self.last * 0.5 + self._value
        return self._value * self.reads

    @value.setter
    def value(self, new):
        self._value = {setter}

    @property
    def square(self):
        return self.value ** 2
"""

GRID = """
class {name}:
    def __init__(self, values):
        self.values = values
        self.seen = []

    def __len__(self):
        return len(self.values)

    def __getitem__(self, at):
        {on_read}
        return self.values[at] * {number}

    def __setitem__(self, at, new):
        self.values[at] = new

    def __call__(self, t):
        return self[0] * t + self[-1]

    def __contains__(self, t):
        return t in self.seen

    def __iter__(self):
        return iter(self.values)
"""

PAIR = """
class {name}:
    made = 0

    def __init__(self, re, im):
        self.re = re
        self.im = im
        {count}

    def __add__(self, other):
        return {name}(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        if isinstance(other, {name}):
            return {name}(self.re * other.re - self.im * other.im, self.re * other.im)
        return {name}(self.re * other, self.im * other)

    __rmul__ = __mul__

    def __imul__(self, other):
        self.re = self.re * other
        return self

    def __neg__(self):
        return {name}(-self.re, self.im)

    def __eq__(self, other):
        return self.re == other.re

    def __lt__(self, other):
        return self.re < other.re

    def __enter__(self):
        self.re *= {number}
        return self

    def __exit__(self, *problem):
        self.im += self.re
        return False
"""


def written(w: Writer, template: str, **parts: str) -> str:
    """Write a class into the module; return its name."""
    name = w.module.fresh("Given")
    w.module.texts.append(template.format(name=name, number=w.number(), **parts).strip("\n") + "\n")
    return name


@statement(4)
def object_with_properties(w: Writer) -> bool | None:
    if deep(w):
        return False
    kind = w.pick([SCALAR, SCALAR])
    name = written(w, METERED, setter=w.pick(["new", "new * 0.5", "new + self.last"]))
    o, k = w.module.fresh("o"), w.module.fresh("k")
    w.line(f"{o} = {name}({scalar(w, 1)})")
    first = w.assign("s", kind, f"{o}.value * {scalar_atom(w)}")
    forms = ["{o}.value = {s}", "{o}.value = {o}.value * {s}", "{o}.last = {s}"]
    line = w.pick(forms).format(o=o, s=scalar_atom(w))
    w.paste(f"for {k} in range(2):\n    {line}" if w.chance(0.4) else line)
    rest = w.pick(["{o}.square", "{o}.value + {o}.value", "{o}.last * {o}.reads"]).format(o=o)
    w.assign("s", kind, f"{first} + {rest} + {o}.last")
    return None


@statement(4)
def object_with_items(w: Writer) -> bool | None:
    if deep(w):
        return False
    on_read = w.pick(["pass", "self.seen.append(at)", "self.values[0] = self.values[0] * 0.9"])
    name = written(w, GRID, on_read=on_read)
    o, k = w.module.fresh("o"), w.module.fresh("k")
    values = w.pick(
        [f"({vector_of(w, w.module.size, 1)}) * 1.0", f"[{scalar(w, 1)}, {scalar(w, 1)}]"]
    )
    w.line(f"{o} = {name}({values})")
    forms = [
        "{o}[0] = {s}",
        "{o}[1] = {o}[0] * {s}",
        "for {k} in range(len({o})):\n    {o}[{k}] = {o}[{k}] * {s}",
        "if 1 not in {o}:\n    {o}[-1] = {s}",
        "{o}.values[0] *= {s}",
    ]
    for _ in range(w.rng.randrange(1, 3)):
        w.paste(w.pick(forms).format(o=o, k=k, s=scalar_atom(w)))
    ends = ["{o}(0.7) * {s}", "sum({o}) + {s}", "{o}[0] * {o}[1]", "sum([t ** 2 for t in {o}])"]
    w.assign("s", SCALAR, w.pick(ends).format(o=o, s=scalar_atom(w)) + f" + len({o}.seen)")
    return None


@statement(4)
def object_with_operators(w: Writer) -> bool | None:
    if deep(w):
        return False
    count = w.pick(["pass", "pass", "{0}.made += 1", "type(self).made += 1"])
    at = w.module.counters["Given"] + 1
    name = written(w, PAIR, count=count.format(f"Given{at}"))
    p, q, k = w.module.fresh("o"), w.module.fresh("o"), w.module.fresh("k")
    w.line(f"{p} = {name}({scalar(w, 1)}, {scalar(w, 1)})")
    forms = ["{p} + {p}", "{p} * {s}", "{s} * {p}", "{p} * {p}", "-{p}", "{p}"]
    w.line(f"{q} = {w.pick(forms).format(p=p, s=w.number())}")
    changes = [
        "{q} *= {s}",
        "for {k} in range(2):\n    {q} = {q} * {p}",
        "with {p} as {k}:\n    {k}.im = {k}.im * {s}",
        "{q} = max([{p}, {q}], key=lambda one: one.re)",
        "if {p} < {q}:\n    {p}, {q} = {q}, {p}",
        "{q} = sum([{p}, {q}], {p})",
    ]
    w.paste(w.pick(changes).format(p=p, q=q, k=k, s=scalar_atom(w)))
    w.assign("s", SCALAR, f"{p}.re * {q}.im + {q}.re * {scalar_atom(w)} + {p}.im")
    return None
