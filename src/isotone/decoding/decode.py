"""Examples in, predictions out: batching by length, decoding, spelling, and exact scores of given pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch

from isotone.data.batch import Batch, collate
from isotone.data.loader import by_length
from isotone.decoding.copying import spell
from isotone.decoding.hypothesis import Decoded
from isotone.decoding.parallel import side_by_side
from isotone.decoding.stepper import Scorer
from isotone.results.prediction import Candidate, Prediction
from isotone.store.folder import Member
from isotone.text.codec import Encoded
from isotone.text.example import Example

__all__ = ["CELLS", "collate_for", "log_probs", "predict"]

CELLS = 1024
"""Source symbols in a decoding batch, about: enough to fill a core, little enough to stay in the cache."""

Result = TypeVar("Result")
Decode = Callable[[Batch], list[Decoded]]


def predict(bundle: Member, examples: Sequence[Example], decode: Decode) -> Iterator[tuple[int, Prediction]]:
    """(index, prediction) of every example, batch by batch, longest sources first."""
    encoded = [bundle.codec.encode(Example(e.source, None, e.tags)) for e in examples]
    for row, decoded in _each(bundle, encoded, decode):
        yield row, _prediction(bundle, examples[row], encoded[row], decoded)


def log_probs(bundle: Member, model: Scorer, examples: Sequence[Encoded]) -> list[float]:
    """Exact log p(y | x) of each pair under `model`, in the given order; −inf where a target symbol was never seen."""

    @torch.inference_mode()
    def score(batch: Batch) -> list[float]:
        scores: list[float] = model.log_prob(batch).tolist()
        return scores

    values = [-math.inf] * len(examples)
    possible = [row for row, example in enumerate(examples) if not example.unseen]
    for row, value in _each(bundle, [examples[row] for row in possible], score):
        values[possible[row]] = value
    return values


def _each(
    bundle: Member, encoded: Sequence[Encoded], work: Callable[[Batch], Sequence[Result]]
) -> Iterator[tuple[int, Result]]:
    """(index, result) of every example, where `work` has a result for each row of a batch; batches side by side."""
    if not encoded:
        return
    mean = sum(len(example.source) for example in encoded) / len(encoded)
    batches = list(by_length(encoded, max(1, int(CELLS / mean))))

    def collated(rows: list[int]) -> Sequence[Result]:
        return work(collate_for(bundle, [encoded[row] for row in rows]))

    for rows, results in zip(batches, side_by_side(collated, batches, bundle.network.device), strict=True):
        yield from zip(rows, results, strict=True)


def _prediction(bundle: Member, example: Example, encoded: Encoded, decoded: Decoded) -> Prediction:
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


def collate_for(bundle: Member, encoded: Sequence[Encoded]) -> Batch:
    """A batch on the model's device."""
    return collate(encoded, len(bundle.vocabulary.tags)).to(bundle.network.device)
