"""Pairs: scores, alignments, samples and metrics, of one model and of a mixture."""

import math
from collections import Counter

import numpy as np
import pytest

import isotone
import toy
from isotone.errors import ConfigError
from isotone.text.example import Example
from isotone.training.assess import DevSet

PAIRS = [("abc", "aabc"), ("q", "x"), ("", ""), ("", "b"), ("gadeb", "gaadeebs"), ("fa", "bbbbbb")]


def columns(pairs=PAIRS):
    return [x for x, _ in pairs], [y for _, y in pairs]


def test_scores_are_log_probabilities_alone_and_together(model):
    together = model.score(*columns(), tags=["N;SG"] * len(PAIRS))
    alone = [model.score(x, y, tags=("N", "SG")) for x, y in PAIRS]
    assert together == pytest.approx(alone, rel=1e-6, abs=1e-5) and all(value < 0 for value in together)


def test_a_target_symbol_never_seen_has_probability_zero_and_a_reason(model):
    assert model.score("abc", "aΩbΩc") == -math.inf
    assert model.unseen(isotone.Example("abc", "aΩbΩc")) == ("Ω",)
    alignment = model.align("abc", "aΩ")
    assert (alignment.path, alignment.posterior, alignment.links()) == ((), None, [])
    assert str(alignment) and alignment._repr_html_()


def test_alignments_are_paths_with_posteriors(model):
    for (source, target), alignment in zip(PAIRS, model.align(*columns()), strict=True):
        assert alignment.logprob == pytest.approx(model.score(source, target), rel=1e-6, abs=1e-5)
        assert alignment.source == ("⟨s⟩", *source, "⟨/s⟩") and alignment.target == (*target, "⟨/s⟩")
        assert isinstance(alignment.posterior, np.ndarray)
        assert alignment.posterior.shape == (len(target) + 1, len(source) + 2)
        np.testing.assert_allclose(alignment.posterior.sum(1), 1, atol=1e-4)
        assert alignment == model.align(source, target) or alignment.path == model.align(source, target).path
        for link in alignment.links():
            assert link.source == alignment.source[link.source_index]
            assert link.probability == alignment.posterior[link.target_index, link.source_index]
        assert str(alignment) and alignment._repr_html_().lstrip().startswith("<")


def test_hard_alignments_are_monotonic_and_soft_ones_are_attention(folders):
    hard, soft = (isotone.load(folders[name]).align("gadeb", "gaadeeb") for name in ("1-mono", "soft"))
    assert list(hard.path) == sorted(hard.path)
    assert hard.links()[0].source == "g" and hard.links()[0].target == "g"
    assert soft.path == tuple(soft.posterior.argmax(1))


def test_samples_follow_the_distribution_and_repeat_with_a_seed(model):
    drawn = model.sample("ab", tags="N;SG", count=300, seed=1)
    assert drawn == model.sample("ab", tags="N;SG", count=300, seed=1)
    assert drawn != model.sample("ab", tags="N;SG", count=300, seed=2)
    counts = Counter(candidate.target for candidate in drawn)
    values = {candidate.target: candidate.logprob for candidate in drawn}
    assert list(values.values()) == pytest.approx(
        model.score(["ab"] * len(values), list(values), tags=["N;SG"] * len(values)), abs=1e-5
    )
    top, count = counts.most_common(1)[0]
    share, deviation = math.exp(values[top]), math.sqrt(300 * math.exp(values[top]) * (1 - math.exp(values[top])))
    assert abs(count - 300 * share) <= 4 * deviation + 1


def test_scored_pairs_come_with_reasons(mono):
    possible, impossible = mono.scores([isotone.Example("abc", "aabc"), isotone.Example("abc", "aΩ")])
    assert possible.logprob == mono.score("abc", "aabc") and possible.reason is None
    assert possible.probability == pytest.approx(math.exp(possible.logprob))
    assert (impossible.logprob, impossible.probability) == (-math.inf, 0)
    assert impossible.reason == "never seen in training: 'Ω'"
    with pytest.raises(ConfigError, match="cannot score 'abc': it has no target"):
        list(mono.scores([isotone.Example("abc")]))


def test_alignments_are_drawn_from_the_posterior(folders, mixture):
    model = isotone.load(folders["0-mono"])
    drawn = model.sample_alignments("gadeb", "gaadeeb", tags="N;SG", count=400, seed=1)
    assert drawn == model.sample_alignments("gadeb", "gaadeeb", tags="N;SG", count=400, seed=1)
    best = model.align("gadeb", "gaadeeb", tags="N;SG")
    assert drawn[0].logprob == pytest.approx(best.logprob, abs=1e-4)
    frequencies = np.mean([one.strengths() for one in drawn], axis=0)
    np.testing.assert_allclose(frequencies, best.posterior, atol=0.12)
    assert all(list(one.path) == sorted(one.path) for one in drawn)
    assert model.sample_alignments("abc", "Ω", count=3) == []
    with pytest.raises(ConfigError, match="no alignments to sample"):
        isotone.load(folders["soft"]).sample_alignments("abc", "aabc")


