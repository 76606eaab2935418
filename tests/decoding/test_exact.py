"""Exact search against brute force: order, probabilities, certificates, bounds."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny
from decoding import enumeration
from isotone.decoding import AllowedSymbols, Mixture, exact
from isotone.models import ALIGNERS
from isotone.text.vocabulary import FIRST, UNK

LENGTH = 6
every_aligner = pytest.mark.parametrize("aligner", ALIGNERS)
sources = st.lists(st.integers(0, 4), min_size=1, max_size=3)


def check(network, batch, found, *, n_best, length=LENGTH, symbols=(FIRST, FIRST + 1)):
    """Each list is the top of the enumeration, and its certificate and bound are true."""
    for row, decoded in enumerate(found):
        everything = enumeration.ranked(network, batch, row, length=length, symbols=symbols)
        assert len(decoded.hypotheses) == min(n_best, len(everything))
        for hypothesis, (log_prob, string) in zip(decoded.hypotheses, everything, strict=False):
            assert hypothesis.symbols == string
            assert hypothesis.log_prob == pytest.approx(log_prob, abs=1e-10)
        check_bound(decoded, everything)
        if enumeration.longer(everything) < decoded.hypotheses[-1].log_prob:
            assert decoded.certified


def check_bound(decoded, everything):
    """No string outside the list has more than the bound; a certified list has nothing better outside."""
    listed = {hypothesis.symbols for hypothesis in decoded.hypotheses}
    assert len(listed) == len(decoded.hypotheses), "a string twice"
    missed = max((value for value, string in everything if string not in listed), default=-math.inf)
    assert missed <= decoded.log_bound + 1e-10
    if decoded.certified and decoded.hypotheses:
        assert decoded.log_bound <= decoded.hypotheses[-1].log_prob + 1e-10
    values = [hypothesis.log_prob for hypothesis in decoded.hypotheses]
    assert values == sorted(values, reverse=True)


@every_aligner
@settings(max_examples=15)
@given(lengths=sources, n_best=st.integers(1, 7), width=st.integers(1, 9), seed=st.integers(0, 1000))
def test_n_best_is_the_top_of_all_strings(aligner, lengths, n_best, width, seed):
    torch.manual_seed(seed)
    network = enumeration.model(aligner, target="xy")
    batch = tiny.random_batch(lengths, [0] * len(lengths))
    found = exact(network, batch, n_best=n_best, width=width, max_length=LENGTH)
    check(network, batch, found, n_best=n_best)


@settings(max_examples=15)
@given(
    aligners=st.lists(st.sampled_from(list(ALIGNERS)), min_size=1, max_size=3),
    lengths=sources,
    n_best=st.integers(1, 5),
    seed=st.integers(0, 1000),
)
def test_n_best_of_a_mixture(aligners, lengths, n_best, seed):
    torch.manual_seed(seed)
    network = enumeration.mixture(aligners, target="xy")
    batch = tiny.random_batch(lengths, [0] * len(lengths))
    check(network, batch, exact(network, batch, n_best=n_best, max_length=LENGTH), n_best=n_best)


@every_aligner
def test_a_model_that_emits_unknowns(aligner):
    network = enumeration.model(aligner, target="xy", copies_unknown=True)
    batch = tiny.random_batch([3, 0], [0, 0])
    found = exact(network, batch, n_best=5, max_length=5)
    check(network, batch, found, n_best=5, length=5, symbols=(UNK, FIRST, FIRST + 1))


@pytest.mark.parametrize("aligner", tiny.COPYING)
@pytest.mark.parametrize("lengths", [[3, 0], [4]])
def test_symbols_beyond_the_alphabet_are_found_by_copying(aligner, lengths):
    networks = [enumeration.model(aligner, target="xy", hidden=size) for size in (4, 3)]
    for network in networks:
        with torch.no_grad():
            network.emission.gate.bias += 2
    batch = tiny.batch_for(aligner, lengths, [0] * len(lengths), target_symbols=2)
    batch.copies[0, 1:3] = torch.tensor([FIRST + 3, FIRST])
    beyond = tuple(range(FIRST, FIRST + 4))
    for network in (networks[0], Mixture(networks, [0.25, 0.75])):
        found = exact(network, batch, n_best=15, max_length=4)
        check(network, batch, found, n_best=15, length=4, symbols=beyond)
        assert any(FIRST + 3 in hypothesis.symbols for hypothesis in found[0].hypotheses)
        only = AllowedSymbols([FIRST], FIRST + 2)  # a constraint speaks of the alphabet: nothing beyond it
        (first, *_) = exact(network, batch, n_best=4, max_length=3, constraint=only)
        assert [h.symbols for h in first.hypotheses] and {s for h in first.hypotheses for s in h.symbols} <= {FIRST}


@every_aligner
def test_mass_is_covered_by_the_fewest_strings(aligner):
    network = enumeration.model(aligner, target="xy")
    batch = tiny.random_batch([3, 0, 2], [0] * 3)
    for mass in (0.3, 0.6, 0.8):
        for row, decoded in enumerate(exact(network, batch, mass=mass)):
            everything = enumeration.ranked(network, batch, row, length=9)
            masses = [math.exp(hypothesis.log_prob) for hypothesis in decoded.hypotheses]
            assert decoded.certified and sum(masses) >= mass > sum(masses[:-1])
            assert [h.symbols for h in decoded.hypotheses] == [s for _, s in everything[: len(masses)]]
            check_bound(decoded, everything)


def test_mass_and_n_best_are_both_kept():
    network = enumeration.model("0-mono", target="xy")
    (decoded,) = exact(network, tiny.random_batch([3], [0]), mass=0.01, n_best=4)
    assert decoded.certified and len(decoded.hypotheses) == 4


@settings(max_examples=30)
@given(budget=st.integers(1, 12), n_best=st.integers(1, 4), seed=st.integers(0, 1000))
def test_a_spent_budget_is_admitted_and_the_bound_holds(budget, n_best, seed):
    torch.manual_seed(seed)
    network = tiny.model("1-mono", target="xy")  # not made to end soon: hard
    batch = tiny.random_batch([3, 4], [0, 0])
    for row, decoded in enumerate(exact(network, batch, n_best=n_best, budget=budget, max_length=9)):
        everything = enumeration.ranked(network, batch, row, length=9)
        assert decoded.hypotheses
        check_bound(decoded, everything)
        if decoded.certified:
            assert [h.symbols for h in decoded.hypotheses] == [string for _, string in everything[:n_best]]


def test_a_mass_out_of_reach_lists_what_is_settled_whoever_else_is_in_the_batch():
    network = enumeration.ending(tiny.model("0-mono", target="xy"), -1.0)
    batch = tiny.random_batch([3, 1, 0], [0] * 3)
    together = exact(network, batch, mass=0.999, budget=60)
    for row, decoded in enumerate(together):
        assert not decoded.certified
        assert len(decoded.hypotheses) == 1 or decoded.hypotheses[-1].log_prob >= decoded.log_bound
        assert exact(network, tiny.row(batch, row), mass=0.999, budget=60)[0].hypotheses[0].symbols == (
            decoded.hypotheses[0].symbols
        )


def test_a_tiny_budget_is_not_certified():
    network = enumeration.ending(tiny.model("0-mono"), -2.0)  # made to go on and on
    batch = tiny.random_batch([3], [0])
    (decoded,) = exact(network, batch, mass=0.9, budget=3)
    assert not decoded.certified and decoded.hypotheses and decoded.log_bound > decoded.hypotheses[-1].log_prob


def test_what_the_length_limit_cuts_counts_in_the_bound():
    network = enumeration.ending(tiny.model("0-mono", target="xy"), -1.0)
    batch = tiny.random_batch([3], [0])
    everything = enumeration.ranked(network, batch, 0, length=8)
    (cut,) = exact(network, batch, n_best=3, max_length=1)
    assert sorted(len(hypothesis.symbols) for hypothesis in cut.hypotheses) == [0, 1, 1]
    assert not cut.certified
    check_bound(cut, everything)
    (empty,) = exact(network, batch, n_best=3, max_length=0)
    assert [hypothesis.symbols for hypothesis in empty.hypotheses] == [()]
    check_bound(empty, everything)


def test_a_limit_that_cuts_nothing_of_weight_keeps_the_certificate():
    network = enumeration.ending(tiny.model("0-hard", target="xy"), 1000.0)  # nearly all mass on the empty string
    (decoded,) = exact(network, tiny.random_batch([2], [0]), max_length=0)
    assert decoded.certified and decoded.hypotheses[0].log_prob == pytest.approx(0)
