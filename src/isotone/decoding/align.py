"""Alignments of given pairs: the best path with posteriors, and paths drawn from p(a | x, y)."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator
from itertools import islice

from isotone.decoding.batches import in_batches
from isotone.decoding.protocol import Aligned, Model
from isotone.decoding.sources import encode_pair
from isotone.errors import ConfigError
from isotone.results.alignment import END, START, Alignment
from isotone.text.codec import Codec, Encoded
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["align_examples", "sample_alignments"]

_LOGGER = logging.getLogger("isotone")

MOST_CELLS = 9_000_000
"""Source × target positions that are aligned, 3,000 × 3,000 for instance: these take about 2 GB."""
BLOCK = 256
"""Pairs read ahead, to sort them by length; fewer than for scoring, since posteriors are large."""


def align_examples(model: Model, codec: Codec, examples: Iterable[Example]) -> Iterator[Alignment]:
    """The alignment of each pair, in order; the examples may be a stream.

    A pair of probability 0, such as one with a target symbol never seen in training, has no path.
    """
    stream = iter(examples)
    while block := list(islice(stream, BLOCK)):
        encoded = [encode_pair(codec, example) for example in block]
        possible = [row for row, pair in enumerate(encoded) if not pair.unseen and not _too_large(pair)]
        found = {
            possible[row]: aligned
            for row, aligned in in_batches(model, [encoded[row] for row in possible], model.align, pairs=True)
        }
        for row, (example, pair) in enumerate(zip(block, encoded, strict=True)):
            source, target = _symbols(codec, example, pair)
            yield _alignment(source, target, found.get(row), too_large=_too_large(pair))


def _too_large(pair: Encoded) -> bool:
    """Would its posterior take too much memory? Then the pair is left without a path, and the run goes on."""
    return len(pair.source) * len(pair.target or ()) > MOST_CELLS


def _alignment(
    source: tuple[str, ...], target: tuple[str, ...], aligned: Aligned | None, *, too_large: bool
) -> Alignment:
    """What was found of one pair; whatever is wrong with it is logged, and never ends a run."""
    size = f"{len(source) - 2:,} × {len(target) - 1:,} symbols"
    if too_large:
        _LOGGER.warning("a pair of %s is too large to align; it is left without a path", size)
        return Alignment(source, target, (), math.nan)
    if aligned is None or aligned.log_prob == -math.inf:
        return Alignment(source, target, (), -math.inf)
    path = tuple(aligned.path.tolist())
    try:
        tables = (aligned.posterior, aligned.stays, aligned.silence)
        return Alignment(source, target, path, aligned.log_prob, *tables)
    except ValueError as error:
        _LOGGER.warning("a pair of %s has no posterior: %s", size, error)
        return Alignment(source, target, path, aligned.log_prob)


def sample_alignments(model: Model, codec: Codec, example: Example, *, count: int, seed: int | None) -> list[Alignment]:
    """`count` alignments of one pair, drawn from p(a | x, y); an empty list for a pair of probability 0."""
    if count < 1:
        raise ConfigError(f"count must be at least 1, not {count}")
    pair = codec.encode(example)
    if pair.unseen:
        return []
    source, target = _symbols(codec, example, pair)
    log_prob = float(model.log_probs([pair])[0])
    return [Alignment(source, target, tuple(path), log_prob) for path in model.sample_paths(pair, count, seed).tolist()]


def _symbols(codec: Codec, example: Example, pair: Encoded) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The source and target that an alignment shows, boundaries included."""
    if example.target is None:
        raise ConfigError(f"cannot align {example.source!r}: it has no target")
    return (START, *pair.source_symbols, END), (*Segmenter(codec.texts.target).split(example.target), END)
