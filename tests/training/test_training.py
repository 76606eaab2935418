"""Training: it learns, repeats itself bit by bit, resumes bit by bit, and survives Ctrl-C."""

import csv
import json

import pytest
import torch

import toy
from isotone.errors import ConfigError, DataError, DivergedError, ModelError
from isotone.store.folder import load_member
from isotone.training import Callback, EpochDone, Recipe, Settings, train
from isotone.training.assess import DevSet
from isotone.training.log import CsvLog, count_epochs, read_log

TINY = Recipe(
    name="test",
    size="tiny",
    schedule="one-cycle",
    rate=0.01,
    epochs=3,
    batch_size=16,
    dropout=0.1,
    precision="auto",
)


def settings(**changes):
    return Settings(**{"task": "inflection", "aligner": "1-mono", "recipe": TINY, "device": "cpu", **changes})


def weights(folder):
    return load_member(folder).network.state_dict()


def same(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


class Stop(Callback):
    """Ctrl-C at a given batch of a given epoch."""

    def __init__(self, epoch, batch):
        self.at = (epoch, batch)

    def on_batch(self, event):
        if (event.epoch, event.batch) == self.at:
            raise KeyboardInterrupt


@pytest.mark.parametrize("aligner", ["soft", "0-hard", "0-mono", "1-mono", "1-hard", "pipeline-mono"])
def test_every_model_learns_the_toy_language(tmp_path, aligner):
    recipe = TINY.with_changes(epochs=8)
    bundle, outcome = train(
        toy.examples(400), toy.examples(60, seed=9), tmp_path / "m", settings(aligner=aligner, recipe=recipe)
    )
    assert outcome.finished and outcome.best.metrics["acc"] > (60 if aligner == "soft" else 80)
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == [
        "README.md",
        "config.json",
        "metrics.json",
        "model.safetensors",
        "train.log.csv",
        "vocabulary.json",
    ]
    with (tmp_path / "m" / "train.log.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == [str(n) for n in range(1, 9)]
    metrics = json.loads((tmp_path / "m" / "metrics.json").read_text())
    assert metrics["dev"]["acc"] == outcome.best.metrics["acc"] and metrics["finished"]
    again = DevSet(bundle, toy.examples(60, seed=9)).assess(load_member(tmp_path / "m"))
    assert again.metrics == outcome.best.metrics
    assert again.loss == pytest.approx(outcome.best.dev_loss, abs=1e-6)


def test_the_same_seed_gives_the_same_bits(tmp_path):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        train(toy.examples(100), toy.examples(20, seed=9), tmp_path / name, settings(seed=seed))
    assert same(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not same(weights(tmp_path / "a"), weights(tmp_path / "c"))


@pytest.mark.parametrize("schedule", ["one-cycle", "halving"])
@pytest.mark.parametrize("at", [(1, 2), (2, 5), (3, 7)])
def test_resume_goes_on_bit_by_bit(tmp_path, schedule, at):
    recipe = TINY.with_changes(schedule=schedule)
    data, dev = toy.examples(100), toy.examples(20, seed=9)
    train(data, dev, tmp_path / "whole", settings(recipe=recipe))
    _, outcome = train(data, dev, tmp_path / "parts", settings(recipe=recipe), [Stop(*at)])
    assert not outcome.finished
    load_member(tmp_path / "parts")  # usable
    assert not json.loads((tmp_path / "parts" / "metrics.json").read_text())["finished"]
    _, outcome = train(data, dev, tmp_path / "parts", settings(recipe=recipe, resume=True))
    assert outcome.finished
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "parts"))
    logs = [(tmp_path / name / "train.log.csv").read_text().splitlines() for name in ("whole", "parts")]
    without_seconds = [[row.split(",")[:-2] for row in log] for log in logs]
    assert without_seconds[0] == without_seconds[1]
    assert not (tmp_path / "parts" / "state").exists()


def test_the_pipeline_resumes_bit_by_bit_and_learns_other_weights_than_0_mono(tmp_path):
    data, dev = toy.examples(100), toy.examples(20, seed=9)
    train(data, dev, tmp_path / "joint", settings(aligner="0-mono"))
    train(data, dev, tmp_path / "whole", settings(aligner="pipeline-mono"))
    train(data, dev, tmp_path / "parts", settings(aligner="pipeline-mono"), [Stop(2, 5)])
    _, outcome = train(data, dev, tmp_path / "parts", settings(aligner="pipeline-mono", resume=True))
    assert outcome.finished
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

    data, guided = toy.examples(40), settings(recipe=TINY.with_changes(guided=0.5, epochs=2))
    listen = Listen()
    train(data, data[:5], tmp_path / "m", guided, [listen])
    rounds = listen.heard.index("start")
    assert listen.heard == [*range(1, rounds + 1), "start", "end"] and rounds > 1
    listen = Listen(stop_at=2)
    with pytest.raises(KeyboardInterrupt):
        train(data, data[:5], tmp_path / "n", guided, [listen])
    assert listen.heard == [1, 2, "end"]


def test_a_last_step_that_diverges_says_so_too(tmp_path):
    recipe = TINY.with_changes(rate=1e38, batch_size=64)  # one batch an epoch
    with pytest.raises(DivergedError, match=r"after epoch 1: .*lower rate"):
        train(toy.examples(60), toy.examples(5), tmp_path / "m", settings(recipe=recipe))


def test_what_goes_wrong_before_the_first_step_ends_the_callbacks(tmp_path):
    class Ends(Callback):
        count = 0

        def on_end(self):
            self.count += 1

    ends = Ends()
    (tmp_path / "m" / "state").mkdir(parents=True)
    (tmp_path / "m" / "state" / "training.safetensors").write_bytes(b"cut")
    with pytest.raises(ModelError):
        train(toy.examples(40), toy.examples(5), tmp_path / "m", settings(resume=True), [ends])
    assert ends.count == 1


def test_a_log_that_was_cut_goes_on_in_a_new_line(tmp_path):
    log = tmp_path / "train.log.csv"
    log.write_text("epoch,train_loss,dev_loss,dev_acc,rate,seconds,best\n1,0.5,0.5,9,0.1,1,1\n2,0.")
    assert count_epochs(tmp_path) == 1 and count_epochs(tmp_path / "none") == 0
    CsvLog(log, resume=True).on_epoch(EpochDone(2, 0.4, 0.4, {"acc": 10.0}, 0.1, 1.0, True))
    assert count_epochs(tmp_path) == 3
    with pytest.raises(DataError, match=r"train.log.csv:3: expected epoch"):
        read_log(tmp_path)


def test_a_run_that_diverges_says_where(tmp_path):
    with pytest.raises(DivergedError, match=r"epoch 1, batch \d+, rate .*lower rate"):
        train(toy.examples(60), toy.examples(5), tmp_path / "m", settings(recipe=TINY.with_changes(rate=1e38)))


def test_resume_refuses_other_data(tmp_path):
    data, dev = toy.examples(100), toy.examples(20, seed=9)
    train(data, dev, tmp_path / "m", settings(), [Stop(2, 1)])
    other = [type(e)(e.source + "z", e.target, e.tags) for e in data]
    with pytest.raises(ModelError, match="does not fit this model"):
        train(other, dev, tmp_path / "m", settings(resume=True))


def test_a_cut_state_is_refused_with_a_reason(tmp_path):
    data, dev = toy.examples(50), toy.examples(10, seed=9)
    train(data, dev, tmp_path / "m", settings(), [Stop(2, 1)])
    state = tmp_path / "m" / "state" / "training.safetensors"
    state.write_bytes(state.read_bytes()[:-20])
    with pytest.raises(ModelError, match="damaged or cut short"):
        train(data, dev, tmp_path / "m", settings(resume=True))


def test_folders_are_not_overwritten_by_accident(tmp_path):
    data, dev = toy.examples(50), toy.examples(10, seed=9)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.txt").write_text("precious")
    with pytest.raises(ConfigError, match="is not empty"):
        train(data, dev, tmp_path / "m", settings())
    with pytest.raises(ConfigError, match="no run to resume"):
        train(data, dev, tmp_path / "m", settings(resume=True))
    train(data, dev, tmp_path / "m", settings(overwrite=True))
    assert (tmp_path / "m" / "thesis.txt").read_text() == "precious"
    with pytest.raises(ConfigError, match="its run is finished"):
        train(data, dev, tmp_path / "m", settings(resume=True))


def test_unknown_names(tmp_path):
    data = toy.examples(20)
    for change, message in (
        ({"aligner": "3-mono"}, "unknown model '3-mono'"),
        ({"task": "cooking"}, "unknown task 'cooking'"),
        ({"device": "abacus"}, "unknown device 'abacus'"),
        ({"recipe": TINY.with_changes(precision="fp7")}, "unknown precision 'fp7'"),
    ):
        with pytest.raises(ConfigError, match=message):
            train(data, data, tmp_path / "m", settings(**change))
    assert not (tmp_path / "m").exists()


def test_unknown_symbols_are_copied_through_the_alignment(tmp_path):
    """A letter that training never saw comes out where it went in."""
    from isotone.api import Transducer

    recipe = TINY.with_changes(epochs=14, unknown=60.0)
    bundle, _ = train(toy.examples(800), toy.examples(60, seed=9), tmp_path / "m", settings(recipe=recipe))
    assert bundle.config.architecture.copies_unknown
    words = [toy.Example(word, None, ("N", "SG")) for word in ("bcZd", "Żbd", "dgcΩ", "fZb", "bØcd", "cb漢")]
    found = [prediction.target for prediction in Transducer([bundle]).predict(words, decode="greedy")]
    assert sum(target == word.source for target, word in zip(found, words, strict=True)) >= 4
