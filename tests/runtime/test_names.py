"""The helpers of generated code are found by their names: no two of them share one."""

import ast
import collections
from pathlib import Path

import tapeless.runtime

ROOM = Path(tapeless.runtime.__file__).parent


def test_no_name_is_defined_twice():
    trees = [ast.parse(file.read_text()) for file in sorted(ROOM.glob("*.py"))]
    names = [
        part.name
        for tree in trees
        for part in tree.body
        if isinstance(part, ast.FunctionDef | ast.ClassDef)
    ]
    assert [name for name, count in collections.Counter(names).items() if count > 1] == []
