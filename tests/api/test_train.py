"""Training from Python: lists, tuples and files in, a model out, progress told to callbacks."""

import json

import pytest

import isotone
import toy
from api.conftest import DEV, TINY, TRAIN
from isotone.api.training import Callback
from isotone.errors import ConfigError, DataError

QUICK = {**TINY, "epochs": 1}


class Diary(Callback):
    """Everything that was told."""

    def __init__(self):
        self.told = []

    def on_start(self, plan):
        self.told.append(("start", plan.epochs))

    def on_epoch(self, event):
        self.told.append(("epoch", event.epoch))

    def on_end(self):
        self.told.append("end")


def write(path, examples, order=("source", "target", "tags")):
    cells = [{"source": e.source, "target": e.target, "tags": ";".join(e.tags)} for e in examples]
    path.write_text("".join("\t".join(c[name] for name in order) + "\n" for c in cells), encoding="utf-8")
    return path


def same(first, second):
    weights = [model.members[0].network.state_dict() for model in (first, second)]
    return all(weights[0][name].equal(weights[1][name]) for name in weights[0])


@pytest.mark.trains
def test_files_examples_and_tuples_train_the_same_model(tmp_path):
    files = {
        "train": write(tmp_path / "train.tsv", TRAIN),
        "dev": str(write(tmp_path / "dev.tsv", DEV)),
        "task": "inflection",
    }
    models = [
        isotone.train(**files, out=tmp_path / "files", **QUICK),
        isotone.train(train=TRAIN, dev=DEV, task="inflection", **QUICK),
        isotone.train(
            train=((e.source, e.target, ";".join(e.tags)) for e in TRAIN),
            dev=[(e.source, e.target, e.tags) for e in DEV],
            task="inflection",
            **QUICK,
        ),
    ]
    assert same(models[0], models[1]) and same(models[0], models[2])
    assert models[0].config.data_format.name == "conll2017" and models[1].config.data_format is None
    again = isotone.load(tmp_path / "files")
    assert same(models[0], again) and again.metrics == models[0].metrics
    assert models[1].metrics.dev == models[0].metrics.dev


def test_without_a_folder_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    model = isotone.train(train=toy.examples(20), dev=0.2, **QUICK)
    assert model("abc").target is not None and model.config.task == "transduction"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.trains
def test_callbacks_are_told_and_settings_reach_the_recipe(tmp_path):
    diary = Diary()
    isotone.train(
        train=toy.examples(30),
        dev=0.2,
        out=tmp_path / "m",
        model="0-hard",
        recipe="small",
        size="tiny",
        epochs=2,
        seed=3,
        device="cpu",
        callbacks=[diary],
    )
    assert diary.told == [("start", 2), ("epoch", 1), ("epoch", 2), "end"]
    metrics = json.loads((tmp_path / "m" / "metrics.json").read_text(encoding="utf-8"))
    assert (metrics["seed"], metrics["pairs"], metrics["recipe"]["name"]) == (3, 24, "small")
    run = json.loads((tmp_path / "m" / "run.json").read_text(encoding="utf-8"))
    assert run["architecture"]["encoder"]["hidden"] == 96 and run["recipe"]["epochs"] == 2


@pytest.mark.trains
def test_copying_reaches_the_model_and_everything_it_does():
    model = isotone.train(train=TRAIN, dev=DEV, task="inflection", model="1-mono", copy=True, **QUICK | {"epochs": 3})
    assert model.config.architecture.emission.copy_gate
    word = {"source": "bcΩ", "tags": "N;SG"}
    drawn = model.sample(**word, count=40, seed=0)
    assert any("Ω" in candidate.target for candidate in drawn)
    for candidate in (*drawn, *model(**word, n_best=5).candidates):
        assert candidate.logprob == pytest.approx(model.score("bcΩ", candidate.target, tags="N;SG"), abs=1e-4)
    assert not model.unseen(isotone.Example("bcΩ", "Ω")) and model.unseen(isotone.Example("bc", "Ω")) == ("Ω",)
    assert model.align("bcΩ", "bcΩ", tags="N;SG").path[2] == 3
    plain = isotone.train(train=TRAIN, dev=DEV, copy=False, **QUICK)
    assert not plain.config.architecture.emission.copy_gate


@pytest.mark.trains
def test_phones_with_spaces_are_symbols():
    pairs = [("cat", "K AE T"), ("cot", "K AA T"), ("taco", "T AA K OW"), ("oat", "OW T")] * 3
    model = isotone.train(train=pairs, dev=pairs, task="g2p", **QUICK)
    assert set(model.vocabulary.target.symbols) == {"K", "AE", "T", "AA", "OW"}
    letters = isotone.train(train=[("cat", "kæt"), ("cot", "kɒt")], dev=[("oat", "əʊt")], task="g2p", **QUICK)
    assert set(letters.vocabulary.target.symbols) == set("kætɒ")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"train": [], "dev": DEV}, DataError, "at least one training pair"),
        ({"train": [("a", "b", "c", "d")], "dev": DEV}, ConfigError, "expected an Example"),
        ({"train": ["ab"], "dev": DEV}, ConfigError, "expected an Example"),
        ({"train": TRAIN, "dev": 1.5}, ConfigError, "a share between 0 and 1"),
        (
            {"train": TRAIN, "dev": DEV, "copy": True, "model": "soft"},
            ConfigError,
            "soft averages over source positions",
        ),
        ({"train": TRAIN, "dev": DEV, "epoch": 3}, ConfigError, "unknown setting 'epoch'"),
        ({"train": TRAIN, "dev": DEV, "epochs": 0}, ConfigError, "epochs"),
        ({"train": TRAIN, "dev": DEV, "recipe": "gourmet"}, ConfigError, "unknown recipe 'gourmet'"),
        ({"train": TRAIN, "dev": DEV, "model": "9-mono"}, ConfigError, "no aligner called '9-mono'"),
        ({"train": "missing.tsv", "dev": DEV}, DataError, "missing.tsv"),
        ({"train": TRAIN, "dev": "dev.tsv", "task": "inflection"}, DataError, "dev.tsv"),
    ],
)
def test_mistakes_are_explained(arguments, error, message):
    with pytest.raises(error, match=message):
        isotone.train(**{**QUICK, **arguments})
