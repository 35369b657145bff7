"""Stores: into entries, slices, places, what masks select, and lists of cotangents."""

from __future__ import annotations

from typing import Any

import gast

import tapeless.lower.arithmetic as arithmetic
import tapeless.lower.carried as carried
import tapeless.lower.cotangents as cotangents
import tapeless.lower.gather as gather
import tapeless.lower.indexing as indexing
import tapeless.lower.masked as masked
from tapeless.lower.expressions import Expressions
from tapeless.lower.precision import FLOATS
from tapeless.lower.values import Array, Cotangents, Masked, Value


class Stores(Expressions):
    """Runs the stores of one function."""

    def demand_alone(self, key: str, old: Masked) -> None:
        """Refuse an update in place of what a mask selects, where it has another name."""
        env, live = {**self.scope.env, key: old.values}, self.liveness.live_after(self.current)
        if not carried.is_alone(self.state, key, env, live, self.scope.given):
            raise self.state.refused("an update in place of what a mask selects")

    def add_in_place(self, old: Array, word: str, value: Value) -> None:
        """Run `old += value` for an array: what is added is broadcast to it."""
        if old.dtype not in FLOATS or word not in arithmetic.ARITHMETIC or word == "Pow":
            raise self.state.refused("an update of an array in place other than + - * /")
        self.state.store(old, arithmetic.of_floats(self.state, value), arithmetic.ARITHMETIC[word])

    def store(self, target: Any, value: Value, word: str) -> None:
        """Run a store into an entry or a slice."""
        x = self.evaluate(target.value)
        if isinstance(x, Cotangents):
            self.store_cotangent(x, self.key(target.slice), value, word)
            return
        if isinstance(x, Masked):
            self.store_part(target, x, value, word)
            return
        if not isinstance(x, Array):
            raise self.state.refused("a store into what is no array")
        keys = self.keys(target.slice)
        if masked.is_mask(keys) and isinstance(keys[0], Array):
            self.store_selected(x, keys[0], value, word)
            return
        if gather.is_fancy(keys):
            self.store_at(x, keys, value, word)
            return
        view = indexing.indexed(self.state, x, keys)
        if word:
            self.add_in_place(view, word, value)
            return
        if x.dtype not in FLOATS:
            raise self.state.refused("a store into an array of integers or truth values")
        self.state.store(view, arithmetic.of_floats(self.state, value))

    def store_cotangent(self, bars: Cotangents, key: indexing.Key, value: Value, word: str) -> None:
        """Run a store into a list of cotangents."""
        live = self.liveness.live_after(self.current)
        known = cotangents.Known(self.scope.env, live, self.scope.given)
        if word:
            old = cotangents.item(self.state, bars, key)
            value = arithmetic.binary(self.state, word, old, value)
        cotangents.store(self.state, bars, key, value, known, updates=bool(word))

    def store_selected(self, x: Array, mask: Array, value: Value, word: str) -> None:
        """Run a store into the entries that a mask selects."""
        if word:
            old = masked.taken(self.state, x, mask)
            value = arithmetic.binary(self.state, word, old, value)
        masked.store(self.state, x, mask, arithmetic.of_floats(self.state, value))

    def store_part(self, target: Any, x: Masked, value: Value, word: str) -> None:
        """Run a store into a part of each of the entries that a mask selects."""
        if isinstance(target.value, gast.Name):
            self.demand_alone(target.value.id, x)
        old = masked.part(self.state, x, self.keys(target.slice))
        if word:
            value = arithmetic.binary(self.state, word, old, value)
        made = masked.lifted(self.state, lambda p, q: q, [old, value])
        assert isinstance(old, Masked) and isinstance(made, Masked)
        self.state.store(old.values, arithmetic.of_floats(self.state, made.values))

    def store_at(self, x: Array, keys: list[indexing.Key], value: Value, word: str) -> None:
        """Run a store at the places that arrays of integers name: the last one there stays."""
        if word:
            value = arithmetic.binary(self.state, word, gather.taken(self.state, x, keys), value)
        if x.dtype not in FLOATS:
            raise self.state.refused("a store into an array of integers or truth values")
        gather.scatter(self.state, x, keys, arithmetic.of_floats(self.state, value), "")
