"""Examples in, predictions out: batching by length, decoding, spelling, and exact scores of given pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import torch

from isotone.data.batch import Batch, collate
from isotone.data.loader import by_length
from isotone.decoding.copying import spell
from isotone.decoding.prediction import Candidate, Decoded, Prediction
from isotone.decoding.stepper import Scorer
from isotone.models.store import Bundle
from isotone.text.codec import Encoded
from isotone.text.example import Example

__all__ = ["CELLS", "collate_for", "log_probs", "predict"]

CELLS = 1024
"""Source symbols in a decoding batch, about: enough to fill the cores, little enough to stay in the cache."""

Decode = Callable[[Batch], list[Decoded]]


def predict(bundle: Bundle, examples: Sequence[Example], decode: Decode) -> Iterator[tuple[int, Prediction]]:
    """(index, prediction) of every example, batch by batch, longest sources first."""
    encoded = [bundle.codec.encode(Example(e.source, None, e.tags)) for e in examples]
    for rows in _batches(encoded):
        for row, decoded in zip(rows, decode(collate_for(bundle, [encoded[row] for row in rows])), strict=True):
            yield row, _prediction(bundle, examples[row], encoded[row], decoded)


@torch.inference_mode()
def log_probs(bundle: Bundle, model: Scorer, examples: Sequence[Encoded]) -> list[float]:
    """Exact log p(y | x) of each pair under `model`, in the given order; −inf where a target symbol was never seen."""
    values = [-math.inf] * len(examples)
    possible = [row for row, example in enumerate(examples) if not example.unseen]
    for rows in _batches([examples[row] for row in possible]):
        batch = collate_for(bundle, [examples[possible[row]] for row in rows])
        for row, value in zip(rows, model.log_prob(batch).tolist(), strict=True):
            values[possible[row]] = value
    return values


def _prediction(bundle: Bundle, example: Example, encoded: Encoded, decoded: Decoded) -> Prediction:
    """Spell the hypotheses; should two spell the same string, the more probable one stays."""
    targets = [hypothesis.symbols for hypothesis in decoded.hypotheses]
    spelled = spell(bundle.network, bundle.vocabulary, encoded, targets)
    first: dict[tuple[str, ...], float] = {}
    for symbols, hypothesis in zip(spelled, decoded.hypotheses, strict=True):
        first.setdefault(symbols, hypothesis.log_prob)
    candidates = tuple(
        Candidate(bundle.codec.target_text(symbols), symbols, log_prob, rank)
        for rank, (symbols, log_prob) in enumerate(first.items(), 1)
    )
    return Prediction(
        example.source, example.tags, candidates, certified=decoded.certified, log_bound=decoded.log_bound
    )


def _batches(encoded: Sequence[Encoded]) -> Iterator[list[int]]:
    """Batches of about CELLS source symbols each."""
    if encoded:
        mean = sum(len(example.source) for example in encoded) / len(encoded)
        yield from by_length(encoded, max(1, int(CELLS / mean)))


def collate_for(bundle: Bundle, encoded: Sequence[Encoded]) -> Batch:
    """A batch on the model's device."""
    device = next(bundle.network.parameters()).device
    return collate(encoded, len(bundle.vocabulary.tags)).to(device)
