"""Exact log-probabilities of given pairs, each with the reason where it is −inf."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from isotone.decoding.batches import in_batches
from isotone.decoding.protocol import Model
from isotone.decoding.sources import encode_pair
from isotone.decoding.surprise import surprisals
from isotone.errors import ConfigError
from isotone.results.scored import Scored
from isotone.text.codec import Codec, Encoded
from isotone.text.example import Example

__all__ = ["log_probs", "score_examples"]

BLOCK = 4096
"""Pairs read ahead, to sort them by length."""
OUT_OF_REACH = "no alignment copies all the symbols that were never seen in training"


def score_examples(
    model: Model, codec: Codec, examples: Iterable[Example], *, surprisal: bool = False
) -> Iterator[Scored]:
    """log p(target | source) of each example, in order; the examples may be a stream.

    With `surprisal` each comes with the surprisal of its symbols.
    """
    stream = iter(examples)
    while block := list(islice(stream, BLOCK)):
        for example in block:
            if example.target is None:
                raise ConfigError(f"cannot score {example.source!r}: it has no target")
        encoded = [encode_pair(codec, example) for example in block]
        values = log_probs(model, encoded)
        symbols = surprisals(model, encoded) if surprisal else [None] * len(block)
        for example, pair, value, own in zip(block, encoded, values, symbols, strict=True):
            yield Scored(example.source, example.target or "", example.tags, value, _reason(pair, value), own)


def log_probs(model: Model, pairs: Sequence[Encoded]) -> list[float]:
    """Exact log p(y | x) of each pair, in the given order; −inf where a target symbol was never seen."""

    def values_of(batch: list[Encoded]) -> list[float]:
        listed: list[float] = model.log_probs(batch).tolist()
        return listed

    values = [-math.inf] * len(pairs)
    possible = [row for row, pair in enumerate(pairs) if not pair.unseen]
    for row, value in in_batches(model, [pairs[row] for row in possible], values_of):
        values[possible[row]] = value
    return values


def _reason(pair: Encoded, value: float) -> str | None:
    if pair.unseen:
        return f"never seen in training: {', '.join(map(repr, pair.unseen))}"
    return OUT_OF_REACH if value == -math.inf else None
