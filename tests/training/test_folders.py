"""Folders: nothing of the user's is lost, a new model replaces an old one whole, a run is only resumed as itself."""

import json
import subprocess
import sys

import pytest

import isotone
import toy
from isotone.errors import ConfigError, ModelError
from isotone.training.state import read_unfinished
from quick import Stop, fit

DATA, DEV = toy.examples(60), toy.examples(10, seed=9)
PAIR = {"source": DEV[0].source, "target": DEV[0].target, "tags": DEV[0].tags}
FAST = {"epochs": 2, "batch_size": 32}


def train(folder, **options):
    return fit(DATA, DEV, folder, **{**FAST, **options})


def score(folder):
    return isotone.load(folder).score(**PAIR)


def test_a_single_model_replaces_a_mixture(tmp_path):
    """Until now the stale mixture won."""
    folder = tmp_path / "m"
    train(folder, seeds=2)
    assert len(isotone.load(folder).members) == 2
    train(folder, mode="overwrite", model="0-hard")
    model = isotone.load(folder)
    assert len(model.members) == 1 and model.config.architecture.aligner.name == "0-hard"
    assert not (folder / "mixture.json").exists() and not (folder / "seed-0").exists()


def test_a_mixture_replaces_a_single_model_and_a_mixture(tmp_path):
    folder = tmp_path / "m"
    train(folder)
    for _ in range(2):
        train(folder, mode="overwrite", seeds=2, model="0-mono")
        assert len(isotone.load(folder).members) == 2 and not (folder / "model.safetensors").exists()
    assert len([path for path in folder.iterdir() if path.is_dir()]) == 2  # the members of the first one are gone


def test_only_what_we_made_is_deleted(tmp_path):
    folder = tmp_path / "m"
    train(folder, seeds=2)
    (folder / "seed-bank-of-genomes").mkdir()
    (folder / "seed-bank-of-genomes" / "wheat.fa").write_text("ACGT")
    (folder / "seed-0" / "notes.txt").write_text("mine")
    (folder / "seed-9").write_text("a file")
    train(folder, mode="overwrite", seeds=2)
    train(folder, mode="overwrite")
    assert (folder / "seed-bank-of-genomes" / "wheat.fa").read_text() == "ACGT"
    assert (folder / "seed-0" / "notes.txt").read_text() == "mine" and (folder / "seed-9").read_text() == "a file"


def test_an_abandoned_mixture_leaves_nothing_behind(tmp_path):
    folder = tmp_path / "m"
    train(folder)
    train(folder, mode="overwrite", seeds=2, callbacks=[Stop(2, 1)])
    assert (folder / "seed-0").is_dir()
    train(folder, mode="overwrite")
    assert not (folder / "seed-0").exists() and len(isotone.load(folder).members) == 1


@pytest.mark.parametrize("options", [{"device": "cuda:77"}, {"rate": -1.0}, {"model": "x"}, {"encoder.x": 1}])
@pytest.mark.parametrize("seeds", [1, 2])
def test_options_are_checked_before_anything_is_touched(tmp_path, options, seeds):
    folder = tmp_path / "m"
    train(folder, seeds=2)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(ConfigError):
        train(folder, mode="overwrite", seeds=seeds, **options)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("seeds", [1, 2])
def test_ctrl_c_in_the_first_epoch_leaves_the_old_model(tmp_path, seeds):
    folder = tmp_path / "m"
    train(folder)
    before, log = score(folder), (folder / "train.log.csv").read_bytes()
    outcome = train(folder, mode="overwrite", model="0-mono", seeds=seeds, callbacks=[Stop(1, 1)])
    assert not outcome.finished and outcome.best is None
    assert score(folder) == before and (folder / "train.log.csv").read_bytes() == log
    assert train(folder, mode="resume", model="0-mono").finished
    assert {m.config.architecture.aligner.name for m in isotone.load(folder).members} == {"0-mono"}


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"model": "0-mono"}, "architecture.aligner"),
        ({"seed": 1}, "seed"),
        ({"rate": 0.5}, "recipe.rate"),
        ({"batch_size": 8}, "recipe.batch_size"),
        ({"dropout": 0.5}, "architecture.encoder.dropout"),
        ({"epochs": 9}, "recipe.epochs"),
        ({"task": "g2p"}, "task"),
        ({"seeds": 4}, "seeds"),
        ({"size": "small"}, "architecture.encoder"),
        ({"precision": "fp64"}, "recipe.precision"),
    ],
)
def test_resume_takes_everything_from_the_folder_and_refuses_what_contradicts_it(tmp_path, options, field):
    from isotone.api.training import Asked, plan_job

    folder = tmp_path / "m"
    train(folder, model="0-hard", callbacks=[Stop(2, 1)])
    named = {name: options[name] for name in ("model", "seed", "task", "seeds", "size") if name in options}
    changes = {name: value for name, value in options.items() if name not in named}
    with pytest.raises(ConfigError, match=f"--resume: .* its {field}"):
        plan_job(Asked(**named, changes=changes), folder, train=DATA, dev=DEV, mode="resume")
    job = plan_job(Asked(threads=1), folder, train=DATA, dev=DEV, mode="resume")  # nothing contradicts
    assert job.request.architecture.aligner.name == "0-hard" and job.request.recipe.epochs == 2


