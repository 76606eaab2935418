"""Beam search: the most probable prefixes of each source, each string once, scored over all its alignments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from isotone.data.batch import Batch
from isotone.decoding.constraint import Constraint
from isotone.decoding.hypothesis import Decoded, Hypothesis
from isotone.decoding.prefixes import ROOT, Prefixes
from isotone.decoding.stepper import Step, Stepper
from isotone.decoding.walk import length_limit
from isotone.errors import ConfigError
from isotone.shapes import Bool, Float, Int
from isotone.text.vocabulary import EOS

__all__ = ["BeamSearch", "Round", "beam"]


@torch.inference_mode()
def beam(
    model: Stepper,
    batch: Batch,
    *,
    width: int = 5,
    n_best: int = 1,
    max_length: int | None = None,
    constraint: Constraint | None = None,
) -> list[Decoded]:
    """The `n_best` best strings found with `width` prefixes (at least `n_best`) at a time.

    A prefix's mass bounds all its completions, so a prefix below the n-th best finished string is dropped at once, and
    a list is certified where the most probable prefix that was ever dropped cannot beat its last string. A list is
    shorter than `n_best` only where no more strings fit the beam, the constraint and the length limit.
    """
    if min(width, n_best) < 1:
        raise ConfigError(f"a beam needs a width and a number of strings of at least 1, not {width} and {n_best}")
    width = max(width, n_best)
    search = BeamSearch(model, batch, width=width, n_best=n_best, max_length=max_length, constraint=constraint)
    for _ in search.rounds():
        pass
    return search.decoded()


@dataclass(frozen=True, eq=False)
class Round:
    """A batch of prefixes, all their continuations, and which of these the search went on with."""

    step: Step
    sources: Int[Tensor, "row"]
    nodes: list[int]
    """The prefixes."""
    log_symbols: Float[Tensor, "row symbol"]
    """log p(prefix + symbol | x), −inf where the constraint forbids it."""
    kept: tuple[Int[Tensor, "kept"], Int[Tensor, "kept"]]
    """(rows, symbols) of the continuations in the next round."""


class BeamSearch:
    """The finished strings, and the most that any other string can have."""

    def __init__(
        self,
        model: Stepper,
        batch: Batch,
        *,
        width: int,
        n_best: int,
        max_length: int | None,
        constraint: Constraint | None,
    ) -> None:
        self.model = model
        self.memory = model.encode(batch)
        self.limits = length_limit(batch, max_length)
        self.prefixes = Prefixes(constraint)
        self.width = width
        self.ends = torch.full((len(batch), n_best), ROOT, device=self.limits.device)
        """Nodes of the best finished strings, best first."""
        self.log_ends = torch.full(self.ends.shape, -torch.inf, device=self.limits.device)
        self.log_bound = self.log_ends.new_full((len(batch),), -torch.inf)

    def rounds(self) -> Iterator[Round]:
        """Search, one symbol a round, until no prefix can improve on the finished strings."""
        memory, state = self.memory, self.model.start(self.memory)
        sources = torch.arange(len(self.limits), device=self.limits.device)
        nodes, length = [ROOT] * len(sources), 0
        while len(sources):
            step = self.model.step(state, memory)
            log_symbols = self.prefixes.allow(step.log_symbols, nodes)
            self.log_ends, self.log_bound = self.log_ends.to(log_symbols), self.log_bound.to(log_symbols)
            rows, symbols = self._keep(log_symbols, sources, torch.tensor(nodes, device=sources.device), length)
            yield Round(step, sources, nodes, log_symbols, (rows, symbols))
            state = step.choose(symbols, rows)
            nodes = self.prefixes.extend([nodes[row] for row in rows.tolist()], symbols.tolist())
            before, sources, length = sources, sources[rows], length + 1
            if not torch.equal(before, sources):
                memory = self.memory.select(sources)

    def decoded(self) -> list[Decoded]:
        """The lists, with what is certain of them."""
        certified = (self.log_ends[:, -1] >= self.log_bound).tolist()
        results = []
        for row, (ends, log_ends) in enumerate(zip(self.ends.tolist(), self.log_ends.tolist(), strict=True)):
            found = [(-p, self.prefixes.string(node)) for node, p in zip(ends, log_ends, strict=True) if p > -torch.inf]
            hypotheses = tuple(Hypothesis(string, -cost) for cost, string in sorted(found))
            results.append(Decoded(hypotheses, certified[row], self.log_bound[row].item()))
        return results

    def _keep(
        self,
        log_symbols: Float[Tensor, "row symbol"],
        sources: Int[Tensor, "row"],
        nodes: Int[Tensor, "row"],
        length: int,
    ) -> tuple[Int[Tensor, "kept"], Int[Tensor, "kept"]]:
        """The best continuations of each source, as rows and symbols; whatever is dropped goes into the bound."""
        size = log_symbols.shape[1]
        active, place, counts = torch.unique_consecutive(sources, return_inverse=True, return_counts=True)
        slot = torch.arange(len(sources), device=sources.device) - (counts.cumsum(0) - counts)[place]
        row_of = sources.new_zeros(len(active), self.width)
        row_of[place, slot] = torch.arange(len(sources), device=sources.device)
        table = log_symbols.new_full((len(active), self.width, size), -torch.inf)
        table[place, slot] = log_symbols
        self._finish(active, table[:, :, EOS], nodes[row_of])
        table[:, :, EOS] = -torch.inf
        best, choice = table.flatten(1).topk(self.width + 1)
        kept = best > self.log_ends[active, -1:]
        kept &= (self.limits[active] > length)[:, None]
        kept[:, self.width] = False
        self._drop(active, best, kept)
        where, _ = kept.nonzero(as_tuple=True)
        return row_of[where, choice[kept] // size], choice[kept] % size

    def _finish(self, active: Int[Tensor, "source"], log_ends: Float[Tensor, "source slot"], nodes: Tensor) -> None:
        """Enter strings that end here among the best finished ones."""
        log_all, all_nodes = torch.cat([self.log_ends[active], log_ends], 1), torch.cat([self.ends[active], nodes], 1)
        best = log_all.topk(self.ends.shape[1])
        kept = torch.zeros_like(log_all, dtype=torch.bool).scatter(1, best.indices, True)
        self.log_ends[active], self.ends[active] = best.values, all_nodes.gather(1, best.indices)
        self._drop(active, log_all, kept)

    def _drop(
        self, active: Int[Tensor, "source"], log_all: Float[Tensor, "source any"], kept: Bool[Tensor, "source any"]
    ) -> None:
        dropped = log_all.masked_fill(kept, -torch.inf).amax(1)
        self.log_bound[active] = torch.maximum(self.log_bound[active], dropped)
