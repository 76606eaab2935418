"""The exported engine against the torch network: the same numbers, whatever the aligner, the batch or the padding."""

import numpy as np
import pytest
import torch

import tiny
from exporting import PAIRS, TAGS, encoded, exported, member
from isotone.errors import ConfigError
from isotone.models import ALIGNERS
from isotone.text.vocabulary import EOS, FIRST
from searches import exact_search

EVERY = pytest.mark.parametrize("aligner", tiny.VARIANTS)


def finite_difference(a, b):
    """The largest difference; −inf must be in the same places."""
    a, b = np.asarray(a), np.asarray(b)
    assert np.array_equal(np.isneginf(a), np.isneginf(b)) and not np.isnan(b).any()
    real = ~np.isneginf(a)
    return np.abs(a[real] - b[real]).max(initial=0.0)


@EVERY
@pytest.mark.parametrize("tags", [(), TAGS], ids=["untagged", "tagged"])
@pytest.mark.parametrize("layers", [1, 2])
def test_fp32_gives_the_same_probabilities(aligner, tags, layers):
    made = member(aligner, tags=tags, encoder_layers=layers)
    pairs, model = encoded(made), exported(made)
    trained = made.engine()
    assert finite_difference(trained.log_probs(pairs), model.log_probs(pairs)) < 1e-5


@EVERY
def test_fp32_gives_the_same_alignments(aligner):
    made = member(aligner)
    pairs = encoded(made)
    for theirs, ours in zip(made.engine().align(pairs), exported(made).align(pairs), strict=True):
        assert theirs.log_prob == pytest.approx(ours.log_prob, abs=1e-5)
        np.testing.assert_allclose(theirs.posterior, ours.posterior, atol=1e-5)
        assert ours.posterior.dtype == np.float64
        if ours.log_prob > -np.inf:
            np.testing.assert_allclose(ours.posterior.sum(1), 1, atol=1e-6 if aligner == "soft" else 1e-12)
        assert theirs.path.tolist() == ours.path.tolist()
        for name in ("stays", "silence"):
            expected, found = getattr(theirs, name), getattr(ours, name)
            assert (expected is None) == (found is None)
            if expected is not None:
                np.testing.assert_allclose(found, expected, atol=1e-5)


@EVERY
def test_long_pairs_are_aligned_in_blocks_of_positions(aligner, monkeypatch):
    """As they are without blocks, and in time that grows with |x|·|y|: 2,000 × 2,000 symbols take seconds."""
    made = member(aligner)
    (pair,) = encoded(made, [("abcd" * 5 + "abq", "xyzzy" * 3, ("N",))])
    model = exported(made)
    (whole,) = model.align([pair])
    monkeypatch.setattr("isotone.runtime.session.BLOCK", 4)
    (blocks,) = model.align([pair])
    assert blocks.log_prob == pytest.approx(whole.log_prob, abs=1e-5) and blocks.path.tolist() == whole.path.tolist()
    np.testing.assert_allclose(blocks.posterior, whole.posterior, atol=1e-5)
    assert model.log_probs([pair])[0] == pytest.approx(whole.log_prob, abs=1e-4)


@EVERY
def test_steps_have_the_numbers_of_the_network_and_of_scoring(aligner):
    made = member(aligner)
    pairs = [pair for pair in encoded(made) if not pair.unseen]
    trained, model = made.engine(), exported(made)
    log_probs = model.log_probs(pairs)
    engines = (trained, model)
    memories = [one.encode(pairs) for one in engines]
    states = [one.start(memory) for one, memory in zip(engines, memories, strict=True)]
    for place in range(max(len(pair.target) for pair in pairs)):
        steps = [
            one.step(*both) for one, both in zip((trained, model), zip(states, memories, strict=True), strict=True)
        ]
        assert finite_difference(steps[0].log_symbols, steps[1].log_symbols) < 1e-5
        for row, pair in enumerate(pairs):
            if place == len(pair.target) - 1:
                assert finite_difference(steps[1].log_symbols[row, EOS], log_probs[row]) < 1e-5
        symbols = np.array([pair.target[place] if place < len(pair.target) else FIRST for pair in pairs])
        states = [step.choose(symbols) for step in steps]


@EVERY
@pytest.mark.parametrize("int8", [False, True], ids=["fp32", "int8"])
def test_no_pair_depends_on_its_batch(aligner, int8):
    made = member(aligner, encoder_layers=2)
    pairs = encoded(made)
    model = exported(made, int8=int8)
    together = model.log_probs(pairs)
    alone = np.array([model.log_probs([pair])[0] for pair in pairs])
    assert finite_difference(together, alone) < 1e-6
    found, each = exact_search(model, pairs), [exact_search(model, [pair])[0] for pair in pairs]
    for one, other in zip(found, each, strict=True):
        assert one.hypotheses[0].symbols == other.hypotheses[0].symbols
        assert one.hypotheses[0].log_prob == pytest.approx(other.hypotheses[0].log_prob, abs=1e-6)


