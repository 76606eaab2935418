"""Paradigms: known forms as sources, in training and when predicting."""

import math
import pickle

import pytest

import isotone
from isotone.errors import ConfigError
from isotone.text.config import TextConfig
from isotone.text.example import Example
from isotone.text.paradigm import KnowingCodec, Paradigms
from isotone.training.paradigm import form_sources, paradigm_choices
from quick import fit

ENDINGS = {("N", "SG"): "", ("N", "PL"): "s", ("N", "GEN"): "en"}
LEMMAS = ["ab", "ba", "bab", "abba", "aab", "bba", "bb", "aba"]
DATA = [Example(lemma, lemma + ending, tags) for lemma in LEMMAS for tags, ending in ENDINGS.items()]
DEV = [Example("baab", "baabs", ("N", "PL")), Example("bab", "babs", ("N", "PL"))]
QUICK = {"model": "0-mono", "epochs": 2, "decode": "greedy"}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paradigm") / "m"
    assert fit(DATA, DEV, folder, **QUICK, paradigm=0.5).finished
    return folder


def test_every_other_form_of_the_lemma_is_a_source():
    found = Paradigms.of(DATA).others(Example("ab", None, ("N", "PL")))
    assert found == [
        Example("ab", None, ("N", "PL", "from:N", "from:SG")),
        Example("aben", None, ("N", "PL", "from:N", "from:GEN")),
    ]
    assert len(Paradigms.of(DATA).others(Example("ab", None, ("V",)))) == 3
    assert Paradigms.of(DATA).others(Example("unheard", None, ("N",))) == []
    assert len(Paradigms.of([*DATA, *DATA]).others(DATA[0])) == 2, "a pair that comes twice is known once"


def test_known_forms_are_found_in_any_normal_form():
    known = Paradigms.of([Example("a\u0308b", "a\u0308bs", ("N", "PL"))], TextConfig(fold_case=True))
    (found,) = known.others(Example("\u00c4b", None, ("N", "GEN")))
    assert found.tags == ("N", "GEN", "from:N", "from:PL")


def test_an_epoch_draws_the_lemma_or_another_form():
    choices = paradigm_choices([*DATA, Example("alone", "alones", ("N", "PL"))], 0.6)
    assert [weight for _, weight in choices[0]] == pytest.approx([0.4, 0.3, 0.3])
    assert choices[0][0][0] == DATA[0] and choices[0][1][0].target == DATA[0].target
    assert choices[-1] == [(Example("alone", "alones", ("N", "PL")), 1.0)]
    assert all(
        pair.source != pair.target[:2] or pair.tags[-1] == "from:SG" for pair, _ in paradigm_choices(DATA, 1.0)[1]
    )
    many = [Example("a", f"a{n}", (f"T{n}",)) for n in range(30)]
    (first, again, other) = (paradigm_choices(many, 0.5, seed=seed)[0] for seed in (0, 0, 1))
    assert first == again != other and len(first) == 11 and sum(weight for _, weight in first) == pytest.approx(1)
    assert form_sources(DATA[1:2]) == [Example("abs", "abs", ("from:N", "from:PL"))]


def test_the_model_knows_what_it_was_trained_on(trained):
    model = isotone.load(trained)
    assert model.config.paradigm and model.run["recipe"]["paradigm"] == 0.5
    assert set(model.vocabulary.tags) >= {"PL", "from:PL", "from:GEN"} and model.config.longest_source == 6
    assert model.metrics.pairs == len(DATA)


def test_known_forms_are_mixed_with_exact_probabilities(trained):
    model = isotone.load(trained)
    knowing = model.with_known([Example("abab", "ababen", ("N", "GEN")), Example("abab", "ababs", ("N", "PL"))])
    asked, target = {"tags": ("N", "PL")}, "ababs"
    parts = [
        model.score("abab", target, **asked),
        model.score("ababen", target, tags=("N", "PL", "from:N", "from:GEN")),
    ]
    expected = math.log(sum(map(math.exp, parts)) / 2)
    assert knowing.score("abab", target, **asked) == pytest.approx(expected, abs=1e-5)
    best = knowing("abab", **asked)
    assert best.logprob == pytest.approx(knowing.score("abab", best.target, **asked), abs=1e-5) and best.certified
    assert knowing.score("ab", "abs", **asked) == pytest.approx(model.score("ab", "abs", **asked), abs=1e-6)
    assert knowing.evaluate(DEV, bootstrap=0).n == 2
    assert len(knowing(["abab", "ab"], tags=[("N", "PL")] * 2)) == 2
    again = pickle.loads(pickle.dumps(knowing.codec))
    assert isinstance(again, KnowingCodec) and again.encode(DEV[0]) == knowing.codec.encode(DEV[0])


def test_a_resumed_run_draws_the_same_sources(tmp_path, trained):
    from quick import Stop

    assert not fit(DATA, DEV, tmp_path / "m", **QUICK, paradigm=0.5, callbacks=[Stop(2, 1)]).finished
    assert fit(DATA, DEV, tmp_path / "m", **QUICK, paradigm=0.5, mode="resume").finished
    assert (tmp_path / "m" / "model.safetensors").read_bytes() == (trained / "model.safetensors").read_bytes()


def test_mistakes(tmp_path, trained):
    with pytest.raises(ConfigError, match="--paradigm: no lemma has two forms with different tags"):
        fit(DATA[::3], DEV, tmp_path / "m", **QUICK, paradigm=0.5)
    with pytest.raises(ConfigError, match="paradigm: not with a copy gate"):
        fit(DATA, DEV, tmp_path / "m", **QUICK, paradigm=0.5, copy_gate=True)
    with pytest.raises(ConfigError, match="paradigm: not with distil"):
        fit(DATA, DEV, tmp_path / "m", **QUICK, paradigm=0.5, seeds=2, distil=True)
    with pytest.raises(ConfigError, match="the tag 'from:X' begins with 'from:'"):
        fit([Example("a", "b", ("from:X",)), *DATA], DEV, tmp_path / "m", **QUICK, paradigm=0.5)
    assert not (tmp_path / "m").exists()
    fit(DATA, DEV, tmp_path / "plain", **{**QUICK, "epochs": 1})
    with pytest.raises(ConfigError, match="known forms: this model was trained without --paradigm"):
        isotone.load(tmp_path / "plain").with_known(DATA)
