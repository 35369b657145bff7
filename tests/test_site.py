"""What the site of the documentation is made of: each public name is in its reference."""

import re
from pathlib import Path

import tapeless as tl

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_every_public_name_is_in_the_reference() -> None:
    listed = set(
        re.findall(r"^   (\w+)$", (DOCS / "reference" / "api.md").read_text(), re.MULTILINE)
    )
    modules = {"rules"}
    assert set(tl.__all__) - modules - listed == set()


def test_every_public_name_is_documented_with_an_example() -> None:
    bare = [name for name in tl.__all__ if ">>>" not in (getattr(tl, name).__doc__ or "")]
    assert bare == ["rules"]  # a module
