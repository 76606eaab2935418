"""Greedy decoding: the paper's Algorithm 1, batched."""

from __future__ import annotations

import torch
from torch import Tensor

from isotone.data.batch import Batch
from isotone.decoding.prediction import Decoded, Hypothesis
from isotone.decoding.stepper import Stepper
from isotone.text.vocabulary import EOS

__all__ = ["greedy", "length_limit"]


def length_limit(batch: Batch) -> Tensor:
    """(batch,) symbols after which a target is made to end, unless the user says otherwise: 3·|x| + 30."""
    return 3 * batch.source_lengths + 30


@torch.inference_mode()
def greedy(model: Stepper, batch: Batch, *, max_length: int | None = None) -> list[Decoded]:
    """At each step the symbol with the highest *marginal* Σ_a; finished words leave the batch.

    A word that reaches its limit is ended there by EOS, and its log-probability is that of the string so ended.
    """
    limits = length_limit(batch) if max_length is None else torch.full_like(batch.source_lengths, max_length)
    memory = model.encode(batch)
    state = model.start(memory)
    active = torch.arange(len(batch), device=batch.source.device)
    written: list[list[int]] = [[] for _ in range(len(batch))]
    log_probs = [0.0] * len(batch)
    length = 0
    while len(active):
        step = model.step(state, memory)
        symbols = step.log_symbols.argmax(1).masked_fill(limits[active] <= length, EOS)
        scores = step.log_symbols.gather(1, symbols[:, None])[:, 0]
        ended = symbols == EOS
        for row, symbol, score in zip(active.tolist(), symbols.tolist(), scores.tolist(), strict=True):
            if symbol == EOS:
                log_probs[row] = score
            else:
                written[row].append(symbol)
        rows = (~ended).nonzero()[:, 0]
        state = step.choose(symbols[rows], rows)
        if len(rows) < len(active):
            active, memory = active[rows], memory.select(rows)
        length += 1
    return [Decoded((Hypothesis(tuple(w), p),)) for w, p in zip(written, log_probs, strict=True)]
