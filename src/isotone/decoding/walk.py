"""Writing one string per row, symbol by symbol: what greedy decoding and sampling share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from isotone.decoding.hypothesis import Hypothesis
from isotone.decoding.prefixes import ROOT, Prefixes
from isotone.decoding.protocol import Floats, Ids
from isotone.decoding.space import SearchSpace
from isotone.text.vocabulary import EOS

__all__ = ["Pick", "Written", "walk"]

Pick = Callable[[Floats], tuple[Floats, Ids]]
"""Given log p(prefix + symbol | x) of all symbols (row, symbol), one per row with its value; any where all are −inf."""


class Written(NamedTuple):
    """One row's string."""

    hypothesis: Hypothesis | None
    """None where the constraint forbids the string to end."""
    cut: bool
    """True where the length limit ended it, not the model."""


def walk(space: SearchSpace, pick: Pick) -> list[Written]:
    """A string for each source; finished rows leave the batch.

    A string that reaches its limit is ended there by EOS.
    """
    model, memory, ends_at = space.model, space.memory, space.limits.tolist()
    state, active = model.start(memory), list(range(len(ends_at)))
    prefixes, nodes = Prefixes(space), [ROOT] * len(ends_at)
    written = [Written(None, cut=False)] * len(ends_at)
    length = 0
    while active:
        step = model.step(state, memory)
        log_symbols = prefixes.allow(step.log_symbols, nodes, active)
        log_picked, symbols = pick(log_symbols)
        chosen, log_chosen = symbols.tolist(), log_picked.tolist()
        rows = []
        for row, index in enumerate(active):
            goes_on = chosen[row] != EOS and log_chosen[row] > -math.inf
            if goes_on and length < ends_at[index]:
                rows.append(row)
                continue
            log_end = log_chosen[row] if chosen[row] == EOS else float(log_symbols[row, EOS])
            ended = Hypothesis(prefixes.string(nodes[row]), log_end) if log_end > -math.inf else None
            written[index] = Written(ended, cut=goes_on)
        nodes = prefixes.extend([nodes[row] for row in rows], [chosen[row] for row in rows])
        if len(rows) == len(active):
            state = step.choose(symbols)
        elif rows:
            kept = np.array(rows, dtype=np.int64)
            state, memory = step.choose(symbols[kept], kept), memory.select(kept)
        active = [active[row] for row in rows]
        length += 1
    return written
