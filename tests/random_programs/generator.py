"""Puts a random program together: the text of a module, and what its function is called with.

The module is read from a file, as a user's is. It holds the helpers, classes and state outside that
the function uses; the function is `f`, and `samples()` gives the arguments of its calls anew.
"""

from __future__ import annotations

import random

from tests.random_programs import (
    statements_calls,
    statements_classes,
    statements_collections,
    statements_flow,
    statements_memory,
    statements_numbers,
    statements_sizes,
    statements_straight,
    statements_syntax,
    statements_updates,
)
from tests.random_programs.expressions import expression, same, scalar
from tests.random_programs.language import (
    COUNT,
    FLAG,
    SAME,
    SCALAR,
    ClassShape,
    Kind,
    Module,
    Signature,
    Writer,
    dict_of,
    index,
    list_of,
    matrix,
    tuple_of,
    vector,
)
from tests.random_programs.statements import write_body, write_statement

# these modules fill the table of statements
TOPICS = (
    statements_straight,
    statements_flow,
    statements_memory,
    statements_sizes,
    statements_calls,
    statements_updates,
    statements_collections,
    statements_classes,
    statements_syntax,
    statements_numbers,
)


def write_program(seed: int) -> str:
    """Write the module of this seed."""
    rng = random.Random(seed)
    module = Module(rng, size=3)
    if rng.random() < 0.06:
        return write_for_any_kind(module)
    write_outside(module)
    for _ in range(rng.choice([0, 1, 1, 2])):
        write_helper(module)
    for _ in range(rng.choice([0, 0, 0, 1])):
        write_class(module)
    return write_function(module)


def text_of(module: Module, function: list[str], samples: list[str]) -> str:
    imports = ["collections", "contextlib", "copy", "math"]
    lines = [f"import {name}" for name in imports]
    parts = ["\n".join(lines) + "\n\nimport numpy as np\n\nimport tapeless as tl\n"]
    parts += module.texts
    parts.append("\n".join(function) + "\n")
    calls = "".join(f"        ({one},),\n" for one in samples)
    parts.append(f"def samples():\n    return [\n{calls}    ]\n")
    return "\n\n".join(parts)


# The function


def write_function(module: Module) -> str:
    rng = module.rng
    w = Writer(module, budget=rng.choice([4, 5, 6, 8, 10, 14]))
    n = module.size
    pool = [vector(n), vector(n), SCALAR, SCALAR, matrix(n), index(n), FLAG, COUNT]
    pool += [list_of(SCALAR, 3), dict_of(a=SCALAR, b=vector(n)), tuple_of(SCALAR, vector(n))]
    kinds = [rng.choice([vector(n), vector(n), SCALAR])]
    kinds += [rng.choice(pool) for _ in range(rng.choice([0, 1, 1, 2]))]
    names = [w.bind(w.fresh("xyz"[i]), kind) for i, kind in enumerate(kinds)]
    w.result = rng.choices([SCALAR, vector(n), tuple_of(SCALAR, vector(n))], [8, 1, 1])[0]
    write_body_to_the_end(w)
    single = rng.random() < 0.08
    sample = ", ".join(argument_text(rng, kind, single) for kind in kinds)
    return text_of(module, with_header(w, f"def f({', '.join(names)}):"), [sample])


def with_header(w: Writer, header: str) -> list[str]:
    head = [header]
    if w.globals_stored:
        head.append("    " * w.indent + f"global {', '.join(sorted(w.globals_stored))}")
    return head + w.lines


def write_body_to_the_end(w: Writer) -> None:
    while w.budget > 0:
        write_statement(w)
    w.line(f"return {closing(w)}")


def closing(w: Writer) -> str:
    """Return a result that most of what is bound has an influence on."""
    if w.result is not None and w.result.sort == "tuple":
        parts = [part for _, part in w.result.parts]
        return ", ".join(part_of_result(w, part) for part in parts)
    return part_of_result(w, w.result or SCALAR)


