"""A copy gate in the emission: p(y | a) = g·[y = x_a] + (1 − g)·softmax(W tanh(V [h_d; h_e[a]]))_y.

g = σ(u·tanh(V [h_d; h_e[a]]) + b), one more row under W: the last of the logits. Where nothing can be copied (BOS, EOS,
padding), g is exactly 0. A symbol outside the alphabet can be written only by copying.
`dense_gated_log_probs` is the plain twin that `Gated` is tested against.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from isotone.dp.semiring import LogSemiring
from isotone.models.fused_emission import Block, gold_index
from isotone.shapes import Bool, Float, Int
from isotone.text.vocabulary import UNK

__all__ = ["Gated", "dense_gated_log_probs", "with_copies"]


@dataclass(frozen=True, eq=False)
class Gated:
    """The head of a block of cells whose last logit is the gate's."""

    gold: Int[Tensor, "batch target"]
    """Index of the symbol among the outputs; any index where it is not one of them."""
    generated: Bool[Tensor, "batch target"]
    """Is the symbol one of the outputs? Otherwise its softmax term is a structural zero."""
    same: Bool[Tensor, "batch target state"]
    """y_i = x_j."""
    gated: Bool[Tensor, "batch state"]
    """Can anything be copied from x_j?"""

    @classmethod
    def build(
        cls, target: Int[Tensor, "batch target"], copies: Int[Tensor, "batch state"], *, first: int, outputs: int
    ) -> Gated:
        """`first` is the id of output 0; `copies` has the id that each position's copy writes, −1 for none."""
        place = target - first
        generated = (place < outputs) & (target != UNK)  # the chain ignores padding, so any value does there
        return cls(place.clamp(0, outputs - 1), generated, copies[:, None] == target[:, :, None], copies >= 0)

    def log_probs(self, logits: Tensor, block: Block) -> Tensor:
        """log p(y_i | a_i = j), (rows, steps, state)."""
        return torch.logaddexp(*self._ways(logits, block))

    def grad_logits(self, logits: Tensor, grad: Tensor, block: Block) -> Tensor:
        """With r the share of copying in p and s that of the softmax (r + s = 1, or both 0 where p is):

        ∂ log p / ∂ logits = s·(one-hot(gold) − softmax),   ∂ log p / ∂ gate = r·(1 − g) − s·g.
        """
        log_copied, log_generated = self._ways(logits, block)
        total = torch.logaddexp(log_copied, log_generated)
        total.masked_fill_(total == -torch.inf, 0.0)
        copied, generated = (log_copied - total).exp_().mul_(grad), (log_generated - total).exp_().mul_(grad)
        gate = torch.sigmoid(logits[..., -1]).mul_(self.gated[block[0], None])
        result = torch.empty_like(logits)
        torch.mul(torch.softmax(logits[..., :-1], -1), -generated[..., None], out=result[..., :-1])
        result[..., -1] = copied * (1 - gate) - generated * gate
        return result.scatter_add_(-1, gold_index(self.gold[block], logits), generated[..., None])

    def _ways(self, logits: Tensor, block: Block) -> tuple[Tensor, Tensor]:
        """log g·[y = x_a] and log (1 − g)·softmax_y."""
        gate = logits[..., -1]
        chosen = logits.gather(-1, gold_index(self.gold[block], logits)).squeeze(-1)
        log_closed = F.logsigmoid(-gate).masked_fill_(~self.gated[block[0], None], 0.0)
        log_generated = chosen - logits[..., :-1].logsumexp(-1) + log_closed
        return (
            F.logsigmoid(gate).masked_fill_(~self.same[block], -torch.inf),
            log_generated.masked_fill_(~self.generated[block][..., None], -torch.inf),
        )


def dense_gated_log_probs(
    head: Gated, query: Tensor, memory: Tensor, weight: Tensor, bias: Tensor
) -> Float[Tensor, "batch target state"]:
    """The definition, for all cells at once."""
    logits = torch.tanh(query[:, :, None] + memory[:, None]) @ weight.T + bias
    symbols, gate = torch.log_softmax(logits[..., :-1], -1), logits[..., -1]
    log_generated = symbols.gather(-1, gold_index(head.gold, symbols)).squeeze(-1)
    log_closed = F.logsigmoid(-gate).masked_fill(~head.gated[:, None], 0.0)
    ways = (
        F.logsigmoid(gate).masked_fill(~head.same, -torch.inf),
        (log_generated + log_closed).masked_fill(~head.generated[:, :, None], -torch.inf),
    )
    return LogSemiring().sum(torch.stack(ways), 0)


def with_copies(
    log_symbols: Float[Tensor, "batch state output"],
    gate: Float[Tensor, "batch state"],
    copies: Int[Tensor, "batch state"],
    *,
    first: int,
    extensions: int,
) -> Float[Tensor, "batch state extended"]:
    """log p(y | a = j) of every symbol, including those that can only be copied; `gate` is the gate's logit."""
    gated = copies >= 0
    log_closed = F.logsigmoid(-gate).masked_fill(~gated, 0.0)
    log_probs = F.pad(log_symbols + log_closed[:, :, None], (0, extensions), value=-torch.inf)
    place = (copies - first).clamp(min=0)[:, :, None]
    before = log_probs.gather(-1, place)
    after = torch.where(gated[:, :, None], torch.logaddexp(before, F.logsigmoid(gate)[:, :, None]), before)
    return log_probs.scatter(-1, place, after)