@pytest.mark.parametrize("aligner", ["0-mono", "1-mono"])
def test_int8_states_are_the_same_in_any_company(aligner):
    """Every number of an encoded source, bit by bit, beside sources that would stretch a scale of their own."""
    made = member(aligner, scale=4.0, hidden=37, embedding=11)
    model = exported(made, int8=True)
    pairs = encoded(made, [("abcd" * k, "x", ()) for k in (1, 2, 9)] + list(PAIRS))
    together = model.encode(pairs)
    for row, pair in enumerate(pairs):
        alone, size = model.encode([pair]), len(pair.source)
        assert np.array_equal(together.features[row, :size], alone.features[0])


@EVERY
def test_int8_is_a_distribution_with_the_same_zeros(aligner):
    made = member(aligner)
    pairs, trained, model = encoded(made), made.engine(), exported(made, int8=True)
    assert np.array_equal(np.isneginf(trained.log_probs(pairs)), np.isneginf(model.log_probs(pairs)))
    for one, theirs in zip(model.align(pairs), trained.align(pairs), strict=True):
        assert np.array_equal(one.posterior == 0, theirs.posterior == 0)
    memory, random = model.encode(pairs), np.random.default_rng(0)
    state, before = model.start(memory), np.zeros(len(pairs))
    for _ in range(5):
        log_symbols = model.step(state, memory).log_symbols
        mass = np.logaddexp.reduce(log_symbols.astype(np.float64), axis=1)
        np.testing.assert_allclose(mass, before, atol=1e-5)  # so all strings together have 1 at most
        allowed = np.isfinite(log_symbols)
        allowed[:, EOS] = False
        symbols = np.array([random.choice(np.flatnonzero(row)) for row in allowed])
        state = model.step(state, memory).choose(symbols)
        before = log_symbols[np.arange(len(pairs)), symbols]


@EVERY
def test_exact_search_finds_the_same_strings(aligner):
    made = member(aligner)
    pairs = encoded(made)
    theirs, ours = (exact_search(model, pairs, n_best=3, max_length=6) for model in (made.engine(), exported(made)))
    for one, other in zip(theirs, ours, strict=True):
        assert [h.symbols for h in one.hypotheses] == [h.symbols for h in other.hypotheses]


@pytest.mark.parametrize("aligner", [name for name, part in ALIGNERS.items() if part.positions])
def test_sampled_alignments_follow_the_posterior(aligner):
    made = member(aligner)
    model = exported(made)
    pair = encoded(made)[0]
    paths = model.sample_paths(pair, 4000, seed=1)
    posterior = model.align([pair])[0].posterior
    shares = np.stack([(paths == j).mean(0) for j in range(len(pair.source))], 1)
    np.testing.assert_allclose(shares, posterior, atol=0.04)
    assert np.array_equal(paths, model.sample_paths(pair, 4000, seed=1))
    impossible = encoded(made, [("a", "q", ())])[0]
    assert model.sample_paths(impossible, 3).shape == (0, 2)


def test_soft_has_no_alignments_to_sample():
    made = member("soft")
    with pytest.raises(ConfigError, match="no alignments"):
        exported(made).sample_paths(encoded(made)[0], 1)


def test_extreme_scores_stay_exact():
    """Belief that is small beside the rest is small, not zero; padding stays zero."""
    made = member("0-mono", scale=1.0)
    with torch.no_grad():
        made.network.aligner.key.weight.mul_(2000)
    pairs = encoded(made)
    assert finite_difference(made.engine().log_probs(pairs), exported(made).log_probs(pairs)) < 1e-2


def test_parts_without_an_exported_form_are_refused():
    made = member("0-mono")
    from isotone.runtime.export import graphs_of

    with pytest.raises(ConfigError, match="my-aligner cannot be exported"):
        graphs_of(made.network, "my-aligner", int8=False)


def test_every_aligner_that_can_be_written_can_be_read():
    """The two tables are apart because reading needs no onnx."""
    from isotone.runtime.aligner_graphs import ALIGNER_GRAPHS
    from isotone.runtime.aligners import TRANSITIONS
    from isotone.runtime.greedy_aligners import GREEDY_ALIGNERS

    assert ALIGNER_GRAPHS.keys() == TRANSITIONS.keys() == GREEDY_ALIGNERS.keys()