def part_of_result(w: Writer, kind: Kind) -> str:
    if kind.sort != "scalar":
        names = w.names_of(kind)
        return w.pick(names) if names and w.chance(0.6) else expression(w, kind)
    terms = [term for name, found in w.bound().items() for term in readings(w, name, found)]
    if not terms:
        return scalar(w)
    chosen = w.rng.sample(terms, min(len(terms), w.rng.randrange(2, 8)))
    return w.pick([" + ", " + 0.5 * ", " * 0.7 - "]).join(chosen)


def readings(w: Writer, name: str, kind: Kind) -> list[str]:
    """Return ways to read all of a value as one number."""
    match kind.sort:
        case "scalar":
            return [w.pick([name, f"{name} ** 2", f"np.sin({name})"])]
        case "vector" | "matrix":
            forms = ["np.sum({})", "np.sum({} ** 2)", "np.sum(np.cos({}))"]
            return [w.pick(forms).format(name)]
        case "list" if kind.part("item") == SCALAR:
            return [f"sum({name})"]
        case "list" if kind.size:
            return readings(w, f"{name}[{w.rng.randrange(kind.size)}]", kind.part("item"))
        case "dict":
            return [one for k, part in kind.parts for one in readings(w, f'{name}["{k}"]', part)]
        case "tuple":
            return [one for k, part in kind.parts for one in readings(w, f"{name}[{k}]", part)]
        case "object":
            return [one for k, part in kind.parts for one in readings(w, f"{name}.{k}", part)]
    return []


def argument_text(rng: random.Random, kind: Kind, single: bool) -> str:
    """Write an argument as an expression; single: in single precision."""

    def numbers(count: int) -> str:
        values = [round(rng.uniform(0.3, 1.6) * rng.choice([1, 1, -1]), 3) for _ in range(count)]
        return repr(values)

    suffix = ", dtype=np.float32" if single else ""
    match kind.sort:
        case "scalar":
            number = numbers(1)[1:-1]
            return f"np.float32({number})" if single else number
        case "vector":
            return f"np.array({numbers(kind.size)}{suffix})"
        case "matrix":
            rows = ", ".join(numbers(kind.size) for _ in range(kind.size))
            return f"np.array([{rows}]{suffix})"
        case "index":
            return str(rng.randrange(kind.size))
        case "count":
            return str(rng.randrange(4))
        case "flag":
            return str(rng.random() < 0.5)
        case "list":
            item = kind.part("item")
            return f"[{', '.join(argument_text(rng, item, single) for _ in range(kind.size))}]"
        case "tuple":
            return f"({', '.join(argument_text(rng, part, single) for _, part in kind.parts)})"
        case "dict":
            items = [f'"{key}": {argument_text(rng, part, single)}' for key, part in kind.parts]
            return "{" + ", ".join(items) + "}"
    raise ValueError(kind.sort)


# What is around it


def write_outside(module: Module) -> None:
    rng = module.rng
    n = module.size
    for kind in [SCALAR, list_of(SCALAR, 2), vector(n), dict_of(k=SCALAR, m=SCALAR)]:
        if rng.random() < 0.15:
            name = module.fresh("OUTSIDE_")
            module.outside[name] = kind
            module.texts.append(f"{name} = {argument_text(rng, kind, single=False)}\n")


def parameter(module: Module, stem: str, kind: Kind) -> tuple[str, Kind]:
    return module.fresh(stem), kind


def write_helper(module: Module) -> None:
    makers = [
        plain_helper,
        plain_helper,
        storing_helper,
        storing_helper,
        filling_helper,
        filling_helper,
        list_helper,
        recursive_helper,
        custom_helper,
        helper_with_a_rest,
    ]
    module.rng.choice(makers)(module)


def body_of(module: Module, parameters: list[tuple[str, Kind]], budget: int) -> Writer:
    w = Writer(module, budget)
    for name, kind in parameters:
        w.bind(name, kind)
    return w


