"""Numbers of several sorts in one formula, and selections that cut a derivative at a pole."""

from __future__ import annotations

from tests.random_programs.expressions import condition, scalar, scalar_atom, vector_atom
from tests.random_programs.language import SCALAR, Kind, Signature, Writer, vector
from tests.random_programs.statements import deep, statement

MIXED = (
    "np.float32(0.5) * {v}",
    "np.array([1, 2, 3]) * {v}",
    "np.array([0.5, 1.5, 0.25], dtype=np.float32) * {v} + {s}",
    "{v} * np.arange(3) + np.array([True, False, True]) * {s}",
    "{v} ** np.array([1, 2, 3])",
    "({v} > {s}) * {v}",
    "np.where(np.arange(3) == 1, 2, {v})",
    "(({v} + 1j * {s}) ** 2).real",
    "np.abs({v} * (0.6 + 0.8j) + {s} * 1j)",
    "np.concatenate([np.array([1]), {v}[:2] * {s}])",
    "np.array([{s}, 1, 2.5]) * {v}",
    "np.real(np.conj({v} + 1j) * np.exp(1j * {s}))",
    "{v} // 10.0 + {v} * 2",
)
MATERIAL = (
    "{a} = np.zeros(3, dtype=complex)\n{a}[:2] = {v}[1:] * 1j\n{a}[2] = {s}\n"
    "{a} *= 1.0 + 0.5j\n{b} = {a}.imag + {a}.real * {s}",
    "{a} = np.empty(3)\n{a}[0], {a}[1:] = 1, {v}[:2]\n{b} = {a} * {s}",
    "{a} = np.zeros_like(np.arange(3), dtype=float)\n{a} += {v}\n{b} = {a} * {a}",
    "{a} = np.ones((3, 1), dtype=np.float32) * {v}\n{b} = {a}[1] + {s}",
    "{a} = 1\nfor k in range(2):\n    {a} = {a} * {v}\n{b} = {a} + {s}",
    "{a} = [1, {s}]\n{a}[0] = {s}\n{b} = np.array({a} + [2]) * {v}",
)


@statement(8)
def several_sorts_of_numbers(w: Writer) -> bool | None:
    n = w.module.size
    if deep(w) or n != 3:
        return False
    parts = {"v": vector_atom(w, n), "s": scalar_atom(w)}
    if w.chance(0.6):
        w.assign("v", vector(n), w.pick(MIXED).format(**parts))
        return None
    a, b = w.module.fresh("mixed"), w.module.fresh("v")
    w.paste(w.pick(MATERIAL).format(a=a, b=b, **parts))
    w.bind(b, vector(n))
    return None


# What is not selected may have no derivative there

CUT = (
    "np.sqrt(np.maximum({v}, 0.0))",
    "np.sqrt(np.clip({v}, 0.0, 1.1))",
    "np.where({v} > 0.0, np.log(np.where({v} > 0.0, {v}, 1.0)), {s})",
    "np.where({v} > 0.0, np.sqrt(np.maximum({v}, 0.0)), 0.0)",
    "np.clip({v}, 0.0, 0.9) ** 1.5",
    "np.where({v} > {s}, {v}, {s}) / (1.0 + np.abs({v}))",
    "np.maximum({v}, 0.0) ** 0.5 * {s}",
    "np.abs(np.minimum({v}, 0.0)) ** 0.7",
    "np.linalg.norm(np.clip({v}, 5.0, 6.0) - 5.0) + {v}",
    "np.where({v} == 0.0, 0.0, {s} / {v})",
)
BY_MASK = (
    "{r} = np.zeros({n})\n{m} = {v} > 0.0\n{r}[{m}] = np.sqrt({v}[{m}])",
    "{r} = {v} * 1.0\n{r}[{r} <= 0.0] = 0.0\n{r} = {r} ** 0.5",
    "{r} = {v} * 0.0\nfor {m} in range({n}):\n    {r}[{m}] = max({v}[{m}], 0.0) ** 0.5",
)


@statement(6)
def selection_at_a_pole(w: Writer) -> bool | None:
    """Cut a value at the edge of where it has a derivative: here, in a callee, or in a loop."""
    if deep(w) or w.is_nested:
        return False
    n = w.module.size
    v, s = vector_atom(w, n), scalar_atom(w)
    r, m, g = w.module.fresh("cut"), w.module.fresh("m"), w.module.fresh("chosen")
    match w.rng.randrange(4):
        case 0:
            w.line(f"{r} = {w.pick(CUT).format(v=v, s=s)}")
        case 1:
            w.line(f"{m} = {v}")
            w.paste(w.pick(BY_MASK).format(r=r, m=g, v=m, n=n))
        case 2:
            # others call it, too, perhaps with exact zeros: these are cut, not met at the pole itself
            body = w.pick(CUT).format(v="(p - 0.013)", s="q")
            w.module.texts.append(f"def {g}(p, q):\n    return {body}\n")
            parameters = (("p", vector(n)), ("q", SCALAR))
            w.module.functions.append(Signature(g, parameters, vector(n), 2))
            w.line(f"{r} = {g}({v}, {s})")
        case _:
            w.line(f"{r} = {v}")
            w.line(f"for {m} in range(2):")
            # what one trip cuts to 0 would be met at the pole itself by the next, which no way leaves
            w.line(f"    {r} = {w.pick(CUT).format(v=r, s=s)} * {w.number()} - 0.07")
    w.bind(r, vector(n))
    return None


RECURSIONS = (
    "np.clip(p, -0.5, 0.9)",
    "max(p, 0.2)",
    "np.where(p > 0.3, p, 0.3)",
    "min(abs(p), 1.2)",
    # a product with 0 would be met at the pole itself, where no way leaves it
    "(np.maximum(p - 0.013, 0.0) ** 0.5 - 0.07)",
)


@statement(4)
def recursion_over_a_selection(w: Writer) -> bool | None:
    if deep(w) or w.is_nested:
        return False
    g = w.module.fresh("descend")
    cut = w.pick(RECURSIONS)
    end = w.pick(["p * p", "np.sqrt(p * p + 1.0)", "p"])
    step = w.pick([f"{g}({cut} * q, q, n - 1)", f"{cut} * {g}(p * q, q, n - 1)"])
    text = f"def {g}(p, q, n):\n    if n <= 0:\n        return {end}\n    return {step} + q * 0.5\n"
    w.module.texts.append(text)
    count = Kind("index", w.module.size)
    parameters = (("p", SCALAR), ("q", SCALAR), ("n", count))
    w.module.functions.append(Signature(g, parameters, SCALAR, 3))
    w.assign("s", SCALAR, f"{g}({scalar(w, 1)}, {scalar_atom(w)}, {w.rng.randrange(1, 4)})")
    if w.chance(0.3):
        with w.block(f"if {condition(w)}:"):
            w.line(f"_ = {g}({scalar_atom(w)}, 0.5, 1)")
    return None
