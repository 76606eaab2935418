"""A mixture is a distribution over strings, and its numbers are the weighted sums of its models'."""

import math
from collections import Counter

import numpy as np
import pytest

import oracle
from decoding import enumeration
from isotone.decoding import Mixture, sample_strings, shares
from isotone.errors import ConfigError
from isotone.models import ALIGNERS
from isotone.text.vocabulary import FIRST, UNK
from searches import beam_search, exact_search, greedy_search

WEIGHTS = [0.5, 0.3, 0.2]


def parts(*, sized=(("soft", 3), ("0-mono", 4), ("1-mono", 6))):
    return [enumeration.model(aligner, hidden=size, more=0.0) for aligner, size in sized]


def test_log_probs_are_the_weighted_sums():
    models, pairs = parts(), enumeration.pairs([4, 0, 2], [3, 2, 0])
    columns = zip(*(model.log_probs(pairs).tolist() for model in models), strict=True)
    expected = [oracle.log_add([math.log(w) + v for w, v in zip(WEIGHTS, c, strict=True)]) for c in columns]
    assert Mixture(models, WEIGHTS).log_probs(pairs).tolist() == pytest.approx(expected, abs=1e-10)


def test_prefixes_sum_to_one_and_to_their_parent():
    model = Mixture(parts(), WEIGHTS)
    memory = model.encode(enumeration.words([4, 0]))
    state, log_mass = model.start(memory), np.zeros(2)
    for symbol in (FIRST, FIRST + 2, FIRST + 1):
        step = model.step(state, memory)
        np.testing.assert_allclose(np.logaddexp.reduce(step.log_symbols, 1), log_mass, atol=1e-10)
        log_mass = step.log_symbols[:, symbol]
        state = step.choose(np.array([symbol, symbol]))


@pytest.mark.parametrize(
    "model", [Mixture(parts(), WEIGHTS), enumeration.model("1-mono", more=0.0)], ids=["mixture", "model"]
)
def test_joined_states_are_the_rows_of_all_in_order(model):
    memory = model.encode(enumeration.words([4, 0, 2]))
    step, symbols = model.step(model.start(memory), memory), np.array([FIRST, FIRST + 2, FIRST])
    whole = step.choose(symbols)
    first, *rest = (step.choose(symbols[rows], rows) for rows in map(np.array, ([2], [0, 1], [1])))
    joined, rows = first.join(rest), np.array([2, 0, 1, 1])
    expected = model.step(step.choose(symbols[rows], rows), memory.select(rows)).log_symbols
    assert np.array_equal(model.step(joined, memory.select(rows)).log_symbols, expected)
    assert np.array_equal(model.step(whole.join([]), memory).log_symbols, model.step(whole, memory).log_symbols)


def test_all_decoders_work_on_mixtures_and_tell_its_probabilities():
    model = enumeration.mixture(list(ALIGNERS), tags=("N", "PL"))
    sources = enumeration.words([5, 0, 3], tags=2)
    lists = [[d.hypotheses for d in search(model, sources)] for search in (greedy_search, beam_search, exact_search)]
    for found in (*lists, sample_strings(model, sources, count=4)):
        for source, hypotheses in zip(sources, found, strict=True):
            expected = enumeration.log_probs(model, source, [h.symbols for h in hypotheses])
            assert [h.log_prob for h in hypotheses] == pytest.approx(expected, abs=1e-10)


def test_one_model_is_itself():
    model, sources = enumeration.model("0-mono"), enumeration.words([3, 0])
    alone, mixed = (exact_search(own, sources, n_best=4) for own in (model, Mixture([model])))
    for one, other in zip(alone, mixed, strict=True):
        assert [h.symbols for h in one.hypotheses] == [h.symbols for h in other.hypotheses]


def test_a_model_without_unknowns_has_no_share_in_strings_with_them():
    """One model copies, the other cannot: a string with UNK has the first model's probability times its weight."""
    copying, plain = enumeration.model("0-mono", copies_unknown=True), enumeration.model("0-mono", hidden=3)
    model, (source,) = Mixture([copying, plain], [0.25, 0.75]), enumeration.words([3])
    (decoded,) = exact_search(model, [source], n_best=30)
    strings = [h.symbols for h in decoded.hypotheses]
    assert any(UNK in string for string in strings)
    for hypothesis, value in zip(decoded.hypotheses, enumeration.log_probs(copying, source, strings), strict=True):
        both = [math.log(0.25) + value]
        if UNK not in hypothesis.symbols:
            both.append(math.log(0.75) + enumeration.log_probs(plain, source, [hypothesis.symbols])[0])
        assert hypothesis.log_prob == pytest.approx(oracle.log_add(both), abs=1e-10)


def test_posteriors_are_weighed_by_each_models_share_of_the_pair():
    models, pairs = parts(), enumeration.pairs([4, 0, 2], [3, 2, 0])
    for row, mixed in enumerate(Mixture(models, WEIGHTS).align(pairs)):
        own = [model.align(pairs)[row] for model in models]
        weighted = np.array([w * math.exp(one.log_prob) for w, one in zip(WEIGHTS, own, strict=True)])
        expected = sum(share * one.posterior for share, one in zip(weighted / weighted.sum(), own, strict=True))
        np.testing.assert_allclose(mixed.posterior, expected, atol=1e-10)
        assert mixed.log_prob == pytest.approx(math.log(weighted.sum()), abs=1e-10)
        assert mixed.path.tolist() == own[int(weighted.argmax())].path.tolist()


def test_alignments_of_a_mixture_are_drawn_in_these_shares():
    models, (pair,) = parts(sized=(("0-hard", 3), ("0-mono", 4))), enumeration.pairs([2], [1])
    mixture = Mixture(models, [1, 2])
    drawn = mixture.sample_paths(pair, 4000, seed=5)
    assert np.array_equal(drawn, mixture.sample_paths(pair, 4000, seed=5))
    (aligned,) = mixture.align([pair])
    for position, row in enumerate(drawn.T):
        seen = Counter(row.tolist())
        frequencies = [seen[state] / 4000 for state in range(len(pair.source))]
        assert frequencies == pytest.approx(aligned.posterior[position].tolist(), abs=0.04)


def test_weights_of_any_scale_become_shares():
    assert shares(None, 4) == (0.25,) * 4
    assert shares([3, 1], 2) == (0.75, 0.25)
    assert Mixture(parts()[:2], [0.5, 0.6]).weights == pytest.approx((5 / 11, 6 / 11))


@pytest.mark.parametrize(
    ("count", "weights"),
    [(0, None), (2, [1.0]), (2, [1.0, 0.0]), (2, [1.5, -0.5]), (2, [math.nan, 1.0]), (2, [math.inf, 1.0])],
)
def test_weights_that_make_no_distribution_are_refused(count, weights):
    with pytest.raises(ConfigError):
        Mixture([enumeration.model("soft") for _ in range(count)], weights)
