"""The decoder LSTM: h_d[i] = LSTM([emb(y[i−1]); tag], h_d[i−1]) (eq. 4), no input feeding, so one call a batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from isotone.models.dropout import Dropout
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

    def step(
        self, symbols: Int[Tensor, "batch"], tags: Tensor, hidden: Tensor, cell: Tensor
    ) -> tuple[Float[Tensor, "batch query"], Float[Tensor, "batch query"]]:
        """One symbol further: the new (hidden, cell).

        As a cell and not as a sequence of one symbol, for which oneDNN rearranges all weights: a third of the time.
        """
        inputs = torch.cat([self.dropout(self.embedding(symbols)), tags], -1)
        new_hidden, new_cell = torch.lstm_cell(inputs, [hidden, cell], *self.lstm.all_weights[0])
        return new_hidden, new_cell

    def _inputs(self, symbols: Tensor, tags: Tensor) -> Tensor:
        embedded: Tensor = self.dropout(self.embedding(symbols))
        return torch.cat([embedded, tags[:, None].expand(-1, symbols.shape[1], -1)], -1)
