"""Fitting a temperature: the truth comes back, the likelihood never falls, and nobody fits on nothing."""

from dataclasses import replace

import numpy as np
import pytest

from decoding import enumeration
from isotone.decoding import Tempered, batches, fit_temperature, sample_strings, temperature
from isotone.decoding.temperature import LOWEST
from isotone.errors import DataError
from isotone.text.vocabulary import EOS


def drawn(model, temperature, count=400):
    """Pairs whose targets come from the tempered model."""
    sources = enumeration.words([4, 2, 3])
    many = sample_strings(Tempered(model, temperature), sources, count=count, generator=np.random.default_rng(0))
    return [
        replace(source, target=(*string.symbols, EOS))
        for source, strings in zip(sources, many, strict=True)
        for string in strings
    ]


@pytest.mark.parametrize("aligner", ["soft", "1-mono"])
@pytest.mark.parametrize("truth", [0.6, 1.0, 1.8])
def test_the_temperature_of_samples_is_found_again(aligner, truth):
    model = enumeration.model(aligner)
    fit = fit_temperature(model, drawn(model, truth))
    assert fit.temperature == pytest.approx(truth, rel=0.1)
    assert fit.nll_after <= fit.nll_before


def test_the_figures_are_those_of_the_tempered_model_and_at_a_minimum():
    model = enumeration.model("0-mono")
    pairs = drawn(model, 1.5, count=20)
    fit = fit_temperature(model, pairs)

    def nll(temperature):
        return float(-Tempered(model, temperature).log_probs(pairs).mean())

    assert fit.pairs == len(pairs)
    assert fit.nll_before == pytest.approx(-model.log_probs(pairs).mean(), abs=1e-5)
    assert fit.nll_after == pytest.approx(nll(fit.temperature), abs=1e-5)
    assert nll(fit.temperature) < min(nll(fit.temperature * 1.05), nll(fit.temperature / 1.05))


def test_alphabets_may_differ_from_batch_to_batch(monkeypatch):
    """As with a copy gate, which adds the unknown symbols of a source: what is not there has no probability."""
    model = enumeration.model("0-mono")
    pairs, plain = drawn(model, 1.4, count=20), temperature._margins
    fit = fit_temperature(model, pairs)

    def wider(engine, batch):
        return [np.pad(t, ((0, 0), (0, len(batch) % 2)), constant_values=-np.inf) for t in plain(engine, batch)]

    monkeypatch.setattr(batches, "CELLS", 40)
    monkeypatch.setattr(temperature, "_margins", wider)
    again = fit_temperature(model, pairs)
    assert (again.temperature, again.nll_after) == pytest.approx((fit.temperature, fit.nll_after), rel=1e-4)


def test_impossible_pairs_are_left_out():
    model = enumeration.model("0-mono")
    good, other = drawn(model, 1.0, count=5), enumeration.pairs([2, 2], [1, 1])
    bad = [replace(other[0], target=(1, EOS)), replace(other[1], unseen=("Ω",))]
    assert fit_temperature(model, good + bad) == fit_temperature(model, good)
    with pytest.raises(DataError, match="no pair is possible"):
        fit_temperature(model, bad)


def test_pairs_that_are_always_right_stop_at_the_lowest_temperature():
    model = enumeration.model("0-mono", more=9.0)  # all but certain to end at once
    pairs = [replace(word, target=(EOS,)) for word in enumeration.words([2, 3])]
    assert fit_temperature(model, pairs).temperature == pytest.approx(LOWEST)
