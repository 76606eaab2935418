"""What passes between the steps of an exported model: encoded sources, half-written targets, in numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isotone.decoding.protocol import Ids
from isotone.runtime.logspace import Array

__all__ = ["Memory", "State", "Step"]


@dataclass(frozen=True, eq=False, slots=True)
class Memory:
    """Encoded sources; what a model does not need is None."""

    features: Array
    """(row, state, feature) V_e·h_e."""
    lengths: Ids
    """(row,) source positions, BOS and EOS counted."""
    keys: Array | None
    """(row, state, query) T·h_e."""
    log_jumps: Array | None
    """(row, state, jump) a first-order aligner's share of the keys in the scores of jumps, −inf outside the support."""
    log_mask: Array | None
    """(row, state) 0 at real positions, −inf at padding."""
    before_last: Array | None
    """(row, state) 1 before a source's last position, 0 from there on."""
    constants: dict[str, Array]
    """What the step's graph needs that is the same for all rows."""
    tag_gates: Array | None
    """(row, gate) the tags' share of the decoder's gates."""
    copies: Ids | None
    """(row, state) the target id that a copy of each position writes, −1 for none."""
    extensions: int
    """Ids beyond the target alphabet: the most in any one source."""

    def select(self, rows: Ids | slice) -> Memory:
        """The given rows, in the given order; a row may be given several times."""
        return Memory(
            self.features[rows],
            self.lengths[rows],
            None if self.keys is None else self.keys[rows],
            None if self.log_jumps is None else self.log_jumps[rows],
            None if self.log_mask is None else self.log_mask[rows],
            None if self.before_last is None else self.before_last[rows],
            self.constants,
            None if self.tag_gates is None else self.tag_gates[rows],
            None if self.copies is None else self.copies[rows],
            self.extensions,
        )

    def in_blocks(self, size: int, constants: dict[str, Array]) -> Memory:
        """One source's positions in blocks of `size`, a row for each, for what each position has by itself."""
        count = -(-self.features.shape[1] // size)

        def cut(values: Array | None, filling: float = 0.0) -> Array | None:
            if values is None:
                return None
            rest = [(0, 0), (0, count * size - values.shape[1]), *[(0, 0)] * (values.ndim - 2)]
            padded = np.pad(values, rest, constant_values=filling)
            return np.ascontiguousarray(padded.reshape(count, size, *values.shape[2:]))

        features = cut(self.features)
        assert features is not None
        return Memory(
            features,
            np.full(count, size),
            cut(self.keys),
            cut(self.log_jumps),
            cut(self.log_mask, -np.inf),
            cut(self.before_last),
            constants,
            None if self.tag_gates is None else self.tag_gates.repeat(count, 0),
            None,
            0,
        )


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """A batch of prefixes: the decoder after all but the last symbol, that symbol, and belief over positions."""

    state: Array
    """(row, 2 · query) hidden and cell, side by side."""
    symbol: Ids
    log_belief: Array
    """(row, state) log p(prefix, a_i = j | x)."""

    def first(self, rows: int) -> State:
        """The first rows."""
        return (
            self if rows == len(self.symbol) else State(self.state[:rows], self.symbol[:rows], self.log_belief[:rows])
        )

    def join(self, others: Sequence[State]) -> State:
        """Its rows and then those of the others, in order."""
        if not others:
            return self
        states = (self, *others)
        return State(
            np.concatenate([state.state for state in states]),
            np.concatenate([state.symbol for state in states]),
            np.concatenate([state.log_belief for state in states]),
        )


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """Every continuation of a batch of prefixes by one symbol."""

    log_symbols: Array
    """(row, symbol) log p(prefix + symbol | x)."""
    log_arrived: Array
    """(row, state) log p(prefix, a_{i+1} = j | x)."""
    log_emission: Array
    """(row, state, symbol) log p(symbol | a_{i+1} = j)."""
    state: Array
    """(row, 2 · query) of the decoder, having read the prefix."""

    def choose(self, symbols: Ids, rows: Ids | None = None) -> State:
        """The state after the given symbols, each continuing the prefix in `rows` (all, in order)."""
        if rows is None:
            belief = self.log_arrived + self.log_emission[np.arange(len(symbols)), :, symbols]
            return State(self.state, symbols, belief)
        belief = self.log_arrived[rows] + self.log_emission[rows, :, symbols]
        return State(self.state[rows], symbols, belief)
