"""Exact search against brute force: order, probabilities, certificates, bounds."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny
from decoding import enumeration
from isotone.decoding import AllowedSymbols, Mixture
from isotone.models import ALIGNERS
from isotone.text.vocabulary import FIRST, UNK
from searches import exact_search

LENGTH = 6
every_aligner = pytest.mark.parametrize("aligner", ALIGNERS)
lengths_of_sources = st.lists(st.integers(0, 4), min_size=1, max_size=3)


def check(model, sources, found, *, n_best, length=LENGTH, symbols=(FIRST, FIRST + 1)):
    """Each list is the top of the enumeration, and its certificate and bound are true."""
    for source, decoded in zip(sources, found, strict=True):
        everything = enumeration.ranked(model, source, length=length, symbols=symbols)
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
@given(lengths=lengths_of_sources, n_best=st.integers(1, 7), width=st.integers(1, 9), seed=st.integers(0, 1000))
def test_n_best_is_the_top_of_all_strings(aligner, lengths, n_best, width, seed):
    torch.manual_seed(seed)
    model = enumeration.model(aligner, target="xy")
    sources = enumeration.words(lengths)
    found = exact_search(model, sources, n_best=n_best, width=width, max_length=LENGTH)
    check(model, sources, found, n_best=n_best)


@settings(max_examples=15)
@given(
    aligners=st.lists(st.sampled_from(list(ALIGNERS)), min_size=1, max_size=3),
    lengths=lengths_of_sources,
    n_best=st.integers(1, 5),
    seed=st.integers(0, 1000),
)
def test_n_best_of_a_mixture(aligners, lengths, n_best, seed):
    torch.manual_seed(seed)
    model = enumeration.mixture(aligners, target="xy")
    sources = enumeration.words(lengths)
    check(model, sources, exact_search(model, sources, n_best=n_best, max_length=LENGTH), n_best=n_best)


@every_aligner
def test_a_model_that_emits_unknowns(aligner):
    model = enumeration.model(aligner, target="xy", copies_unknown=True)
    sources = enumeration.words([3, 0])
    found = exact_search(model, sources, n_best=5, max_length=5)
    check(model, sources, found, n_best=5, length=5, symbols=(UNK, FIRST, FIRST + 1))


@pytest.mark.parametrize("aligner", tiny.COPYING)
@pytest.mark.parametrize("lengths", [[3, 0], [4]])
def test_symbols_beyond_the_alphabet_are_found_by_copying(aligner, lengths):
    models = [enumeration.model(aligner, target="xy", hidden=size) for size in (4, 3)]
    for model in models:
        with torch.no_grad():
            model.network.emission.gate.bias += 2
    sources = enumeration.words(lengths, aligner=aligner, target_symbols=2)
    first, *rest = sources
    sources = [replace(first, copies=(first.copies[0], FIRST + 3, FIRST, *first.copies[3:])), *rest]
    beyond = tuple(range(FIRST, FIRST + 4))
    for model in (models[0], Mixture(models, [0.25, 0.75])):
        found = exact_search(model, sources, n_best=15, max_length=4)
        check(model, sources, found, n_best=15, length=4, symbols=beyond)
        assert any(FIRST + 3 in hypothesis.symbols for hypothesis in found[0].hypotheses)
        only = AllowedSymbols([FIRST], FIRST + 2)  # a constraint speaks of the alphabet: nothing beyond it
        (first, *_) = exact_search(model, sources, n_best=4, max_length=3, constraint=only)
        assert [h.symbols for h in first.hypotheses] and {s for h in first.hypotheses for s in h.symbols} <= {FIRST}


@every_aligner
def test_mass_is_covered_by_the_fewest_strings(aligner):
    model = enumeration.model(aligner, target="xy")
    sources = enumeration.words([3, 0, 2])
    for mass in (0.3, 0.6, 0.8):
        for source, decoded in zip(sources, exact_search(model, sources, mass=mass), strict=True):
            everything = enumeration.ranked(model, source, length=9)
            masses = [math.exp(hypothesis.log_prob) for hypothesis in decoded.hypotheses]
            assert decoded.certified and sum(masses) >= mass > sum(masses[:-1])
            assert [h.symbols for h in decoded.hypotheses] == [s for _, s in everything[: len(masses)]]
            check_bound(decoded, everything)


@settings(max_examples=25)
@given(
    n_best=st.none() | st.integers(1, 6),
    mass=st.none() | st.floats(0.05, 0.7),
    least=st.none() | st.floats(0.005, 0.9),
    seed=st.integers(0, 1000),
)
def test_the_first_limit_reached_counts(n_best, mass, least, seed):
    torch.manual_seed(seed)
    model = enumeration.model("0-mono", target="xy")
    sources = enumeration.words([3, 2])
    limits = {"n_best": n_best, "mass": mass, "min_probability": least}
    for source, decoded in zip(sources, exact_search(model, sources, **limits), strict=True):
        everything = enumeration.ranked(model, source, length=9)
        wanted, total = [], 0.0
        for log_prob, string in everything:
            probability = math.exp(log_prob)
            full = len(wanted) == (1 if limits == dict.fromkeys(limits) else n_best)
            if full or (mass is not None and total >= mass) or (wanted and least is not None and probability < least):
                break
            wanted.append(string)
            total += probability
        assert [hypothesis.symbols for hypothesis in decoded.hypotheses] == wanted
        assert decoded.certified
        check_bound(decoded, everything)


def test_a_spent_budget_with_several_limits_lists_no_more_than_they_allow():
    model = enumeration.model("1-mono", more=-1.0, target="xy")
    sources = enumeration.words([4, 3])
    for decoded in exact_search(model, sources, n_best=3, mass=0.99, min_probability=1e-9, budget=5):
        assert 1 <= len(decoded.hypotheses) <= 3 and not decoded.certified


@settings(max_examples=30)
@given(budget=st.integers(1, 12), n_best=st.integers(1, 4), seed=st.integers(0, 1000))
def test_a_spent_budget_is_admitted_and_the_bound_holds(budget, n_best, seed):
    torch.manual_seed(seed)
    model = enumeration.model("1-mono", more=0.0, target="xy")  # not made to end soon: hard
    sources = enumeration.words([3, 4])
    for source, decoded in zip(
        sources, exact_search(model, sources, n_best=n_best, budget=budget, max_length=9), strict=True
    ):
        everything = enumeration.ranked(model, source, length=9)
        assert decoded.hypotheses
        check_bound(decoded, everything)
        if decoded.certified:
            assert [h.symbols for h in decoded.hypotheses] == [string for _, string in everything[:n_best]]


def test_a_mass_out_of_reach_lists_what_is_settled_whoever_else_is_in_the_batch():
    model = enumeration.model("0-mono", target="xy", more=-1.0)
    sources = enumeration.words([3, 1, 0])
    together = exact_search(model, sources, mass=0.999, budget=60)
    for row, decoded in enumerate(together):
        assert not decoded.certified
        assert len(decoded.hypotheses) == 1 or decoded.hypotheses[-1].log_prob >= decoded.log_bound
        assert exact_search(model, [sources[row]], mass=0.999, budget=60)[0].hypotheses[0].symbols == (
            decoded.hypotheses[0].symbols
        )


def test_a_tiny_budget_is_not_certified():
    model = enumeration.model("0-mono", more=-2.0)  # made to go on and on
    sources = enumeration.words([3])
    (decoded,) = exact_search(model, sources, mass=0.9, budget=3)
    assert not decoded.certified and decoded.hypotheses and decoded.log_bound > decoded.hypotheses[-1].log_prob


def test_what_the_length_limit_cuts_counts_in_the_bound():
    model = enumeration.model("0-mono", target="xy", more=-1.0)
    sources = enumeration.words([3])
    everything = enumeration.ranked(model, sources[0], length=8)
    (cut,) = exact_search(model, sources, n_best=3, max_length=1)
    assert sorted(len(hypothesis.symbols) for hypothesis in cut.hypotheses) == [0, 1, 1]
    assert not cut.certified
    check_bound(cut, everything)
    (empty,) = exact_search(model, sources, n_best=3, max_length=0)
    assert [hypothesis.symbols for hypothesis in empty.hypotheses] == [()]
    check_bound(empty, everything)


def test_a_limit_that_cuts_nothing_of_weight_keeps_the_certificate():
    model = enumeration.model("0-hard", target="xy", more=1000.0)  # nearly all mass on the empty string
    (decoded,) = exact_search(model, enumeration.words([2]), max_length=0)
    assert decoded.certified and decoded.hypotheses[0].log_prob == pytest.approx(0)
