"""Recipes: chosen by the number of pairs, changed field by field, guided at first."""

import pytest
import torch

import tiny
import toy
from isotone.api.training import RECIPES
from isotone.data import Loader
from isotone.dp import log_likelihood, path_log_prob
from isotone.errors import ConfigError
from isotone.models import Network
from isotone.text.codec import Codec
from isotone.text.config import Texts
from isotone.text.vocabulary import Vocabulary
from isotone.training.fixed_alignments import with_alignments
from quick import Stop, fit


@pytest.mark.parametrize(("pairs", "epochs"), [(1, 60), (322, 45), (1_000, 34), (16_000, 17), (10**7, 8)])
def test_epochs_shrink_with_the_data(pairs, epochs):
    assert RECIPES["small"].recipe.epochs_for(pairs) == epochs
    assert RECIPES["paper"].recipe.epochs_for(pairs) == 50
    assert RECIPES["small"].recipe.with_changes(epochs=7).epochs_for(pairs) == 7


@pytest.mark.parametrize("name", RECIPES)
def test_the_table_would_pass_the_checks(name):
    """Its recipes are made without them, for a quick start."""
    recipe = RECIPES[name].recipe
    assert recipe.with_changes() == recipe


def test_changes_are_checked():
    with pytest.raises(ConfigError, match="guided"):
        RECIPES["small"].recipe.with_changes(guided=2.0)


def test_alignments_come_in_the_first_epochs_only():
    vocabulary, _ = Vocabulary.build(toy.examples(20), Texts())
    codec = Codec(vocabulary, Texts())
    rows = with_alignments([codec.encode(example) for example in toy.examples(20)], vocabulary)
    loader = Loader(examples=rows, batch_size=8, tag_count=len(vocabulary.tags), aligned_epochs=2)
    assert all(batch.alignment is not None for epoch in (1, 2) for batch in loader.epoch(epoch))
    assert all(batch.alignment is None for batch in loader.epoch(3))


def test_where_a_path_is_impossible_all_alignments_count():
    """1-mono cannot jump further than its width: such pairs are learnt by the sum even while guided."""
    network: Network = tiny.model("1-mono")
    batch = tiny.random_batch([5, 5], [3, 3])
    near, far = [0, 1, 2, 3], [0, 0, 6, 6]
    aligned = type(batch)(
        batch.source, batch.source_lengths, batch.target, batch.target_lengths, batch.tags, torch.tensor([near, far])
    )
    chain = network.chain(batch)
    along, whole = path_log_prob(chain, aligned.alignment), log_likelihood(chain)
    assert along[1] == -torch.inf
    torch.testing.assert_close(network(aligned), torch.stack([along[0], whole[1]]))
    network(aligned).sum().backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in network.parameters() if parameter.grad is not None)


@pytest.mark.trains
def test_a_guided_run_resumes_bit_by_bit(tmp_path):
    options = {"model": "0-mono", "recipe": "small", "epochs": 4, "guided": 0.5, "augment": 0.5}
    data, dev = toy.examples(60), toy.examples(10, seed=9)
    fit(data, dev, tmp_path / "whole", **options)
    assert not fit(data, dev, tmp_path / "parts", **options, callbacks=[Stop(2, 2)]).finished
    fit(data, dev, tmp_path / "parts", **options, mode="resume")
    assert (tmp_path / "whole/model.safetensors").read_bytes() == (tmp_path / "parts/model.safetensors").read_bytes()


def test_the_kept_epoch_is_not_a_guided_one(tmp_path):
    options = {"model": "0-mono", "recipe": "small", "epochs": 4, "guided": 0.75, "rate": 1e-9}  # all epochs tie
    data, dev = toy.examples(40), toy.examples(10, seed=9)
    for ties in ("later", "lower loss"):
        assert fit(data, dev, tmp_path / ties, **options, ties=ties).best.epoch == 4


@pytest.mark.parametrize(
    ("pairs", "dev", "every"),
    [(1_000, 1_000, 4), (1_000, 100, 1), (100, 499, 1), (96_638, 5_600, 1), (5_000, 2_000, 2)],
)
def test_large_dev_sets_are_assessed_now_and_then(pairs, dev, every):
    assert RECIPES["small"].recipe.assessed_every(pairs, dev) == every
    assert RECIPES["paper"].recipe.assessed_every(pairs, dev) == 1
