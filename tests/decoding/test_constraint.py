"""Constraints: only allowed strings, with the probabilities they have without a constraint."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from decoding import enumeration
from isotone.decoding import AllowedSymbols, Trie, sample_strings
from isotone.errors import ConfigError
from isotone.text.vocabulary import BOS, EOS, FIRST, UNK
from searches import beam_search, exact_search, greedy_search

X, Y, Z = FIRST, FIRST + 1, FIRST + 2
SIZE = FIRST + 3
WORDS = [(), (X, Y), (X, Y, Z), (Z,), (Z, Z, Z, Z), (Y, X)]


@pytest.mark.parametrize("aligner", ["soft", "0-mono", "1-hard"])
def test_a_trie_ranks_its_strings_by_their_scores(aligner):
    model = enumeration.model(aligner)
    sources = enumeration.words([3, 0])
    trie = Trie(WORDS, SIZE)
    for search in (beam_search, exact_search):
        for row, decoded in enumerate(search(model, sources, n_best=10, constraint=trie)):
            scores = dict(zip(WORDS, enumeration.log_probs(model, sources[row], WORDS), strict=True))
            assert [h.symbols for h in decoded.hypotheses] == sorted(WORDS, key=scores.__getitem__, reverse=True)
            for hypothesis in decoded.hypotheses:
                assert hypothesis.log_prob == pytest.approx(scores[hypothesis.symbols], abs=1e-10)
            assert decoded.certified and decoded.log_bound == -math.inf, "nothing else is allowed"


def test_best_of_a_trie_and_its_bound():
    model, sources = enumeration.model("0-mono"), enumeration.words([3, 0, 4])
    for row, decoded in enumerate(exact_search(model, sources, n_best=2, constraint=Trie(WORDS, SIZE))):
        scores = sorted(enumeration.log_probs(model, sources[row], WORDS), reverse=True)
        assert [h.log_prob for h in decoded.hypotheses] == pytest.approx(scores[:2], abs=1e-10)
        assert decoded.certified and decoded.log_bound >= scores[2] - 1e-10


def test_greedy_and_samples_stay_in_the_trie():
    model, sources = enumeration.model("0-mono", more=0.0), enumeration.words([3, 0, 4])
    trie = Trie(WORDS, SIZE)
    drawn = sample_strings(model, sources, count=300, constraint=trie, generator=np.random.default_rng(1))
    for row, decoded in enumerate(greedy_search(model, sources, constraint=trie)):
        scores = dict(zip(WORDS, enumeration.log_probs(model, sources[row], WORDS), strict=True))
        for hypothesis in (*decoded.hypotheses, *drawn[row]):
            assert hypothesis.log_prob == pytest.approx(scores[hypothesis.symbols], abs=1e-10)
        assert len(decoded.hypotheses) == 1 and len(drawn[row]) == 300
        assert len(Counter(h.symbols for h in drawn[row])) > 1


@pytest.mark.parametrize("aligner", ["0-hard", "1-mono"])
def test_allowed_symbols_are_an_alphabet(aligner):
    model, sources = enumeration.model(aligner), enumeration.words([3, 0])
    allowed = AllowedSymbols([X, Z], SIZE)
    found = exact_search(model, sources, n_best=6, max_length=5, constraint=allowed)
    drawn = sample_strings(model, sources, count=50, constraint=allowed, generator=np.random.default_rng(1))
    for row, decoded in enumerate(found):
        everything = enumeration.ranked(model, sources[row], length=5, symbols=(X, Z))
        assert [h.symbols for h in decoded.hypotheses] == [string for _, string in everything[:6]]
        assert [h.log_prob for h in decoded.hypotheses] == pytest.approx([v for v, _ in everything[:6]], abs=1e-10)
        assert all(Y not in hypothesis.symbols for hypothesis in drawn[row])
    for decoded in greedy_search(model, sources, constraint=allowed) + beam_search(
        model, sources, n_best=4, constraint=allowed
    ):
        assert all(Y not in hypothesis.symbols for hypothesis in decoded.hypotheses)


def test_no_symbols_leave_the_empty_string():
    model, sources = enumeration.model("0-mono", more=0.0), enumeration.words([3])
    for search in (greedy_search, beam_search, exact_search):
        (decoded,) = search(model, sources, constraint=AllowedSymbols([], SIZE))
        (score,) = enumeration.log_probs(model, sources[0], [()])
        assert decoded.hypotheses[0].symbols == ()
        assert decoded.hypotheses[0].log_prob == pytest.approx(score, abs=1e-10)


def test_nothing_allowed_within_the_limit_is_an_empty_list():
    model, sources = enumeration.model("0-mono", more=0.0), enumeration.words([3, 0])
    trie = Trie([(X, Y, Z)], SIZE)
    for search in (greedy_search, beam_search, exact_search):
        assert all(not decoded.hypotheses for decoded in search(model, sources, max_length=2, constraint=trie))
        assert all(decoded.hypotheses for decoded in search(model, sources, max_length=3, constraint=trie))
    assert not exact_search(model, sources, max_length=2, constraint=trie)[0].certified, "something was cut"
    assert sample_strings(model, sources, count=2, max_length=2, constraint=trie) == [(), ()]


class NoDoubles:
    """A constraint of a user's own: no symbol twice in a row, and anything at the start."""

    def start(self):
        return None

    def allowed(self, node):
        return None if node is None else np.arange(SIZE) != node

    def advance(self, node, symbol):
        return symbol


def test_a_constraint_of_ones_own():
    model, sources = enumeration.model("0-mono"), enumeration.words([3, 0])
    for row, decoded in enumerate(exact_search(model, sources, n_best=5, max_length=5, constraint=NoDoubles())):
        everything = enumeration.ranked(model, sources[row], length=5, symbols=(X, Y, Z))
        single = [s for _, s in everything if all(a != b for a, b in itertools.pairwise(s))]
        assert [h.symbols for h in decoded.hypotheses] == single[:5]


@pytest.mark.parametrize("symbol", [BOS, EOS, SIZE, -1])
def test_ids_that_cannot_be_written_are_refused(symbol):
    with pytest.raises(ConfigError, match=f"id {symbol} is not a target symbol"):
        Trie([(X, symbol)], SIZE)
    with pytest.raises(ConfigError, match=f"id {symbol} is not a target symbol"):
        AllowedSymbols([symbol], SIZE)


def test_an_empty_trie_is_refused_and_unknown_is_not():
    with pytest.raises(ConfigError, match="empty"):
        Trie([], SIZE)
    assert Trie([(UNK,)], SIZE).allowed(0).nonzero()[0].tolist() == [UNK]