def test_resume_refuses_another_config(tmp_path):
    from isotone.api.training import Asked, plan_job

    folder = tmp_path / "m"
    train(folder, callbacks=[Stop(2, 1)])
    own = read_unfinished(folder).request
    assert plan_job(Asked(), folder, train=DATA, dev=DEV, mode="resume", config=own).request == own
    with pytest.raises(ConfigError, match="its seed is 0, not 5"):
        other = own.model_copy(update={"seed": 5})
        plan_job(Asked(), folder, train=DATA, dev=DEV, mode="resume", config=other)


def test_resume_refuses_other_pairs(tmp_path):
    folder = tmp_path / "m"
    train(folder, callbacks=[Stop(2, 1)])
    other = [type(e)(e.source, f"{e.target}a", e.tags) for e in DATA]
    with pytest.raises(ConfigError, match="the train pairs are not those that this run began with"):
        fit(other, DEV, folder, mode="resume", **FAST)
    with pytest.raises(ConfigError, match="the dev pairs"):
        fit(DATA, DEV[:5], folder, mode="resume", **FAST)


def test_resume_starts_where_nothing_is_and_ends_where_all_is_done(tmp_path):
    folder = tmp_path / "m"
    assert train(folder, mode="resume").finished
    before = (folder / "model.safetensors").read_bytes()
    assert train(folder, mode="resume") is None  # one command for a scheduler that starts it again and again
    assert (folder / "model.safetensors").read_bytes() == before


def test_other_peoples_folders_are_left_alone(tmp_path):
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "README.md").write_text("my thesis")
    for mode, message in (("new", "is not empty"), ("resume", "neither a model"), ("overwrite", "neither a model")):
        with pytest.raises(ConfigError, match=message):
            train(folder, mode=mode)
    assert [path.name for path in folder.iterdir()] == ["README.md"]
    assert (folder / "README.md").read_text() == "my thesis"


def test_a_cut_state_is_refused_with_a_reason(tmp_path):
    train(tmp_path / "m", callbacks=[Stop(2, 1)])
    state = tmp_path / "m" / "state" / "training.safetensors"
    state.write_bytes(state.read_bytes()[:-20])
    with pytest.raises(ModelError, match="damaged or cut short"):
        train(tmp_path / "m", mode="resume")


def test_a_run_killed_before_its_first_save_starts_again(tmp_path):
    train(tmp_path / "whole")
    train(tmp_path / "m", callbacks=[Stop(1, 1)])
    (tmp_path / "m" / "state" / "training.safetensors").unlink()
    assert read_unfinished(tmp_path / "m") is not None
    assert train(tmp_path / "m", mode="resume").finished
    assert (tmp_path / "m/model.safetensors").read_bytes() == (tmp_path / "whole/model.safetensors").read_bytes()


def test_the_log_has_every_row_after_a_kill_between_state_and_log(tmp_path):
    train(tmp_path / "m", epochs=3, callbacks=[Stop(3, 1)])
    log = tmp_path / "m" / "train.log.csv"
    rows = log.read_text().splitlines()
    log.write_text("\n".join(rows[:-1]) + "\n")  # as if killed before the second epoch's row was there
    assert train(tmp_path / "m", epochs=3, mode="resume").finished
    assert [row.split(",")[0] for row in log.read_text().splitlines()] == ["epoch", "1", "2", "3"]


def test_the_request_travels_with_the_model(tmp_path):
    train(tmp_path / "m")
    run = json.loads((tmp_path / "m" / "run.json").read_text())
    assert run["architecture"]["aligner"] == {"name": "1-mono", "width": 4} and run["data"]["train_pairs"] == 60
    assert run["recipe"]["epochs"] == 2 and run["data"]["train"] is None


HOLDER = """
import sys, time
from pathlib import Path
from isotone.store.lock import folder_lock
Path(sys.argv[1]).mkdir(exist_ok=True)
with folder_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_training_into_one_folder_is_refused(tmp_path):
    folder = tmp_path / "m"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(ConfigError, match="another training"):
            train(folder)
    finally:
        holder.kill()
        holder.communicate()
    assert train(folder).finished  # a killed holder lets go
