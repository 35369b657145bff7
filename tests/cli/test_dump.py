"""The command line: what it prints, what it refuses, and what it leaves on disk."""

from __future__ import annotations

import ast
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import tapeless as tl
from tapeless import cli
from tapeless.cli.output import show

PROGRAM = '''
"""A user's file."""
import numpy as np

print("imported")
rate = 0.5
samples = (np.ones((4, 3)), np.ones(3))


def loss(x, w):
    return np.sum(np.tanh(x @ w))


def square(x: float):
    return x * x


def scaled(x: float):
    return rate * x * x


def numbers(n):
    for i in range(n):
        yield i * n


def sample_arguments():
    return (2.0,)


class Model:
    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return x * x

    @staticmethod
    def cube(x: float):
        return x * x * x


if __name__ == "__main__":
    raise SystemExit("run as a script")
'''


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "user_program.py"
    path.write_text(PROGRAM)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli.main, ["dump", *map(str, arguments)])


def refusal(*arguments: object) -> str:
    """The message of a run that must end with exit code 2 and print nothing on stdout."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    message = result.stderr
    assert "Traceback" not in message
    return message


def without_import_prints(stderr: str) -> str:
    return stderr.removeprefix("imported\n")


def load(text: str) -> dict[str, object]:
    namespace: dict[str, object] = {"__name__": "generated"}
    exec(compile(text, "<generated>", "exec"), namespace)
    return namespace


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, object]]]:
    """Records what the command line asks of the library, in place of the library."""
    recorded: list[tuple[str, dict[str, object]]] = []

    def source(function: object, **options: object) -> str:
        recorded.append((function.__qualname__, options))  # type: ignore[attr-defined]
        return "y = 1\n"

    monkeypatch.setattr(tl, "source", source)
    return recorded


# What is asked of the library


def test_defaults(program: Path, calls: list) -> None:
    result = run(f"{program}:loss")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "y = 1\n"
    assert calls == [
        (
            "loss",
            {
                "mode": "grad",
                "wrt": 0,
                "like": None,
                "order": 1,
                "standalone": False,
                "scalarize": True,
            },
        )  # fmt: skip
    ]


@pytest.mark.parametrize(
    ("option", "expected"), [("reverse", "grad"), ("forward", "jvp"), ("vjp", "vjp")]
)
def test_modes(program: Path, calls: list, option: str, expected: str) -> None:
    assert run(f"{program}:loss", "--mode", option).exit_code == 0
    assert calls[0][1]["mode"] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("w", "w"), ("1", 1), ("x,w", ("x", "w")), ("0, w", (0, "w")), ("-1", -1)],
)
def test_wrt(program: Path, calls: list, text: str, expected: object) -> None:
    assert run(f"{program}:loss", "--wrt", text).exit_code == 0
    assert calls[0][1]["wrt"] == expected


def test_order_and_standalone(program: Path, calls: list) -> None:
    assert run(f"{program}:loss", "--order", "2", "--standalone").exit_code == 0
    assert calls[0][1]["order"] == 2
    assert calls[0][1]["standalone"] is True


@pytest.mark.parametrize("target", ["Model.energy", "Model.cube"])
def test_methods(program: Path, calls: list, target: str) -> None:
    assert run(f"{program}:{target}").exit_code == 0
    assert calls[0][0] == target


def test_module_target(program: Path, calls: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program.parent)
    result = run("user_program:loss")
    sys.modules.pop("user_program", None)
    assert result.exit_code == 0, result.stderr
    assert calls[0][0] == "loss"


@pytest.mark.parametrize(
    ("function", "name"), [("loss", "samples"), ("square", "sample_arguments")]
)
def test_like(program: Path, calls: list, function: str, name: str) -> None:
    assert run(f"{program}:{function}", "--like", f"{program}:{name}").exit_code == 0
    like = calls[0][1]["like"]
    assert isinstance(like, tuple)


def test_prints_of_the_module_do_not_mix_with_the_text(program: Path, calls: list) -> None:
    result = run(f"{program}:loss")
    assert result.stdout == "y = 1\n"
    assert result.stderr == "imported\n"


def test_imports_are_put_back(program: Path, calls: list) -> None:
    path = list(sys.path)
    run(f"{program}:loss")
    assert sys.path == path
    assert "user_program" not in sys.modules


def test_sibling_modules_are_found(tmp_path: Path, calls: list) -> None:
    (tmp_path / "sibling_of_the_target.py").write_text("k = 2.0\n")
    (tmp_path / "target.py").write_text(
        "from sibling_of_the_target import k\ndef f(x):\n    return k * x\n"
    )
    result = run(f"{tmp_path / 'target.py'}:f")
    sys.modules.pop("sibling_of_the_target", None)
    assert result.exit_code == 0, result.stderr


def test_version() -> None:
    result = CliRunner().invoke(cli.main, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.startswith("tapeless ")


# What is refused


def test_target_without_function(program: Path) -> None:
    assert "user_program.py:function" in refusal(program)


def test_missing_file(program: Path) -> None:
    message = refusal(f"{program.parent / 'user_progam.py'}:loss")
    assert "there is no file" in message
    assert "did you mean user_program.py?" in message


def test_missing_module() -> None:
    assert "there is no module no_such_package" in refusal("no_such_package.part:loss")


def test_missing_function(program: Path) -> None:
    message = refusal(f"{program}:los")
    assert "there is no los in" in message
    assert "did you mean loss?" in message


def test_missing_method(program: Path) -> None:
    assert "did you mean energy?" in refusal(f"{program}:Model.enrgy")


def test_number_as_target(program: Path) -> None:
    assert "rate" in refusal(f"{program}:rate")
    assert "is not a function: it is a float" in refusal(f"{program}:rate")


def test_class_as_target(program: Path) -> None:
    message = refusal(f"{program}:Model")
    assert "is a class" in message
    assert "Model.energy" in message


@pytest.mark.parametrize(
    ("wrt", "part"),
    [
        ("v", "there is no parameter v"),
        ("7", "no parameter at position 7"),
        ("-3", "no parameter at position -3"),
        ("w,w", "given twice"),
        ("w,1", "given twice"),
        ("x,", "empty name"),
    ],
)
def test_wrong_wrt(program: Path, wrt: str, part: str) -> None:
    assert part in refusal(f"{program}:loss", "--wrt", wrt)


def test_wrong_option_values(program: Path) -> None:
    assert "--mode" in refusal(f"{program}:loss", "--mode", "sideways")
    assert "--order" in refusal(f"{program}:loss", "--order", "3")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("import no_such_package\n", ["ModuleNotFoundError", "no_such_package", "line 1"]),
        ("x = 1\n\ny = x / 0\n", ["ZeroDivisionError", "bad_program.py, line 3"]),
        ("def f(:\n", ["SyntaxError", "bad_program.py, line 1"]),
        ("raise SystemExit(3)\n", ["SystemExit", "line 1"]),
        ("from . import other\n", ["relative import", "package.module:function"]),
    ],
)
def test_module_that_cannot_be_imported(tmp_path: Path, text: str, parts: list[str]) -> None:
    path = tmp_path / "bad_program.py"
    path.write_text(text)
    message = refusal(f"{path}:f")
    assert "importing bad_program.py failed" in message
    for part in parts:
        assert part in message
    assert "bad_program" not in sys.modules


def test_file_that_has_the_name_of_another_module(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("def f(x):\n    return x\n")
    assert "rename the file" in refusal(f"{tmp_path / 'numpy.py'}:f")
    assert np is sys.modules["numpy"]


def test_like_that_is_no_tuple(program: Path) -> None:
    message = refusal(f"{program}:square", "--like", f"{program}:rate")
    assert "a tuple with one sample per argument, not a float" in message
    assert "--like" in refusal(f"{program}:square", "--like", "samples")


def test_refused_syntax(program: Path) -> None:
    message = without_import_prints(refusal(f"{program}:numbers"))
    assert "user_program.py" in message
    assert re.search(r"yield|generator", message)


def test_ways_out_name_the_option(tmp_path: Path) -> None:
    unknown = tmp_path / "unknown_ranks.py"
    unknown.write_text("def f(x):\n    y = x\n    y += 1.0\n    return y\n")
    assert "give --like FILE:NAME" in refusal(f"{unknown}:f")


def test_refusals_write_nothing(program: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.py"
    refusal(f"{program}:numbers", "-o", output)
    assert not output.exists()
    output.write_text("as it was")
    refusal(f"{program}:loss", "--wrt", "v", "-o", output)
    assert output.read_text() == "as it was"


# What is written


def test_output_file(program: Path, tmp_path: Path, calls: list) -> None:
    output = tmp_path / "out.py"
    result = run(f"{program}:loss", "-o", output)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert output.read_text() == "y = 1\n"
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == [
        "out.py",
        "user_program.py",
    ]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_output_keeps_permissions(program: Path, tmp_path: Path, calls: list) -> None:
    output = tmp_path / "out.py"
    output.touch(mode=0o640)
    output.chmod(0o640)
    run(f"{program}:loss", "-o", output)
    assert stat.S_IMODE(output.stat().st_mode) == 0o640


def test_output_folder_that_is_not_there(program: Path, tmp_path: Path, calls: list) -> None:
    assert "cannot write" in refusal(f"{program}:loss", "-o", tmp_path / "no" / "out.py")


def test_output_over_the_target(program: Path) -> None:
    before = program.read_text()
    assert "is a file that was read" in refusal(f"{program}:square", "-o", program)
    assert program.read_text() == before


def test_output_over_the_target_by_other_names(program: Path, tmp_path: Path) -> None:
    before = program.read_text()
    (tmp_path / "link.py").symlink_to(program)
    os.link(program, tmp_path / "hard.py")
    (tmp_path / "folder").mkdir()
    for name in ("link.py", "hard.py", "folder/../user_program.py"):
        assert "write to another" in refusal(f"{program}:square", "-o", tmp_path / name)
    assert program.read_text() == before


def test_output_over_the_samples(program: Path, tmp_path: Path) -> None:
    samples = tmp_path / "samples_of_the_target.py"
    samples.write_text("square = (2.0,)\n")
    like = ["--like", f"{samples}:square"]
    assert "is a file that was read" in refusal(f"{program}:square", *like, "-o", samples)
    assert samples.read_text() == "square = (2.0,)\n"


@pytest.mark.parametrize(
    "text", ["def g(x):\n    return x * x\n", "g = 2.0\n", "class g:\n    k = 2.0\n"]
)
def test_output_over_what_the_target_imports(tmp_path: Path, text: str) -> None:
    helper = tmp_path / "helper_of_the_target.py"
    helper.write_text(text)
    use = {"def": "g(x)", "g =": "g * x", "cla": "g.k * x"}[text[:3]]
    target = tmp_path / "target_with_helper.py"
    target.write_text(
        f"from helper_of_the_target import g\n\n\ndef f(x: float):\n    return {use} * x\n"
    )
    message = refusal(f"{target}:f", "-o", helper)
    sys.modules.pop("helper_of_the_target", None)
    assert "is a file that was read" in message
    assert helper.read_text() == text


def test_output_with_the_name_of_what_the_text_imports(program: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for name in ("numpy.py", "user_program.py"):
        output = tmp_path / "elsewhere" / name
        target = f"{program}:{'loss' if name == 'numpy.py' else 'scaled'}"
        assert "which the text imports" in refusal(target, "-o", output)
        assert not output.exists()


def test_output_over_an_older_output(program: Path, tmp_path: Path) -> None:
    output = tmp_path / "square_grad.py"
    for _ in range(2):
        assert run(f"{program}:square", "-o", output).exit_code == 0
    assert "def square_grad" in output.read_text()


class Terminal:
    """A stand-in for stdout on a terminal."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("colored", "no_color", "expected"), [(True, "", True), (False, "", False), (True, "1", False)]
)
def test_colours(
    monkeypatch: pytest.MonkeyPatch, colored: bool, no_color: str, expected: bool
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm-256color")
    long_line = "total = " + " + ".join(f"term_{i}" for i in range(40))
    text = f"def f(x):\n    return x\n\n\n{long_line}\n"
    show(text, colored=colored)
    assert ("\x1b[" in terminal.text) is expected
    assert re.sub(r"\x1b\[[0-9;]*m", "", terminal.text) == text


# The real thing


def test_gradient_that_runs(program: Path) -> None:
    result = run(f"{program}:square")
    assert result.exit_code == 0, result.stderr
    ast.parse(result.stdout)
    gradients = [v for k, v in load(result.stdout).items() if "square" in k and callable(v)]
    assert any(gradient(3.0) == 6.0 for gradient in gradients)  # type: ignore[operator]


def test_standalone_needs_only_numpy(program: Path) -> None:
    result = run(f"{program}:loss", "--standalone", "--wrt", "w")
    assert result.exit_code == 0, result.stderr
    imports = {
        alias.name.split(".")[0]
        for node in ast.walk(ast.parse(result.stdout))
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        (node.module or "").split(".")[0]
        for node in ast.walk(ast.parse(result.stdout))
        if isinstance(node, ast.ImportFrom)
    }
    assert imports <= {"numpy", "__future__"}


def test_like_gives_ranks(program: Path) -> None:
    result = run(f"{program}:loss", "--wrt", "w", "--like", f"{program}:samples")
    assert result.exit_code == 0, result.stderr
    assert "x.T @" in result.stdout


def test_as_a_process(program: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tapeless", "dump", "user_program.py:square"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "\x1b[" not in done.stdout
    assert "def " in done.stdout
    command[-1] = "user_program.py:squar"
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith("did you mean square?")


def test_rules_of_one_name():
    result = CliRunner().invoke(cli.main, ["rules", "np.argmax"])
    assert result.output == "numpy.argmax\n  piecewise constant: its derivative is zero\n"


def test_rules_of_a_module():
    result = CliRunner().invoke(cli.main, ["rules", "numpy.fft"])
    assert result.output.startswith("numpy.fft\n  fft ")
    assert "reverse, forward, second order" in result.output.splitlines()[1]


def test_rules_of_an_unknown_name():
    result = CliRunner().invoke(cli.main, ["rules", "np.tahn"])
    assert result.exit_code == 2
    assert "no derivative is declared for numpy.tahn" in result.output
    assert "numpy.tanh" in result.output
