"""Correspondences, errors and temperatures of models that know the toy language: letters double, q is silent."""

import json

import pytest

import isotone
import toy
from isotone.errors import ConfigError
from isotone.store.temperature import Temperature

TEST = toy.examples(60, seed=11)


def test_letters_do_what_the_language_says(mono):
    found = mono.correspondences(TEST)
    shares = {source.symbol: source.silent / source.occurrences for source in found.sources if not source.boundary}
    assert max(shares, key=shares.__getitem__) == "q"  # where it is not silent, it stands for a half of its neighbour
    emitted = {source.symbol: source.emitted / source.occurrences for source in found.sources if not source.boundary}
    assert emitted["a"] > emitted["b"] and found["b"].targets[0].target == ("b",)
    assert ("a", "a") in [run.target for run in found["a"].runs]


def test_every_model_counts_every_symbol(model, mixture):
    symbols = sum(len(example.target) for example in TEST)
    for each in (model, mixture):
        found = each.correspondences(TEST)
        assert sum(source.emitted for source in found.sources) == pytest.approx(symbols, rel=1e-6)


def test_a_soft_model_says_nothing_about_silence(folders):
    found = isotone.load(folders["soft"]).correspondences(TEST[:5])
    assert all(source.silent is None and not source.runs for source in found.sources)


def test_errors_and_head_to_head(mono, folders):
    other = isotone.load(folders["0-mono"])
    report = mono.errors(TEST, against=other, train=toy.examples(300))
    assert report.n == len(TEST) and report.train == ""
    counts = report.against.to_json()
    assert sum(counts[key] for key in ("both_right", "fixed", "broken", "both_wrong")) == len(TEST)
    assert counts["both_right"] + counts["fixed"] == report.right
    assert {group.by for group in report.groups} >= {"tag", "tags", "length", "source", "tag set"}
    assert "Python" in mono.errors(TEST).train  # trained on objects, so there is no file to look into


def test_models_with_other_texts_are_not_compared(mono, tmp_path):
    other = isotone.train(
        train=[("ab", "a b"), ("ba", "b a")], dev=[("a", "a")], out=tmp_path / "g2p", task="g2p", size="tiny", epochs=1
    )
    with pytest.raises(ConfigError, match="targets differently"):
        mono.errors(TEST, against=other)


def test_calibrating(mono, tmp_path):
    warm = mono.calibrate(TEST, share=0.4)
    known = warm.temperature
    assert isinstance(known, Temperature) and mono.temperature is None
    assert known.fitted_on + known.measured_on == len(TEST) and known.fitted_nll_after <= known.fitted_nll_before
    report = warm.evaluate(TEST, calibration=5, bootstrap=20)
    assert len(report.calibration.bins) == 5 and report.calibration.interval is not None
    json.dumps(report.to_json())
    again = warm.calibrate(TEST, share=0.4)  # fitted from the model itself, not on top of the first
    assert again.temperature == known
    for share in (0.0, 1.0):
        with pytest.raises(ConfigError, match="share"):
            mono.calibrate(TEST, share=share)


def test_a_tempered_model_answers_everything(mono, mixture):
    for model in (mono.with_temperature(2.0), mixture.with_temperature(0.7)):
        prediction = model("abq", tags=("N", "PL"))
        assert prediction.certified
        assert model.score("abq", prediction.target, tags=("N", "PL")) == pytest.approx(prediction.logprob, abs=1e-4)
        assert model.align("abq", prediction.target, tags=("N", "PL")).logprob == pytest.approx(
            prediction.logprob, abs=1e-4
        )
        assert len(model.sample("abq", count=3, seed=1)) == 3
