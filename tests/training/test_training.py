"""Training: it learns, repeats itself bit by bit, resumes bit by bit, and survives Ctrl-C."""

import csv
import json

import pytest
import torch

import isotone
import toy
from isotone.api.training import Callback
from isotone.errors import ConfigError, DataError, DivergedError, ModelError
from isotone.models.aligners import ALIGNERS
from isotone.store.folder import load_member
from isotone.training.assess import DevSet
from isotone.training.events import EpochDone
from isotone.training.log import count_epochs, read_log, write_log
from quick import Stop, fit


def weights(folder):
    return load_member(folder).network.state_dict()


def same(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.trains
@pytest.mark.parametrize("model", ALIGNERS)
def test_every_model_learns_the_toy_language(tmp_path, model):
    dev = toy.examples(60, seed=9)
    outcome = fit(toy.examples(400), dev, tmp_path / "m", model=model, epochs=5)
    assert outcome.finished and outcome.best.metrics["acc"] > (50 if model == "soft" else 65)
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == [
        "README.md",
        "config.json",
        "metrics.json",
        "model.safetensors",
        "run.json",
        "train.log.csv",
        "vocabulary.json",
    ]
    with (tmp_path / "m" / "train.log.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == [str(n) for n in range(1, 6)]
    metrics = json.loads((tmp_path / "m" / "metrics.json").read_text())
    assert metrics["dev"]["acc"] == outcome.best.metrics["acc"] and metrics["finished"]
    member = load_member(tmp_path / "m")
    again = DevSet(member, dev).assess(member, decoder=isotone.Exact())
    assert again.metrics == outcome.best.metrics
    assert again.loss == pytest.approx(outcome.best.dev_loss, abs=1e-6)
    report = isotone.load(tmp_path / "m").evaluate(dev)
    assert report.metrics["acc"] == outcome.best.metrics["acc"]  # the dev metric and `evaluate` are the same number


@pytest.mark.trains
def test_the_same_seed_gives_the_same_bits(tmp_path):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        fit(toy.examples(60), toy.examples(10, seed=9), tmp_path / name, seed=seed, epochs=2)
    assert same(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not same(weights(tmp_path / "a"), weights(tmp_path / "c"))


@pytest.mark.trains
def test_consistency_changes_what_is_learnt_and_its_loss_counts_the_disagreement(tmp_path):
    for name, weight in (("none", 0.0), ("some", 1.0), ("much", 50.0)):
        fit(toy.examples(200), toy.examples(30, seed=9), tmp_path / name, epochs=4, consistency=weight)
    assert not same(weights(tmp_path / "none"), weights(tmp_path / "some"))
    losses = {name: read_log(tmp_path / name)[-1].train_loss for name in ("none", "some", "much")}
    assert losses["some"] < losses["much"]
    assert read_log(tmp_path / "some")[-1].dev_loss < 1.0, "it learns"


@pytest.fixture(scope="module", params=["one-cycle", "halving"])
def whole(request, tmp_path_factory):
    """A schedule, and the folder of a run that was never interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "m"
    fit(toy.examples(100), toy.examples(20, seed=9), folder, schedule=request.param)
    return request.param, folder


@pytest.mark.trains
@pytest.mark.parametrize("at", [(1, 2), (2, 5), (3, 7)])
def test_resume_goes_on_bit_by_bit(tmp_path, whole, at):
    data, dev = toy.examples(100), toy.examples(20, seed=9)
    schedule, expected = whole
    outcome = fit(data, dev, tmp_path / "parts", schedule=schedule, callbacks=[Stop(*at)])
    assert not outcome.finished
    if at[0] > 1:
        assert not json.loads((tmp_path / "parts" / "metrics.json").read_text())["finished"]
    outcome = fit(data, dev, tmp_path / "parts", schedule=schedule, mode="resume")
    assert outcome.finished
    assert same(weights(expected), weights(tmp_path / "parts"))
    logs = [(folder / "train.log.csv").read_text().splitlines() for folder in (expected, tmp_path / "parts")]
    without_seconds = [[row.split(",")[:-2] for row in log] for log in logs]
    assert without_seconds[0] == without_seconds[1]
    assert not (tmp_path / "parts" / "state").exists()


@pytest.mark.trains
def test_a_large_dev_set_is_looked_at_now_and_then(tmp_path, monkeypatch):
    """Every second epoch and the last; the weights do not depend on it, nor on being interrupted in between."""
    train, dev = toy.examples(40), toy.examples(20, seed=9)
    fit(train, dev, tmp_path / "each", epochs=5)
    monkeypatch.setattr("isotone.training.recipe.MANY", 1)
    outcome = fit(train, dev, tmp_path / "some", epochs=5)
    assert [row.epoch for row in read_log(tmp_path / "some")] == [2, 4, 5]
    assert outcome.epochs == 5 == count_epochs(tmp_path / "some")
    assert read_log(tmp_path / "some")[-1].dev_loss == read_log(tmp_path / "each")[-1].dev_loss
    stopped = fit(train, dev, tmp_path / "twice", epochs=5, callbacks=[Stop(3, 2)])
    assert not stopped.finished and count_epochs(tmp_path / "twice") == 2
    fit(train, dev, tmp_path / "twice", epochs=5, mode="resume")
    logs = [
        [(row.epoch, row.train_loss, row.dev_loss) for row in read_log(tmp_path / name)] for name in ("some", "twice")
    ]
    assert logs[0] == logs[1] and same(weights(tmp_path / "some"), weights(tmp_path / "twice"))


@pytest.mark.trains
def test_the_pipeline_resumes_bit_by_bit_and_learns_other_weights_than_0_mono(tmp_path):
    data, dev = toy.examples(100), toy.examples(20, seed=9)
    fit(data, dev, tmp_path / "joint", model="0-mono")
    fit(data, dev, tmp_path / "whole", model="pipeline-mono")
    fit(data, dev, tmp_path / "parts", model="pipeline-mono", callbacks=[Stop(2, 5)])
    assert fit(data, dev, tmp_path / "parts", model="pipeline-mono", mode="resume").finished
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "parts"))
    assert not same(weights(tmp_path / "whole"), weights(tmp_path / "joint"))


def test_rounds_of_em_are_told_and_the_end_too(tmp_path):
    class Listen(Callback):
        def __init__(self, stop_at=99):
            self.heard, self.stop_at = [], stop_at

        def on_round(self, number):
            self.heard.append(number)
            if number == self.stop_at:
                raise KeyboardInterrupt

        def on_start(self, plan):
            self.heard.append("start")

        def on_end(self):
            self.heard.append("end")

    data, guided = toy.examples(40), {"guided": 0.5, "epochs": 2}
    listen = Listen()
    fit(data, data[:5], tmp_path / "m", **guided, callbacks=[listen])
    rounds = listen.heard.index("start")
    assert listen.heard == [*range(1, rounds + 1), "start", "end"] and rounds > 1
    listen = Listen(stop_at=2)
    with pytest.raises(KeyboardInterrupt):
        fit(data, data[:5], tmp_path / "n", **guided, callbacks=[listen])
    assert listen.heard == [1, 2, "end"]


def test_a_last_step_that_diverges_says_so_too(tmp_path):
    with pytest.raises(DivergedError, match=r"after epoch 1: training diverged .*lower the learning rate"):
        fit(toy.examples(60), toy.examples(5), tmp_path / "m", rate=1e38, batch_size=64)  # one batch per epoch


def test_what_goes_wrong_before_the_first_step_ends_the_callbacks(tmp_path):
    class Ends(Callback):
        count = 0

        def on_end(self):
            self.count += 1

    ends, data = Ends(), toy.examples(40)
    fit(data, data[:5], tmp_path / "m", callbacks=[Stop(1, 1)])
    (tmp_path / "m" / "state" / "training.safetensors").write_bytes(b"cut")
    with pytest.raises(ModelError):
        fit(data, data[:5], tmp_path / "m", mode="resume", callbacks=[ends])
    assert ends.count == 1


def test_the_log_is_written_and_read_back(tmp_path):
    epochs = [EpochDone(n, 0.5, 0.4, {"acc": 10.0}, 0.1, 1.0, n == 2) for n in (1, 2)]
    write_log(tmp_path, epochs)
    assert count_epochs(tmp_path) == 2 and count_epochs(tmp_path / "none") == 0
    assert read_log(tmp_path) == epochs and read_log(tmp_path / "none") == []
    log = tmp_path / "train.log.csv"
    log.write_text(log.read_text() + "3,0.")
    with pytest.raises(DataError, match=r"train.log.csv:4: expected epoch"):
        read_log(tmp_path)


def test_a_run_that_diverges_says_where(tmp_path):
    with pytest.raises(DivergedError, match=r"epoch 1, batch \d+, rate .*lower the learning rate"):
        fit(toy.examples(60), toy.examples(5), tmp_path / "m", rate=1e38)


def test_unknown_names(tmp_path):
    data = toy.examples(20)
    for change, message in (
        ({"model": "3-mono"}, "no aligner called '3-mono'"),
        ({"task": "cooking"}, "unknown task 'cooking'"),
        ({"device": "abacus"}, "unknown device 'abacus'"),
        ({"precision": "fp7"}, "precision: Input should be 'auto', 'fp32', 'bf16' or 'fp64'"),
        ({"size": "huge"}, "unknown size 'huge'"),
        ({"epoch": 3}, "unknown setting 'epoch'"),
        ({"encoder.floors": 3}, "floors"),
    ):
        with pytest.raises(ConfigError, match=message):
            fit(data, data, tmp_path / "m", **change)
    assert not (tmp_path / "m").exists()


def test_unknown_symbols_are_copied_through_the_alignment(tmp_path):
    """A letter that training never saw comes out where it went in."""
    fit(toy.examples(400), toy.examples(20, seed=9), tmp_path / "m", epochs=8, unknown=60.0)
    model = isotone.load(tmp_path / "m")
    assert model.config.architecture.emission.copies_unknown
    words = ("bcZd", "Żbd", "dgcΩ", "fZb", "bØcd", "cb漢")
    assert sum(model(word, tags="N;SG").target == word for word in words) >= 4
