"""A character aligner: a monotone hidden Markov model of jumps and symbols, learnt by EM (after Vogel et al. 1996)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from isotone.data.batch import Batch
from isotone.dp import Banded, Chain, log_likelihood
from isotone.shapes import Float
from isotone.text.vocabulary import FIRST

__all__ = ["Counts", "JumpHmm", "expect", "learn"]

TOLERANCE = 0.0005
"""EM ends when a round gains less than this, in nats per target symbol."""
ROUNDS = 50
"""EM rounds at most."""


@dataclass(frozen=True, eq=False)
class JumpHmm:
    """p(y, a | x) = Π_i p(Δ_i | x_{a_{i−1}}) · p(y_i | Δ_i, x_{a_i}), Δ_i = a_i − a_{i−1} ≥ 0, a_0 = 0, the BOS.

    Of the symbol it leaves, a jump sees only whether it is BOS, EOS or a letter: prefixes and suffixes may be usual
    where insertions into stems are rare. A target symbol depends on the source symbol arrived at (Δ > 0), and on BOS
    and EOS always; what is written while staying at a letter (Δ = 0) is an insertion and does not depend on it, else
    rare letters would draw their neighbours' affixes to themselves. The mass of jumps past the end is lost, so that
    EM's counts need no renormalising.
    """

    log_symbols: Float[Tensor, "source symbol"]
    """log p(target symbol | source symbol), by ids."""
    log_insertions: Float[Tensor, "symbol"]
    """log p(target symbol | insertion), by ids."""
    log_jumps: Float[Tensor, "kind jump"]
    """log p(Δ | source symbol), Δ = 0, 1, …, by ids up to FIRST, which stands for all letters."""

    def chain(self, batch: Batch) -> Chain:
        """Every monotone alignment of every pair; log p(· | PAD) = −inf keeps paths off the padding.

        Symbols depend on jumps, so they stand in the transition, and the chain's own emission is log 1.
        """
        log_jumps = self.log_jumps[batch.source.clamp(max=FIRST), : batch.source.shape[1]]
        jumps = log_jumps.shape[-1]
        log_own = self.log_symbols[batch.source[:, None, :], batch.target[:, :, None]]
        letter = (batch.source >= FIRST)[:, None, :]
        log_stay = torch.where(letter, self.log_insertions[batch.target][:, :, None], log_own)
        log_land = F.pad(log_own, (0, jumps - 1), value=-torch.inf).unfold(2, jumps, 1)
        log_write = torch.cat((log_stay[..., None], log_land[..., 1:]), -1)
        return Chain(torch.zeros_like(log_own), Banded(log_write + log_jumps[:, None], 0), batch.target_lengths)


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each thing that a `JumpHmm` knows happened: expected in data, or imagined, as a prior."""

    symbols: Float[Tensor, "source symbol"]
    insertions: Float[Tensor, "symbol"]
    jumps: Float[Tensor, "kind jump"]

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.symbols + other.symbols, self.insertions + other.insertions, self.jumps + other.jumps)

    def estimate(self) -> JumpHmm:
        """M-step: shares of the counts. What has no count is a structural zero."""
        return JumpHmm(_log_shares(self.symbols), _log_shares(self.insertions), _log_shares(self.jumps))

    def log_density(self, hmm: JumpHmm) -> float:
        """Σ count · log θ: as a prior, the log of a Dirichlet density but for a constant."""
        pairs = (self.symbols, hmm.log_symbols), (self.insertions, hmm.log_insertions), (self.jumps, hmm.log_jumps)
        return sum(float(torch.where(counts > 0, counts * log_p, 0.0).sum()) for counts, log_p in pairs)


def _log_shares(counts: Tensor) -> Tensor:
    totals = counts.sum(-1, keepdim=True)
    return (counts / totals.masked_fill(totals == 0, 1.0)).log()


def learn(
    batches: Sequence[Batch], prior: Counts, each_round: Callable[[int], None] = lambda _: None
) -> tuple[JumpHmm, list[float]]:
    """The hmm that EM reaches from the prior alone, and in each round log p(data | hmm) + log p(hmm).

    This sum, which EM climbs, never falls. Nothing is random; the numbers are as precise as the prior's. `each_round`
    is called with the number of each, as it begins.
    """
    hmm, history = prior.estimate(), list[float]()
    enough = TOLERANCE * sum(batch.target_symbols for batch in batches)
    for number in range(1, ROUNDS + 1):
        each_round(number)
        log_prob, expected = expect(hmm, batches)
        history.append(log_prob + prior.log_density(hmm))
        if len(history) > 1 and history[-1] - history[-2] < enough:
            break
        hmm = (expected + prior).estimate()
    return hmm, history


def expect(hmm: JumpHmm, batches: Sequence[Batch]) -> tuple[float, Counts]:
    """E-step: log p(data | hmm), and expected counts: the derivative of log p by the log of each parameter."""
    leaves = [log_p.clone().requires_grad_() for log_p in (hmm.log_symbols, hmm.log_insertions, hmm.log_jumps)]
    total, counts = 0.0, [torch.zeros_like(leaf) for leaf in leaves]
    for batch in batches:
        log_prob = log_likelihood(JumpHmm(*leaves).chain(batch)).sum()
        for count, gradient in zip(counts, torch.autograd.grad(log_prob, leaves), strict=True):
            count += gradient
        total += log_prob.item()
    return total, Counts(*counts)