def test_the_dev_metric_is_what_evaluate_says(folders, mixture):
    examples = toy.examples(40, seed=7)
    for model in (isotone.load(folders["1-mono"]), isotone.load(folders["soft"], folders["1-mono"])):
        dev = DevSet(model.members[0], examples)
        for decoder in (isotone.Greedy(), isotone.Beam(width=2), isotone.Exact()):
            assessed = dev.assess(*model.members, decoder=decoder)
            report = model.evaluate(examples, decoder, bootstrap=0)
            assert assessed.metrics == pytest.approx({name: report.metrics[name] for name in assessed.metrics})
            symbols = sum(len(example.target) + 1 for example in examples)
            assert assessed.loss == pytest.approx(report.metrics["nll"] * report.n / symbols, rel=1e-5)
        assert not any(member.network.training for member in model.members)


def test_unseen_source_symbols_are_named_once(folders, caplog):
    model = isotone.load(folders["1-mono"])
    model.score(["aΩ", "bΩ"], ["aa", "b"])
    list(model.alignments([Example("aΩ", "aa"), Example("aΨ", "aa")]))
    model.evaluate([Example("aΨ", "aa"), Example("aΦ", "aa")])
    model.errors([Example("aΦ", "aa"), Example("aΞ", "aa")])
    told = [record.getMessage() for record in caplog.records if "training (first in" in record.getMessage()]
    assert told == [f"{symbol!r} was never seen in training (first in 'a{symbol}')" for symbol in "ΩΨΦΞ"]


def test_impossible_dev_references_are_counted_and_never_a_loss_of_zero(folders, caplog):
    model = isotone.load(folders["1-mono"])
    known, impossible = toy.examples(4, seed=7), [Example("abc", "Ω"), Example("bc", "Ωb")]
    (member,) = model.members
    some = DevSet(member, [*known, *impossible]).assess(member)
    assert some.loss == pytest.approx(DevSet(member, known).assess(member).loss, rel=1e-5)
    assert "2 of 6 dev references have probability 0" in caplog.text
    assert DevSet(member, impossible).assess(member).loss == math.inf


def test_a_mixture_is_the_weighted_mean_of_probabilities(folders, mixture):
    parts = [isotone.load(folders[name]).score(*columns()) for name in ("soft", "1-mono")]
    expected = [math.log(0.25 * math.exp(a) + 0.75 * math.exp(b)) for a, b in zip(*parts, strict=True)]
    assert mixture.score(*columns()) == pytest.approx(expected, abs=1e-5)
    equal = isotone.load(folders["soft"], folders["1-mono"]).score("abc", "aabc")
    assert equal == pytest.approx(math.log((math.exp(parts[0][0]) + math.exp(parts[1][0])) / 2), abs=1e-5)


@pytest.mark.parametrize("options", [{}, {"decode": "beam"}, {"n_best": 3}])
def test_a_mixture_decodes_with_its_own_probabilities(mixture, options):
    for prediction in mixture(["abc", "", "gadeb"], tags=["N;PL"] * 3, **options):
        for candidate in prediction.candidates:
            expected = mixture.score(prediction.source, candidate.target, tags="N;PL")
            assert candidate.logprob == pytest.approx(expected, abs=1e-5)


def test_a_mixture_aligns_by_each_models_share(folders, mixture):
    soft, mono = (isotone.load(folders[name]).align("abc", "aabc") for name in ("soft", "1-mono"))
    mixed = mixture.align("abc", "aabc")
    weights = np.array([0.25 * math.exp(soft.logprob), 0.75 * math.exp(mono.logprob)])
    shares = weights / weights.sum()
    np.testing.assert_allclose(mixed.posterior, shares[0] * soft.posterior + shares[1] * mono.posterior, atol=1e-5)
    assert mixed.logprob == pytest.approx(math.log(weights.sum()), abs=1e-5)
    assert mixed.path == (soft.path if shares[0] > shares[1] else mono.path)
    assert mixture.sample("abc", count=3, seed=0) and mixture.evaluate(toy.examples(10, seed=7)).n == 10


def test_mixtures_that_cannot_be(folders):
    with pytest.raises(ConfigError, match="no model"):
        isotone.load()
    with pytest.raises(ConfigError, match="as many weights"):
        isotone.load(folders["soft"], folders["1-mono"], weights=[1.0])
    with pytest.raises(ConfigError, match="positive"):
        isotone.load(folders["soft"], folders["1-mono"], weights=[1.0, 0.0])


def test_evaluate(mono, tmp_path):
    examples = toy.examples(40, seed=7)
    report = mono.evaluate(examples, bootstrap=50)
    assert report.task == "inflection" and report.n == 40 and {"acc", "mld", "nll"} <= report.metrics.keys()
    right = [mono(e.source, tags=e.tags).target == e.target for e in examples]
    assert report.metrics["acc"] == pytest.approx(100 * sum(right) / 40)
    low, high = report.intervals["acc"]
    assert low <= report.metrics["acc"] <= high
    scores = [mono.score(e.source, e.target, tags=e.tags) for e in examples]
    assert report.metrics["nll"] == pytest.approx(-sum(scores) / 40, abs=1e-4)
    file = tmp_path / "test.tsv"
    file.write_text("".join(f"{e.source}\t{e.target}\t{';'.join(e.tags)}\n" for e in examples), encoding="utf-8")
    assert (
        mono.evaluate(file, format="conll2017", decode="exact", bootstrap=0).metrics["acc"]
        >= report.metrics["acc"] - 10
    )
    assert mono.evaluate([(e.source, e.target, e.tags) for e in examples], bootstrap=50) == report
