"""The paper's algorithm, step by step: a stand-in for its code, to be timed on the same machine in the same run.

As in that code, and unlike in `PlainTwin`: torch's bidirectional LSTM runs over the padding too; the decoder is a loop
over target positions, with one LSTM cell, one product of V with every [h_d; h_e], one softmax over the alphabet and one
dense |x| × |x| transition at a time; batches are drawn at random. Where no row is padded it gives our numbers.
"""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from bench.twin import PackedEncoder
from isotone.data import Batch
from isotone.dp import length_mask, start_belief
from isotone.models import Transducer
from isotone.models.memory import Memory
from isotone.text.vocabulary import BOS


class PaperWay(nn.Module):
    """A copy of a Transducer with 0-MONO's or 1-MONO's aligner."""

    def __init__(self, network: Transducer) -> None:
        super().__init__()
        network = copy.deepcopy(network)
        packed = PackedEncoder(network.encoder)
        self.embedding, self.lstm = packed.embedding, packed.lstm
        self.dropout = nn.Dropout(network.encoder.dropout.rate)
        self.decoder, self.aligner, self.emission, self.tags = (
            network.decoder,
            network.aligner,
            network.emission,
            network.tags,
        )

    def forward(self, batch: Batch) -> Tensor:
        """log p(y | x) of each pair, exact where it is not padded."""
        states: Tensor = self.lstm(self.dropout(self.embedding(batch.source)))[0]
        memory = Memory(
            keys=self.aligner.key(states),
            features=states,  # what V is multiplied with at every step
            mask=length_mask(batch.source_lengths, batch.source.shape[1]),
            tags=self.tags(batch.tags) if self.tags is not None else states.new_zeros(len(batch), 0),
        )
        previous = torch.cat([torch.full_like(batch.target[:, :1], BOS), batch.target[:, :-1]], 1)
        embedded = self.dropout(self.decoder.embedding(previous))
        hidden = cell = states.new_zeros(len(batch), self.decoder.lstm.hidden_size)
        log_belief = start_belief(len(batch), states.shape[1], hidden)
        real = length_mask(batch.target_lengths, batch.target.shape[1])
        weights = self.decoder.lstm.all_weights[0]
        for place in range(batch.target.shape[1]):
            hidden, cell = torch.lstm_cell(torch.cat([embedded[:, place], memory.tags], 1), [hidden, cell], *weights)
            log_move = self.aligner.transition(hidden[:, None], memory).dense()[:, 0]
            arrived = (log_belief[:, :, None] + log_move).logsumexp(1)
            gold = (batch.target[:, place] - self.emission.first_output).clamp(min=0)
            written = self._log_symbols(hidden, states).gather(-1, gold[:, None, None].expand(-1, states.shape[1], 1))
            log_belief = torch.where(real[:, place, None], arrived + written[..., 0], log_belief)
        return log_belief.logsumexp(1)

    def _log_symbols(self, hidden: Tensor, states: Tensor) -> Tensor:
        """log softmax(W tanh(V [h_d; h_e])) over the whole alphabet, at every source position."""
        pairs = torch.cat([hidden[:, None].expand(-1, states.shape[1], -1), states], -1)
        weight = torch.cat([self.emission.query.weight, self.emission.memory.weight], 1)
        features = torch.tanh(nn.functional.linear(pairs, weight, self.emission.query.bias))
        return torch.log_softmax(self.emission.output(features), -1)
