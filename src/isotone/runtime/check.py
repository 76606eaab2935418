"""Is an exported model the one it was made of? Both are asked the same, and the difference is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isotone.decoding.greedy import greedy_search
from isotone.decoding.hypothesis import Decoded
from isotone.decoding.protocol import Model
from isotone.decoding.space import SearchSpace
from isotone.errors import ModelError
from isotone.store.exported import Difference
from isotone.text.codec import NO_COPY, Encoded
from isotone.text.vocabulary import BOS, EOS, FIRST, Vocabulary

__all__ = ["TOLERANCE", "measure"]

SAMPLES, LONGEST = 48, 12
TOLERANCE = 1e-4
"""Nats per symbol that fp32 may differ by; more means that the graphs are wrong."""


def measure(trained: Model, exported: Model, vocabulary: Vocabulary, *, gated: bool, exact: bool) -> Difference:
    """Greedy strings for made-up sources, and their log-probabilities, under both; ModelError where `exact` and far."""
    sources = _made_up(vocabulary, gated=gated)
    ours, theirs = (_greedy(model, sources) for model in (trained, exported))
    strings = [_symbols(found) for found in ours]
    same = sum(string == _symbols(found) for string, found in zip(strings, theirs, strict=True))
    pairs = [replace(source, target=(*string, EOS)) for source, string in zip(sources, strings, strict=True)]
    before, after = trained.log_probs(pairs), exported.log_probs(pairs)
    possible = before > -np.inf
    if not np.array_equal(possible, after > -np.inf):
        raise ModelError("the exported graphs have other structural zeros than the network: they cannot be used")
    lengths = np.array([len(string) + 1 for string in strings])
    far = float((np.abs(before[possible] - after[possible]) / lengths[possible]).max(initial=0.0))
    if not far < (TOLERANCE if exact else np.inf):
        raise ModelError(
            f"the exported graphs differ from the network by {far:.3g} nats per symbol: they cannot be used"
        )
    return Difference(samples=len(sources), same=same, log_prob=far)


def _greedy(model: Model, sources: Sequence[Encoded]) -> list[Decoded]:
    """UNK is compared too, though no source has anything to copy."""
    space = SearchSpace(model, sources, model.encode(sources), max_length=3 * LONGEST, idle_copies=True)
    return greedy_search(space)


def _symbols(decoded: Decoded) -> tuple[int, ...]:
    return decoded.hypotheses[0].symbols if decoded.hypotheses else ()


def _made_up(vocabulary: Vocabulary, *, gated: bool) -> list[Encoded]:
    """Random strings of the source alphabet with random tags."""
    random = np.random.default_rng(0)
    shared = vocabulary.shared()
    found = []
    for number in range(SAMPLES):
        length = 1 + number % LONGEST if vocabulary.source.symbols else 0
        ids = random.integers(FIRST, max(FIRST + 1, len(vocabulary.source)), length).tolist()
        tags = tuple(np.flatnonzero(random.random(len(vocabulary.tags)) < 0.3).tolist())
        copies = (NO_COPY, *(shared.get(id_, NO_COPY) for id_ in ids), NO_COPY) if gated else ()
        symbols = tuple(vocabulary.source.symbol(id_) for id_ in ids)
        found.append(Encoded((BOS, *ids, EOS), None, tags, symbols, (), copies))
    return found
