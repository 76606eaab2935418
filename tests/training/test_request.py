"""The training request: one record for every door, printed, read back, and changed field by field."""

import json

import pytest

import toy
from isotone.api.training import RECIPES, Asked, Request, plan_job
from isotone.errors import ConfigError
from isotone.text.config import Texts
from isotone.training.request import DataRecord

DATA, DEV = toy.examples(60), toy.examples(10, seed=9)


def request(*, pairs=60, **asked):
    return Request.of(Asked(**asked), data=DataRecord(train_pairs=pairs), texts=Texts())


@pytest.mark.parametrize(("pairs", "name"), [(1, "low"), (999, "low"), (1_000, "small"), (5_000, "fast")])
def test_the_number_of_pairs_chooses_the_recipe_and_the_size(pairs, name):
    found = request(pairs=pairs)
    assert found.recipe == RECIPES[name].recipe
    assert found.architecture.encoder.hidden == (256 if name == "fast" else 160)
    assert found.architecture.decoder.query_dropout == 0.3


@pytest.mark.parametrize(("pairs", "name"), [(1, "low"), (999, "low"), (1_000, "small"), (4_999, "small")])
@pytest.mark.parametrize(
    ("task", "pace", "dropout", "times", "consistency", "decay"),
    [
        ("inflection", "patient", 0.5, 2.0, 0.0, 0.1),
        ("g2p", "brisk", 0.3, 0.7, 2.0, 0.1),
        ("transliteration", "brisk", 0.3, 0.7, 2.0, 0.1),
    ],
)
def test_the_task_sets_the_pace_of_little_data(pairs, name, task, pace, dropout, times, consistency, decay):
    found, plain = request(pairs=pairs, task=task), request(pairs=pairs)
    assert found.recipe == RECIPES[f"{pace}-{name}"].recipe and found.recipe.batch_size == plain.recipe.batch_size
    assert found.recipe.epochs_for(pairs) == round(times * plain.recipe.epochs_for(pairs))
    assert (found.recipe.consistency, found.recipe.decay) == (consistency, decay)
    assert found.architecture.decoder.query_dropout == found.architecture.encoder.dropout == dropout
    named = request(pairs=pairs, task=task, recipe="small")
    assert named.recipe == RECIPES["small"].recipe and named.architecture.encoder.dropout == 0.3


def test_much_data_is_trained_alike_and_read_twice():
    for task in ("g2p", "inflection", "transliteration", "transduction"):
        found = request(pairs=5_000, task=task)
        assert found.recipe == RECIPES["patient-fast" if task == "inflection" else "fast"].recipe
        assert found.architecture.encoder.hidden == 256 and found.architecture.encoder.dropout == 0.3
        assert found.recipe.consistency == 2.0 and found.recipe.epochs_for(10_000) == 13
        assert found.recipe.decay == (0.1 if task == "inflection" else 0.0)


def test_the_paper_recipe_has_the_papers_network():
    found = request(recipe="paper")
    assert found.architecture.encoder.hidden == 400 and found.architecture.encoder.dropout == 0.4
    assert found.architecture.decoder.query_dropout == 0.0 and found.recipe.decode == "greedy"


def test_every_hyperparameter_of_a_part_can_be_reached():
    found = request(
        model="1-mono", changes={"encoder.layers": "3", "aligner.width": "6", "rate": "0.5", "dropout": 0.2}
    )
    assert found.architecture.encoder.layers == 3 and found.architecture.aligner.width == 6
    assert found.recipe.rate == 0.5 and found.architecture.decoder.dropout == found.architecture.encoder.dropout == 0.2
    with pytest.raises(ConfigError, match="width"):
        request(model="0-mono", changes={"aligner.width": 6})
    for change, message in (
        ("dropout=much", "valid number"),
        ("dropout=2", "less than 1"),
        ("name=x", "unknown setting"),
    ):
        name, _, value = change.partition("=")
        with pytest.raises(ConfigError, match=message):
            request(changes={name: value})
    with pytest.raises(ConfigError, match="soft averages over source positions"):
        request(model="soft", changes={"copy_gate": True})


def test_two_readings_need_dropout_to_differ():
    for changes in ({"query_dropout": 0.1}, {"query_dropout": 0, "consistency": 0}):
        request(pairs=5_000, task="g2p", changes={"dropout": 0, **changes})
    with pytest.raises(ConfigError, match="without dropout two readings are the same"):
        request(pairs=5_000, task="g2p", changes={"dropout": 0, "query_dropout": 0})


def test_a_round_trip_changes_nothing():
    first = request(model="1-mono", size="tiny", seed=4, changes={"epochs": 3})
    text = json.dumps(first.to_json())
    again = Request.from_json(json.loads(text), place="x")
    assert again == first and json.dumps(again.to_json()) == text
    assert first.contradiction(again) is None


def test_mistakes_in_a_config_are_named():
    value = request().to_json()
    value["recipe"]["rate"] = -1
    with pytest.raises(ConfigError, match=r"run.json: recipe.rate: "):
        Request.from_json(value, place="run.json")
    with pytest.raises(ConfigError, match=r"x: task: unknown task 'cooking'"):
        Request.from_json({"task": "cooking"}, place="x")


def test_a_config_is_a_whole_run(tmp_path):
    job = plan_job(Asked(size="tiny", model="0-hard", changes={"epochs": 2}), tmp_path / "a", train=DATA, dev=0.2)
    again = plan_job(Asked(), tmp_path / "b", train=DATA, dev=0.2, config=job.request)
    assert again.request == job.request
    other = plan_job(Asked(seed=5), tmp_path / "b", train=DATA, dev=0.2, config=job.request)
    assert other.request.contradiction(job.request) == "seed is 5, not 0"


@pytest.mark.parametrize("dev", [0.2, "20%", "0.2", ".2"])
def test_a_share_of_the_pairs_as_dev_set(tmp_path, dev):
    job = plan_job(Asked(), tmp_path / "m", train=DATA, dev=dev)
    assert (job.request.data.dev, job.request.data.train_pairs, job.request.data.dev_pairs) == (0.2, 48, 12)


def test_the_same_pairs_have_the_same_digest_wherever_they_are(tmp_path):
    lines = "".join(f"{e.source}\t{e.target}\t{';'.join(e.tags)}\n" for e in DATA)
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text(lines)
    jobs = [
        plan_job(Asked(task="inflection"), tmp_path / "m", train=data, dev=0.2)
        for data in (tmp_path / "a.tsv", str(tmp_path / "b.tsv"), DATA)
    ]
    assert len({job.request.data.train_digest for job in jobs}) == 1
    assert [job.request.data.train for job in jobs] == [str(tmp_path / "a.tsv"), str(tmp_path / "b.tsv"), None]
