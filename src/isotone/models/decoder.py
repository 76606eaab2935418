"""The decoder LSTM: h_d[i] = LSTM([emb(y[i−1]); tag], h_d[i−1]) (eq. 4), no input feeding, so one call a batch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isotone.models.dropout import Dropout
from isotone.models.memory import Inputs
from isotone.models.precision import precise, without_autocast
from isotone.shapes import Float, Int
from isotone.text.vocabulary import BOS

__all__ = ["Decoder"]


class Decoder(nn.Module):
    """Reads the target so far, and the tag vector with every symbol; starts from zeros."""

    def __init__(
        self, *, symbols: int, embedding: int, tags: int, hidden: int, dropout: float, query_dropout: float
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, embedding)
        self.dropout = Dropout(dropout)
        self.query_dropout = Dropout(query_dropout)
        self.lstm = nn.LSTM(embedding + tags, hidden, batch_first=True)

    def forward(
        self, target: Int[Tensor, "batch target"], tags: Float[Tensor, "batch tag"]
    ) -> Float[Tensor, "batch target query"]:
        """Teacher forcing: h_d[i] has read BOS, y[1], …, y[i−1]."""
        previous = torch.cat([torch.full_like(target[:, :1], BOS), target[:, :-1]], 1)
        states: Tensor = self.query_dropout(self.lstm(self._inputs(previous, tags))[0])
        return states

    def inputs(self, tags: Float[Tensor, "batch tag"]) -> Inputs:
        """The input of every symbol and every row's tags, for `step`; without dropout, which is for training only."""
        with without_autocast(tags.device):
            weight, _, bias, recurrent_bias = self.lstm.all_weights[0]
            from_symbol, from_tag = weight.split([self.embedding.embedding_dim, tags.shape[1]], 1)
            shares = F.linear(precise(tags), from_tag, bias + recurrent_bias)
            return Inputs(F.linear(self.embedding.weight, from_symbol), shares)

    def step(
        self, inputs: Float[Tensor, "batch gate"], hidden: Float[Tensor, "batch query"], cell: Tensor
    ) -> tuple[Float[Tensor, "batch query"], Float[Tensor, "batch query"]]:
        """One symbol further: the new (hidden, cell)."""
        gates = inputs + F.linear(hidden, self.lstm.weight_hh_l0)
        enter, forget, _, leave = gates.sigmoid().chunk(4, -1)
        new_cell = torch.addcmul(forget * cell, enter, gates.chunk(4, -1)[2].tanh())
        return leave * new_cell.tanh(), new_cell

    def _inputs(self, symbols: Tensor, tags: Tensor) -> Tensor:
        embedded: Tensor = self.dropout(self.embedding(symbols))
        return torch.cat([embedded, tags[:, None].expand(-1, symbols.shape[1], -1)], -1)
