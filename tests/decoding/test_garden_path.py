"""A model that leads greedy search astray, with numbers one can check by hand; no network in it.

x 0.6 ── end 0.15, or x, y, z and then the end: 0.15 each        y 0.4 ── end 0.4: the best string
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from decoding import enumeration
from isotone.decoding import sample_strings
from isotone.text.vocabulary import EOS, FIRST
from searches import beam_search, exact_search, greedy_search

X, Y, Z = FIRST, FIRST + 1, FIRST + 2
FOLLOWING = [{X: (0.6, 1), Y: (0.4, 2)}, {EOS: (0.25, 2), X: (0.25, 2), Y: (0.25, 2), Z: (0.25, 2)}, {EOS: (1.0, 2)}]
"""For each node: symbol → probability and the next node."""


@dataclass(frozen=True, eq=False)
class Prefix:
    node: np.ndarray
    log_mass: np.ndarray

    def select(self, rows):
        return Prefix(self.node[rows], self.log_mass[rows])

    def join(self, others):
        prefixes = (self, *others)
        return Prefix(np.concatenate([p.node for p in prefixes]), np.concatenate([p.log_mass for p in prefixes]))


@dataclass(frozen=True, eq=False)
class Continuations:
    log_symbols: np.ndarray
    following: np.ndarray

    def choose(self, symbols, rows=None):
        rows = np.arange(len(symbols)) if rows is None else rows
        return Prefix(self.following[rows, symbols], self.log_symbols[rows, symbols])


class GardenPath:
    """A model of three nodes that counts the prefixes it expands; a memory is an array of rows."""

    def __init__(self):
        self.expanded = 0
        self.log_table = np.full((3, Z + 1), -math.inf)
        self.following = np.zeros((3, Z + 1), dtype=np.int64)
        for node, symbols in enumerate(FOLLOWING):
            for symbol, (probability, following) in symbols.items():
                self.log_table[node, symbol] = math.log(probability)
                self.following[node, symbol] = following

    def encode(self, sources):
        return Prefix(np.zeros(len(sources), dtype=np.int64), np.zeros(len(sources)))

    def start(self, memory):
        return memory

    def step(self, state, memory):
        assert len(memory.node) == len(state.node)
        self.expanded += len(state.node)
        return Continuations(state.log_mass[:, None] + self.log_table[state.node], self.following[state.node])


SOURCES = enumeration.words([2, 0])


def probabilities(decoded):
    return [(hypothesis.symbols, pytest.approx(math.exp(hypothesis.log_prob))) for hypothesis in decoded.hypotheses]


def test_greedy_and_a_beam_of_one_are_led_astray_and_the_beam_knows():
    for decoded in greedy_search(GardenPath(), SOURCES):
        assert probabilities(decoded) == [((X,), 0.15)]
    for decoded in beam_search(GardenPath(), SOURCES, width=1):
        assert probabilities(decoded) == [((X,), 0.15)]
        assert not decoded.certified and math.exp(decoded.log_bound) == pytest.approx(0.4)


def test_a_beam_of_two_is_not_and_the_beam_knows():
    for decoded in beam_search(GardenPath(), SOURCES, width=2):
        assert probabilities(decoded) == [((Y,), 0.4)]
        assert decoded.certified and math.exp(decoded.log_bound) == pytest.approx(0.15)


def test_exact_expands_what_the_proof_needs_and_no_more():
    model = GardenPath()
    for decoded in exact_search(model, SOURCES):
        assert probabilities(decoded) == [((Y,), 0.4)]
        assert decoded.certified and math.exp(decoded.log_bound) == pytest.approx(0.15)
    assert model.expanded == 3 * len(SOURCES)  # the empty prefix, x, y


def test_a_budget_that_ends_before_the_proof():
    for decoded in exact_search(GardenPath(), SOURCES, budget=2):
        assert probabilities(decoded) == [((X,), 0.15)]
        assert not decoded.certified and math.exp(decoded.log_bound) == pytest.approx(0.4)


def test_equals_come_in_the_order_of_their_symbols_and_then_there_is_nothing_more():
    everything = [(Y,), (X,), (X, X), (X, Y), (X, Z)]
    for n_best in (5, 9):
        for decoded in exact_search(GardenPath(), SOURCES, n_best=n_best):
            assert [hypothesis.symbols for hypothesis in decoded.hypotheses] == everything
            assert decoded.certified and decoded.log_bound == -math.inf


@pytest.mark.parametrize(("mass", "count"), [(0.4 - 1e-9, 1), (0.5, 2), (0.9, 5)])
def test_mass(mass, count):
    for decoded in exact_search(GardenPath(), SOURCES, mass=mass):
        assert decoded.certified and len(decoded.hypotheses) == count


def test_samples():
    for drawn in sample_strings(GardenPath(), SOURCES, count=1000, generator=np.random.default_rng(3)):
        assert sum(hypothesis.symbols == (Y,) for hypothesis in drawn) / 1000 == pytest.approx(0.4, abs=0.05)
