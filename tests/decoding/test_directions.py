"""Models that write from the end, and mixtures of both directions: true distributions, searched with proofs."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from decoding import enumeration
from isotone.decoding import AllowedSymbols, Beam, Exact, Greedy, Mixture, Tempered, Trie, fit_temperature, surprisals
from isotone.decoding.directions import Backwards, BothWays, change_engines, joined
from isotone.decoding.hypothesis import Decoded, Hypothesis
from isotone.decoding.sample import sample_strings
from isotone.decoding.several import SeveralSources
from isotone.errors import ConfigError
from isotone.text.vocabulary import EOS, FIRST

A, B = FIRST, FIRST + 1
LETTERS = (FIRST, FIRST + 1, FIRST + 2)
SIZE = FIRST + len(LETTERS)
ALIGNERS = ["0-mono", "1-mono", "soft", "emit-mono"]


def both(**changes):
    """Three models, one of which writes forwards, with unequal weights."""
    parts = [enumeration.model(name, hidden=3 + place, **changes) for place, name in enumerate(ALIGNERS[:3])]
    return joined([Backwards(parts[0]), parts[1], Backwards(parts[2])], [1, 2, 3])


@pytest.fixture(params=["backwards", "mixture", "both"])
def model(request):
    if request.param == "both":
        return both()
    parts = [Backwards(enumeration.model(name, hidden=3 + place)) for place, name in enumerate(ALIGNERS[:2])]
    return parts[0] if request.param == "backwards" else joined(parts)


def test_turned_twice_is_the_pair_itself():
    for pair in enumeration.pairs([4, 0, 1], [3, 0, 2]):
        assert pair.turned().turned() == pair
        assert pair.turned().source[1:-1] == pair.source[-2:0:-1] and pair.turned().target[-1] == EOS


@pytest.mark.parametrize("aligner", ALIGNERS)
def test_log_probs_are_those_of_turned_pairs(aligner):
    engine, pairs = enumeration.model(aligner), enumeration.pairs([4, 0, 2], [3, 2, 0])
    expected = engine.log_probs([pair.turned() for pair in pairs])
    np.testing.assert_array_equal(Backwards(engine).log_probs(pairs), expected)


def test_both_directions_are_a_mixture_of_strings():
    model, pairs = both(), enumeration.pairs([4, 0, 2], [3, 2, 0])
    forwards, backwards = model.ways
    assert model.weights == pytest.approx((1 / 3, 2 / 3)) and isinstance(backwards, Mixture) and backwards.backwards
    parts = [forwards.log_probs(pairs), backwards.log_probs(pairs)]
    expected = np.log(np.exp(parts[0]) / 3 + np.exp(parts[1]) * 2 / 3)
    np.testing.assert_allclose(model.log_probs(pairs), expected, atol=1e-10)


def test_models_of_one_direction_are_joined_as_ever():
    one, other = (enumeration.model(name) for name in ALIGNERS[:2])
    assert joined([one]) is one
    assert type(joined([one, other])) is Mixture and not joined([one, other]).backwards
    assert isinstance(joined([Backwards(one), other]), BothWays)


def test_exact_search_finds_the_best_strings_and_proves_it(model):
    for source in enumeration.words([3, 1, 0]):
        everything = enumeration.ranked(model, source, length=7, symbols=LETTERS)
        (found,) = Exact(n_best=4, max_length=7).decode(model, [source])
        assert found.certified
        assert [h.symbols for h in found.hypotheses] == [string for _, string in everything[:4]]
        values = [value for value, _ in everything]
        assert [h.log_prob for h in found.hypotheses] == pytest.approx(values[:4], abs=1e-6)
        assert found.log_bound >= values[4] - 1e-6, "what was not listed is within the bound"
        (best,) = Exact(max_length=7).decode(model, [source])
        assert best.certified and [h.symbols for h in best.hypotheses] == [everything[0][1]]
        assert best.hypotheses[0].log_prob == pytest.approx(values[0], abs=1e-6) and best.log_bound >= values[1] - 1e-6


def test_exact_search_by_mass_and_by_least_probability(model):
    (source,) = enumeration.words([3])
    everything = enumeration.ranked(model, source, length=7, symbols=LETTERS)
    (found,) = Exact(mass=0.6, max_length=7).decode(model, [source])
    masses = list(itertools.accumulate(math.exp(value) for value, _ in everything))
    wanted = 1 + next(place for place, mass in enumerate(masses) if mass >= 0.6)
    assert found.certified and len(found.hypotheses) == wanted
    (found,) = Exact(min_probability=0.02, max_length=7).decode(model, [source])
    assert found.certified and len(found.hypotheses) == sum(math.exp(value) >= 0.02 for value, _ in everything)


def test_a_budget_ends_the_search_without_a_proof():
    model, sources = both(more=-1.0), enumeration.words([6, 5])
    for found in Exact(budget=1, max_length=12, n_best=3).decode(model, sources):
        assert found.certified is False and found.log_bound is not None
        assert all(a.log_prob >= b.log_prob for a, b in itertools.pairwise(found.hypotheses))


@pytest.mark.parametrize("decoder", [Greedy(), Beam(width=4, n_best=3), Exact(n_best=3)])
def test_every_decoder_gives_true_probabilities_in_any_company(model, decoder):
    sources = enumeration.words([4, 0, 2])
    together = decoder.decode(model, sources)
    for source, found in zip(sources, together, strict=True):
        (alone,) = decoder.decode(model, [source])
        assert [h.symbols for h in alone.hypotheses] == [h.symbols for h in found.hypotheses]
        expected = enumeration.log_probs(model, source, [h.symbols for h in found.hypotheses])
        assert [h.log_prob for h in found.hypotheses] == pytest.approx(expected, abs=1e-6)
        assert len(found.hypotheses) <= (3 if decoder.several else 1)


def test_constraints_are_on_strings_as_people_write_them(model):
    (source,) = enumeration.words([3])
    strings = [(A, B, B), (B, A), (A,)]
    (found,) = Exact(n_best=5).decode(model, [source], Trie(strings, SIZE))
    values = dict(zip(strings, enumeration.log_probs(model, source, strings), strict=True))
    assert [h.symbols for h in found.hypotheses] == sorted(strings, key=lambda string: -values[string])
    (found,) = Exact(n_best=3, max_length=5).decode(model, [source], AllowedSymbols([A], SIZE))
    assert all(set(h.symbols) <= {A} for h in found.hypotheses)

    class Own:
        def start(self):
            return None

        def allowed(self, node):
            return None

        def advance(self, node, symbol):
            return None

    with pytest.raises(ConfigError, match="Own: has no `turned`"):
        Exact().decode(model, [source], Own())


@pytest.mark.parametrize("aligner", ["0-mono", "1-mono", "emit-mono"])
def test_alignments_are_turned_back(aligner):
    engine = enumeration.model(aligner)
    for pair in enumeration.pairs([4, 2, 1], [3, 2, 0]):
        (own,), (turned,) = Backwards(engine).align([pair]), engine.align([pair.turned()])
        last, states = len(pair.target) - 1, len(pair.source)
        assert own.log_prob == turned.log_prob
        for place in range(last):
            assert own.path[place] == states - 1 - turned.path[last - 1 - place]
            np.testing.assert_array_equal(own.posterior[place], turned.posterior[last - 1 - place][::-1])
        assert own.path[last] == turned.path[last], "the end of the reading"
        np.testing.assert_allclose(own.posterior.sum(1), 1, atol=1e-9)
        assert (np.diff(own.path[:-1]) >= 0).all(), "still monotone"
        np.testing.assert_array_equal(own.silence, turned.silence[::-1])
        for place in range(1, last):
            np.testing.assert_array_equal(own.stays[place], turned.stays[last - place][::-1])


def test_drawn_alignments_are_turned_back():
    model, (pair,) = both(), enumeration.pairs([3], [2])
    hard = BothWays([enumeration.model("0-mono"), Backwards(enumeration.model("1-mono"))])
    drawn, (aligned,) = hard.sample_paths(pair, 4000, seed=3), hard.align([pair])
    for position, row in enumerate(drawn.T):
        seen = Counter(row.tolist())
        frequencies = [seen[state] / 4000 for state in range(len(pair.source))]
        assert frequencies == pytest.approx(aligned.posterior[position].tolist(), abs=0.04)
    with pytest.raises(ConfigError, match="both directions"):
        model.encode([pair])


def test_surprisals_add_up(model):
    pairs = enumeration.pairs([4, 0, 2], [3, 2, 0])
    for values, pair, total in zip(surprisals(model, pairs), pairs, model.log_probs(pairs), strict=True):
        assert len(values) == len(pair.target) and min(values) >= 0
        assert sum(values) == pytest.approx(-total, abs=1e-5)


def test_a_backward_model_is_surprised_by_what_stands_in_front():
    engine, pairs = enumeration.model("0-mono"), enumeration.pairs([4], [3])
    (own,), (turned,) = surprisals(Backwards(engine), pairs), surprisals(engine, [pair.turned() for pair in pairs])
    assert own == (*turned[-2::-1], turned[-1])


def test_samples_come_in_the_shares_of_their_probabilities(model):
    (source,) = enumeration.words([2])
    (drawn,) = sample_strings(model, [source], count=3000, generator=np.random.default_rng(1), max_length=8)
    (again,) = sample_strings(model, [source], count=3000, generator=np.random.default_rng(1), max_length=8)
    assert drawn == again and len(drawn) == 3000
    seen = Counter(one.symbols for one in drawn)
    for value, string in enumeration.ranked(model, source, length=3, symbols=LETTERS)[:5]:
        assert seen[string] / 3000 == pytest.approx(math.exp(value), abs=0.04)
    expected = enumeration.log_probs(model, source, [one.symbols for one in drawn[:20]])
    assert [one.log_prob for one in drawn[:20]] == pytest.approx(expected, abs=1e-6)


def test_temperatures_and_further_sources_go_with_a_direction():
    engine = enumeration.model("0-mono")
    pairs = enumeration.pairs([4, 2, 3], [3, 1, 2])
    tempered = Tempered(Backwards(engine), 2.0)
    expected = Tempered(engine, 2.0).log_probs([pair.turned() for pair in pairs])
    np.testing.assert_allclose(tempered.log_probs(pairs), expected, atol=1e-10)
    fits = [fit_temperature(engine, [p.turned() for p in pairs]), fit_temperature(Backwards(engine), pairs)]
    assert fits[0] == fits[1]
    group = replace(pairs[0], others=(pairs[1],))
    several = SeveralSources(Backwards(engine))
    mean = np.mean([math.exp(v) for v in enumeration.log_probs(several.model, pairs[0], [pairs[0].target[:-1]])])
    other = math.exp(enumeration.log_probs(several.model, pairs[1], [pairs[0].target[:-1]])[0])
    assert several.log_probs([group])[0] == pytest.approx(math.log((mean + other) / 2), abs=1e-10)
    (found,) = Exact(n_best=2, max_length=6).decode(several, [replace(group, target=None)])
    values = several.log_probs([replace(group, target=(*h.symbols, EOS)) for h in found.hypotheses])
    assert [h.log_prob for h in found.hypotheses] == pytest.approx(values.tolist(), abs=1e-6)


@pytest.mark.parametrize("truth", [0.6, 1.8])
def test_the_temperature_of_both_directions(truth):
    """Each of them has it, and their mixture's likelihood is at its best."""
    model = both()

    def tempered(temperature):
        return change_engines(model, lambda way: Tempered(way, temperature))

    sources = enumeration.words([4, 2, 3])
    drawn = sample_strings(tempered(truth), sources, count=300, generator=np.random.default_rng(0))
    pairs = [
        replace(source, target=(*string.symbols, EOS))
        for source, strings in zip(sources, drawn, strict=True)
        for string in strings
    ]
    fit = fit_temperature(model, [*pairs, replace(pairs[0], unseen=("Ω",))])

    def nll(temperature):
        return float(-tempered(temperature).log_probs(pairs).mean())

    assert fit.temperature == pytest.approx(truth, rel=0.1) and fit.pairs == len(pairs)
    assert fit.nll_before == pytest.approx(-model.log_probs(pairs).mean(), abs=1e-5)
    assert fit.nll_after == pytest.approx(nll(fit.temperature), abs=1e-5)
    assert fit.nll_after < min(nll(fit.temperature * 1.05), nll(fit.temperature / 1.05))


