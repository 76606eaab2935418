"""Encoded examples in batches of similar length, and the work on them in the order of the examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from isotone.decoding.protocol import Model
from isotone.text.codec import Encoded

__all__ = ["CELLS", "PAIR_CELLS", "by_length", "in_batches"]

CELLS = 1024
"""Symbols in a batch for decoding or scoring, padding counted: enough to fill a core, few enough for its cache."""
PAIR_CELLS = 2**15
"""Source × target positions in a batch for aligning, padding counted."""

Result = TypeVar("Result")


def by_length(examples: Sequence[Encoded], cells: int, *, pairs: bool = False) -> list[list[int]]:
    """Rows of all examples in batches of about `cells` symbols, longest sources first.

    Within a batch the longest targets come first: the emission then skips most padding. With `pairs` a pair counts as
    source × target positions, which is what aligning it takes.
    """

    def size(example: Encoded) -> int:
        source, target = len(example.source), len(example.target or ())
        return source * target if pairs else max(source, target)

    order = sorted(range(len(examples)), key=lambda row: _lengths(examples[row]), reverse=True)
    batches: list[list[int]] = []
    largest = 0
    for row in order:
        largest = max(largest, size(examples[row]))
        if not batches or (len(batches[-1]) + 1) * largest > cells:
            batches.append([])
            largest = size(examples[row])
        batches[-1].append(row)
    return [sorted(batch, key=lambda row: -len(examples[row].target or ())) for batch in batches]


def in_batches(
    model: Model,
    examples: Sequence[Encoded],
    work: Callable[[list[Encoded]], Sequence[Result]],
    *,
    pairs: bool = False,
) -> Iterator[tuple[int, Result]]:
    """(row, result) of every example, where `work` has a result for each of a batch; batches side by side."""
    batches = by_length(examples, PAIR_CELLS if pairs else CELLS, pairs=pairs)
    found = model.each(work, [[examples[row] for row in rows] for rows in batches])
    for rows, results in zip(batches, found, strict=True):
        yield from zip(rows, results, strict=True)


def _lengths(example: Encoded) -> tuple[int, int]:
    """The source first: most of the work is the encoder's, so padding costs more there."""
    return len(example.source), len(example.target or ())
