"""Copying without a gate: an emitted UNK becomes the source symbol it is most probably aligned to.

Where a source has no unknown symbol there is nothing to copy: an UNK would spell a known letter a second way, with a
probability that is not the string's. Such strings are taken away, as by a constraint, and the numbers stay.
A model with a copy gate never emits UNK: what it copies has an id and a probability of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from isotone.data.batch import Batch, collate
from isotone.decoding.alignment import align
from isotone.decoding.stepper import Memory, Step, Stepper
from isotone.models.network import Network
from isotone.shapes import Float, Int
from isotone.text.codec import Encoded
from isotone.text.vocabulary import EOS, UNK, Vocabulary

__all__ = ["CopiesUnknowns", "idle", "spell"]


@dataclass(frozen=True, eq=False)
class _Memory:
    part: Memory
    log_copies: Float[torch.Tensor, "batch"]
    """0 where the source has something to copy, −inf where it has not."""

    def select(self, rows: Int[torch.Tensor, "row"]) -> _Memory:
        return _Memory(self.part.select(rows), self.log_copies[rows])


@dataclass(frozen=True, eq=False)
class _Step:
    part: Step
    log_symbols: Float[torch.Tensor, "batch symbol"]

    def choose(self, symbols: Int[torch.Tensor, "row"], rows: Int[torch.Tensor, "row"] | None = None) -> Any:
        return self.part.choose(symbols, rows)


class CopiesUnknowns:
    """A model that writes UNK only for sources that have one."""

    def __init__(self, model: Stepper) -> None:
        self._model = model

    def encode(self, batch: Batch) -> _Memory:
        """The sources, and which have an unknown symbol."""
        return _Memory(self._model.encode(batch), (batch.source == UNK).any(1).float().log())

    def start(self, memory: _Memory) -> Any:
        """The empty prefix of each source."""
        return self._model.start(memory.part)

    def step(self, state: Any, memory: _Memory) -> _Step:
        """Every continuation, −inf where it would be an idle copy."""
        step = self._model.step(state, memory.part)
        log_symbols = step.log_symbols.clone()
        log_symbols[:, UNK].add_(memory.log_copies)
        return _Step(step, log_symbols)


def idle(source: Encoded, target: Sequence[int]) -> bool:
    """Does the target copy where the source has nothing unknown?"""
    return UNK in target and UNK not in source.source


def spell(
    network: Network, vocabulary: Vocabulary, source: Encoded, targets: Sequence[tuple[int, ...]]
) -> list[tuple[str, ...]]:
    """The symbols of each target of one source: known, copied by a gate, or (UNK) copied through the alignment."""
    beyond = {id_: source.source_symbols[j - 1] for j, id_ in enumerate(source.copies) if id_ >= len(vocabulary.target)}
    copying = [place for place, ids in enumerate(targets) if UNK in ids]
    sources: dict[int, list[int]] = {}
    if copying and source.source_symbols:
        pairs = [replace(source, target=(*targets[place], EOS)) for place in copying]
        aligned = align(network, collate(pairs, len(vocabulary.tags)).to(network.device))
        letters = aligned.posterior[:, :, 1 : 1 + len(source.source_symbols)]
        sources = dict(zip(copying, letters.argmax(-1).tolist(), strict=True))
    spelled = []
    for place, ids in enumerate(targets):
        symbols = []
        for i, id_ in enumerate(ids):
            if id_ != UNK:
                symbols.append(beyond[id_] if id_ in beyond else vocabulary.target.symbol(id_))
            elif place in sources:
                symbols.append(source.source_symbols[sources[place][i]])
        spelled.append(tuple(symbols))
    return spelled
