"""How surprising each symbol of a given target is: −log p(y_i | y_<i, x), over all alignments."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from isotone.decoding.batches import in_batches
from isotone.decoding.protocol import Model
from isotone.text.codec import Encoded
from isotone.text.vocabulary import UNK

__all__ = ["surprisals"]


def surprisals(model: Model, pairs: Sequence[Encoded]) -> list[tuple[float, ...]]:
    """−log p(y_i | y_<i, x) in nats of each target symbol of each pair, the final EOS included.

    log p(prefix + symbol | x) is summed over alignments, so by the chain rule the values add up to −log p(y | x).
    They are infinite from the first symbol on that the model cannot write after the prefix before it.
    """
    found: list[tuple[float, ...]] = [()] * len(pairs)
    for row, values in in_batches(model, pairs, lambda batch: _of_batch(model, batch)):
        found[row] = values
    return found


def _of_batch(model: Model, pairs: Sequence[Encoded]) -> list[tuple[float, ...]]:
    """Walks along all targets at once; rows that end, or that become impossible, leave the batch."""
    targets = [pair.target or () for pair in pairs]
    found = [[math.inf] * len(target) for target in targets]
    memory = model.encode(pairs)
    state, active, log_before = model.start(memory), list(range(len(pairs))), np.zeros(len(pairs))
    place = 0
    while active:
        step = model.step(state, memory)
        symbols = np.array([targets[row][place] for row in active], dtype=np.int64)
        log_prefix = step.log_symbols[np.arange(len(active)), symbols].astype(np.float64)
        # An UNK that the model can emit is some other symbol: one that was never seen has probability 0.
        log_prefix[(symbols == UNK) & np.array([bool(pairs[row].unseen) for row in active])] = -math.inf
        for row, before, after in zip(active, log_before.tolist(), log_prefix.tolist(), strict=True):
            found[row][place] = max(0.0, before - after)  # rounding may leave −1e-7
        place += 1
        goes_on = np.array([len(targets[row]) > place for row in active]) & (log_prefix > -math.inf)
        kept = np.flatnonzero(goes_on)
        if len(kept) == len(active):
            state = step.choose(symbols)
        elif len(kept):
            state, memory = step.choose(symbols[kept], kept), memory.select(kept)
        active, log_before = [active[row] for row in kept.tolist()], log_prefix[kept]
    return [tuple(values) for values in found]
