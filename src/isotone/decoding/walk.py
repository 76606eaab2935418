"""Writing one string for each row, symbol by symbol: what greedy decoding and sampling share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from isotone.data.batch import Batch
from isotone.decoding.constraint import Constraint
from isotone.decoding.hypothesis import Hypothesis
from isotone.decoding.prefixes import ROOT, Prefixes
from isotone.decoding.stepper import Stepper
from isotone.shapes import Float, Int
from isotone.text.vocabulary import EOS

__all__ = ["Pick", "length_limit", "walk"]

Pick = Callable[[Float[Tensor, "row symbol"]], tuple[Float[Tensor, "row"], Int[Tensor, "row"]]]
"""A symbol for each row, behind its log p(prefix + symbol | x), given those of all; any one where all are −inf."""


def length_limit(batch: Batch, max_length: int | None = None) -> Int[Tensor, "batch"]:
    """Symbols after which a target is made to end: 3·|x| + 30, unless the user says otherwise."""
    if max_length is not None:
        return torch.full_like(batch.source_lengths, max_length)
    return 3 * batch.source_lengths + 30


def walk(
    model: Stepper, memory: Any, *, limits: Int[Tensor, "row"], pick: Pick, constraint: Constraint | None
) -> list[Hypothesis | None]:
    """A string for each row of the memory; finished rows leave the batch.

    A string that reaches its limit is ended there by EOS; None where the constraint forbids that.
    """
    state, active, ends_at = model.start(memory), list(range(len(limits))), limits.tolist()
    prefixes, nodes = Prefixes(constraint), [ROOT] * len(limits)
    written: list[Hypothesis | None] = [None] * len(limits)
    length = 0
    while active:
        step = model.step(state, memory)
        log_symbols = prefixes.allow(step.log_symbols, nodes)
        log_picked, symbols = pick(log_symbols)
        chosen, log_chosen = symbols.tolist(), log_picked.tolist()
        rows = []
        for row, index in enumerate(active):
            if chosen[row] != EOS and log_chosen[row] > -math.inf and length < ends_at[index]:
                rows.append(row)
                continue
            log_end = log_chosen[row] if chosen[row] == EOS else float(log_symbols[row, EOS])
            if log_end > -math.inf:
                written[index] = Hypothesis(prefixes.string(nodes[row]), log_end)
        nodes = prefixes.extend([nodes[row] for row in rows], [chosen[row] for row in rows])
        if len(rows) == len(active):
            state = step.choose(symbols)
        else:
            kept = torch.tensor(rows, dtype=torch.long, device=symbols.device)
            state, memory, active = step.choose(symbols[kept], kept), memory.select(kept), [active[row] for row in rows]
        length += 1
    return written
