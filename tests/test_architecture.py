"""Imports point one way: from each floor to those below it, and in no circle.

Imports inside functions and imports for typing alone count as well: they say what a file cannot be
understood without. And no file, and no function, is longer than can be read at one sitting.
"""

import ast
from pathlib import Path

import tapeless

ROOT = Path(tapeless.__file__).parent
LONGEST_FILE = 500  # lines
LONGEST_FUNCTION = 50  # with what it says of itself, and the functions in it
LONGER = {
    "lower/vector_math.py: _function": "Numba asks for an intrinsic with all that it calls",
}

FLOORS = """
set_in_texts sizes uncollected
externals origins shipped
details
kinds
texts
errors ranks regions sizes_apart
joins
tracebacks tree variables
journal runtime source
structures
laws protocol sorts
cache custom
rules
calling normalize pass_through
recompute
analysis
derivative
specialize
differentiate optimize
pipeline
lower
loading
higher disk
coverage progress
operators
refusals shipping solvers testing view
notebook
interop
__init__
cli
__main__
"""


def modules():
    """Map the name of each module to its file."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = ["tapeless", *path.relative_to(ROOT).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported_by(path, known):
    """Collect the modules of the package that a file imports, wherever in it."""
    found = set()
    for part in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(part, ast.Import):
            found |= {alias.name for alias in part.names if alias.name in known}
        elif isinstance(part, ast.ImportFrom) and part.module in known:
            names = {f"{part.module}.{alias.name}" for alias in part.names}
            found |= names & known.keys()
            if names - known.keys():
                found.add(part.module)
    return found


def imports():
    known = modules()
    return {key: imported_by(path, known) - {key} for key, path in known.items()}


def room(module):
    """Return the folder of a module, or the module itself where it stands in none."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def test_each_room_has_a_floor():
    rooms = {room(module) for module in modules()}
    assert sorted(rooms) == sorted(FLOORS.split())


def test_imports_point_downward():
    floor = {key: i for i, line in enumerate(FLOORS.strip().splitlines()) for key in line.split()}
    upward = [
        f"{module} -> {other}"
        for module, others in imports().items()
        for other in sorted(others)
        if room(other) != room(module) and floor[room(other)] >= floor[room(module)]
    ]
    assert upward == []


def test_no_file_is_imported_by_what_it_imports():
    todo = imports()
    while leaves := {key for key, others in todo.items() if not others & todo.keys()}:
        todo = {key: others for key, others in todo.items() if key not in leaves}
    assert sorted(todo) == []


def _lines(part):
    return part.end_lineno - part.lineno + 1


def test_files_and_functions_are_short():
    """A file tells one thing, and a function takes one step: both can be read at one sitting.

    What a function says of itself does not count: who calls it reads that, and no more.
    """
    sources = {path: path.read_text(encoding="utf-8") for path in modules().values()}
    long = {
        str(path.relative_to(ROOT)): lines
        for path, source in sources.items()
        if (lines := source.count("\n")) > LONGEST_FILE
    }
    for path, source in sources.items():
        for part in ast.walk(ast.parse(source)):
            if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = _lines(part) - sum(
                    map(_lines, part.body[: ast.get_docstring(part) is not None])
                )
                if lines > LONGEST_FUNCTION:
                    long[f"{path.relative_to(ROOT)}: {part.name}"] = lines
    assert {key: lines for key, lines in long.items() if key not in LONGER} == {}
