"""A temperature keeps a model a distribution over strings: zeros, prefix masses, search with proofs, batches."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import tiny
from decoding import enumeration
from isotone.decoding import Mixture, Tempered
from isotone.errors import ConfigError
from isotone.models import ALIGNERS
from isotone.text.vocabulary import EOS, FIRST
from searches import exact_search, greedy_search

every_variant = pytest.mark.parametrize("aligner", tiny.VARIANTS)
every_aligner = pytest.mark.parametrize("aligner", ALIGNERS)
temperatures = pytest.mark.parametrize("temperature", [0.4, 1.0, 2.5])


def by_hand(model, source, string, temperature):
    """log p_T of a string from the model's own symbol probabilities after each prefix, in plain Python."""
    memory = model.encode([source])
    state, total = model.start(memory), 0.0
    for symbol in (*string, EOS):
        step = model.step(state, memory)
        powers = [math.exp(value / temperature) for value in step.log_symbols[0].tolist()]
        if powers[symbol] == 0:
            return -math.inf
        total += math.log(powers[symbol] / math.fsum(powers))
        state = step.choose(np.array([symbol]))
    return total


@every_variant
@temperatures
def test_log_probs_are_products_of_normalised_powers(aligner, temperature):
    model = enumeration.model(aligner)
    for source in enumeration.words([3, 0], aligner=aligner):
        strings = [s for n in range(3) for s in itertools.product((FIRST, FIRST + 1, FIRST + 2), repeat=n)]
        expected = [by_hand(model, source, string, temperature) for string in strings]
        found = enumeration.log_probs(Tempered(model, temperature), source, strings)
        assert found == pytest.approx(expected, abs=1e-9)
        assert math.fsum(map(math.exp, found)) <= 1 + 1e-9


@every_variant
def test_no_temperature_is_one(aligner):
    model, pairs = enumeration.model(aligner), enumeration.pairs([4, 0, 2], [3, 2, 0], aligner=aligner)
    assert Tempered(model, 1.0).log_probs(pairs).tolist() == pytest.approx(model.log_probs(pairs).tolist(), abs=1e-9)


@every_variant
@temperatures
def test_prefixes_have_the_mass_of_their_continuations_and_zeros_stay(aligner, temperature):
    model = enumeration.model(aligner, more=0.0)
    tempered = Tempered(model, temperature)
    sources = enumeration.words([4, 0], aligner=aligner)
    memory, plain_memory = tempered.encode(sources), model.encode(sources)
    state, plain, log_mass = tempered.start(memory), model.start(plain_memory), np.zeros(2)
    for symbol in (FIRST, FIRST + 2, FIRST + 1):
        step, own = tempered.step(state, memory), model.step(plain, plain_memory)
        np.testing.assert_allclose(np.logaddexp.reduce(step.log_symbols, 1), log_mass, atol=1e-9)
        assert np.array_equal(np.isneginf(step.log_symbols), np.isneginf(own.log_symbols))
        log_mass, symbols = step.log_symbols[:, symbol], np.array([symbol, symbol])
        state, plain = step.choose(symbols), own.choose(symbols)


@every_aligner
@pytest.mark.parametrize("temperature", [0.5, 1.5])
def test_exact_search_finds_the_most_probable_strings(aligner, temperature):
    model = Tempered(enumeration.model(aligner, target="xy"), temperature)
    for source in enumeration.words([3, 1]):
        everything = enumeration.ranked(model, source, length=6)
        (decoded,) = exact_search(model, [source], n_best=3)
        if enumeration.longer(everything) < everything[2][0]:
            assert decoded.certified
            assert [h.symbols for h in decoded.hypotheses] == [string for _, string in everything[:3]]
        assert [h.log_prob for h in decoded.hypotheses] == pytest.approx([v for v, _ in everything[:3]], abs=1e-9)


@every_aligner
def test_greedy_decoding_writes_the_same_strings(aligner):
    model, sources = enumeration.model(aligner), enumeration.words([5, 0, 3])
    plain, hot = (greedy_search(own, sources) for own in (model, Tempered(model, 3.0)))
    assert [d.hypotheses[0].symbols for d in plain] == [d.hypotheses[0].symbols for d in hot]


@every_variant
def test_a_pair_does_not_depend_on_its_neighbours(aligner):
    pairs = enumeration.pairs([4, 0, 7, 2], [3, 2, 0, 5], aligner=aligner)
    model = Tempered(enumeration.model(aligner), 1.3)
    alone = [model.log_probs([pair])[0] for pair in pairs]
    assert model.log_probs(pairs).tolist() == pytest.approx(alone, abs=1e-9)
    assert model.log_probs(pairs[::-1]).tolist() == pytest.approx(alone[::-1], abs=1e-9)


def test_alignments_are_the_models_own_with_the_tempered_probability():
    model, pairs = enumeration.model("1-mono"), enumeration.pairs([4, 0], [3, 2])
    tempered = Tempered(model, 2.0)
    for own, other in zip(model.align(pairs), tempered.align(pairs), strict=True):
        assert np.array_equal(own.posterior, other.posterior) and np.array_equal(own.path, other.path)
    assert [a.log_prob for a in tempered.align(pairs)] == tempered.log_probs(pairs).tolist()
    assert np.array_equal(model.sample_paths(pairs[0], 5, 1), tempered.sample_paths(pairs[0], 5, 1))


def test_an_impossible_pair_stays_impossible():
    model = enumeration.model("0-mono")
    pair = replace(enumeration.pairs([2], [1])[0], target=(1, EOS))  # BOS is never emitted
    assert Tempered(model, 2.0).log_probs([pair]).tolist() == [-math.inf]


def test_mixtures_inside_and_outside():
    models, pairs = [enumeration.model(name) for name in ("soft", "0-mono")], enumeration.pairs([3, 2], [2, 1])
    outside = Tempered(Mixture(models, [1, 2]), 1.7)
    inside = Mixture([Tempered(models[0], 0.5), models[1]], [1, 2])
    for pair in pairs:
        expected = by_hand(Mixture(models, [1, 2]), replace(pair, target=None), pair.target[:-1], 1.7)
        assert outside.log_probs([pair])[0] == pytest.approx(expected, abs=1e-9)
        first = by_hand(models[0], replace(pair, target=None), pair.target[:-1], 0.5)
        second = models[1].log_probs([pair])[0]
        mixed = math.log(math.exp(first) / 3 + 2 * math.exp(second) / 3)
        assert inside.log_probs([pair])[0] == pytest.approx(mixed, abs=1e-9)
    (decoded,) = exact_search(outside, enumeration.words([3]))
    assert decoded.certified


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.inf, math.nan])
def test_what_is_no_temperature(temperature):
    with pytest.raises(ConfigError):
        Tempered(enumeration.model("0-mono"), temperature)