def finish(module: Module, w: Writer, signature: Signature, parameters: str) -> None:
    header = f"def {signature.name}({parameters}):"
    module.texts.append("\n".join(with_header(w, header)) + "\n")
    module.functions.append(signature)


def plain_helper(module: Module) -> None:
    """Write a function of scalars and vectors, with branches, loops and early returns."""
    rng = module.rng
    n = module.size
    kinds = [rng.choice([SCALAR, SCALAR, vector(n)]) for _ in range(rng.choice([1, 2, 2]))]
    parameters = [parameter(module, "p", kind) for kind in kinds]
    defaults = [f"{name}" for name, _ in parameters]
    required = len(parameters)
    if rng.random() < 0.4:
        name = module.fresh("p")
        parameters.append((name, SCALAR))
        defaults.append(f"{name}={argument_text(rng, SCALAR, False)}")
    w = body_of(module, parameters, rng.randrange(1, 6))
    results = [SCALAR, SCALAR, SCALAR, vector(n), tuple_of(SCALAR, vector(n)), list_of(SCALAR, 2)]
    results += [tuple_of(list_of(SCALAR, 2), SCALAR), dict_of(a=SCALAR, b=vector(n))]
    w.result = rng.choice(results)
    write_body_to_the_end(w)
    signature = Signature(module.fresh("helper"), tuple(parameters), w.result, required)
    finish(module, w, signature, ", ".join(defaults))


def storing_helper(module: Module) -> None:
    """Write a function that stores into its first argument, and may return it."""
    rng = module.rng
    n = module.size
    parameters = [parameter(module, "a", vector(n)), parameter(module, "p", SCALAR)]
    w = body_of(module, parameters, rng.randrange(1, 5))
    a, p = parameters[0][0], parameters[1][0]
    forms = ["{a}[{i}] = {p} * {a}[{j}]", "{a}[1:] *= {p}", "{a} *= {p}", "{a} += 0.1 * {a} * {a}"]
    text = w.pick(forms).format(a=a, p=p, i=rng.randrange(n), j=rng.randrange(n))
    w.readonly.add(a)
    if rng.random() < 0.5:
        w.result = SCALAR
        write_body(w, 2)
    w.line(text)
    form = rng.randrange(5)
    result: Kind | None = vector(n)
    if form == 0:
        w.line(f"return {a}")
    elif form == 1:
        w.line(f"return 2.0 * {a}")
    elif form == 2:
        w.line(f"return np.sum({a}), {a}")
        result = tuple_of(SCALAR, vector(n))
    elif form == 3:
        w.line(f"return np.sum({a}) * {p}")
        result = SCALAR
    else:
        result = None
    if any("return" in line for line in w.lines[:-1]) and result != SCALAR:
        w.lines = [line.replace("return", "_ =") for line in w.lines[:-1]] + w.lines[-1:]
    signature = Signature(
        module.fresh("store"), tuple(parameters), result, 2, returns_its_first=form == 0
    )
    finish(module, w, signature, f"{a}, {p}")


def filling_helper(module: Module) -> None:
    """Write a function that stores into an array which it makes, and returns it."""
    rng = module.rng
    n = module.size
    parameters = [parameter(module, "a", vector(n)), parameter(module, "p", SCALAR)]
    w = body_of(module, parameters, rng.randrange(1, 4))
    (a, _), (p, _) = parameters
    made = module.fresh("made")
    i, j = rng.randrange(n), rng.randrange(n)
    makers = ["np.exp(0.1 * {a})", "{a} * {p}", "np.tanh({a})", "np.meshgrid({a}, {a}[:1])[0][0]"]
    w.line(f"{made} = {w.pick(makers)}".format(a=a, p=p))
    stores = ["{w}[{i}] *= {w}[{j}]", "{w}[1:] += {w}[:-1] * {p}", "{w} *= {a}", "{w}[{i}] = {p}"]
    for text in rng.sample(stores, rng.choice([1, 1, 2])):
        w.line(text.format(w=made, a=a, p=p, i=i, j=j))
    result: Kind = vector(n)
    if rng.random() < 0.3:
        result = tuple_of(SCALAR, vector(n))
        w.line(f"return {made}[{i}] * {p}, {made}")
    else:
        w.line(f"return {made}")
    signature = Signature(module.fresh("fill"), tuple(parameters), result, 2)
    finish(module, w, signature, f"{a}, {p}")


