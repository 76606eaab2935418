"""An exported model as search sees it: the second implementation of `isotone.decoding.Model`, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.protocol import Aligned, Ids, Trail
from isotone.errors import ConfigError
from isotone.models.config import Architecture
from isotone.runtime.aligners import TRANSITIONS, landings, log_onwards, log_support
from isotone.runtime.chain import Chain
from isotone.runtime.copies import extension_count, with_copies
from isotone.runtime.engine import Graph
from isotone.runtime.logspace import Array, log_sum
from isotone.runtime.memory import Memory, State, Step
from isotone.runtime.threads import side_by_side
from isotone.runtime.trails import trails
from isotone.text.codec import NO_COPY, Encoded
from isotone.text.vocabulary import BOS, EOS, PAD, UNK, Vocabulary

__all__ = ["OnnxModel"]

SAMPLED_CELLS = 2**20
"""Source × target positions of the alignments that are drawn at a time."""
SHORT = 64
"""Source positions up to which the tables that depend on nothing else are kept."""

BLOCK = 64
"""Source positions of a long pair that are read at a time, where a step takes time by the square of their number."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class OnnxModel:
    """`isotone.decoding.Model` for an encoder's and a step's graph. Safe to share between threads and after a fork."""

    def __init__(
        self,
        architecture: Architecture,
        vocabulary: Vocabulary,
        *,
        encoder: Graph,
        step: Graph,
        greedy: Graph | None = None,
    ) -> None:
        """Without a `greedy` graph, every string is searched step by step."""
        self._encoder = encoder
        self._step = step
        self._greedy = greedy
        self._tables: dict[int, dict[str, Array]] = {}
        self._symbols = len(vocabulary.target)
        self._tags = len(vocabulary.tags)
        self._hidden = architecture.decoder.hidden
        self._gated = architecture.emission.copy_gate
        name = architecture.aligner.name
        self._rule = TRANSITIONS[name]
        self._independent = name == "0-hard"
        self._soft = not architecture.aligner_part.positions
        self._emits = "before_last" in step.inputs
        named = ("keys", "log_jumps", "log_mask", "before_last", "tag_gates")
        self._needed = [name for name in named if name in step.inputs]
        self._greedy_needs = [name for name in named if greedy is not None and name in greedy.inputs]
        width = getattr(architecture.aligner, "width", None)
        self._first = -width if width is not None and name == "1-hard" else 0
        self._jumps = 0 if width is None else width - self._first + 1

    def encode(self, sources: Sequence[Encoded]) -> Memory:
        """Read the sources and their tags."""
        lengths = np.array([len(source.source) for source in sources], dtype=np.int64)
        size = int(lengths.max())
        feeds: dict[str, Any] = {
            "source": _padded([source.source for source in sources], size, PAD),
            "lengths": lengths.astype(np.int32),
        }
        if self._tags:
            present = np.zeros((len(sources), self._tags), dtype=np.float32)
            for row, source in enumerate(sources):
                present[row, list(source.tags)] = 1
            feeds["tags"] = present
        found = self._encoder.run(feeds)
        copies = _padded([source.copies for source in sources], size, NO_COPY) if self._gated else None
        places = np.arange(size)
        return Memory(
            features=found["features"],
            lengths=lengths,
            keys=None if self._jumps else found["keys"],
            log_jumps=found["keys"] + log_support(lengths, size, self._first, self._jumps) if self._jumps else None,
            log_mask=None if self._jumps else np.where(places < lengths[:, None], np.float32(0), np.float32(-np.inf)),
            before_last=(places < lengths[:, None] - 1).astype(np.float32) if self._emits else None,
            constants=self._constants(size),
            tag_gates=found.get("tag_gates"),
            copies=copies,
            extensions=0 if copies is None else extension_count(copies, self._symbols),
        )

    def start(self, memory: Memory) -> State:
        """The empty prefix of each source: the decoder at zero, all belief on the BOS."""
        rows, states = memory.features.shape[:2]
        belief = np.full((rows, 1 if self._soft else states), -np.inf, dtype=np.float32)
        belief[:, 0] = 0
        zeros = np.zeros((rows, 2 * self._hidden), dtype=np.float32)
        return State(zeros, np.full(rows, BOS, dtype=np.int64), belief)

    def step(self, state: State, memory: Memory) -> Step:
        """Every continuation of every prefix by one symbol."""
        found = self._read(state, memory)
        log_emission, log_arrived = found["log_emission"], found["log_arrived"]
        if memory.copies is None:
            log_symbols = found["log_symbols"]
        else:
            log_emission = with_copies(log_emission, found["gate"], memory.copies, memory.extensions)
            log_symbols = log_sum(log_emission + log_arrived[:, :, None], 1)
        return Step(log_symbols, log_arrived, log_emission, found["new_state"])

    def trails(self, memory: Memory, unknowns: NDArray[np.bool_] | None = None) -> list[Trail] | None:
        """The greedy string of each source, with what else was probable on its way; see `isotone.decoding.shortcut`."""
        return None if self._greedy is None else trails(self._greedy, memory, unknowns, self._greedy_needs)

    def log_probs(self, pairs: Sequence[Encoded]) -> NDArray[np.float64]:
        """Exact log p(y | x) of each pair."""
        order, chain, _ = self._chain(pairs)
        values = np.empty(len(pairs))
        values[order] = chain.log_likelihood
        return values

    def align(self, pairs: Sequence[Encoded]) -> list[Aligned]:
        """Best path and posteriors of every pair. SOFT has no alignment variable: its attention weights stand in."""
        order, chain, attention = self._chain(pairs)
        values = chain.log_likelihood.tolist()
        together: list[Any] = [None] * len(pairs)
        silent: list[Any] = [None] * len(pairs)
        if attention is None:
            tables, paths, together = chain.posteriors(), chain.best_paths(), chain.stays()
            silent = [self._silence(*both) for both in zip(tables, together, strict=True)]
        else:
            tables = [_rows_of(attention, row, len(pairs[place].target or ())) for row, place in enumerate(order)]
            paths = [table.argmax(1) for table in tables]
        found: list[Any] = [None] * len(pairs)
        for row, place in enumerate(order.tolist()):
            size = len(pairs[place].source)
            stays = None if together[row] is None else together[row][:, :size]
            silence = None if silent[row] is None else silent[row][:size]
            found[place] = Aligned(values[row], paths[row], tables[row][:, :size], stays, silence)
        return found

    def _silence(self, posterior: NDArray[np.float64], together: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """(state,) p(no step but the last stands on j | x, y), as `isotone.dp.silence` has it; None for 1-HARD."""
        if self._first < 0:
            return None
        if self._independent:
            return np.asarray((1 - posterior[:-1]).prod(0))
        return np.asarray(1 - (posterior - together)[:-1].sum(0))

    def sample_paths(self, pair: Encoded, count: int, seed: int | None = None) -> Ids:
        """Alignments drawn from p(a | x, y), (count, target); none for a pair of probability 0."""
        if self._soft:
            raise ConfigError("this model averages over source positions: it has no alignments to sample")
        _, chain, _ = self._chain([pair])
        length = len(pair.target or ())
        if chain.log_likelihood[0] == -np.inf:
            return np.zeros((0, length), dtype=np.int64)
        random = np.random.default_rng(seed)
        at_a_time = max(1, SAMPLED_CELLS // (length * len(pair.source)))
        counts = [min(at_a_time, count - first) for first in range(0, count, at_a_time)]
        return np.concatenate([chain.sample(rows, random) for rows in counts])

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """A batch to each thread; a graph itself runs on one."""
        return side_by_side(work, items)

    def _chain(self, pairs: Sequence[Encoded]) -> tuple[Ids, Chain, list[Array] | None]:
        """The order of the chain's rows, longest target first; the chain; and attention weights, where SOFT has them.

        The decoder reads the targets with the same graph that search uses, so both have the same numbers. Where belief
        moves is of no use here, but would take |x|² of time per symbol: a long pair is read in blocks of positions.
        """
        lengths = np.array([len(pair.target or ()) for pair in pairs])
        order = np.argsort(-lengths, kind="stable")
        memory = self.encode([pairs[row] for row in order])
        targets = _padded([pairs[row].target or () for row in order], int(lengths.max()), EOS)
        size = memory.features.shape[1]
        in_blocks = len(pairs) == 1 and size > 2 * BLOCK and "log_onwards" in memory.constants
        parts = memory.in_blocks(BLOCK, self._constants(BLOCK)) if in_blocks else memory
        state = self.start(parts)
        transitions, log_emissions, attention = [], [], []
        for place in range(targets.shape[1]):
            rows = int((lengths > place).sum())
            if rows < len(memory.features):
                parts = memory = memory.select(slice(rows))
            found = self._read(state.first(len(parts.features)), parts)
            symbols = targets[:rows, place]
            state = State(found["new_state"], symbols.repeat(len(parts.features) // rows), found["log_arrived"])
            if in_blocks:
                found = {name: _joined(values, size) for name, values in found.items()}
            log_emission = found["log_emission"]
            if memory.copies is not None:
                log_emission = with_copies(log_emission, found["gate"], memory.copies, memory.extensions)
            attention.append(found["scores"])
            transitions.append(self._rule(found["scores"].astype(np.float64), memory, self._first))
            log_emissions.append(_gold(log_emission, symbols).astype(np.float64))
        return order, Chain(tuple(transitions), tuple(log_emissions)), attention if self._soft else None

    def _read(self, state: State, memory: Memory) -> dict[str, Array]:
        """The step's graph: the decoder reads one more symbol, and belief moves."""
        symbol = np.where(state.symbol < self._symbols, state.symbol, UNK) if self._gated else state.symbol
        feeds = {
            "symbol": symbol,
            "state": state.state,
            "log_belief": state.log_belief,
            "features": memory.features,
            **memory.constants,
        }
        for name in self._needed:
            feeds[name] = getattr(memory, name)
        return self._step.run(feeds)

    def _constants(self, size: int) -> dict[str, Array]:
        if size in self._tables:
            return self._tables[size]
        found: dict[str, Array] = {}
        if self._jumps:
            found = {"landings": landings(size, self._first, self._jumps)}
        elif "log_onwards" in self._step.inputs:
            found = {"log_onwards": log_onwards(size)}
        if size <= SHORT:
            self._tables[size] = found
        return found


def _padded(rows: Sequence[tuple[int, ...]], size: int, filling: int) -> Ids:
    return np.array([row + (filling,) * (size - len(row)) for row in rows], dtype=np.int64)


def _gold(log_emission: Array, symbol: Ids) -> Array:
    """(row, state) of the given symbols; −inf for ids that the source has nothing to copy for."""
    known = symbol < log_emission.shape[2]
    picked = log_emission[np.arange(len(symbol)), :, np.where(known, symbol, 0)]
    return picked if known.all() else np.where(known[:, None], picked, -np.inf)


def _rows_of(tables: list[Array], row: int, length: int) -> NDArray[np.float64]:
    return np.stack([tables[place][row] for place in range(length)]).astype(np.float64)


def _joined(blocks: Array, size: int) -> Array:
    """(block, position, …) of one pair → (1, state, …)."""
    return blocks.reshape(1, -1, *blocks.shape[2:])[:, :size]
