"""The prefixes a search has written, sharing their beginnings, and how each may go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.protocol import Floats, Ids
from isotone.decoding.space import SearchSpace
from isotone.text.vocabulary import BOS, UNK

__all__ = ["ROOT", "Prefixes"]

ROOT = 0
"""The node of the empty prefix, the same for all sources."""


class Prefixes:
    """A node is a parent and one symbol more, at its place in the constraint."""

    def __init__(self, space: SearchSpace) -> None:
        self._constraint = constraint = space.constraint
        self._copies = space.copies
        self._parents = [ROOT]
        self._symbols = [BOS]
        self._lengths = [0]
        self._places: list[Any] = [] if constraint is None else [constraint.start()]

    def extend(self, parents: Sequence[int], symbols: Sequence[int]) -> list[int]:
        """A new node for each parent, with its symbol behind it."""
        first = len(self._parents)
        self._parents += parents
        self._symbols += symbols
        self._lengths += [self._lengths[parent] + 1 for parent in parents]
        if self._constraint is not None:
            advance, places = self._constraint.advance, self._places
            places += [advance(places[p], s) for p, s in zip(parents, symbols, strict=True)]
        return list(range(first, len(self._parents)))

    def length(self, node: int) -> int:
        """How many symbols the prefix has."""
        return self._lengths[node]

    def string(self, node: int) -> tuple[int, ...]:
        """The prefix as ids."""
        symbols = []
        while node != ROOT:
            symbols.append(self._symbols[node])
            node = self._parents[node]
        return tuple(reversed(symbols))

    def allow(self, log_symbols: Floats, nodes: Sequence[int], sources: Ids | Sequence[int]) -> Floats:
        """(row, symbol) continuations of the prefixes of these sources, −inf where the space has no such string."""
        if self._copies is not None and log_symbols[:, UNK].max(initial=-np.inf) > -np.inf:
            log_symbols = log_symbols.copy()
            log_symbols[~self._copies[sources], UNK] = -np.inf
        if self._constraint is None or not nodes:
            return log_symbols
        size = log_symbols.shape[1]
        masks = [self._constraint.allowed(self._places[node]) for node in nodes]
        allowed = np.stack([np.ones(size, dtype=bool) if mask is None else _wide(mask, size) for mask in masks])
        constrained: Floats = np.where(allowed, log_symbols, -np.inf).astype(log_symbols.dtype, copy=False)
        return constrained


def _wide(mask: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """A constraint knows the alphabet; symbols beyond it, which can only be copied, are not allowed."""
    return mask if len(mask) == size else np.pad(mask, (0, size - len(mask)))