def list_helper(module: Module) -> None:
    rng = module.rng
    parameters = [parameter(module, "l", list_of(SCALAR, 2)), parameter(module, "p", SCALAR)]
    w = body_of(module, parameters, 4)
    l, p = parameters[0][0], parameters[1][0]
    w.readonly.add(l)
    if rng.random() < 0.5:
        write_body(w, 2)
    w.line(w.pick(["{0}.append({1} * {0}[0])", "{0}[1] = {1}", "{0}[0] *= {1}"]).format(l, p))
    result: Kind | None = rng.choice([None, SCALAR, list_of(SCALAR, 2)])
    if result is not None:
        w.line(f"return {l}" if result.sort == "list" else f"return {l}[-1] * {p}")
    finish(
        module,
        w,
        Signature(module.fresh("push"), tuple(parameters), result, 2),
        f"{l}, {p}",
    )


def recursive_helper(module: Module) -> None:
    parameters = [parameter(module, "p", SCALAR), parameter(module, "n", COUNT)]
    p, n = parameters[0][0], parameters[1][0]
    name = module.fresh("again")
    w = body_of(module, parameters, 6)
    w.readonly.add(n)
    with w.block(f"if {n} <= 0 or {n} > 3:"):
        w.line(f"return {scalar(w, 1)}")
    if w.chance(0.5):
        write_body(w, 2)
    forms = [
        "return {p} * {name}(np.sin({p}), {n} - 1)",
        "return {name}({s}, {n} - 1) + {p} * {p}",
        "return {name}({p} * 0.5, {n} - 1) * {name}({s}, {n} - 2)",
    ]
    w.line(w.pick(forms).format(p=p, n=n, name=name, s=scalar(w, 1)))
    finish(module, w, Signature(name, tuple(parameters), SCALAR, 2), f"{p}, {n}")


def custom_helper(module: Module) -> None:
    """Write a function with its own gradient: the true one, as far as differences can tell."""
    rng = module.rng
    name, p = module.fresh("custom"), module.fresh("p")
    scale = round(rng.uniform(0.5, 1.5), 2)
    value, slope = rng.choice(
        [
            (f"np.sin({scale} * {p})", f"{scale} * np.cos({scale} * {p})"),
            (f"{p} * {p} * {scale}", f"2.0 * {scale} * {p}"),
            (f"np.tanh({p})", "1.0 - y * y"),
        ]
    )
    kind = rng.choice([SCALAR, vector(module.size)])
    inner = [f"        return dy * ({slope})"]
    if rng.random() < 0.3:
        inner = [f"        slope = {slope}", "        if np.ndim(slope) == 0:"]
        inner += ["            return dy * slope", "        return slope * dy"]
    lines = ["@tl.custom_gradient", f"def {name}({p}):", f"    y = {value}", ""]
    lines += ["    def grad(dy):", *inner, "", "    return y, grad"]
    module.texts.append("\n".join(lines) + "\n")
    module.functions.append(Signature(name, ((p, kind),), kind, 1))


def helper_with_a_rest(module: Module) -> None:
    parameters = [parameter(module, "p", SCALAR)]
    p, rest, q = parameters[0][0], module.fresh("rest"), module.fresh("q")
    w = body_of(module, parameters, 4)
    total = w.assign("s", SCALAR, scalar(w, 1))
    with w.loop(f"for {q} in {rest}:"):
        w.scopes[-1][q] = SCALAR
        w.line(f"{total} = {total} * 0.5 + {scalar(w, 1)} * {q}")
    w.line(f"return {closing(w)}")
    signature = Signature(module.fresh("collect"), tuple(parameters), SCALAR, 1, rest=SCALAR)
    finish(module, w, signature, f"{p}, *{rest}")