@pytest.mark.parametrize("log_bound", [0.0, None])
def test_a_direction_that_can_exclude_nothing_proves_nothing(monkeypatch, log_bound):
    """A bound of probability 1 is log 0.0, which must not be taken for no probability at all."""
    model, (source,) = both(), enumeration.words([2])
    own = float(model.log_probs([replace(source, target=(A, B, EOS))])[0])
    spent = Decoded((Hypothesis((A, B), own),), False, log_bound, 1)
    monkeypatch.setattr(Exact, "search", lambda self, space: [spent])
    (found,) = Exact().decode(model, [source])
    assert found.certified is False
    assert math.exp(found.log_bound) == pytest.approx(1 - math.exp(own), abs=1e-4), "all that the string leaves"


def test_what_the_listed_strings_leave_is_a_bound_too(monkeypatch):
    """A string that both directions are sure of is the best one, whatever their searches have left open."""
    model, (source,) = both(more=9.0), enumeration.words([2])  # all but certain to end at once
    logs = [float(way.log_probs([replace(source, target=(EOS,))])[0]) for way in model.ways]
    assert min(logs) > math.log(0.9)
    answers = iter(Decoded((Hypothesis((), value),), True, 0.0, 1) for value in logs)
    monkeypatch.setattr(Exact, "search", lambda self, space: [next(answers)])
    (found,) = Exact().decode(model, [source])
    assert found.certified and found.hypotheses[0].symbols == ()
    left = sum(weight * (1 - math.exp(value)) for weight, value in zip(model.weights, logs, strict=True))
    assert math.exp(found.log_bound) == pytest.approx(left, abs=2e-5)
