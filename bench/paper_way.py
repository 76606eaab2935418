"""The paper's algorithm, step by step: a stand-in for its code, to be timed on the same machine in the same run.

As in that code, and unlike in `PlainTwin`: torch's bidirectional LSTM runs over the padding too; the decoder is a loop
over target positions, with one LSTM cell, one product of V with every [h_d; h_e], one softmax over the alphabet and one
dense |x| × |x| transition at a time; batches are drawn at random, and decoded until their last word has ended. Where no
row is padded it gives our numbers.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bench.twin import PlainTwin
from isotone.data import Batch
from isotone.dp import length_mask, start_belief
from isotone.models.memory import Memory
from isotone.text.vocabulary import BOS, EOS

NEARLY_NEVER = -1e9
"""In place of −inf, whose gradient torch's logsumexp would make nan; that code has the log of a small number there."""


class PaperWay(PlainTwin):
    """A copy of a Network with 0-MONO's or 1-MONO's aligner."""

    def forward(self, batch: Batch) -> Tensor:
        """log p(y | x) of each pair, exact where it is not padded."""
        states = self.encoder.lstm(self.encoder.dropout(self.encoder.embedding(batch.source)))[0]
        memory = self._memory(states, batch)
        hidden, cell, log_belief = self._start(memory)
        previous = torch.cat([torch.full_like(batch.target[:, :1], BOS), batch.target[:, :-1]], 1)
        embedded = self.encoder.dropout(self.decoder.embedding(previous))
        real = length_mask(batch.target_lengths, batch.target.shape[1])
        for place in range(batch.target.shape[1]):
            hidden, cell, arrived, symbols = self._step(embedded[:, place], hidden, cell, log_belief, memory)
            gold = (batch.target[:, place] - self.emission.first_output).clamp(min=0)
            written = symbols.gather(-1, gold[:, None, None].expand(-1, symbols.shape[1], 1))[..., 0]
            log_belief = torch.where(real[:, place, None], arrived + written, log_belief)
        return log_belief.logsumexp(1)

    @torch.inference_mode()
    def greedy(self, batch: Batch, limit: int = 100) -> list[list[int]]:
        """The target ids of each source, EOS left out; the batch goes on until its last word has ended.

        Padding is kept from the encoder here: weights that have not learnt with it would not end their words.
        """
        memory = self._memory(self.encoder(batch.source, batch.source_lengths), batch)
        hidden, cell, log_belief = self._start(memory)
        symbol = torch.full((len(batch),), BOS)
        written: list[Tensor] = []
        ended = torch.zeros(len(batch), dtype=torch.bool)
        while len(written) < limit and not ended.all():
            embedded = self.decoder.embedding(symbol)
            hidden, cell, arrived, symbols = self._step(embedded, hidden, cell, log_belief, memory)
            log_joint = arrived[:, :, None] + symbols
            best = log_joint.logsumexp(1).argmax(1)
            log_belief = log_joint.gather(2, best[:, None, None].expand(-1, log_joint.shape[1], 1))[..., 0]
            symbol = best + self.emission.first_output
            written.append(symbol)
            ended |= symbol == EOS
        rows = torch.stack(written, 1).tolist()
        return [row[: row.index(EOS)] if EOS in row else row for row in rows]

    def _memory(self, states: Tensor, batch: Batch) -> Memory:
        return Memory(
            keys=self.aligner.key(states),
            features=states,  # what V is multiplied with at every step
            mask=length_mask(batch.source_lengths, batch.source.shape[1]),
            tags=self.tags(batch.tags) if self.tags is not None else states.new_zeros(len(batch), 0),
        )

    def _start(self, memory: Memory) -> tuple[Tensor, Tensor, Tensor]:
        batch, state, _ = memory.keys.shape
        zeros = memory.keys.new_zeros(batch, self.decoder.lstm.hidden_size)
        return zeros, zeros, start_belief(batch, state, zeros)

    def _step(
        self, embedded: Tensor, hidden: Tensor, cell: Tensor, log_belief: Tensor, memory: Memory
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The decoder's new state, belief before anything is written, and the symbols at every source position."""
        inputs = torch.cat([embedded, memory.tags], 1)
        hidden, cell = torch.lstm_cell(inputs, [hidden, cell], *self.decoder.lstm.all_weights[0])
        log_move = self.aligner.transition(hidden[:, None], memory).dense()[:, 0]
        arrived = (log_belief[:, :, None] + log_move).clamp(min=NEARLY_NEVER).logsumexp(1)
        return hidden, cell, arrived, self._log_symbols(hidden, memory.features)

    def _log_symbols(self, hidden: Tensor, states: Tensor) -> Tensor:
        """log softmax(W tanh(V [h_d; h_e])) over the whole alphabet, at every source position."""
        pairs = torch.cat([hidden[:, None].expand(-1, states.shape[1], -1), states], -1)
        weight = torch.cat([self.emission.query.weight, self.emission.memory.weight], 1)
        features = torch.tanh(nn.functional.linear(pairs, weight, self.emission.query.bias))
        return torch.log_softmax(self.emission.output(features), -1)
