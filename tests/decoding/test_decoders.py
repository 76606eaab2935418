"""What all decoders promise: honest scores, no influence of neighbours; and beam, greedy and sampling by themselves."""

import math
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import tiny
from decoding import enumeration
from isotone.decoding import Hypothesis, beam, exact, greedy, sample
from isotone.errors import ConfigError
from isotone.models import ALIGNERS
from isotone.text.vocabulary import EOS, FIRST

every_aligner = pytest.mark.parametrize("aligner", ALIGNERS)

SEARCHES = {
    "greedy": greedy,
    "beam": lambda model, batch: beam(model, batch, width=4, n_best=3),
    "exact": lambda model, batch: exact(model, batch, n_best=3),
}
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())


@every_aligner
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
@pytest.mark.parametrize("copies", [False, True])
def test_log_prob_is_that_of_the_pair(aligner, dtype, tolerance, copies):
    network = enumeration.model(aligner, dtype=dtype, tags=("N", "PL"), copies_unknown=copies)
    check_log_probs(network, tiny.random_batch([5, 0, 3], [0] * 3, tags=2), tolerance)


@pytest.mark.parametrize("aligner", tiny.COPYING)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
def test_log_prob_of_copies_is_that_of_the_pair(aligner, dtype, tolerance):
    network = opened(enumeration.model(aligner, dtype=dtype, tags=("N", "PL")))
    batch = tiny.batch_for(aligner, [5, 0, 3], [0] * 3, tags=2)
    batch.copies[0, 1:6] = torch.tensor([FIRST + 4, FIRST + 3, FIRST + 1, FIRST + 3, FIRST + 4])
    found = check_log_probs(network, batch, tolerance)
    assert any(symbol > FIRST + 2 for lists in found for h in lists[0] for symbol in h.symbols)


def opened(network, more=3.0):
    """The model, made to copy."""
    with torch.no_grad():
        network.emission.gate.bias += more
    return network


def check_log_probs(network, batch, tolerance):
    found = [[d.hypotheses for d in search(network, batch)] for search in SEARCHES.values()]
    found.append(sample(network, batch, count=5))
    for lists in found:
        for row, hypotheses in enumerate(lists):
            expected = enumeration.log_probs(network, batch, row, [h.symbols for h in hypotheses])
            assert [h.log_prob for h in hypotheses] == pytest.approx(expected, abs=tolerance, rel=tolerance)
    return found


@every_search
@pytest.mark.parametrize("aligner", tiny.VARIANTS)
def test_neighbours_do_not_matter(aligner, search):
    network = enumeration.model(aligner, tags=("N", "PL"))
    batch = tiny.batch_for(aligner, [5, 0, 3, 1, 7], [0] * 5, tags=2)
    together = search(network, batch)
    for row, decoded in enumerate(together):
        (alone,) = search(network, tiny.row(batch, row))
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
    network = tiny.model(aligner)
    batch = tiny.random_batch([4, 0, 2], [0] * 3)
    for row, decoded in enumerate(greedy(network, batch, max_length=limit)):
        one = tiny.row(batch, row)
        memory = network.encode(one)
        state, string = network.start(memory), []
        while True:
            step = network.step(state, memory)
            symbol = int(step.log_symbols[0].argmax())
            if symbol == EOS or len(string) == (3 * int(one.source_lengths) + 30 if limit is None else limit):
                break
            string.append(symbol)
            state = step.choose(torch.tensor([symbol]))
        assert decoded.hypotheses[0].symbols == tuple(string)
        assert decoded.hypotheses[0].log_prob == pytest.approx(step.log_symbols[0, EOS].item(), abs=1e-10)
        assert not decoded.certified


@settings(max_examples=25)
@given(aligner=st.sampled_from(list(ALIGNERS)), n_best=st.integers(1, 5), seed=st.integers(0, 1000))
def test_a_wide_beam_is_exact(aligner, n_best, seed):
    torch.manual_seed(seed)
    network = enumeration.model(aligner, target="xy")
    batch = tiny.random_batch([3, 0, 4], [0] * 3)
    wide = beam(network, batch, width=64, n_best=n_best, max_length=6)
    for one, other in zip(wide, exact(network, batch, n_best=n_best, max_length=6), strict=True):
        assert [h.symbols for h in one.hypotheses] == [h.symbols for h in other.hypotheses]
        assert one.certified == other.certified


@settings(max_examples=40)
@given(width=st.integers(1, 4), n_best=st.integers(1, 4), seed=st.integers(0, 1000))
def test_a_narrow_beam_knows_what_it_missed(width, n_best, seed):
    torch.manual_seed(seed)
    network = tiny.model("0-mono", target="xy")
    batch = tiny.random_batch([3, 4], [0, 0])
    for row, decoded in enumerate(beam(network, batch, width=width, n_best=n_best, max_length=8)):
        everything = enumeration.ranked(network, batch, row, length=8)
        listed = [hypothesis.symbols for hypothesis in decoded.hypotheses]
        assert len(set(listed)) == len(listed) == n_best
        missed = max(value for value, string in everything if string not in listed)
        assert missed <= decoded.log_bound + 1e-10
        assert decoded.certified == (decoded.hypotheses[-1].log_prob >= decoded.log_bound)
        if decoded.certified:
            assert listed == [string for _, string in everything[:n_best]]


def test_beams_and_counts_below_one_are_refused():
    network, batch = tiny.model("0-mono"), tiny.random_batch([2], [0])
    for call in (
        lambda: beam(network, batch, width=0),
        lambda: beam(network, batch, n_best=0),
        lambda: exact(network, batch, n_best=0),
        lambda: exact(network, batch, mass=1.5),
        lambda: exact(network, batch, budget=0),
        lambda: sample(network, batch, count=0),
    ):
        with pytest.raises(ConfigError):
            call()


@pytest.mark.parametrize("aligner", ["soft", "0-mono", "1-mono"])
def test_sampling_frequencies_are_probabilities(aligner):
    network = enumeration.model(aligner, target="xy")
    batch = tiny.random_batch([3, 1], [0, 0])
    count = 4000
    drawn = sample(network, batch, count=count, generator=torch.Generator().manual_seed(7))
    for row, hypotheses in enumerate(drawn):
        assert len(hypotheses) == count
        everything = enumeration.ranked(network, batch, row, length=6)
        likely = {string: math.exp(value) for value, string in everything if math.exp(value) * count > 10}
        seen = Counter(hypothesis.symbols for hypothesis in hypotheses)
        observed = [seen[string] for string in likely]
        expected = [count * probability for probability in likely.values()]
        result = chisquare([*observed, count - sum(observed)], [*expected, count - sum(expected)])
        assert result.pvalue > 0.001


def test_sampling_is_reproducible_by_its_generator():
    network, batch = tiny.model("0-mono"), tiny.random_batch([3, 0], [0, 0])
    first, again, other = (
        sample(network, batch, count=20, max_length=5, generator=torch.Generator().manual_seed(seed))
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert all(type(h) is Hypothesis and len(h.symbols) <= 5 for hypotheses in first for h in hypotheses)
