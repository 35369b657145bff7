"""What stands in the folder is right and whole, or counts as nothing; what cannot be kept is not kept."""

import errno
import os
import stat
import tempfile

import numpy as np
import pytest

import tapeless as tl
from tapeless.disk import folder, kept


def f(x):
    return x * np.sin(x)


def slope():
    return tl.grad(f)(2.0)


EXPECTED = np.sin(2.0) + 2.0 * np.cos(2.0)


@pytest.fixture
def written(forgetful):
    """Return the file in which the derivative of `f` is kept."""
    assert slope() == EXPECTED
    [path] = forgetful.glob("*.json")
    return path


@pytest.fixture
def loads(monkeypatch):
    """Count the entries that are loaded."""
    found = []
    bound = kept.bound
    monkeypatch.setattr(kept, "bound", lambda *told: found.append(1) or bound(*told))
    return found


def test_an_entry_is_for_its_owner_alone_and_is_text(written, loads):
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(written.parent.stat().st_mode) == 0o700
    assert "def f_grad(x)" in written.read_text()
    assert slope() == EXPECTED
    assert len(loads) == 1


def altered(text):
    head, _, body = text.partition("\n")
    return f"{head}\n{body.replace('sin', 'tan')}"


def foreign(text):
    body = '{"text": "def f_grad(x): return 0.0"}'
    return f"{folder._check('0' * 64, body)}\n{body}"


DAMAGES = {
    "nothing": lambda text: "",
    "its first line": lambda text: text.partition("\n")[0],
    "half of it": lambda text: text[: len(text) // 2],
    "all but the end": lambda text: text[:-1],
    "altered": altered,
    "another entry under its name": foreign,
    "no text": lambda text: "\udcff\udcfe\x00",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_written_again(damage, written, loads):
    whole = written.read_text()
    written.write_text(DAMAGES[damage](whole), encoding="utf-8", errors="surrogateescape")
    assert slope() == EXPECTED
    assert not loads
    assert written.read_text() == whole


def test_a_whole_entry_that_cannot_be_loaded_is_written_again(written):
    whole = written.read_text()
    for body in (
        "null",
        "{}",
        "[1]",
        '{"text": "def"}',
        whole.partition("\n")[2].replace("return", ""),
    ):
        written.write_text(f"{folder._check(written.stem, body)}\n{body}")
        assert slope() == EXPECTED
        assert written.read_text() == whole


def test_what_others_could_have_written_is_not_read(written, loads):
    written.chmod(0o622)
    assert slope() == EXPECTED
    assert not loads
    assert stat.S_IMODE(written.stat().st_mode) == 0o600  # a new one


def test_a_folder_that_others_can_write_into_is_not_used(written, loads):
    before = written.stat().st_ino
    written.parent.chmod(0o770)
    assert slope() == EXPECTED
    assert not loads
    assert written.stat().st_ino == before
    assert folder.obstacle() == "it is not a folder of yours alone"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users have no numbers here")
def test_what_others_own_is_not_read(written, loads, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: written.stat().st_uid + 1)
    assert slope() == EXPECTED
    assert not loads


def test_a_link_is_not_followed(written, loads, tmp_path):
    elsewhere = tmp_path / "elsewhere.json"
    written.rename(elsewhere)
    written.symlink_to(elsewhere)
    assert slope() == EXPECTED
    assert not loads
    assert not written.is_symlink()


def test_a_file_in_the_place_of_the_folder(forgetful):
    forgetful.parent.mkdir(parents=True)
    forgetful.write_text("a file")
    assert slope() == EXPECTED
    assert forgetful.read_text() == "a file"
    assert list(folder.files()) == []


def refusing(error):
    def refuse(*args, **kwargs):
        raise OSError(error, os.strerror(error))

    return refuse


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("where", ["mkstemp", "replace", "lstat", "open"])
def test_what_the_system_refuses_is_no_reason_to_fail(error, where, forgetful, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(tempfile if where == "mkstemp" else os, where, refusing(error))
        assert slope() == EXPECTED
    assert slope() == EXPECTED
    assert len(list(forgetful.iterdir())) == 1


def test_an_interrupted_write_leaves_nothing_that_is_read(forgetful, monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            slope()
    assert list(forgetful.iterdir()) == []
    (forgetful / ".killed.part").write_text("half an en")
    assert slope() == EXPECTED
    assert folder.clear() == 1
    assert list(forgetful.iterdir()) == []


def test_off(forgetful, monkeypatch):
    monkeypatch.setenv("TAPELESS_CACHE", "0")
    assert slope() == EXPECTED
    assert not forgetful.exists()


def test_another_version_writes_its_own(written, loads, monkeypatch):
    monkeypatch.setattr(kept, "versions", lambda: "another")
    assert slope() == EXPECTED
    assert not loads
    assert len(list(written.parent.glob("*.json"))) == 2
