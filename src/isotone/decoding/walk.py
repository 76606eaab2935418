"""Writing one string per row, symbol by symbol: what greedy decoding and sampling share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from isotone.decoding.constraint import Constraint
from isotone.decoding.hypothesis import Hypothesis
from isotone.decoding.prefixes import ROOT, Prefixes
from isotone.decoding.protocol import Floats, Ids, Model
from isotone.text.codec import Encoded
from isotone.text.vocabulary import EOS

__all__ = ["LONG", "Pick", "Written", "length_limits", "walk"]

LONG = 200
"""Source symbols, BOS and EOS counted."""

Pick = Callable[[Floats], tuple[Floats, Ids]]
"""Given log p(prefix + symbol | x) of all symbols (row, symbol), one per row with its value; any where all are −inf."""


class Written(NamedTuple):
    """One row's string."""

    hypothesis: Hypothesis | None
    """None where the constraint forbids the string to end."""
    cut: bool
    """True where the length limit ended it, not the model."""


def length_limits(sources: Sequence[Encoded], max_length: int | None = None) -> Ids:
    """Symbols after which a target is made to end: 3·|x| + 30 (BOS and EOS counted) unless the user says otherwise.

    Beyond `LONG` source symbols each allows one more: such targets are mostly loops, and each step costs |x|.
    """
    if max_length is not None:
        return np.full(len(sources), max_length, dtype=np.int64)
    lengths = np.array([len(source.source) for source in sources], dtype=np.int64)
    return 2 * np.minimum(lengths, LONG) + lengths + 30


def walk(model: Model, memory: Any, *, limits: Ids, pick: Pick, constraint: Constraint | None) -> list[Written]:
    """A string for each row of the memory; finished rows leave the batch.

    A string that reaches its limit is ended there by EOS.
    """
    state, active, ends_at = model.start(memory), list(range(len(limits))), limits.tolist()
    prefixes, nodes = Prefixes(constraint), [ROOT] * len(limits)
    written = [Written(None, cut=False)] * len(limits)
    length = 0
    while active:
        step = model.step(state, memory)
        log_symbols = prefixes.allow(step.log_symbols, nodes)
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
