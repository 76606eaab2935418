"""Padded ids and lengths: what a model sees of a list of encoded examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from isotone.shapes import Bool, Int
from isotone.text.codec import NO_COPY, Encoded
from isotone.text.vocabulary import EOS, PAD

__all__ = ["Batch", "collate"]

NOWHERE = -1
"""In place of a source position, where there is no target symbol."""


@dataclass(eq=False)  # not frozen: Fabric's mixed precision rebuilds the batch field by field (nothing else may)
class Batch:
    """A batch of pairs. Sources are wrapped in BOS … EOS, targets end with EOS; PAD fills up on the right."""

    source: Int[Tensor, "batch state"]
    source_lengths: Int[Tensor, "batch"]
    target: Int[Tensor, "batch target"]
    target_lengths: Int[Tensor, "batch"]
    tags: Bool[Tensor, "batch tag"]
    """True where a tag of the vocabulary is present; zero columns for tasks without tags."""
    alignment: Int[Tensor, "batch target"] | None = None
    """The source position of each target symbol, where it was fixed beforehand; −1 past a row's length."""
    copies: Int[Tensor, "batch state"] | None = None
    """The target id that a copy of each source position writes, NO_COPY where there is none; see `Encoded.copies`."""

    def __len__(self) -> int:
        return self.source.shape[0]

    @property
    def target_symbols(self) -> int:
        """Target symbols to predict, EOS counted: what a loss is divided by."""
        return int(self.target_lengths.sum())

    def shard(self, rank: int, ranks: int) -> Batch | None:
        """Every `ranks`-th row from `rank` on, with no more padding than these need; None where there are none.

        The shards of all ranks are the batch, each row in exactly one.
        """
        source_lengths, target_lengths = self.source_lengths[rank::ranks], self.target_lengths[rank::ranks]
        if not len(source_lengths):
            return None
        states, symbols = int(source_lengths.max()), int(target_lengths.max())
        return Batch(
            self.source[rank::ranks, :states],
            source_lengths,
            self.target[rank::ranks, :symbols],
            target_lengths,
            self.tags[rank::ranks],
            None if self.alignment is None else self.alignment[rank::ranks, :symbols],
            None if self.copies is None else self.copies[rank::ranks, :states],
        )

    def twice(self) -> Batch:
        """Every row two times, one below the other."""
        return self._changed(lambda x: x.repeat_interleave(2, 0))

    def to(self, device: torch.device | str) -> Batch:
        """The same batch on another device."""
        return self._changed(lambda x: x.to(device))

    def _changed(self, change: Callable[[Tensor], Tensor]) -> Batch:
        """The batch with `change` made to each of its tensors."""
        return Batch(
            change(self.source),
            change(self.source_lengths),
            change(self.target),
            change(self.target_lengths),
            change(self.tags),
            None if self.alignment is None else change(self.alignment),
            None if self.copies is None else change(self.copies),
        )


def collate(examples: Sequence[Encoded], tag_count: int) -> Batch:
    """Pad encoded examples into one batch; a missing target (prediction) stands as a lone EOS.

    Alignments come along where every example has one. Nothing here runs in torch's threads, so it works after a fork.
    """
    targets = [example.target or (EOS,) for example in examples]
    tags = np.zeros((len(examples), tag_count), dtype=bool)
    for row, example in enumerate(examples):
        tags[row, list(example.tags)] = True
    source, source_lengths = _pad([example.source for example in examples])
    target, target_lengths = _pad(targets)
    paths = [example.alignment for example in examples if example.alignment is not None]
    alignment = _pad(paths, NOWHERE)[0] if len(paths) == len(examples) else None
    copies = _pad([example.copies for example in examples], NO_COPY)[0] if examples[0].copies else None
    return Batch(source, source_lengths, target, target_lengths, torch.from_numpy(tags), alignment, copies)


def _pad(rows: Sequence[tuple[int, ...]], filling: int = PAD) -> tuple[Tensor, Tensor]:
    longest = max(map(len, rows))
    padded = torch.tensor([row + (filling,) * (longest - len(row)) for row in rows])
    return padded, torch.tensor([len(row) for row in rows])
