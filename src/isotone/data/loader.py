"""Batches of similar length in random order: seeded, and resumable at any batch of any epoch."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from isotone.data.batch import Batch, collate
from isotone.data.choices import Choices
from isotone.data.invention import Invention
from isotone.data.unknown import UnknownTraining
from isotone.text.codec import Encoded

__all__ = ["Loader", "by_length"]

WINDOW = 50
"""Batches within which examples are sorted by length: wide enough for little padding, narrow enough to stay random."""
WINDOWS = 8
"""Windows in an epoch at least: with little data, sorting it all would put the same pairs together every time."""


@dataclass(frozen=True, kw_only=True)
class Loader:
    """What an epoch looks like depends on (seed, epoch) only, so a resumed run sees the batches it would have seen."""

    examples: Sequence[Encoded]
    batch_size: int
    tag_count: int
    seed: int = 0
    unknown: UnknownTraining | None = None
    invention: Invention | None = None
    choices: Choices | None = None
    """Which of the examples stand for one another: an epoch draws one of each group. All are taken, unless given."""
    aligned_epochs: int | None = None
    """Epochs whose batches bring the examples' alignments, where they have some: all, unless given."""

    def __len__(self) -> int:
        """Batches in an epoch."""
        invented = self.invention.count if self.invention is not None else 0
        return -(-(self.pairs + invented) // self.batch_size)

    @property
    def pairs(self) -> int:
        """Pairs in an epoch, the invented ones not counted."""
        return len(self.examples) if self.choices is None else len(self.choices)

    def epoch(self, number: int, *, skip: int = 0) -> Iterator[Batch]:
        """The batches of epoch `number`, from batch `skip` on."""
        examples = self.examples
        if self.choices is not None:
            drawn = self.choices.epoch(random.Random(f"{self.seed}/{number}/choices"))
            examples = [examples[row] for row in drawn]
        if self.invention is not None:
            examples = [*examples, *self.invention.epoch(random.Random(f"{self.seed}/{number}/invention"))]
        for place, rows in enumerate(self._plan(number, examples)):
            if place < skip:
                continue
            chosen = [examples[row] for row in rows]
            if self.aligned_epochs is not None and number > self.aligned_epochs:
                chosen = [replace(example, alignment=None) for example in chosen]
            if self.unknown is not None:
                generator = random.Random(f"{self.seed}/{number}/{place}/unknown")
                chosen = [self.unknown.hide(example, generator) for example in chosen]
            yield collate(chosen, self.tag_count)

    def _plan(self, number: int, examples: Sequence[Encoded]) -> list[list[int]]:
        generator = random.Random(f"{self.seed}/{number}/order")
        order = list(range(len(examples)))
        generator.shuffle(order)
        window = self.batch_size * min(WINDOW, max(1, len(self) // WINDOWS))
        batches: list[list[int]] = []
        for start in range(0, len(order), window):
            rows = sorted(order[start : start + window], key=lambda row: _lengths(examples[row]))
            batches += _cut(rows, self.batch_size, examples)
        generator.shuffle(batches)
        return batches


def by_length(examples: Sequence[Encoded], batch_size: int) -> Iterator[list[int]]:
    """Indices of all examples in batches of similar length, longest first: for scoring and decoding."""
    order = sorted(range(len(examples)), key=lambda row: _lengths(examples[row]), reverse=True)
    yield from _cut(order, batch_size, examples)


def _cut(rows: list[int], size: int, examples: Sequence[Encoded]) -> list[list[int]]:
    """Batches of `size` rows, in each the longest targets first: the emission then passes over most padding."""
    cut = (rows[at : at + size] for at in range(0, len(rows), size))
    return [sorted(batch, key=lambda row: -len(examples[row].target or ())) for batch in cut]


def _lengths(example: Encoded) -> tuple[int, int]:
    """The source first: most of a step is the encoder, so padding costs more there."""
    return len(example.source), len(example.target or ())
