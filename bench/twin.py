"""The plain twin: the same model written without the tricks, for a ratio on the same machine.

| part       | Isotone                                | plain twin                |
|------------|----------------------------------------|---------------------------|
| encoder    | an LSTM a direction, reversed by index | packed bidirectional LSTM |
| emission   | fused, in chunks, recomputed           | all cells at once, kept   |
| transition | prefix sum or band                     | dense, |x|² a step        |
"""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from isotone.data import Batch
from isotone.dp import Chain, length_mask, log_likelihood
from isotone.models import Memory, Network
from isotone.models.encoders.lstm import LSTMEncoder
from isotone.models.fused_emission import dense_gold_log_probs
from isotone.text.vocabulary import UNK


class PackedEncoder(nn.Module):
    """`LSTMEncoder` with torch's own bidirectional LSTM on packed sequences; takes over the weights."""

    def __init__(self, encoder: LSTMEncoder) -> None:
        super().__init__()
        self.embedding, self.dropout = encoder.embedding, nn.Dropout(encoder.dropout.rate)
        first = encoder.forwards[0]
        assert isinstance(first, nn.LSTM)
        self.lstm = nn.LSTM(
            first.input_size,
            first.hidden_size,
            num_layers=len(encoder.forwards),
            dropout=self.dropout.p if len(encoder.forwards) > 1 else 0.0,
            bidirectional=True,
            batch_first=True,
        )
        weights: dict[str, Tensor] = {}
        for suffix, layers in (("", encoder.forwards), ("_reverse", encoder.backwards)):
            for layer, part in enumerate(layers):
                weights |= {name.replace("_l0", f"_l{layer}{suffix}"): w for name, w in part.state_dict().items()}
        self.lstm.load_state_dict(weights)

    def forward(self, source: Tensor, lengths: Tensor) -> Tensor:
        """h_e, as `LSTMEncoder` gives it."""
        inputs = self.dropout(self.embedding(source))
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=source.shape[1])
        return states


class PlainTwin(nn.Module):
    """A copy of a Network that computes the same log-probabilities the plain way."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        network = copy.deepcopy(network)
        assert isinstance(network.encoder, LSTMEncoder)
        self.encoder = PackedEncoder(network.encoder)
        self.decoder, self.aligner, self.emission, self.tags = (
            network.decoder,
            network.aligner,
            network.emission,
            network.tags,
        )

    def forward(self, batch: Batch) -> Tensor:
        """Exact log p(y | x) of each pair."""
        states = self.encoder(batch.source, batch.source_lengths)
        memory = Memory(
            keys=self.aligner.key(states),
            features=self.emission.memory(states),
            mask=length_mask(batch.source_lengths, batch.source.shape[1]),
            tags=self.tags(batch.tags) if self.tags is not None else states.new_zeros(len(batch), 0),
        )
        query = self.decoder(batch.target, memory.tags)
        log_emission = self._emission(query, memory, batch.target)
        chain = Chain(log_emission, self.aligner.transition(query, memory), batch.target_lengths)
        return log_likelihood(chain.to_dense())

    def _emission(self, query: Tensor, memory: Memory, target: Tensor) -> Tensor:
        emission = self.emission
        gold = (target - emission.first_output).clamp(min=0)
        features = self.aligner.features(query, memory)
        weight, bias = emission.output.weight, emission.output.bias
        if features.shape[1] != 1:  # SOFT: one state, its own for each target position
            hidden = torch.tanh(emission.query(query)[:, :, None] + features)
            log_probs = torch.log_softmax(emission.output(hidden), -1)
            index = gold[:, :, None, None].expand(*log_probs.shape[:3], 1)
            log_probs = log_probs.gather(-1, index)[..., 0]
        else:
            log_probs = dense_gold_log_probs(emission.query(query), features[:, 0], gold, weight, bias)
        return (
            log_probs.masked_fill((target == UNK)[:, :, None], -torch.inf) if emission.first_output > UNK else log_probs
        )
