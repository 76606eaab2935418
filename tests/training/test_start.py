"""Training that begins with a trained model: its weights, its symbols first, and what does not fit is refused."""

import shutil
from dataclasses import replace

import pytest
import torch

import isotone
import toy
from isotone.api.training import Asked, new_request, read_start
from isotone.errors import ConfigError, ModelError
from isotone.models.parallel import apply_threads
from isotone.store.describe import read_folder
from isotone.store.folder import load_member, save_member, set_temperature
from isotone.store.temperature import Temperature
from isotone.text.example import Example
from isotone.text.vocabulary import Alphabet, Vocabulary
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
    with pytest.raises(ConfigError, match=r"its origin\.fingerprint is"):
        begun(mine, DATA, tmp_path / "m", model=None, mode="resume")


def test_a_temperature_makes_no_other_model_and_other_alphabets_do(first, tmp_path):
    mine = tmp_path / "mine"
    shutil.copytree(first, mine)
    model = read_start(mine)
    set_temperature(mine, Temperature(value=2.0))
    assert read_start(mine).origin == model.origin
    member = load_member(mine)
    turned = Vocabulary(
        Alphabet(member.vocabulary.source.symbols[::-1]), member.vocabulary.target, member.vocabulary.tags
    )
    save_member(mine, replace(member, vocabulary=turned))
    assert read_start(mine).origin != model.origin


def test_the_model_to_begin_with_is_never_replaced(tmp_path):
    fit(DATA, DEV, tmp_path / "one", epochs=1)
    fit(DATA, DEV, tmp_path / "two", seeds=2, epochs=1)
    for model, out in (("one", "one"), ("two/seed-0", "two")):
        with pytest.raises(ConfigError, match="holds the model to begin with; choose another folder"):
            begun(tmp_path / model, DATA, tmp_path / out, model=None, mode="overwrite")
        assert load_member(tmp_path / model)


def test_a_whole_request_is_checked_like_any_other(first, tmp_path):
    asked = Asked(start=read_start(first), recipe=TINY["recipe"])
    request, _ = new_request(asked, train=DATA, dev=DEV)
    assert new_request(Asked(), train=DATA, dev=DEV, config=request)[0] == request
    for changes, refusal in (
        ({"encoder.embedding": 32}, "so it cannot be 32"),
        ({"direction": "backwards"}, "reads and writes forwards"),
    ):
        with pytest.raises(ConfigError, match=refusal):
            new_request(Asked(changes=changes), train=DATA, dev=DEV, config=request)
    again, _ = new_request(replace(asked, recipe="fast"), train=DATA, dev=DEV, config=request)
    assert again.architecture.encoder.hidden == 96 and again.recipe.name == "fast"
    gone = request.model_copy(update={"origin": request.origin.model_copy(update={"fingerprint": "other"})})
    with pytest.raises(ConfigError, match="no longer the model that this request was made for"):
        new_request(Asked(), train=DATA, dev=DEV, config=gone)


def test_files_are_read_the_way_round_that_the_model_knows(tmp_path):
    words = [(a + b, f"{a.upper()} {b.upper()}") for a in "abcd" for b in "abcd"]
    (tmp_path / "g.tsv").write_text("".join(f"{word}\t{phones}\n" for word, phones in words))
    (tmp_path / "p.tsv").write_text("".join(f"{word}\t{phones.replace(' ', '')}\n" for word, phones in words))
    names = {"train": tmp_path / "g.tsv", "dev": tmp_path / "g.tsv", "format": "g2p", "task": "g2p"}
    quick = {**TINY, "progress": False, "epochs": 1}
    isotone.train(**names, **quick, out=tmp_path / "back", reverse=True)
    isotone.train(**names, **quick, out=tmp_path / "there")
    del quick["size"]
    onward = isotone.train(**names, **quick, start_from=tmp_path / "back")
    assert onward.vocabulary == isotone.load(tmp_path / "back").vocabulary
    for folder, reverse in (("back", False), ("there", True)):
        with pytest.raises(ConfigError, match="cannot go on the other way round"):
            isotone.train(**names, **quick, start_from=tmp_path / folder, reverse=reverse)
    plain = {**names, "train": tmp_path / "p.tsv", "dev": tmp_path / "p.tsv", "format": "pairs"}
    start = read_start(tmp_path / "there")
    _, pairs = new_request(Asked(start=start), **{name: plain[name] for name in ("train", "dev", "format")})
    assert any("knows only 0% of the target symbols" in note for note in pairs.notes)
    isotone.train(**plain, **quick, size="tiny", out=tmp_path / "plain")
    with pytest.raises(ConfigError, match="reads targets by codepoints, and in this format"):
        isotone.train(**names, **quick, start_from=tmp_path / "plain")


def test_it_keeps_to_its_threads(first, monkeypatch):
    monkeypatch.setenv("ISOTONE_THREADS", "2")
    request, _ = new_request(Asked(start=read_start(first), threads=1), train=DATA, dev=DEV)
    apply_threads(1)
    prepare(DATA, request)
    assert torch.get_num_threads() == 1


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
    with pytest.raises(ConfigError, match=r"its emission\.copy_gate is False, so it cannot be True"):
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
