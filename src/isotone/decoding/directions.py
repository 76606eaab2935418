"""Models that read and write from the end of a string to its beginning, and mixtures of both directions.

A network may have been trained on turned strings: its prefixes are then the ends of targets. `Backwards` lets it
take and give strings as people write them, wherever whole strings are concerned: scores, alignments. Search goes on in
the direction of the network, and what it finds is turned afterwards.

A mixture of both directions, p(y | x) = Σ_d w_d p_d(y | x), is a distribution over strings like any other, but there is
no such sum for prefixes: one direction's are the other's ends. So each direction lists its own best strings, every
listed string is scored under both, and what neither has listed is bounded by Σ_d w_d · (the bound of list d).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.constraint import Constraint
from isotone.decoding.hypothesis import Decoded, Hypothesis
from isotone.decoding.mixture import Mixture, shares
from isotone.decoding.protocol import Aligned, Ids, Model
from isotone.errors import ConfigError
from isotone.text.codec import Encoded
from isotone.text.vocabulary import EOS

if TYPE_CHECKING:
    from isotone.decoding.decoders import Exact, Searcher

__all__ = [
    "Backwards",
    "BothWays",
    "best_of_both",
    "change_engines",
    "directed",
    "exact_both",
    "is_backwards",
    "joined",
    "turned",
]

Item = TypeVar("Item")
Result = TypeVar("Result")

LARGEST_LIST = 1024
"""Strings that a direction lists before a search for the best of both gives up."""
ENOUGH = 0.9
"""Of a direction's probability, to begin with: a string that both directions are sure of needs no second one."""
ROUNDING = 1e-5
"""Probabilities summed up from fp32 may be wrong by less than this."""


class Backwards:
    """An engine trained on turned strings. Its prefixes, and so its steps, begin at the end of the target."""

    backwards = True

    def __init__(self, engine: Model) -> None:
        self.engine = engine
        if (trails := getattr(engine, "trails", None)) is not None:
            self.trails = trails  # of the engine's own memories, in its own direction

    def encode(self, sources: Sequence[Encoded]) -> Any:
        """The sources, read from their ends."""
        return self.engine.encode([source.turned() for source in sources])

    def start(self, memory: Any) -> Any:
        """Nothing written yet."""
        return self.engine.start(memory)

    def step(self, state: Any, memory: Any) -> Any:
        """Every symbol that may stand in front of what was written."""
        return self.engine.step(state, memory)

    def log_probs(self, pairs: Sequence[Encoded]) -> NDArray[np.float64]:
        """Exact log p(y | x) of each pair, in nats."""
        return self.engine.log_probs([pair.turned() for pair in pairs])

    def align(self, pairs: Sequence[Encoded]) -> list[Aligned]:
        """Positions counted from the source's beginning; the final EOS stays at the end of the reading."""
        return [_turned_alignment(aligned) for aligned in self.engine.align([pair.turned() for pair in pairs])]

    def sample_paths(self, pair: Encoded, count: int, seed: int | None = None) -> Ids:
        """The same of drawn alignments."""
        return _turned_path(self.engine.sample_paths(pair.turned(), count, seed), len(pair.source))

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """As the engine does it."""
        return self.engine.each(work, items)


def directed(engine: Model, *, backwards: bool) -> Model:
    """The engine as it is, or as one that was trained on turned strings."""
    return Backwards(engine) if backwards else engine


class BothWays(Mixture):
    """A mixture of models that read in different directions: of whole strings alone, so it has no steps."""

    @property
    def ways(self) -> tuple[Model, ...]:
        """One model for each direction."""
        return self.models

    def encode(self, sources: Sequence[Encoded]) -> Any:
        """There is no common prefix to begin with."""
        raise ConfigError("a model of both directions has no prefixes; ask each of its directions")


def is_backwards(model: Model) -> bool:
    """Are the model's prefixes ends of strings?"""
    return bool(getattr(model, "backwards", False))


def joined(models: Sequence[Model], weights: Sequence[float] | None = None) -> Model:
    """Models as one: itself, a mixture, or one of both directions where they differ in that."""
    weighted = list(zip(models, shares(weights, len(models)), strict=True))
    groups = [[pair for pair in weighted if is_backwards(pair[0]) == way] for way in (False, True)]
    ways = [(_mixed(group), sum(share for _, share in group)) for group in groups if group]
    if len(ways) == 1:
        return ways[0][0]
    return BothWays([model for model, _ in ways], [share for _, share in ways])


def _mixed(group: Sequence[tuple[Model, float]]) -> Model:
    return group[0][0] if len(group) == 1 else Mixture([model for model, _ in group], [share for _, share in group])


def change_engines(model: Model, change: Callable[[Model], Model]) -> Model:
    """`change` made to the model, or to each of its directions."""
    if isinstance(model, BothWays):
        return BothWays([change(way) for way in model.ways], model.weights)
    return change(model)


def turned(constraint: Constraint | None) -> Constraint | None:
    """The same strings, written from their ends; ConfigError for a constraint that cannot tell."""
    if constraint is None:
        return None
    turn = getattr(constraint, "turned", None)
    if turn is None:
        raise ConfigError(f"{type(constraint).__name__}: has no `turned`, which a model that writes backwards needs")
    other: Constraint = turn()
    return other


def best_of_both(
    decoder: Searcher, model: Model, sources: Sequence[Encoded], constraint: Constraint | None
) -> list[Decoded]:
    """The strings that the decoder finds in either direction, best first; as many as it lists. Nothing is proven."""
    ways = [decoder.decode(way, sources, constraint) for way in model.ways]  # type: ignore[attr-defined]
    lists = list(zip(*ways, strict=True))
    found = []
    for own, strings in zip(lists, _rescored(model, sources, lists), strict=True):
        found.append(Decoded(tuple(strings[: max(len(way.hypotheses) for way in own)])))
    return found


