"""Training that begins with a trained model: its weights, its symbols first, and what does not fit is refused."""

import shutil
from dataclasses import replace

import pytest
import torch

import isotone
import toy
from isotone.api.training import read_start
from isotone.errors import ConfigError, ModelError
from isotone.store.describe import read_folder
from isotone.store.folder import load_member
from isotone.text.example import Example
from isotone.training.request import Request
from isotone.training.single import prepare
from quick import TINY, Stop, fit

DATA, DEV = toy.examples(24), toy.examples(6, seed=9)
OTHER = [*DATA[:12], Example("žab", "bažž", ("NEW",)), *DATA[12:]]
"""The same, and a pair with a symbol and a tag of its own in front of all others in the alphabet's order."""


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first") / "model"
    assert fit(DATA, DEV, folder, model="0-mono").finished
    return folder


def begun(first, train, folder, **options):
    return fit(train, DEV, folder, size=None, start=read_start(first), **options)


def fresh(folder):
    """The network of a run before its first step."""
    request = Request.from_json(read_folder(folder).run, place="run")
    return request, prepare(DATA, request)[0]


def test_it_begins_with_the_weights_and_not_with_chance(first, tmp_path):
    begun(first, DATA, tmp_path / "m", model=None, epochs=1)
    request, member = fresh(tmp_path / "m")
    assert request.origin.model == str(first) and request.task == "inflection"
    mine, theirs = member.network.state_dict(), load_member(first).network.state_dict()
    assert all(torch.equal(mine[name], theirs[name]) for name in theirs) and mine.keys() == theirs.keys()


def test_what_only_the_new_pairs_have_comes_behind(first, tmp_path):
    begun(first, OTHER, tmp_path / "m", model=None, rate=1e-30, epochs=1)
    before, after = load_member(first), load_member(tmp_path / "m")
    for side in ("source", "target"):
        old, new = (getattr(member.vocabulary, side).symbols for member in (before, after))
        assert new[: len(old)] == old and new[len(old) :] == ("ž",)
    assert after.vocabulary.tags == (*before.vocabulary.tags, "NEW")
    one, other = isotone.load(first), isotone.load(tmp_path / "m")
    for example in DEV:  # a rate of nearly nothing: what the new symbol is given, the others lose
        old, new = (m.score(example.source, example.target, tags=example.tags) for m in (one, other))
        assert old - 1.0 * len(example.target) < new < old
    longest = max(one.config.longest_source, max(len(example.source) for example in OTHER))
    assert other.config.longest_source == longest


def test_another_aligner_begins_afresh(first, tmp_path):
    begun(first, DATA, tmp_path / "m", model="0-mono,1-mono", epochs=1)
    theirs = load_member(first).network.state_dict()
    for name in ("0-mono-seed-0", "1-mono-seed-0"):
        _, member = fresh(tmp_path / "m" / name)
        mine = member.network.state_dict()
        shared = [name for name in mine if not name.startswith("aligner.")]
        assert all(torch.equal(mine[name], theirs[name]) for name in shared)
        same = all(torch.equal(mine[name], theirs[name]) for name in theirs if name in mine)
        assert same is name.startswith("0-mono")


def test_an_interrupted_run_ends_as_if_nothing_had_happened(first, tmp_path):
    whole = begun(first, OTHER, tmp_path / "whole", model=None)
    assert not begun(first, OTHER, tmp_path / "part", model=None, callbacks=[Stop(2, 1)]).finished
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(first, elsewhere)
    assert begun(elsewhere, OTHER, tmp_path / "part", model=None, mode="resume").dev == whole.dev


def test_the_model_is_not_another_one_when_the_run_goes_on(first, tmp_path):
    mine = tmp_path / "mine"
    shutil.copytree(first, mine)
    assert not begun(mine, DATA, tmp_path / "m", model=None, callbacks=[Stop(2, 1)]).finished
    fit(DATA, DEV, mine, model="0-mono", mode="overwrite", seed=1)
    with pytest.raises(ConfigError, match="is no longer the model that this run began with"):
        fit(DATA, DEV, tmp_path / "m", model=None, mode="resume", size=None, recipe=None)
    with pytest.raises(ConfigError, match=r"its origin\.checksum is"):
        begun(mine, DATA, tmp_path / "m", model=None, mode="resume")


def test_it_learns_in_python_what_it_would_from_scratch_and_more_quickly(first):
    options = {**TINY, "progress": False, "epochs": 1}
    scratch = isotone.train(train=DATA, dev=DEV, model="0-mono", task="inflection", **options)
    del options["size"]
    model = isotone.train(train=DATA, dev=DEV, start_from=first, **options)
    assert model.config.task == "inflection"
    assert model.evaluate(DEV).metrics["nll"] < scratch.evaluate(DEV).metrics["nll"]


def test_backward_models_go_on_backwards(tmp_path):
    fit(DATA, DEV, tmp_path / "a", model="0-mono", direction="backwards", epochs=1)
    begun(tmp_path / "a", DATA, tmp_path / "b", model=None, epochs=1)
    assert isotone.load(tmp_path / "b").config.backwards
    for direction in ("forwards", "both"):
        with pytest.raises(ConfigError, match="reads and writes backwards, so leave out direction"):
            begun(tmp_path / "a", DATA, tmp_path / "c", model=None, direction=direction)
    assert not (tmp_path / "c").exists()


def test_what_does_not_fit_is_refused(first, tmp_path):
    with pytest.raises(ConfigError, match=r"its encoder\.hidden is 96, so it cannot be 97"):
        begun(first, DATA, tmp_path / "m", **{"encoder.hidden": 97})
    with pytest.raises(ConfigError, match="copy_gate"):
        begun(first, DATA, tmp_path / "m", copy_gate=True)
    untagged = [replace(example, tags=()) for example in DATA]
    assert fit(untagged, untagged, tmp_path / "plain", epochs=1).finished
    with pytest.raises(ConfigError, match="was trained without tags, and these pairs have some"):
        begun(tmp_path / "plain", DATA, tmp_path / "m", model=None)
    fit(DATA, DEV, tmp_path / "two", seeds=2, epochs=1)
    with pytest.raises(ConfigError, match="is a mixture; begin with one of the models in it"):
        read_start(tmp_path / "two")
    isotone.load(first).export(tmp_path / "onnx")
    with pytest.raises(ConfigError, match="is an exported model, which cannot be trained"):
        read_start(tmp_path / "onnx")
    with pytest.raises(ModelError, match="no such model folder"):
        read_start(tmp_path / "nothing")
    assert not (tmp_path / "m").exists()


def test_dropout_and_settings_of_training_are_free(first, tmp_path):
    assert begun(first, DATA, tmp_path / "m", model=None, dropout=0.4, epochs=1, guided=0.5).finished
    assert read_folder(tmp_path / "m").config.architecture.encoder.dropout == 0.4
