"""The copy gate of an exported model: p(y | a) = g·[y = x_a] + (1 − g)·softmax_y."""

from __future__ import annotations

import numpy as np

from isotone.decoding.protocol import Ids
from isotone.runtime.logspace import Array, log_sigmoid
from isotone.text.vocabulary import EOS

__all__ = ["extension_count", "with_copies"]


def extension_count(copies: Ids, symbols: int) -> int:
    """How many ids beyond the alphabet of `symbols` ids the sources need."""
    return max(0, int(copies.max()) + 1 - symbols)


def with_copies(log_emission: Array, gate: Array, copies: Ids, extensions: int) -> Array:
    """log p(y | a = j) of every symbol, including those that can only be copied; `gate` is the gate's logit.

    Where nothing can be copied (BOS, EOS, padding), g is exactly 0.
    """
    gated = copies >= 0
    log_closed = np.where(gated, log_sigmoid(-gate), np.float32(0))
    rows, states, symbols = log_emission.shape
    log_probs = np.full((rows, states, symbols + extensions), -np.inf, dtype=log_emission.dtype)
    np.add(log_emission, log_closed[:, :, None], out=log_probs[:, :, :symbols])
    place = np.where(gated, copies, EOS)[:, :, None]
    before = np.take_along_axis(log_probs, place, 2)
    after = np.where(gated[:, :, None], np.logaddexp(before, log_sigmoid(gate)[:, :, None]), before)
    np.put_along_axis(log_probs, place, after, 2)
    return log_probs
