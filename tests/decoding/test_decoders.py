"""What all decoders promise: honest scores, no influence of neighbours; and beam, greedy and sampling by themselves."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import tiny
from decoding import enumeration
from isotone.decoding import Hypothesis, sample_strings
from isotone.errors import ConfigError
from isotone.models import ALIGNERS
from isotone.text.vocabulary import EOS, FIRST
from searches import beam_search, exact_search, greedy_search

every_aligner = pytest.mark.parametrize("aligner", ALIGNERS)

SEARCHES = {
    "greedy": greedy_search,
    "beam": lambda model, sources: beam_search(model, sources, width=4, n_best=3),
    "exact": lambda model, sources: exact_search(model, sources, n_best=3),
}
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())


@every_aligner
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
@pytest.mark.parametrize("copies", [False, True])
def test_log_prob_is_that_of_the_pair(aligner, dtype, tolerance, copies):
    model = enumeration.model(aligner, dtype=dtype, tags=("N", "PL"), copies_unknown=copies)
    check_log_probs(model, enumeration.words([5, 0, 3], tags=2), tolerance)


@pytest.mark.parametrize("aligner", tiny.COPYING)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
def test_log_prob_of_copies_is_that_of_the_pair(aligner, dtype, tolerance):
    model = opened(enumeration.model(aligner, dtype=dtype, tags=("N", "PL")))
    first, *rest = enumeration.words([5, 0, 3], aligner=aligner, tags=2)
    copies = (-1, FIRST + 4, FIRST + 3, FIRST + 1, FIRST + 3, FIRST + 4, -1)
    sources = [replace(first, copies=copies), *rest]
    found = check_log_probs(model, sources, tolerance)
    assert any(symbol > FIRST + 2 for lists in found for h in lists[0] for symbol in h.symbols)


def opened(model, more=3.0):
    """The model, made to copy."""
    with torch.no_grad():
        model.network.emission.gate.bias += more
    return model


def check_log_probs(model, sources, tolerance):
    found = [[d.hypotheses for d in search(model, sources)] for search in SEARCHES.values()]
    found.append(sample_strings(model, sources, count=5))
    for lists in found:
        for row, hypotheses in enumerate(lists):
            expected = enumeration.log_probs(model, sources[row], [h.symbols for h in hypotheses])
            assert [h.log_prob for h in hypotheses] == pytest.approx(expected, abs=tolerance, rel=tolerance)
    return found


@every_search
@pytest.mark.parametrize("aligner", tiny.VARIANTS)
def test_neighbours_do_not_matter(aligner, search):
    model = enumeration.model(aligner, tags=("N", "PL"))
    sources = enumeration.words([5, 0, 3, 1, 7], aligner=aligner, tags=2)
    together = search(model, sources)
    for row, decoded in enumerate(together):
        (alone,) = search(model, [sources[row]])
        assert [h.symbols for h in alone.hypotheses] == [h.symbols for h in decoded.hypotheses]
        assert [h.log_prob for h in alone.hypotheses] == pytest.approx(
            [h.log_prob for h in decoded.hypotheses], abs=1e-10
        )
        assert alone.certified == decoded.certified
        if decoded.log_bound is not None:
            assert alone.log_bound == pytest.approx(decoded.log_bound, abs=1e-10)


@every_aligner
@pytest.mark.parametrize("limit", [None, 0, 3])
def test_greedy_is_the_papers_algorithm(aligner, limit):
    model = enumeration.model(aligner, more=0.0)
    sources = enumeration.words([4, 0, 2])
    for row, decoded in enumerate(greedy_search(model, sources, max_length=limit)):
        memory = model.encode([sources[row]])
        state, string = model.start(memory), []
        while True:
            step = model.step(state, memory)
            symbol = int(step.log_symbols[0].argmax())
            if symbol == EOS or len(string) == (3 * len(sources[row].source) + 30 if limit is None else limit):
                break
            string.append(symbol)
            state = step.choose(np.array([symbol]))
        assert decoded.hypotheses[0].symbols == tuple(string)
        assert decoded.hypotheses[0].log_prob == pytest.approx(step.log_symbols[0, EOS].item(), abs=1e-10)
        assert decoded.certified is None and decoded.cut == (symbol != EOS)


@settings(max_examples=25)
@given(aligner=st.sampled_from(list(ALIGNERS)), n_best=st.integers(1, 5), seed=st.integers(0, 1000))
def test_a_wide_beam_is_exact(aligner, n_best, seed):
    torch.manual_seed(seed)
    model = enumeration.model(aligner, target="xy")
    sources = enumeration.words([3, 0, 4])
    wide = beam_search(model, sources, width=64, n_best=n_best, max_length=6)
    for one, other in zip(wide, exact_search(model, sources, n_best=n_best, max_length=6), strict=True):
        assert [h.symbols for h in one.hypotheses] == [h.symbols for h in other.hypotheses]
        assert one.certified == other.certified


@settings(max_examples=40)
@given(width=st.integers(1, 4), n_best=st.integers(1, 4), seed=st.integers(0, 1000))
def test_a_narrow_beam_knows_what_it_missed(width, n_best, seed):
    torch.manual_seed(seed)
    model = enumeration.model("0-mono", target="xy", more=0.0)
    sources = enumeration.words([3, 4])
    for row, decoded in enumerate(beam_search(model, sources, width=width, n_best=n_best, max_length=8)):
        everything = enumeration.ranked(model, sources[row], length=8)
        listed = [hypothesis.symbols for hypothesis in decoded.hypotheses]
        assert len(set(listed)) == len(listed) == n_best
        missed = max(value for value, string in everything if string not in listed)
        assert missed <= decoded.log_bound + 1e-10
        assert decoded.certified == (decoded.hypotheses[-1].log_prob >= decoded.log_bound)
        if decoded.certified:
            assert listed == [string for _, string in everything[:n_best]]


def test_beams_and_counts_below_one_are_refused():
    model, sources = enumeration.model("0-mono", more=0.0), enumeration.words([2])
    for call in (
        lambda: beam_search(model, sources, width=0),
        lambda: beam_search(model, sources, n_best=0),
        lambda: exact_search(model, sources, n_best=0),
        lambda: exact_search(model, sources, mass=1.5),
        lambda: exact_search(model, sources, budget=0),
        lambda: sample_strings(model, sources, count=0),
    ):
        with pytest.raises(ConfigError):
            call()


@pytest.mark.parametrize("aligner", ["soft", "0-mono", "1-mono"])
def test_sampling_frequencies_are_probabilities(aligner):
    model = enumeration.model(aligner, target="xy")
    sources = enumeration.words([3, 1])
    count = 4000
    drawn = sample_strings(model, sources, count=count, generator=np.random.default_rng(7))
    for row, hypotheses in enumerate(drawn):
        assert len(hypotheses) == count
        everything = enumeration.ranked(model, sources[row], length=6)
        likely = {string: math.exp(value) for value, string in everything if math.exp(value) * count > 10}
        seen = Counter(hypothesis.symbols for hypothesis in hypotheses)
        observed = [seen[string] for string in likely]
        expected = [count * probability for probability in likely.values()]
        result = chisquare([*observed, count - sum(observed)], [*expected, count - sum(expected)])
        assert result.pvalue > 0.001


def test_sampling_is_reproducible_by_its_generator():
    model, sources = enumeration.model("0-mono", more=0.0), enumeration.words([3, 0])
    first, again, other = (
        sample_strings(model, sources, count=20, max_length=5, generator=np.random.default_rng(seed))
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert all(type(h) is Hypothesis and len(h.symbols) <= 5 for hypotheses in first for h in hypotheses)
