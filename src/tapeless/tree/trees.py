"""Names for trees in signatures.

A tree is made of nodes of `gast`, which says nothing of their types. So these names promise nothing to a
type checker; they say to the reader which part of the grammar is meant.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Tree: TypeAlias = Any
"""Any node."""
Expr: TypeAlias = Any
"""An expression."""
Stmt: TypeAlias = Any
"""A statement."""
