"""How surprising each symbol of a given target is: −log p(y_i | y_<i, x), over all alignments."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from isotone.decoding.batches import in_batches
from isotone.decoding.directions import is_backwards
from isotone.decoding.mixture import log_sum
from isotone.decoding.protocol import Model
from isotone.text.codec import Encoded
from isotone.text.vocabulary import UNK

__all__ = ["surprisals"]

TINY = float(np.finfo(np.float64).tiny)


def surprisals(model: Model, pairs: Sequence[Encoded]) -> list[tuple[float, ...]]:
    """−log p(y_i | y_<i, x) in nats of each target symbol of each pair, the final EOS included.

    log p(prefix + symbol | x) is summed over alignments, so by the chain rule the values add up to −log p(y | x).
    They are infinite from the first symbol on that the model cannot write after the prefix before it. A model that
    writes backwards is surprised by a symbol after those behind it. One of both directions has their means, each
    weighed by its share of p(y | x), scaled to add up.
    """
    if ways := getattr(model, "ways", None):
        return _of_both(model, [surprisals(way, pairs) for way in ways], pairs)
    found: list[tuple[float, ...]] = [()] * len(pairs)
    for row, values in in_batches(model, pairs, lambda batch: _of_batch(model, batch)):
        found[row] = values
    return found


def _of_batch(model: Model, pairs: Sequence[Encoded]) -> list[tuple[float, ...]]:
    """Walks along all targets at once; rows that end, or that become impossible, leave the batch."""
    backwards = is_backwards(model)
    targets = [(pair.turned() if backwards else pair).target or () for pair in pairs]
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
    return [(*values[-2::-1], *values[-1:]) if backwards else tuple(values) for values in found]


def _of_both(
    model: Model, found: Sequence[Sequence[tuple[float, ...]]], pairs: Sequence[Encoded]
) -> list[tuple[float, ...]]:
    log_weights = np.log(model.weights)  # type: ignore[attr-defined]
    mixed = []
    for row in range(len(pairs)):
        own = np.array([way[row] for way in found])
        log_joint = log_weights - own.sum(1)
        if not log_joint.max(initial=-math.inf) > -math.inf:
            mixed.append(found[0][row])
            continue
        total = log_sum(log_joint, 0)
        weights = np.exp(log_joint - total)
        values = sum(weight * way for weight, way in zip(weights, own, strict=True) if weight > 0)
        mixed.append(tuple((values * (-total / max(values.sum(), TINY))).tolist()))
    return mixed
