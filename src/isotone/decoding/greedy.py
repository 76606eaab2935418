"""Greedy decoding: the paper's Algorithm 1, batched."""

from __future__ import annotations

import numpy as np

from isotone.decoding.hypothesis import Decoded
from isotone.decoding.protocol import Floats, Ids
from isotone.decoding.shortcut import greedy_answer, with_shortcuts
from isotone.decoding.space import SearchSpace
from isotone.decoding.walk import walk

__all__ = ["greedy_search"]


def greedy_search(space: SearchSpace) -> list[Decoded]:
    """At each step the symbol with the highest *marginal* Σ_a among those allowed.

    A word that reaches its limit is ended there by EOS, and its log-probability is that of the string so ended; there
    is no hypothesis where the constraint does not allow the string to end there.
    """
    return with_shortcuts(space, answer=greedy_answer, search=_walked)


def _walked(space: SearchSpace) -> list[Decoded]:
    written = walk(space, _most_probable)
    return [Decoded(() if one.hypothesis is None else (one.hypothesis,), cut=one.cut) for one in written]


def _most_probable(log_symbols: Floats) -> tuple[Floats, Ids]:
    symbols: Ids = log_symbols.argmax(1)
    return log_symbols[np.arange(len(symbols)), symbols], symbols
