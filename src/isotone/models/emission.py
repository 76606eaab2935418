"""The emission: p(y | a) = softmax(W tanh(V [h_d; h_e[a]])) (eq. 6), with V split so that no pair is concatenated."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from isotone.models.fused_emission import blocked_log_probs, gold_log_probs
from isotone.models.gated_emission import Gated, with_copies
from isotone.models.precision import precise
from isotone.models.tanh import tanh_
from isotone.shapes import Float, Int
from isotone.text.vocabulary import UNK

__all__ = ["Emission"]


class Emission(nn.Module):
    """V[h_d; h_e] = V_d·h_d + V_e·h_e: |x| + |y| products in place of |x|·|y|.

    Output 0 is the vocabulary id `first_output`: PAD and BOS are never emitted. With a gate, a source symbol may be
    copied instead (`gated_emission.py`).
    """

    def __init__(self, *, query: int, memory: int, outputs: int, first_output: int, gated: bool = False) -> None:
        super().__init__()
        feature = query + memory
        self.first_output = first_output
        self.smoothing = 0.0
        """Label smoothing, in training mode only: set by whoever trains, as its recipe says."""
        self.query = nn.Linear(query, feature)
        self.memory = nn.Linear(memory, feature, bias=False)
        self.output = nn.Linear(feature, outputs)
        self.gate = nn.Linear(feature, 1) if gated else None

    def log_prob(
        self,
        query: Float[Tensor, "batch target query"],
        features: Float[Tensor, "batch shared state feature"],
        target: Int[Tensor, "batch target"],
        copies: Int[Tensor, "batch state"] | None = None,
        lengths: Int[Tensor, "batch"] | None = None,
    ) -> Float[Tensor, "batch target state"]:
        """log p(y_i | a_i = j) of the given target symbols (ids), as far as `lengths` go: past them any finite number.

        `features` holds V_e·h_e, either one set of states for all target positions (shared = 1) or one for each.
        `copies` are the ids that a copy of each state writes, where there is a gate.
        """
        if self.gate is not None and copies is not None:
            head = Gated.build(target, copies, first=self.first_output, outputs=self.output.out_features)
            weight = torch.cat([self.output.weight, self.gate.weight])
            bias = torch.cat([self.output.bias, self.gate.bias])
            return blocked_log_probs(head, self.query(query), features[:, 0], weight, bias, lengths)
        log_probs = self._gold(query, features, target, lengths)
        if self.first_output > UNK:  # UNK is not among the outputs: a structural zero
            log_probs = log_probs.masked_fill((target == UNK)[:, :, None], -torch.inf)
        return log_probs

    def _gold(self, query: Tensor, features: Tensor, target: Tensor, lengths: Tensor | None) -> Tensor:
        batch, length = target.shape
        projected = self.query(query)
        smoothing = self.smoothing if self.training else 0.0
        gold = (target - self.first_output).clamp(min=0)  # the chain ignores padding, so any value does there
        weight, bias = self.output.weight, self.output.bias
        if features.shape[1] == 1:
            return gold_log_probs(projected, features[:, 0], gold, weight, bias, lengths, smoothing=smoothing)
        each = gold_log_probs(  # one state each, so skipping padding would save little
            projected.reshape(batch * length, 1, -1),
            features.flatten(0, 1),
            gold.reshape(batch * length, 1),
            weight,
            bias,
            smoothing=smoothing,
        )
        return each.view(batch, length, -1)

    def log_symbols(
        self,
        query: Float[Tensor, "batch query"],
        features: Float[Tensor, "batch state feature"],
        copies: Int[Tensor, "batch state"] | None = None,
        extensions: int = 0,
    ) -> Float[Tensor, "batch state symbol"]:
        """log p(y | a = j) of every output symbol, for one target position; with a gate, of `extensions` more."""
        hidden = self.query(query)[:, None] + features
        hidden = torch.tanh(hidden) if torch.is_grad_enabled() else tanh_(hidden)
        log_symbols = torch.log_softmax(precise(self.output(hidden)), -1)
        if self.gate is None or copies is None:
            return log_symbols
        gate = precise(self.gate(hidden)).squeeze(-1)
        return with_copies(log_symbols, gate, copies, first=self.first_output, extensions=extensions)
