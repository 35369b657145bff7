"""The pages say what is true: every Python block of README and docs runs, and prints what it says.

The ```python blocks of a page are one program, in one namespace. They are written to a file at the
lines where they stand on the page, so that tracebacks point into the page and functions have a
source. What a page claims is checked in these ways:

- `expression  # -> text`: the expression has this repr; `print(...)  # -> text`: it prints this.
  Lines of their own that begin with `# -> ` continue the comment at the end, or stand for it; a
  compound statement gives what the comments in it say, in their order.
- A fence between `<!-- output: start -->` and `<!-- output: end -->` holds exactly what the page
  printed since the fence before it, lines with a `# ->` claim apart.
- A fence between `<!-- generated: start -->` and `<!-- generated: end -->` holds exactly what
  README's first command prints, and one between `<!-- excerpt: ... -->` the functions that it is
  about, as they stand in the example's file.

`pytest --update-golden` rewrites the fences.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

from tapeless import cli

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
EXAMPLE = ROOT / "examples" / "iris_logistic.py"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CLAIM = re.compile(r"#\s->\s?(.*)$")
FENCED = re.compile(
    r"<!-- (?P<sort>output|generated|excerpt): start -->\n"
    r"(?P<open>```\w*\n)(?P<body>.*?)(?P<close>^```\n)"
    r"<!-- (?P=sort): end -->",
    re.DOTALL | re.MULTILINE,
)
EXTRAS = {
    "dask", "distributed", "jax", "mpi4py", "numba", "pandas", "scipy", "sklearn", "torch", "xarray"
}  # fmt: skip
PATH = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`")
LINK = re.compile(r"\[[^\]]*\]\((?P<to>[^)#\s]+)(?:#[^)]*)?\)")


@dataclass(frozen=True)
class Piece:
    """A stretch of a page: a Python block or a fence to fill, with the line it begins at."""

    sort: str  # "python", "output", "generated" or "excerpt"
    start: int
    text: str


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def pieces(text: str) -> list[Piece]:
    found, covered = [], []
    for match in FENCED.finditer(text):
        covered.append(match.span())
        found.append(Piece(match["sort"], text.count("\n", 0, match.start()), match["body"]))
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        if not any(start <= match.start() < end for start, end in covered):
            found.append(Piece("python", text.count("\n", 0, match.start(1)), match[1]))
    return sorted(found, key=lambda piece: piece.start)


def program_of(text: str) -> str:
    """The Python blocks of a page as one file, each at the lines where it stands."""
    lines = [""] * (text.count("\n") + 1)
    for piece in pieces(text):
        if piece.sort == "python":
            block = piece.text.splitlines()
            lines[piece.start : piece.start + len(block)] = block
    return "\n".join(lines) + "\n"


def imported_by(program: str) -> set[str]:
    """The packages that a program imports, itself or by what connects tapeless to them."""
    found = set()
    for part in ast.walk(ast.parse(program)):
        if isinstance(part, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in part.names}
        elif isinstance(part, ast.ImportFrom):
            module = str(part.module)
            found.add(module.removeprefix("tapeless.interop.").partition(".")[0])
        elif isinstance(part, ast.keyword) and part.arg == "compile":
            found.add("numba")
    return found


def claim_of(statement: ast.stmt, lines: list[str]) -> str | None:
    """What the comments in a statement and right below it say that it gives."""
    end = statement.end_lineno or statement.lineno
    claimed = [
        match[1] for line in lines[statement.lineno - 1 : end] if (match := CLAIM.search(line))
    ]
    for line in lines[end:]:
        if not (match := CLAIM.match(line)):
            break
        claimed.append(match[1])
    return "\n".join(claimed) if claimed else None


@contextlib.contextmanager
def page_module(name: str) -> Iterator[dict[str, object]]:
    module = ModuleType(name)
    sys.modules[name] = module
    try:
        yield module.__dict__
    finally:
        del sys.modules[name]


def run_page(text: str, path: Path) -> dict[int, str]:
    """Run the blocks of a page, check its claims, and give what belongs into each output fence."""
    program = program_of(text)
    path.write_text(program)
    lines = program.splitlines()
    statements = ast.parse(program).body
    outputs: dict[int, str] = {}
    printed = ""
    with page_module(path.stem) as namespace:
        namespace["__file__"] = str(path)
        for piece in pieces(text):
            if piece.sort == "output":
                outputs[piece.start], printed = printed, ""
            if piece.sort != "python":
                continue
            end = piece.start + piece.text.count("\n")
            for statement in statements:
                if piece.start < statement.lineno <= end:
                    printed += check(statement, lines, path, namespace)
    return outputs


def check(statement: ast.stmt, lines: list[str], path: Path, namespace: dict[str, object]) -> str:
    """Run one statement and compare with its claim; give what it printed without a claim."""
    claim = claim_of(statement, lines)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if isinstance(statement, ast.Expr):
            code = compile(ast.Expression(statement.value), str(path), "eval", dont_inherit=True)
            value = eval(code, namespace)
            if claim is not None and value is not None:
                print(repr(value))
        else:
            module = ast.Module([statement], [])
            exec(compile(module, str(path), "exec", dont_inherit=True), namespace)
    if claim is None:
        return out.getvalue()
    place = f"{path.stem}, line {statement.end_lineno}"
    assert squeezed(out.getvalue()) == squeezed(claim), place
    return ""


def squeezed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def readme_commands() -> list[str]:
    match = re.search(r"^```sh\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert match
    return match[1].splitlines()


def dumped(monkeypatch: pytest.MonkeyPatch) -> str:
    """What the first command of README prints."""
    _, _, command = readme_commands()[0].partition("&& tapeless ")
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(cli.main, shlex.split(command))
    assert result.exit_code == 0, result.stderr
    return result.stdout


def excerpt() -> str:
    """The two functions of README's example, as they stand in its file."""
    text = EXAMPLE.read_text()
    lines = text.splitlines()
    found = {
        statement.name: lines[
            min(d.lineno for d in [*statement.decorator_list, statement]) - 1 : statement.end_lineno
        ]
        for statement in ast.parse(text).body
        if isinstance(statement, ast.FunctionDef)
    }
    return "\n\n\n".join("\n".join(found[name]) for name in ["log1pexp", "loss"])


