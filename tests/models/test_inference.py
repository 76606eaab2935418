"""The network as search sees it: the same numbers, one pass per question, exact over thousands of symbols."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

import tiny
from decoding import enumeration
from isotone.data import collate
from isotone.dp import Chain, Monotone, best_path, posteriors
from isotone.errors import ConfigError
from isotone.models import ALIGNERS
from isotone.models.inference import TorchModel
from isotone.text.codec import Encoded
from isotone.text.vocabulary import BOS, EOS, FIRST

every_aligner = pytest.mark.parametrize("aligner", ALIGNERS)


@every_aligner
def test_alignments_are_those_of_the_chain_cut_to_each_pairs_lengths(aligner):
    model, pairs = enumeration.model(aligner), enumeration.pairs([4, 0, 7], [3, 2, 0])
    for pair, aligned in zip(pairs, model.align(pairs), strict=True):
        assert aligned.posterior.shape == (len(pair.target), len(pair.source)) and len(aligned.path) == len(pair.target)
        assert aligned.log_prob == pytest.approx(model.log_probs([pair])[0], abs=1e-10)
        np.testing.assert_allclose(aligned.posterior.sum(1), 1, atol=1e-10)
        if aligner != "soft":
            with torch.no_grad():
                chain = model.network.chain(collate([pair], 0))
            np.testing.assert_allclose(aligned.posterior, posteriors(chain)[0], atol=1e-10)
            assert aligned.path.tolist() == best_path(chain)[1][0].tolist()


@pytest.mark.parametrize("method", ["align", "log_probs"])
@pytest.mark.parametrize("aligner", ["soft", "1-mono"])
def test_encoder_and_decoder_run_once(aligner, method):
    model, pairs = enumeration.model(aligner), enumeration.pairs([4, 0], [3, 2])
    calls = Counter()
    for name in ("encoder", "decoder"):
        part = getattr(model.network, name)
        part.register_forward_hook(lambda *_, name=name: calls.update([name]))
    getattr(model, method)(pairs)
    assert calls == {"encoder": 1, "decoder": 1}


@pytest.mark.parametrize("aligner", ["0-mono", "1-mono", "0-hard", "soft"])
def test_a_long_pair_is_aligned_in_full(aligner):
    generator = np.random.default_rng(0)
    source, target = (tuple(generator.integers(FIRST, FIRST + 3, 1500).tolist()) for _ in range(2))
    pair = Encoded((BOS, *source, EOS), (*target, EOS), (), ("a",) * 1500, ())
    model = TorchModel(tiny.model(aligner, dtype=torch.float32, width=4), 0)
    (aligned,) = model.align([pair])
    assert -math.inf < aligned.log_prob < -1000 and aligned.posterior.dtype == np.float64
    np.testing.assert_allclose(aligned.posterior.sum(1), 1, atol=1e-6)
    assert aligned.path.min() >= 0


def diagonal(size):
    """A chain of one pair whose alignments keep close to the diagonal, as those of a trained 0-mono model do."""
    step, state = torch.arange(size + 1)[:, None], torch.arange(size + 2)
    scores = (torch.randn(size + 1, size + 2) - (state - step).abs() / 2)[None]
    transition = Monotone.from_scores(scores, torch.ones(1, size + 2, dtype=torch.bool))
    return Chain(-2 - 3 * torch.rand(1, size + 1, size + 2), transition, torch.tensor([size + 1]))


def test_posteriors_of_long_pairs_need_float64(monkeypatch):
    chain = diagonal(1500)
    assert (posteriors(chain).sum(-1) - 1).abs().max() > 1e-3, "more than an `Alignment` accepts"
    model = TorchModel(tiny.model("0-mono", dtype=torch.float32), 0)
    monkeypatch.setattr(model.network, "chain_and_attention", lambda batch: (chain, None))
    (aligned,) = model.align([Encoded((BOS, *[FIRST] * 1500, EOS), (*[FIRST] * 1500, EOS), (), ("a",) * 1500, ())])
    np.testing.assert_allclose(aligned.posterior.sum(1), 1, atol=1e-9)


@pytest.mark.parametrize("aligner", [name for name in ALIGNERS if name != "soft"])
def test_sampled_alignments_follow_the_posterior(aligner):
    model, (pair,) = enumeration.model(aligner), enumeration.pairs([3], [2])
    drawn = model.sample_paths(pair, 3000, seed=3)
    assert drawn.shape == (3000, 3) and np.array_equal(drawn, model.sample_paths(pair, 3000, seed=3))
    (aligned,) = model.align([pair])
    frequencies = np.stack([(drawn == state).mean(0) for state in range(len(pair.source))], 1)
    np.testing.assert_allclose(frequencies, aligned.posterior, atol=0.04)


def test_pairs_without_alignments_and_models_without_them():
    (pair,) = enumeration.pairs([0], [6])
    hopeless = enumeration.model("0-mono")
    with torch.no_grad():
        hopeless.network.emission.output.bias[FIRST - hopeless.network.emission.first_output :] = -math.inf
    assert hopeless.sample_paths(pair, 5).shape == (0, 7)
    (aligned,) = hopeless.align([pair])
    assert aligned.log_prob == -math.inf and set(aligned.path.tolist()) == {-1} and not aligned.posterior.any()
    with pytest.raises(ConfigError, match="no alignments to sample"):
        enumeration.model("soft").sample_paths(pair, 1)
