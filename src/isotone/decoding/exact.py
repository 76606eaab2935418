"""Exact search: the provably most probable strings, best first over prefixes.

The mass of a prefix, Σ_a α(a), bounds the probability of every completion. A narrow beam finds strings to beat; then
what the beam left behind and is still above the n-th best string is expanded, most probable prefix first.
For most words that is nothing, and the proof costs no more than the beam.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from isotone.decoding.agenda import Agenda, Entry
from isotone.decoding.beam import BeamSearch, Round
from isotone.decoding.decoders import BUDGET, Exact
from isotone.decoding.hypothesis import Decoded
from isotone.decoding.protocol import Floats, Ids
from isotone.decoding.shortcut import proven_answer, with_shortcuts
from isotone.decoding.space import SearchSpace
from isotone.text.codec import Encoded
from isotone.text.vocabulary import EOS

__all__ = ["exact_search"]

CELLS = 100 * BUDGET
"""Expansions × source symbols: an expansion takes time in proportion to |x|."""
LEAST_BUDGET = 200


def exact_search(space: SearchSpace, options: Exact, *, width: int = 4) -> list[Decoded]:
    """The most probable strings of each source, until the first of the limits given is reached; without one, the best.

    `n_best` strings, a `mass` of probability together, and nothing below `min_probability` but the best string itself.
    No string outside a list has more than its `log_bound`; a certified list ends at or above that. A source that has
    spent its `budget` of expansions (the first beam is never cut short) gives the best strings found, not certified.
    Strings beyond the length limit are not listed but do count in the bound; strings that the constraint forbids do
    neither. `width` prefixes of each source are expanded at a time.
    """
    n_best, mass, least = options.n_best, options.mass, options.min_probability
    if n_best is mass is least is None:
        n_best = 1
    log_least = -math.inf if least is None else math.nextafter(math.log(least), -math.inf)
    few = n_best or 1
    narrow = 1 + few // 4  # fewest expansions altogether: a wider beam takes more than it saves

    def search(space: SearchSpace) -> list[Decoded]:
        beam = BeamSearch(space, width=narrow, n_best=few)
        budgets = [options.budget or _budget(source) for source in space.sources]
        agendas = [Agenda(n_best, mass, log_least, budget) for budget in budgets]
        _ExactSearch(beam, agendas).run(width)
        return [agenda.decoded(beam.prefixes) for agenda in agendas]

    if n_best != 1 or mass is not None or least is not None:
        return search(space)
    return with_shortcuts(space, answer=proven_answer, search=search)


def _budget(source: Encoded) -> int:
    """Expansions by default: `BUDGET`, or for a long source as many as take the same time."""
    return max(LEAST_BUDGET, min(BUDGET, CELLS // len(source.source)))


class _ExactSearch:
    """A beam, and a queue for each source."""

    def __init__(self, beam: BeamSearch, agendas: list[Agenda]) -> None:
        self.beam = beam
        self.agendas = agendas

    def run(self, width: int) -> None:
        """The beam, then rounds of expansions until every source is done."""
        first = list(self.beam.rounds())
        self._enter(first)
        del first
        active = list(range(len(self.agendas)))
        while popped := {source: entries for source in active if (entries := self.agendas[source].pop(width))}:
            active = list(popped)
            round = self._expand([(source, entry) for source, entries in popped.items() for entry in entries])
            self._enter([round])
            del popped, round  # a step that no queue refers to is freed

    def _expand(self, popped: Sequence[tuple[int, Entry]]) -> Round:
        """One step of the model for the popped prefixes of all sources."""
        by_step: dict[int, list[tuple[int, Entry]]] = {}
        for source, entry in popped:
            by_step.setdefault(id(entry.step), []).append((source, entry))
        states = []
        for group in by_step.values():
            symbols = np.array([entry.symbol for _, entry in group])
            states.append(group[0][1].step.choose(symbols, np.array([entry.row for _, entry in group])))
        together = [pair for group in by_step.values() for pair in group]
        nodes = self.beam.prefixes.extend([e.node for _, e in together], [e.symbol for _, e in together])
        sources = np.array([source for source, _ in together])
        step = self.beam.model.step(states[0].join(states[1:]), self.beam.memory.select(sources))
        nothing = sources[:0]
        log_symbols = self.beam.prefixes.allow(step.log_symbols, nodes, sources)
        return Round(step, sources, nodes, log_symbols, (nothing, nothing))

    def _enter(self, rounds: Sequence[Round]) -> None:
        """Enter the strings that end in these rounds, then the continuations that can still matter."""
        sources = np.concatenate([round.sources for round in rounds])
        nodes = [node for round in rounds for node in round.nodes]
        log_symbols = rounds[0].log_symbols if len(rounds) == 1 else np.concatenate([r.log_symbols for r in rounds])
        ends = log_symbols[:, EOS].tolist()
        for source, node, log_prob in zip(sources.tolist(), nodes, ends, strict=True):
            self.agendas[source].expand(log_prob, node)
        firsts = np.cumsum([0, *(len(round.nodes) for round in rounds)])
        kept = np.concatenate([first + round.kept[0] for first, round in zip(firsts[:-1], rounds, strict=True)])
        log_more = log_symbols.copy()
        log_more[:, EOS] = -math.inf
        log_more[kept, np.concatenate([round.kept[1] for round in rounds])] = -math.inf
        self._push(rounds, firsts, sources=sources, nodes=nodes, log_more=log_more)

    def _push(
        self, rounds: Sequence[Round], firsts: Ids, *, sources: Ids, nodes: Sequence[int], log_more: Floats
    ) -> None:
        """Queue the continuations that can still matter and were not expanded yet; the rest goes into the bound.

        `firsts` has the place of each round's first row among all rows.
        """
        floors = np.array([agenda.floor() for agenda in self.agendas])[sources]
        lengths = np.array([self.beam.prefixes.length(node) for node in nodes])
        queued = log_more > np.where(self.beam.limits[sources] <= lengths, math.inf, floors)[:, None]
        dropped = np.full(len(self.agendas), -math.inf)
        np.maximum.at(dropped, sources, np.where(queued, -math.inf, log_more).max(1))
        for agenda, log_mass in zip(self.agendas, dropped.tolist(), strict=True):
            agenda.drop(log_mass)
        rows, symbols = queued.nonzero()
        places = np.searchsorted(firsts, rows, side="right") - 1
        found = zip(rows.tolist(), places.tolist(), symbols.tolist(), log_more[queued].tolist(), strict=True)
        for row, place, symbol, log_mass in found:
            agenda, own = self.agendas[sources[row]], row - int(firsts[place])
            agenda.push(log_mass, nodes[row], symbol, rounds[place].step, own)
