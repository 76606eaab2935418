"""A trained network as search sees it: numpy arrays in and out, one pass of encoder and decoder per question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isotone.data.batch import collate
from isotone.decoding.protocol import Aligned, Floats, Ids
from isotone.dp import Chain, best_path, log_likelihood, posteriors, sample, silence, stays
from isotone.errors import ConfigError
from isotone.models.memory import Memory, State, Step
from isotone.models.network import Network
from isotone.models.parallel import side_by_side
from isotone.text.codec import Encoded

__all__ = ["TorchModel"]

SAMPLED_CELLS = 2**20
"""Source × target positions of the alignments that are drawn at a time."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class _Memory:
    part: Memory

    @torch.inference_mode()
    def select(self, rows: Ids) -> _Memory:
        return _Memory(self.part.select(_tensor(rows, self.part.keys.device)))


@dataclass(frozen=True, eq=False)
class _State:
    part: State

    @torch.inference_mode()
    def join(self, others: Sequence[_State]) -> _State:
        return _State(self.part.join([other.part for other in others])) if others else self


@dataclass(frozen=True, eq=False)
class _Step:
    part: Step
    log_symbols: Floats

    @torch.inference_mode()
    def choose(self, symbols: Ids, rows: Ids | None = None) -> _State:
        device = self.part.hidden.device
        return _State(self.part.choose(_tensor(symbols, device), None if rows is None else _tensor(rows, device)))


class TorchModel:
    """`isotone.decoding.Model` for a network in evaluation mode. Safe to share between threads."""

    def __init__(self, network: Network, tag_count: int) -> None:
        """`tag_count` is the number of tags in the vocabulary."""
        self.network = network
        self.tag_count = tag_count

    @torch.inference_mode()
    def encode(self, sources: Sequence[Encoded]) -> _Memory:
        """Read the sources and their tags."""
        return _Memory(self.network.encode(collate(sources, self.tag_count).to(self.network.device)))

    @torch.inference_mode()
    def start(self, memory: _Memory) -> _State:
        """The empty prefix of each source."""
        return _State(self.network.start(memory.part))

    @torch.inference_mode()
    def step(self, state: _State, memory: _Memory) -> _Step:
        """Every continuation of every prefix by one symbol."""
        step = self.network.step(state.part, memory.part)
        return _Step(step, _array(step.log_symbols))

    @torch.inference_mode()
    def log_probs(self, pairs: Sequence[Encoded]) -> NDArray[np.float64]:
        """Exact log p(y | x) of each pair."""
        return _array(self.network.log_prob(collate(pairs, self.tag_count).to(self.network.device))).astype(np.float64)

    @torch.no_grad()
    def align(self, pairs: Sequence[Encoded]) -> list[Aligned]:
        """Best path and posteriors of every pair. SOFT has no alignment variable: its attention weights stand in.

        The dynamic program runs in float64: over thousands of symbols, float32 leaves rows that do not sum to 1.
        """
        batch = collate(pairs, self.tag_count).to(self.network.device)
        chain, attention = self.network.chain_and_attention(batch)
        chain = _with_tensors(chain, _double)
        together = silent = None
        if attention is None:
            paths, tables = best_path(chain)[1], posteriors(chain)
            log_probs, together = stays(chain, tables)
            silent = silence(chain, tables, together)
        else:
            log_probs, tables = log_likelihood(chain), attention.double()
            paths = tables.argmax(-1)
        values = log_probs.tolist()
        found = []
        for row, pair in enumerate(pairs):
            target, source = len(pair.target or ()), len(pair.source)
            found.append(
                Aligned(
                    values[row],
                    _array(paths[row, :target]),
                    _array(tables[row, :target, :source]),
                    None if together is None else _array(together[row, :target, :source]),
                    None if silent is None else _array(silent[row, :source]),
                )
            )
        return found

    @torch.no_grad()
    def sample_paths(self, pair: Encoded, count: int, seed: int | None = None) -> Ids:
        """Alignments drawn from p(a | x, y), (count, target); none for a pair of probability 0."""
        chain, attention = self.network.chain_and_attention(collate([pair], self.tag_count).to(self.network.device))
        if attention is not None:
            raise ConfigError("this model averages over source positions: it has no alignments to sample")
        chain = _with_tensors(chain, _double)
        length = len(pair.target or ())
        if bool(log_likelihood(chain).isneginf()):
            return np.zeros((0, length), dtype=np.int64)
        device = self.network.device
        generator = None if seed is None else torch.Generator(device).manual_seed(seed)
        at_a_time = max(1, SAMPLED_CELLS // chain.log_emission[0].numel())
        drawn = []
        for first in range(0, count, at_a_time):
            rows = min(at_a_time, count - first)
            drawn.append(sample(_with_tensors(chain, partial(_repeated, count=rows)), generator))
        return _array(torch.cat(drawn))

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """On a CPU, a batch to each core; one after the other on other devices."""
        return side_by_side(work, items, self.network.device)


def _with_tensors(chain: Chain, change: Callable[[Tensor], Tensor]) -> Chain:
    """The chain with every tensor changed, whatever form its transition has."""
    transition: Any = chain.transition
    changed = {
        own.name: change(value)
        for own in fields(transition)
        if isinstance(value := getattr(transition, own.name), Tensor)
    }
    return Chain(
        log_emission=change(chain.log_emission),
        transition=replace(transition, **changed),
        target_lengths=change(chain.target_lengths),
    )


def _repeated(values: Tensor, count: int) -> Tensor:
    return values.expand(count, *values.shape[1:])


def _double(values: Tensor) -> Tensor:
    return values.double() if values.is_floating_point() else values


def _array(values: Tensor) -> NDArray[Any]:
    """The numbers of a tensor, without a copy where they are in this machine's memory."""
    return values.detach().cpu().numpy()


def _tensor(values: Ids, device: torch.device) -> Tensor:
    return torch.from_numpy(values).to(device)