def with_fences_filled(text: str, outputs: dict[int, str]) -> str:
    def filled(match: re.Match[str]) -> str:
        body = outputs[text.count("\n", 0, match.start())].rstrip("\n") + "\n"
        sort = match["sort"]
        fence = match["open"] + body + match["close"]
        return f"<!-- {sort}: start -->\n{fence}<!-- {sort}: end -->"

    return FENCED.sub(filled, text)


def needed(package: str) -> None:
    """Skip the test where a package is not installed, or MPI itself is not."""
    try:
        importlib.import_module("mpi4py.MPI" if package == "mpi4py" else package)
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"{package} cannot be imported: {error}")


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    text = page.read_text()
    for package in sorted(imported_by(program_of(text)) & EXTRAS):
        needed(package)
    # Pages write their files into an empty folder.
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    outputs = run_page(text, tmp_path / f"page_{page.stem.lower()}.py")
    for piece in pieces(text):
        if piece.sort == "generated":
            outputs[piece.start] = dumped(monkeypatch)
        elif piece.sort == "excerpt":
            outputs[piece.start] = excerpt()
    wanted = with_fences_filled(text, outputs)
    if update_golden and wanted != text:
        page.write_text(wanted)
    elif wanted != text:
        assert text == wanted, "run `pytest --update-golden` and review the difference"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    for match in LINK.finditer(page.read_text()):
        to = match["to"]
        if not re.match(r"[a-z]+:", to):
            assert (page.parent / to).exists(), to


def test_every_page_is_linked_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / match["to"]).resolve() for match in LINK.finditer(index.read_text())}
    assert {page for page in PAGES if page.is_relative_to(index.parent)} - {index} <= linked


def test_readme_gives_two_commands() -> None:
    first, second = readme_commands()
    assert first == "pip install . && tapeless dump examples/iris_logistic.py:loss"
    assert second == 'pip install -e ".[test]" && pytest'


def test_readme_shows_the_example() -> None:
    assert any(piece.sort == "generated" for piece in pieces(README.read_text()))


def test_a_false_claim_is_noticed(tmp_path: Path) -> None:
    page = "text\n\n```python\n1 + 1  # -> 3\n```\n"
    with pytest.raises(AssertionError, match="page_false, line 4"):
        run_page(page, tmp_path / "page_false.py")


def test_claims_over_several_lines(tmp_path: Path) -> None:
    page = '```python\nprint("a\\nb")\n# -> a\n# -> b\nprint("c")\n```\n'
    fence = "<!-- output: start -->\n```text\nd\n```\n<!-- output: end -->\n"
    outputs = run_page(page + fence, tmp_path / "page_claims.py")
    assert with_fences_filled(page + fence, outputs) == page + fence.replace("d\n", "c\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    roots = [ROOT, ROOT / "src" / "tapeless", *(ROOT / "src" / "tapeless").glob("*/")]
    named = PATH.findall(page.read_text())
    assert [path for path in named if not any((root / path).exists() for root in roots)] == []


def test_every_option_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text()
    for parameter in cli.dump.params:
        if isinstance(parameter, click.Option):
            assert any(f"`{option}" in page for option in parameter.opts), parameter.opts
