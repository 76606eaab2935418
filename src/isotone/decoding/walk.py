"""Writing one string for each row, symbol by symbol: what greedy decoding and sampling share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from isotone.data.batch import Batch
from isotone.decoding.constraint import Constraint
from isotone.decoding.prediction import Hypothesis
from isotone.decoding.prefixes import ROOT, Prefixes
from isotone.decoding.stepper import Stepper
from isotone.shapes import Float, Int
from isotone.text.vocabulary import EOS

__all__ = ["Pick", "length_limit", "walk"]

Pick = Callable[[Float[Tensor, "row symbol"]], Int[Tensor, "row"]]
"""A symbol for each row, given log p(prefix + symbol | x)."""


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
    state = model.start(memory)
    active = torch.arange(len(limits), device=limits.device)
    prefixes, nodes = Prefixes(constraint), [ROOT] * len(limits)
    written: list[Hypothesis | None] = [None] * len(limits)
    length = 0
    while len(active):
        step = model.step(state, memory)
        log_symbols = prefixes.allow(step.log_symbols, nodes)
        stuck = log_symbols.amax(1) == -torch.inf
        symbols = pick(log_symbols.masked_fill(stuck[:, None], 0)).masked_fill(stuck | (limits[active] <= length), EOS)
        log_ends = log_symbols[:, EOS].tolist()
        for row in (symbols == EOS).nonzero()[:, 0].tolist():
            if log_ends[row] > -torch.inf:
                written[int(active[row])] = Hypothesis(prefixes.string(nodes[row]), log_ends[row])
        rows = (symbols != EOS).nonzero()[:, 0]
        nodes = prefixes.extend([nodes[row] for row in rows.tolist()], symbols[rows].tolist())
        state = step.choose(symbols[rows], rows)
        if len(rows) < len(active):
            active, memory = active[rows], memory.select(rows)
        length += 1
    return written
