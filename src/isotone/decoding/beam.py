"""Beam search: the most probable prefixes of each source, each string once, scored over all its alignments."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.decoders import Beam
from isotone.decoding.hypothesis import Decoded, Hypothesis
from isotone.decoding.prefixes import ROOT, Prefixes
from isotone.decoding.protocol import Floats, Ids, Step
from isotone.decoding.space import SearchSpace
from isotone.text.vocabulary import EOS

__all__ = ["BeamSearch", "Round", "beam_search"]


def beam_search(space: SearchSpace, options: Beam) -> list[Decoded]:
    """The `n_best` best strings found with `width` prefixes (at least `n_best`) at a time.

    A prefix's mass bounds all its completions, so a prefix below the n-th best finished string is dropped at once, and
    a list is certified where the most probable prefix that was ever dropped cannot beat its last string. A list is
    shorter than `n_best` only where no more strings fit the beam, the constraint and the length limit.
    """
    search = BeamSearch(space, width=max(options.width, options.n_best), n_best=options.n_best)
    for _ in search.rounds():
        pass
    return search.decoded()


@dataclass(frozen=True, eq=False)
class Round:
    """A batch of prefixes, all their continuations, and which of these the search went on with."""

    step: Step
    sources: Ids
    nodes: list[int]
    """The prefixes."""
    log_symbols: Floats
    """(row, symbol) log p(prefix + symbol | x), −inf where the search space has no such string."""
    kept: tuple[Ids, Ids]
    """(rows, symbols) of the continuations in the next round."""


class BeamSearch:
    """The finished strings, and the most that any other string can have."""

    def __init__(self, space: SearchSpace, *, width: int, n_best: int) -> None:
        self.model = space.model
        self.memory = space.memory
        self.limits = space.limits
        self.prefixes = Prefixes(space)
        self.width = width
        self.ends = np.full((len(self.limits), n_best), ROOT, dtype=np.int64)
        """(source, rank) nodes of the best finished strings, best first."""
        self.log_ends = np.full(self.ends.shape, -math.inf)
        self.log_bound = np.full(len(self.limits), -math.inf)

    def rounds(self) -> Iterator[Round]:
        """Search, one symbol per round, until no prefix can improve on the finished strings."""
        memory, state = self.memory, self.model.start(self.memory)
        sources = np.arange(len(self.limits))
        nodes, length = [ROOT] * len(sources), 0
        while len(sources):
            step = self.model.step(state, memory)
            log_symbols = self.prefixes.allow(step.log_symbols, nodes, sources)
            keep = self._keep_one if self.width == 1 and self.ends.shape[1] == 1 else self._keep
            rows, symbols = keep(log_symbols, sources, np.array(nodes), length)
            yield Round(step, sources, nodes, log_symbols, (rows, symbols))
            length += 1
            if not len(rows):
                return
            nodes = self.prefixes.extend([nodes[row] for row in rows.tolist()], symbols.tolist())
            if self.width == 1 and len(rows) == len(sources):  # all go on, each with one prefix
                state = step.choose(symbols)
                continue
            before, sources = sources, sources[rows]
            state = step.choose(symbols, rows)
            if not np.array_equal(before, sources):
                memory = self.memory.select(sources)

    def decoded(self) -> list[Decoded]:
        """The lists, with what is certain of them."""
        certified = (self.log_ends[:, -1] >= self.log_bound).tolist()
        results = []
        for row, (ends, log_ends) in enumerate(zip(self.ends.tolist(), self.log_ends.tolist(), strict=True)):
            found = [(-p, self.prefixes.string(node)) for node, p in zip(ends, log_ends, strict=True) if p > -math.inf]
            hypotheses = tuple(Hypothesis(string, -cost) for cost, string in sorted(found))
            results.append(Decoded(hypotheses, certified[row], float(self.log_bound[row])))
        return results

    def _keep(self, log_symbols: Floats, sources: Ids, nodes: Ids, length: int) -> tuple[Ids, Ids]:
        """The best continuations of each source, as rows and symbols; whatever is dropped goes into the bound."""
        size = log_symbols.shape[1]
        first = np.flatnonzero(np.diff(sources, prepend=-1))  # the rows of a source stand together
        active = sources[first]
        place = np.repeat(np.arange(len(active)), np.diff(first, append=len(sources)))
        slot = np.arange(len(sources)) - first[place]
        row_of = np.zeros((len(active), self.width), dtype=np.int64)
        row_of[place, slot] = np.arange(len(sources))
        table = np.full((len(active), self.width, size), -math.inf, dtype=log_symbols.dtype)
        table[place, slot] = log_symbols
        self._finish(active, table[:, :, EOS], nodes[row_of])
        table[:, :, EOS] = -math.inf
        best, choice = _highest(table.reshape(len(active), -1), self.width + 1)
        kept = best > self.log_ends[active, -1:]
        kept &= (self.limits[active] > length)[:, None]
        kept[:, self.width] = False
        self._drop(active, best, kept)
        where, rank = kept.nonzero()
        chosen = choice[where, rank]
        return row_of[where, chosen // size], chosen % size

    def _keep_one(self, log_symbols: Floats, sources: Ids, nodes: Ids, length: int) -> tuple[Ids, Ids]:
        """`_keep` for one prefix and one string per source, in a third of the time."""
        log_ends, known = log_symbols[:, EOS], self.log_ends[sources, 0]
        better = log_ends > known
        highest = np.where(better, log_ends, known)
        self.log_ends[sources, 0] = highest
        self.ends[sources, 0] = np.where(better, nodes, self.ends[sources, 0])
        log_more = log_symbols.copy()
        log_more[:, EOS] = -math.inf
        everyone = np.arange(len(sources))
        symbols = log_more.argmax(1)
        best = log_more[everyone, symbols]
        kept = (best > highest) & (self.limits[sources] > length)
        log_more[everyone, symbols] = np.where(kept, -math.inf, best)
        dropped = np.maximum(log_more.max(1), np.where(better, known, log_ends))
        self.log_bound[sources] = np.maximum(self.log_bound[sources], dropped)
        rows = kept.nonzero()[0]
        return rows, symbols[rows]

    def _finish(self, active: Ids, log_ends: Floats, nodes: Ids) -> None:
        """Enter strings that end here, (source, slot), among the best finished ones."""
        log_all = np.concatenate([self.log_ends[active], log_ends], 1)
        all_nodes = np.concatenate([self.ends[active], nodes], 1)
        best, choice = _highest(log_all, self.ends.shape[1])
        kept = np.zeros(log_all.shape, dtype=bool)
        np.put_along_axis(kept, choice, True, 1)
        self.log_ends[active], self.ends[active] = best, np.take_along_axis(all_nodes, choice, 1)
        self._drop(active, log_all, kept)

    def _drop(self, active: Ids, log_all: Floats, kept: NDArray[np.bool_]) -> None:
        dropped = np.where(kept, -math.inf, log_all).max(1)
        self.log_bound[active] = np.maximum(self.log_bound[active], dropped)


def _highest(values: Floats, count: int) -> tuple[Floats, Ids]:
    """The `count` highest values of each row, highest first, and their columns."""
    if count == 1:
        columns = values.argmax(1)[:, None]
    elif count < values.shape[1]:
        columns = np.argpartition(values, -count, axis=1)[:, -count:]
        columns = np.take_along_axis(columns, np.argsort(-np.take_along_axis(values, columns, 1), axis=1), 1)
    else:
        columns = np.argsort(-values, axis=1)[:, :count]
    return np.take_along_axis(values, columns, 1), columns