def exact_both(
    options: Exact, model: Model, sources: Sequence[Encoded], constraint: Constraint | None
) -> list[Decoded]:
    """The most probable strings of the mixture, certified, up to the first limit reached; see `exact_search`.

    Each direction lists its k best strings, or fewer where they have all but a little of its probability. What is in no
    list has at most the sum of the lists' bounds, so listed strings above that are the mixture's best. Where they do
    not suffice, the lists become longer.
    """
    limits = (options.n_best, options.mass, options.min_probability)
    n_best = 1 if limits == (None, None, None) else options.n_best
    enough = options.mass or (ENOUGH if n_best == 1 else 1.0)
    size, rest = (n_best or 1) if enough < 1 else 2 * (n_best or 1), (1 - enough) / 2
    answers: dict[int, Decoded] = {}
    waiting = list(range(len(sources)))
    while waiting:
        asked = [sources[row] for row in waiting]
        longer = replace(options, n_best=size, mass=1 - rest, min_probability=None)
        found_ways = [longer.decode(way, asked, constraint) for way in model.ways]  # type: ignore[attr-defined]
        lists = list(zip(*found_ways, strict=True))
        for row, ways, found in zip(waiting, lists, _rescored(model, asked, lists), strict=True):
            log_bound = _bound(model, ways)
            answer = _proven(options, n_best, found, log_bound)
            if answer is None and (size >= LARGEST_LIST or not all(way.certified for way in ways)):
                answer = _unproven(n_best, found, log_bound)
            if answer is not None:
                spent = sum(way.expansions or 0 for way in ways)
                answers[row] = replace(answer, expansions=spent)
        waiting = [row for row in waiting if row not in answers]
        size, rest = 4 * size, rest / 16 if rest > ROUNDING else 0.0
    return [answers[row] for row in range(len(sources))]


def _bound(model: Model, ways: Sequence[Decoded]) -> float:
    """log of the most probability that a string in none of the lists can have."""
    weights = model.weights  # type: ignore[attr-defined]
    most = sum(weight * _most_unlisted(way) for weight, way in zip(weights, ways, strict=True))
    return math.log(most) if most > 0 else -math.inf


def _most_unlisted(way: Decoded) -> float:
    """The most probability that a string can have in one direction without being in its list: what its search has left
    open, and no more than what the listed strings leave of 1."""
    left = 1 - math.fsum(math.exp(one.log_prob) for one in way.hypotheses) + ROUNDING
    return left if way.log_bound is None else min(left, math.exp(way.log_bound))


def _rescored(model: Model, sources: Sequence[Encoded], lists: Sequence[Sequence[Decoded]]) -> list[list[Hypothesis]]:
    """Of each source, every string of its lists with its log-probability under the whole mixture, best first."""
    strings = [list(dict.fromkeys(one.symbols for way in ways for one in way.hypotheses)) for ways in lists]
    pairs = [
        replace(source, target=(*string, EOS), unseen=())
        for source, own in zip(sources, strings, strict=True)
        for string in own
    ]
    values = iter(model.log_probs(pairs).tolist() if pairs else [])
    found = [[Hypothesis(string, next(values)) for string in own] for own in strings]
    return [sorted(own, key=lambda one: (-one.log_prob, one.symbols)) for own in found]


def _proven(options: Exact, n_best: int | None, found: Sequence[Hypothesis], log_bound: float) -> Decoded | None:
    """The answer, where the strings above the bound reach one of the limits."""
    least = -math.inf if options.min_probability is None else math.log(options.min_probability)
    listed: list[Hypothesis] = []
    mass = 0.0
    for one in found:
        if one.log_prob < log_bound:
            break
        if listed and one.log_prob < least:
            return Decoded(tuple(listed), True, max(one.log_prob, log_bound))
        listed.append(one)
        mass += math.exp(one.log_prob)
        if len(listed) == n_best or (options.mass is not None and mass >= options.mass):
            rest = found[len(listed)].log_prob if len(found) > len(listed) else -math.inf
            return Decoded(tuple(listed), True, max(rest, log_bound))
    if listed and (log_bound < least or log_bound == -math.inf):
        return Decoded(tuple(listed), True, log_bound)
    return None


def _unproven(n_best: int | None, found: Sequence[Hypothesis], log_bound: float) -> Decoded:
    """What was found within the budget."""
    rest = found[n_best].log_prob if n_best is not None and len(found) > n_best else -math.inf
    return Decoded(tuple(found[:n_best]), False, max(rest, log_bound))


def _turned_path(path: Ids, states: int) -> Ids:
    """(…, target) positions of a turned pair as those of the pair; the final EOS keeps its own."""
    return np.concatenate([states - 1 - path[..., -2::-1], path[..., -1:]], -1) if path.shape[-1] > 1 else path


def _turned_alignment(aligned: Aligned) -> Aligned:
    """What was found of a turned pair, of the pair itself."""
    states = aligned.posterior.shape[1]
    path = aligned.path if aligned.log_prob == -math.inf else _turned_path(aligned.path, states)
    table = aligned.posterior
    stays = aligned.stays
    if stays is not None:
        # Row i is of the symbols i − 1 and i; the first symbol has none before it, and the EOS is not next to the last.
        flipped = np.zeros_like(stays)
        flipped[1:-1] = stays[-2:0:-1, ::-1]
        stays = flipped
    return replace(
        aligned,
        path=path,
        posterior=np.concatenate([table[-2::-1, ::-1], table[-1:]]) if len(table) > 1 else table,
        stays=stays,
        silence=None if aligned.silence is None else aligned.silence[::-1],
    )
