"""Extreme inputs: training, predicting, scoring and aligning give numbers, whatever the lengths and alphabets."""

import math

import pytest

import isotone
from isotone.models.aligners import ALIGNERS
from isotone.text.example import Example
from quick import fit

PLAIN = {"epochs": 1, "task": "transduction", "decode": "greedy"}


def check(folder, source, target):
    """Every answer about a pair is finite, or a −inf with a reason."""
    model = isotone.load(folder)
    prediction = model(source, decode="greedy", max_length=60)
    assert math.isfinite(prediction.logprob) and prediction.logprob <= 0
    (scored,) = model.scores([Example(source, target)])
    assert not math.isnan(scored.logprob) and scored.logprob <= 0
    alignment = model.align(source, target)
    assert not math.isnan(alignment.logprob)
    if math.isfinite(alignment.logprob):
        assert all(abs(sum(row) - 1) < 1e-3 for row in alignment.posterior)
    return scored.logprob


@pytest.mark.parametrize("aligner", ALIGNERS)
def test_one_training_example(tmp_path, aligner):
    pair = [Example("ab", "ba")]
    outcome = fit(pair, pair, tmp_path / "m", model=aligner, **PLAIN)
    assert outcome.finished and math.isfinite(outcome.best.train_loss)
    assert math.isfinite(check(tmp_path / "m", "ab", "ba"))


def test_one_symbol_and_none(tmp_path):
    pairs = [Example("a", "b"), Example("b", "a"), Example("a", "")]
    outcome = fit(pairs, pairs, tmp_path / "m", **PLAIN)
    assert math.isfinite(outcome.best.train_loss) and math.isfinite(outcome.best.dev_loss)
    assert math.isfinite(check(tmp_path / "m", "a", "b")) and math.isfinite(check(tmp_path / "m", "b", ""))


def test_identical_examples(tmp_path):
    pairs = [Example("abab", "baba")] * 40
    outcome = fit(pairs, pairs[:4], tmp_path / "m", epochs=2, task="transduction", rate=0.05)
    assert math.isfinite(outcome.best.train_loss)
    check(tmp_path / "m", "abab", "baba")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Each aligner, trained on a few pairs whose targets are up to twenty times as long as their sources."""
    home = tmp_path_factory.mktemp("numbers")
    pairs = [Example("ab" * n, "abba" * (10 * n)) for n in (1, 2)] + [Example("ba", "ab"), Example("b" * 30, "a")]
    for aligner in ALIGNERS:
        outcome = fit(pairs, pairs, home / aligner, model=aligner, **PLAIN)
        assert math.isfinite(outcome.best.train_loss) and math.isfinite(outcome.best.dev_loss), aligner
    return home


@pytest.mark.parametrize("aligner", ALIGNERS)
def test_a_target_twenty_times_its_source(models, aligner):
    assert math.isfinite(check(models / aligner, "ab", "abba" * 10))


@pytest.mark.parametrize("aligner", ALIGNERS)
def test_nothing_known(models, aligner):
    check(models / aligner, "дйфщ", "ab")
    assert check(models / aligner, "ab", "дй") == -math.inf  # never seen: probability 0, and no NaN anywhere


@pytest.mark.parametrize("aligner", ["soft", "0-hard", "0-mono", "1-mono"])
def test_five_thousand_symbols(models, aligner):
    model = isotone.load(models / aligner)
    source = "ab" * 2500
    prediction = model(source, decode="greedy", max_length=5)
    assert math.isfinite(prediction.logprob)
    assert not math.isnan(model.score(source, "ab" * 20))
    assert not math.isnan(model.align(source, "ab" * 20).logprob)


def test_a_vocabulary_of_twenty_thousand(tmp_path):
    symbols = [chr(0x4E00 + n) for n in range(20_000)]
    pairs = [Example("".join(symbols[n : n + 50]), "".join(symbols[n + 9 : n + 12])) for n in range(0, 20_000, 50)]
    outcome = fit(pairs, pairs[:3], tmp_path / "m", batch_size=64, **PLAIN)
    assert math.isfinite(outcome.best.train_loss)
    assert len(isotone.load(tmp_path / "m").vocabulary.source.symbols) == 20_000
    assert math.isfinite(check(tmp_path / "m", symbols[0] + symbols[19_999], symbols[9]))
