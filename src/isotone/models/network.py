"""The model: encoder + decoder + aligner + emission (+ tags), assembled from parts (eq. 2)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isotone.data.batch import Batch
from isotone.dp import (
    Chain,
    LogSemiring,
    Transition,
    length_mask,
    log_likelihood,
    path_log_prob,
    path_step_log_probs,
    start_belief,
    step_log_probs,
)
from isotone.models.aligners.base import Aligner
from isotone.models.config import Architecture
from isotone.models.consistency import consistent
from isotone.models.decoder import Decoder
from isotone.models.emission import Emission
from isotone.models.encoders import ENCODERS
from isotone.models.encoders.base import Encoder
from isotone.models.memory import Memory, State, Step
from isotone.models.parallel import keep_to_one_after_fork
from isotone.models.precision import precise, without_autocast
from isotone.models.tags import TagEncoder
from isotone.shapes import Float, Int
from isotone.text.vocabulary import BOS, EOS, UNK, Vocabulary

__all__ = ["Network"]


class Network(nn.Module):
    """p(y | x) = Σ_a Π_i p(y_i | a_i, y_<i, x) p(a_i | a_{i−1}, y_<i, x)."""

    def __init__(
        self,
        *,
        encoder: Encoder,
        decoder: Decoder,
        aligner: Aligner,
        emission: Emission,
        tags: TagEncoder | None,
        tags_in_encoder: bool = False,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.aligner = aligner
        self.emission = emission
        self.tags = tags
        self.tags_in_encoder = tags_in_encoder
        self.consistency = 0.0
        """Weight of two readings' disagreement, in training mode only: set by whoever trains, as its recipe says."""

    @classmethod
    def build(cls, architecture: Architecture, vocabulary: Vocabulary) -> Network:
        """The parts in the sizes that the architecture and the alphabets ask for, freshly initialised."""
        read, write, emit = architecture.encoder, architecture.decoder, architecture.emission
        tags = TagEncoder(tags=len(vocabulary.tags), size=architecture.tags.size) if vocabulary.tags else None
        reads_tags = {"tags": tags.size} if tags and architecture.tags.in_encoder else {}
        encoder = ENCODERS[read.name].build(read, symbols=len(vocabulary.source), **reads_tags)
        decoder = Decoder(symbols=len(vocabulary.target), tags=tags.size if tags else 0, **write.model_dump())
        sizes = {"query": write.hidden, "memory": encoder.memory_size}
        first_output = UNK if emit.copies_unknown else EOS  # ids run PAD, BOS, UNK, EOS, letters
        return cls(
            encoder=encoder,
            decoder=decoder,
            aligner=architecture.aligner_part.build(architecture.aligner, **sizes),
            emission=Emission(
                **sizes,
                outputs=len(vocabulary.target) - first_output,
                first_output=first_output,
                gated=emit.copy_gate,
            ),
            tags=tags,
            tags_in_encoder=bool(reads_tags),
        )

    def encode(self, batch: Batch, *, stepwise: bool = True) -> Memory:
        """Read the sources and tags: everything that does not depend on the target.

        `stepwise` adds what decoding symbol by symbol needs; scoring whole targets does not.
        """
        keep_to_one_after_fork()  # whatever is asked of a network comes through here first
        tags = self.tags(batch.tags) if self.tags is not None else None
        states = self.encoder(batch.source, batch.source_lengths, *([tags] if self.tags_in_encoder else []))
        if tags is None:
            tags = states.new_zeros(len(batch), 0)
        copies, extensions = self._copies(batch)
        return Memory(
            keys=precise(self.aligner.key(states)),
            features=self.emission.memory(states),
            mask=length_mask(batch.source_lengths, batch.source.shape[1]),
            tags=tags,
            inputs=self.decoder.inputs(tags) if stepwise else None,
            copies=copies,
            extensions=extensions,
        )

    def chain(self, batch: Batch) -> Chain:
        """Every alignment of every pair, in factors."""
        return self._chain(batch, *self._queries(batch))

    def chain_and_attention(self, batch: Batch) -> tuple[Chain, Float[Tensor, "batch target state"] | None]:
        """The chain and, for SOFT, its attention weights, from one pass of encoder and decoder.

        The weights are None for models whose alignment is a random variable.
        """
        query, memory = self._queries(batch)
        return self._chain(batch, query, memory), self.aligner.attention(query, memory)

    def _queries(self, batch: Batch) -> tuple[Float[Tensor, "batch target query"], Memory]:
        """The decoder's states under teacher forcing, and what they look at."""
        memory = self.encode(batch, stepwise=False)
        return self.decoder(self._readable(batch.target), memory.tags), memory

    def _chain(self, batch: Batch, query: Float[Tensor, "batch target query"], memory: Memory) -> Chain:
        features = self.aligner.features(query, memory)
        return Chain(
            log_emission=self.emission.log_prob(query, features, batch.target, memory.copies, batch.target_lengths),
            transition=self._transition(query, memory),
            target_lengths=batch.target_lengths,
        )

    def log_prob(self, batch: Batch) -> Float[Tensor, "batch"]:
        """Exact log p(y | x) of each pair, in nats."""
        return log_likelihood(self.chain(batch))

    def forward(self, batch: Batch) -> Float[Tensor, "batch"]:
        """What training maximises: `log_prob`, or log p(y, a | x) where the batch has alignments that are possible.

        With `consistency`, each pair is read twice (`consistency.py`). It is called `forward` because that is what
        data-parallel wrappers call.
        """
        if self.training and self.consistency:
            return consistent(self._steps(batch.twice()), self.consistency)
        if batch.alignment is None:
            return self.log_prob(batch)
        chain = self.chain(batch)
        along_path = path_log_prob(chain, batch.alignment)
        possible = along_path > -torch.inf
        return along_path if possible.all() else torch.where(possible, along_path, log_likelihood(chain))

    def _steps(self, batch: Batch) -> Float[Tensor, "batch target"]:
        """What each target symbol adds to the log-probability that training maximises."""
        chain = self.chain(batch)
        if batch.alignment is None:
            return step_log_probs(chain)
        along_path = path_step_log_probs(chain, batch.alignment)
        possible = (along_path > -torch.inf).all(1, keepdim=True)
        return along_path if possible.all() else torch.where(possible, along_path, step_log_probs(chain))

    def start(self, memory: Memory) -> State:
        """Nothing written yet: the decoder at zero, all belief on the BOS."""
        batch = memory.keys.shape[0]
        zeros = memory.keys.new_zeros(batch, memory.keys.shape[2])
        symbol = torch.full((batch,), BOS, device=zeros.device)
        return State(zeros, zeros, symbol, start_belief(batch, self.aligner.states(memory), zeros))

    def step(self, state: State, memory: Memory) -> Step:
        """Every continuation of every prefix by one symbol, with the same numbers as `log_prob`."""
        inputs = memory.inputs or self.decoder.inputs(memory.tags)
        hidden, cell = self.decoder.step(self._readable(state.symbol), inputs, state.hidden, state.cell)
        query = hidden[:, None]
        (move,) = self._transition(query, memory).moves()
        arrived = move(state.log_belief, LogSemiring())
        features = self.aligner.features(query, memory)[:, 0]
        emission = self.emission.log_symbols(hidden, features, memory.copies, memory.extensions)
        log_joint = arrived[:, :, None] + emission
        log_symbols = LogSemiring().sum(log_joint, 1)
        offset = self.emission.first_output
        return Step(F.pad(log_symbols, (offset, 0), value=-torch.inf), log_joint, offset, hidden, cell)

    def _transition(self, query: Tensor, memory: Memory) -> Transition:
        """Where alignments may go, always in fp32 or better: bf16 is too coarse for normalisers."""
        with without_autocast(query.device):
            return self.aligner.transition(precise(query), memory)

    def _copies(self, batch: Batch) -> tuple[Int[Tensor, "batch state"] | None, int]:
        """What can be copied, and how many ids beyond the alphabet that needs; nothing without a gate."""
        if self.emission.gate is None:
            return None, 0
        if batch.copies is None:
            raise ValueError("a model with a copy gate needs batches that say what can be copied: use its own codec")
        return batch.copies, max(0, int(batch.copies.max()) + 1 - self.decoder.embedding.num_embeddings)

    def _readable(self, symbols: Int[Tensor, "*shape"]) -> Int[Tensor, "*shape"]:
        """Target ids as the decoder reads them: UNK for ids without an embedding."""
        if self.emission.gate is None:
            return symbols
        return symbols.masked_fill(symbols >= self.decoder.embedding.num_embeddings, UNK)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    def parameter_count(self) -> int:
        """Trainable numbers."""
        return sum(parameter.numel() for parameter in self.parameters())
