"""The decoder LSTM: h_d[i] = LSTM([emb(y[i−1]); tag], h_d[i−1]) (eq. 4), no input feeding, so one call per batch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isotone.models.dropout import Dropout
from isotone.models.memory import Inputs
from isotone.models.precision import precise, run_lstm, without_autocast
from isotone.shapes import Float, Int
from isotone.text.vocabulary import BOS

__all__ = ["Decoder"]

WORTH_A_TABLE = 100
"""Up to this many symbols per row, multiplying the whole alphabet once and looking rows up is faster than multiplying
each symbol when it comes: about ten times the length of a word."""


class Decoder(nn.Module):
    """Reads the target so far, with the tag vector beside every symbol; starts from zeros."""

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
        repeated = tags[:, None].expand(-1, target.shape[1], -1)
        read = torch.cat([self.dropout(self.embedding(previous)), repeated], -1)
        states: Tensor = self.query_dropout(run_lstm(self.lstm, read))
        return states

    def inputs(self, tags: Float[Tensor, "batch tag"]) -> Inputs:
        """What `step` needs for rows with these tags; without dropout, which is for training only."""
        from_symbol, from_tag = self._split()
        with without_autocast(tags.device):
            _, _, bias, recurrent_bias = self.lstm.all_weights[0]
            shares = F.linear(precise(tags), from_tag, bias + recurrent_bias)
            pays = self.embedding.num_embeddings <= WORTH_A_TABLE * len(tags)
            return Inputs(shares, F.linear(self.embedding.weight, from_symbol) if pays else None)

    def step(
        self, symbols: Int[Tensor, "batch"], inputs: Inputs, hidden: Float[Tensor, "batch query"], cell: Tensor
    ) -> tuple[Float[Tensor, "batch query"], Float[Tensor, "batch query"]]:
        """Read one more symbol: the new (hidden, cell)."""
        if inputs.symbols is None:
            given = F.linear(self.embedding(symbols), self._split()[0])
        else:
            given = inputs.symbols[symbols]
        gates = given + inputs.tags + F.linear(hidden, self.lstm.all_weights[0][1])
        enter, forget, _, leave = gates.sigmoid().chunk(4, -1)
        new_cell = torch.addcmul(forget * cell, enter, gates.chunk(4, -1)[2].tanh())
        return leave * new_cell.tanh(), new_cell

    def _split(self) -> tuple[Float[Tensor, "gate embedding"], Float[Tensor, "gate tag"]]:
        """The input weights for the symbol and for the tags."""
        weight, size = self.lstm.all_weights[0][0], self.embedding.embedding_dim
        return weight[:, :size], weight[:, size:]
