"""What passes between the parts of a model: the encoded source, and the state of a half-written target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from isotone.shapes import Bool, Float, Int

__all__ = ["Inputs", "Memory", "State", "Step"]


@dataclass(frozen=True, eq=False)
class Inputs:
    """The decoder's gates but for its own state: W·[emb(y); tag] + b = W_y·emb(y) + (W_t·tag + b)."""

    tags: Float[Tensor, "batch gate"]
    """W_t·tag + b of every row."""
    symbols: Float[Tensor, "symbol gate"] | None
    """W_y·emb(y) of every symbol, to look up; None where the alphabet is too large for that to pay."""

    def select(self, rows: Int[Tensor, "row"]) -> Inputs:
        """The given rows, in the given order; a row may be given several times."""
        return Inputs(self.tags[rows], self.symbols)


@dataclass(frozen=True, eq=False)
class Memory:
    """An encoded batch of sources, with everything precomputed that does not depend on the target."""

    keys: Float[Tensor, "batch state query"]
    """T·h_e: what the aligner compares queries with."""
    features: Float[Tensor, "batch state feature"]
    """V_e·h_e: the source's share of the emission's hidden layer."""
    mask: Bool[Tensor, "batch state"]
    """True at real positions, BOS and EOS included."""
    tags: Float[Tensor, "batch tag"]
    """The tag vector; zero columns for tasks without tags."""
    inputs: Inputs | None = None
    """Made once for decoding symbol by symbol; scoring whole targets does not need it."""
    copies: Int[Tensor, "batch state"] | None = None
    """The target id that a copy of each position writes, −1 where there is none; None without a copy gate."""
    extensions: int = 0
    """Number of ids beyond the target alphabet, for symbols that can only be copied: the most in any one source."""

    def select(self, rows: Int[Tensor, "row"]) -> Memory:
        """The given rows, in the given order; a row may be given several times."""
        inputs = None if self.inputs is None else self.inputs.select(rows)
        copies = None if self.copies is None else self.copies[rows]
        keys, features, mask, tags = (x[rows] for x in (self.keys, self.features, self.mask, self.tags))
        return Memory(keys, features, mask, tags, inputs, copies, self.extensions)


@dataclass(frozen=True, eq=False)
class State:
    """A batch of target prefixes: the decoder after reading all but the last symbol, and belief over positions."""

    hidden: Float[Tensor, "batch query"]
    cell: Float[Tensor, "batch query"]
    symbol: Int[Tensor, "batch"]
    """The prefix's last symbol, BOS at the start; the next step feeds it to the decoder."""
    log_belief: Float[Tensor, "batch state"]
    """log p(prefix, a_i = j | x): its sum over j is the prefix's log-probability."""

    def join(self, others: Sequence[State]) -> State:
        """Its rows and then those of the others, in order."""
        states = (self, *others)
        return State(
            torch.cat([state.hidden for state in states]),
            torch.cat([state.cell for state in states]),
            torch.cat([state.symbol for state in states]),
            torch.cat([state.log_belief for state in states]),
        )


@dataclass(frozen=True, eq=False)
class Step:
    """Every continuation of a batch of prefixes by one symbol."""

    log_symbols: Float[Tensor, "batch symbol"]
    """log p(prefix + symbol | x) over vocabulary ids, summed over all alignments; −inf for PAD and BOS."""
    log_joint: Float[Tensor, "batch state output"]
    """log p(prefix + symbol, a_{i+1} = j | x) over the symbols that can be emitted."""
    first_output: int
    """The vocabulary id of output 0."""
    hidden: Float[Tensor, "batch query"]
    cell: Float[Tensor, "batch query"]

    def choose(self, symbols: Int[Tensor, "row"], rows: Int[Tensor, "row"] | None = None) -> State:
        """The state after `symbols` (vocabulary ids), each continuing the prefix in `rows` (all, in order)."""
        outputs = symbols - self.first_output
        if rows is None:
            wide = outputs[:, None, None].expand(-1, self.log_joint.shape[1], 1)
            return State(self.hidden, self.cell, symbols, self.log_joint.gather(2, wide).squeeze(2))
        return State(self.hidden[rows], self.cell[rows], symbols, self.log_joint[rows, :, outputs])