def write_class(module: Module) -> None:
    """Write a class with attributes that its methods read and change."""
    rng = module.rng
    name = module.fresh("Part")
    kinds = [SCALAR, rng.choice([SCALAR, vector(module.size), list_of(SCALAR, 2)])]
    attributes = [parameter(module, "at", kind) for kind in kinds]
    names = [attribute for attribute, _ in attributes]
    lines = [f"class {name}:"]
    if rng.random() < 0.15:
        lines += [f"    __slots__ = ({', '.join(map(repr, names))})", ""]
    lines.append(f"    def __init__(self, {', '.join(names)}):")
    lines += [f"        self.{attribute} = {attribute}" for attribute in names]
    own = Kind("object", 0, tuple(attributes), name)
    methods = []
    for _ in range(rng.choice([1, 2])):
        signature, text = method_text(module, own)
        lines += ["", *text]
        methods.append(signature)
    module.texts.append("\n".join(lines) + "\n")
    module.classes.append(ClassShape(name, tuple(attributes), tuple(methods)))
    if rng.random() < 0.3:
        outside = module.fresh("OUTSIDE_")
        values = ", ".join(argument_text(rng, kind, False) for _, kind in attributes)
        module.outside[outside] = own
        module.texts.append(f"{outside} = {name}({values})\n")


def method_text(module: Module, own: Kind) -> tuple[Signature, list[str]]:
    p = module.fresh("p")
    w = Writer(module, module.rng.randrange(2, 6), indent=2)
    w.bind("self", own)
    w.bind(p, SCALAR)
    w.readonly.add("self")
    w.result = SCALAR if module.rng.random() < 0.75 else None
    first = own.parts[0][0]
    w.line(
        w.pick(["self.{0} += {1}", "self.{0} = {1} * self.{0}", "{1} = {1} * self.{0}"]).format(
            first, p
        )
    )
    write_body(w, 3)
    result = w.result
    if result is not None:
        w.line(f"return {closing(w)}")
    name = module.fresh("step")
    header = f"    def {name}(self, {p}):"
    return Signature(name, ((p, SCALAR),), result, 1), with_header(w, header)


# Functions that are called with several kinds of arguments


def write_for_any_kind(module: Module) -> str:
    """Write a function of numbers and arrays of any rank, called with several of them in turn."""
    rng = module.rng
    w = Writer(module, budget=rng.randrange(3, 8))
    names = [w.bind(module.fresh("x"), SAME) for _ in range(rng.choice([1, 2]))]
    while w.budget > 1:
        targets = w.names_of(SAME)
        form = rng.randrange(5)
        if form == 0:
            w.line(f"{w.pick(targets)} = {same(w)}")
        elif form == 1:
            with w.block(f"if np.sum({w.pick(targets)}) > {w.number()}:"):
                w.line(f"{w.pick(targets)} = {same(w)}")
        elif form == 2:
            with w.block("for _ in range(2):"):
                w.line(f"{w.pick(targets)} = {same(w)}")
        else:
            w.assign("s", SAME, same(w))
    w.line(f"return np.sum({same(w)}) + np.sum({w.names_of(SAME)[-1]})")
    kinds = [(SCALAR, False), (vector(3), False), (SCALAR, True), (vector(3), True)]
    kinds += [(matrix(3), False)]
    samples = []
    for _ in range(rng.randrange(2, 5)):
        kind, single = rng.choice(kinds)
        samples.append(", ".join(argument_text(rng, kind, single) for _ in names))
    return text_of(module, with_header(w, f"def f({', '.join(names)}):"), samples)
