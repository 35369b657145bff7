"""Which lines a view joins, without a browser."""

import linecache

from tapeless.operators.source import asked_for
from tapeless.view import facts_asked_for, view
from tests.view import programs


def facts(f, mode="grad", order=1, like=None):
    like = programs.ARGUMENTS if f is programs.loss else like
    return facts_asked_for(asked_for(f, mode, None, order), like)[0]


def text_of(place):
    return linecache.getline(*place).strip()


def origins(shown):
    """Map each line of a derivative that stands once to the user's lines that it comes from."""
    return {line.text.strip(): {text_of(o) for o in line.origins} for line in shown.lines}


def test_each_line_comes_from_the_lines_that_were_folded_into_it():
    found = origins(facts(programs.loss))
    assert found["w_bar = 0.002 * w + x.T @ z_bar"] == {
        "z = x @ w", "ridge = 1e-3 * np.sum(w**2)",
    }  # fmt: skip
    assert found["z = x @ w"] == {"z = x @ w"}


def test_parts_of_a_line_come_from_one_line_each():
    [line] = [line for line in facts(programs.loss).lines if line.text.strip().startswith("w_bar")]
    parts = {
        line.text[p.start : p.end].strip(" +"): text_of(p.origin) for p in line.parts if p.origin
    }
    assert parts["x.T @ z_bar"] == "z = x @ w"


def test_what_is_spliced_is_known_as_such():
    shown = facts(programs.loss)
    [line] = [line for line in shown.lines if line.text.strip().startswith("z_bar +=")]
    spliced = [line.text[p.start : p.end].strip() for p in line.parts if p.spliced]
    assert "".join(spliced) == "upstream * (1 - 1 / (1 + e))"
    assert {t.name: t.spliced for t in shown.texts} == {"loss": False, "log1pexp": True}
    notes = [line.text.strip() for line in shown.lines if line.note]
    assert len(notes) == 2 and notes[0].startswith("# log1pexp, inlined")


def test_rules_of_the_tool_count_as_the_call():
    [line] = [line for line in facts(programs.loss).lines if "upstream =" in line.text]
    assert {text_of(origin) for origin in line.origins} == {"misfit = np.mean("}
    assert not line.spliced


def test_sweeps_are_told_apart():
    shown = facts(programs.power)
    headings = [(line.text.strip(), line.sweep) for line in shown.lines if line.heading]
    assert headings == [
        ("# Forward sweep", "forward sweep"), ("# Reverse sweep", "reverse sweep"),
    ]  # fmt: skip
    assert shown.lines[-1].sweep == "reverse sweep"


def test_halves_of_a_split_are_sweeps():
    shown = facts(programs.early, "vjp")
    sweeps = {
        line.text.split("(")[0][4:]: line.sweep for line in shown.lines if line.text[:4] == "def "
    }
    forward = {key for key, sweep in sweeps.items() if sweep == "forward sweep"}
    assert forward == {key for key in sweeps if key.endswith("_fwd")} and forward
    assert sweeps["early_vjp"] == ""
    assert [text.name for text in shown.texts] == ["early", "half"]


def test_every_statement_comes_from_somewhere():
    for f, mode in [(programs.loss, "grad"), (programs.power, "vjp"), (programs.early, "jvp")]:
        lost = [
            line.text
            for line in facts(f, mode).lines
            if line.text.startswith("    ") and not line.text.strip().startswith("#")
            and not line.origins
        ]  # fmt: skip
        assert lost == []


def test_a_statement_on_several_lines_is_one():
    [text] = [t for t in facts(programs.loss).texts if t.name == "loss"]
    continued = {line.text.strip(): line.stands_for - line.number for line in text.lines}
    assert continued[")  # a statement in several lines"] == -2


def test_second_derivatives_come_from_the_users_lines():
    shown = facts(programs.power, order=2, like=(2.0, 3))
    assert {text.name for text in shown.texts} == {"power"}


def test_lines_of_tangents_are_told_apart():
    shown = facts(programs.power, "jvp", like=(2.0, 3))
    tangents = [line.text.strip() for line in shown.lines if line.tangent]
    assert tangents == ["y_dot = 0.0", "y_dot = y_dot * x + y * x_dot", "return y, y_dot"]
    assert {line.sweep for line in shown.lines if line.origins} == {"forward sweep"}


def test_second_derivatives_have_the_sweeps_and_the_lines_of_the_first():
    shown = facts(programs.loss, "hessian")
    told = {line.text.split(" = ")[0].strip(): line for line in shown.lines}
    assert told["z"].sweep == "forward sweep" and not told["z"].tangent
    assert told["w_bar"].sweep == "reverse sweep" and not told["w_bar"].tangent
    lines = {text_of(origin) for origin in told["w_bar"].origins}
    assert lines == {"z = x @ w", "ridge = 1e-3 * np.sum(w**2)"}
    assert any(line.tangent and line.sweep == "reverse sweep" for line in shown.lines)


def test_views_kept_on_disk_are_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("TAPELESS_CACHE", "1")
    monkeypatch.setenv("TAPELESS_CACHE_DIR", str(tmp_path))
    first, second = facts(programs.loss), facts(programs.loss)
    assert first == second


def test_page_is_written_to_a_file(tmp_path):
    page = view(programs.power, file=tmp_path / "power.html")
    assert (tmp_path / "power.html").read_text(encoding="utf-8") == page.html
    assert "http://" not in page.html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page.html
