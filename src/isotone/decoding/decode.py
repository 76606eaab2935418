"""Examples in, predictions out: batching by length, decoding, spelling, and exact scores of given pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import torch

from isotone.data.batch import Batch, collate
from isotone.data.loader import by_length
from isotone.decoding.copying import spell
from isotone.decoding.parallel import side_by_side
from isotone.decoding.prediction import Candidate, Decoded, Prediction
from isotone.decoding.stepper import Scorer
from isotone.models.store import Bundle
from isotone.text.codec import Encoded
from isotone.text.example import Example

__all__ = ["CELLS", "collate_for", "device_of", "log_probs", "predict"]

CELLS = 1024
"""Source symbols in a decoding batch, about: enough to fill the cores, little enough to stay in the cache."""

Decode = Callable[[Batch], list[Decoded]]


def predict(bundle: Bundle, examples: Sequence[Example], decode: Decode) -> Iterator[tuple[int, Prediction]]:
    """(index, prediction) of every example, batch by batch, longest sources first."""
    encoded = [bundle.codec.encode(Example(e.source, None, e.tags)) for e in examples]
    batches = list(_batches(encoded))

    def work(rows: list[int]) -> list[Decoded]:
        return decode(collate_for(bundle, [encoded[row] for row in rows]))

    for rows, found in zip(batches, side_by_side(work, batches, device_of(bundle)), strict=True):
        for row, decoded in zip(rows, found, strict=True):
            yield row, _prediction(bundle, examples[row], encoded[row], decoded)


def log_probs(bundle: Bundle, model: Scorer, examples: Sequence[Encoded]) -> list[float]:
    """Exact log p(y | x) of each pair under `model`, in the given order; −inf where a target symbol was never seen."""
    values = [-math.inf] * len(examples)
    possible = [row for row, example in enumerate(examples) if not example.unseen]
    batches = [[possible[row] for row in rows] for rows in _batches([examples[row] for row in possible])]

    def work(rows: list[int]) -> list[float]:
        with torch.inference_mode():
            found: list[float] = model.log_prob(collate_for(bundle, [examples[row] for row in rows])).tolist()
        return found

    for rows, found in zip(batches, side_by_side(work, batches, device_of(bundle)), strict=True):
        for row, value in zip(rows, found, strict=True):
            values[row] = value
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
    return collate(encoded, len(bundle.vocabulary.tags)).to(device_of(bundle))


def device_of(bundle: Bundle) -> torch.device:
    """Where the model's weights are."""
    return next(bundle.network.parameters()).device
