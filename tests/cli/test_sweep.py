"""isotone sweep: killed and restarted, it ends with the table of a quiet run."""

import csv
import importlib.util
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from cli.conftest import COMMAND, ENVIRONMENT, sweep_file
from isotone.errors import ConfigError, DataError
from isotone.experiments.cell import cells_of, check_cell, epochs_done, finished, run_cell
from isotone.experiments.config import load_sweep
from isotone.experiments.estimate import Estimate, estimates, seconds_on, summary
from isotone.training.recipe import RECIPES, preset_for

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs isotone[sweep]")


@pytest.fixture
def file(data, tmp_path) -> Path:
    path = tmp_path / "sweep.toml"
    path.write_text(sweep_file(data, epochs=4))
    return path


def until(condition, process):
    """Wait for it as long as the process lives, however slow the machine is."""
    while not condition():
        assert process.poll() is None or condition(), process.communicate()
        time.sleep(0.05)


def rows(folder):
    with (folder / "results.csv").open(encoding="utf-8") as file:
        return [{k: v for k, v in row.items() if k not in {"seconds", "command"}} for row in csv.DictReader(file)]


@pytest.mark.trains
def test_a_sweep_with_an_automatic_recipe_goes_on(file):
    file.write_text(file.read_text().replace('recipe = "small"', 'recipe = "auto"'))
    cell = cells_of(load_sweep(file), "")[0]
    result = run_cell(cell)
    check_cell(cell)
    assert finished(cell) == result == run_cell(cell)
    written = file.read_text()
    file.write_text(written.replace("overrides = {", "overrides = {guided = 0.3, "))  # what the recipe has anyway
    check_cell(cells_of(load_sweep(file), "")[0])
    file.write_text(written.replace("overrides = {", "overrides = {guided = 0.0, "))
    with pytest.raises(ConfigError, match=r"other settings: its recipe\.guided is 0\.3, not 0\.0"):
        check_cell(cells_of(load_sweep(file), "")[0])


@pytest.mark.trains
def test_a_default_that_has_changed_since_is_not_mixed_in(file, monkeypatch):
    file.write_text(file.read_text().replace('recipe = "small"', 'recipe = "auto"'))
    cell = cells_of(load_sweep(file), "")[0]
    run_cell(cell)
    default = preset_for(1, cell.sweep.task)
    renamed = default.recipe.model_copy(update={"name": "other"})
    monkeypatch.setitem(RECIPES, default.name, replace(default, recipe=renamed))
    check_cell(cell)
    monkeypatch.setitem(RECIPES, default.name, replace(default, recipe=renamed.model_copy(update={"rate": 0.1})))
    with pytest.raises(ConfigError, match=r"other settings: its recipe\.rate is 0\.003, not 0\.1; remove it"):
        check_cell(cell)


def test_a_cell_may_be_a_mixture(file):
    mixed = file.read_text().replace('models = ["0-mono", "1-mono"]', 'models = ["auto"]')
    file.write_text(mixed.replace("epochs = 4", "epochs = 1, seeds = 2"))
    cell = cells_of(load_sweep(file), "")[0]
    result = run_cell(cell)
    assert (cell.name, result.model, result.epochs) == ("a-auto-0", "auto", 2) and result.seconds > 0
    assert epochs_done(cell) == 2 and finished(cell) == run_cell(cell)


def test_a_bad_test_file_is_found_before_training_and_can_be_mended(file, data, tmp_path):
    test = tmp_path / "test.tsv"
    test.write_text("one column only\n")
    file.write_text(file.read_text().replace(f'test = "{data}/dev.tsv"', f'test = "{test}"'))
    with pytest.raises(DataError, match=r"test\.tsv:1"):
        run_cell(cells_of(load_sweep(file), "")[0])
    test.write_text((data / "dev.tsv").read_text())
    cell = cells_of(load_sweep(file), "")[0]
    check_cell(cell)
    assert not (cell.folder / "train.log.csv").exists()


@needs_ray
def test_a_killed_sweep_ends_with_the_same_table(file, tmp_path):
    sweep = load_sweep(file)
    quiet = sweep.model_copy(update={"out": tmp_path / "quiet"})
    expected = [run_cell(cell).row() for cell in cells_of(quiet, "")]
    first, second = cells_of(sweep, "")
    start = [*COMMAND, "sweep", str(file)]
    killed = subprocess.Popen(start, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until((first.folder / "train.log.csv").is_file, killed)
    killed.kill()
    assert killed.communicate()[0] == b"" and finished(second) is None
    again = subprocess.Popen(start, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until((second.folder / "train.log.csv").is_file, again)
    with suppress(ProcessLookupError, FileNotFoundError):  # on a very slow machine it may be done by now
        os.kill(int((second.folder / "running").read_text()), signal.SIGKILL)  # a lost worker
    out, err = again.communicate()
    assert (again.returncode, out) == (0, ""), err
    assert "2 cells done" in err
    plain = [{k: "" if v is None else str(v) for k, v in row.items()} for row in expected]
    assert rows(tmp_path / "out") == [{k: row[k] for k in rows(tmp_path / "out")[0]} for row in plain]


def test_a_cell_with_other_settings_is_not_mixed_in(file):
    sweep = load_sweep(file)
    cell = cells_of(sweep, "")[0]
    cell.folder.mkdir(parents=True)
    (cell.folder / "cell.json").write_text("{}")
    with pytest.raises(ConfigError, match="a-0-mono-0: was run with another data"):
        check_cell(cell)


def test_mistakes(isotone, file, data, tmp_path, monkeypatch):
    assert isotone("sweep", tmp_path / "no.toml").refused() == f"{tmp_path}/no.toml: no such file"
    monkeypatch.setitem(sys.modules, "ray", None)
    assert isotone("sweep", file).refused() == "a sweep needs Ray: pip install isotone[sweep]"
    file.write_text(sweep_file(tmp_path))
    assert isotone("sweep", file).refused() == f"{tmp_path}/test.tsv: no such file (the train data of a)"
    assert not (tmp_path / "out").exists()


def test_a_search_compares_variants_on_dev_pairs(file, data):
    """No test file: results are about dev; every model is trained in every variant."""
    text = file.read_text().replace(f'test = "{data}/dev.tsv"', "")
    text += (
        '\n[[variants]]\nname = "plain"\n[[variants]]\nname = "smooth"\noverrides = { smoothing = 0.1, epochs = 1 }\n'
    )
    file.write_text(text)
    sweep = load_sweep(file)
    cells = cells_of(sweep, "")
    assert len(cells) == 2 * len(sweep.models) * len(sweep.data) * len(sweep.seeds)
    smooth = next(cell for cell in cells if cell.label.endswith("+smooth"))
    result = run_cell(smooth)
    assert result.model == smooth.label and result.epochs == 1
    name = next(iter(set(result.dev) & set(result.metrics)))
    assert result.metrics[name] == pytest.approx(result.dev[name])
    file.write_text(text.replace("smoothing = 0.1", "smoothing = 2"))
    with pytest.raises(ConfigError, match="smoothing"):
        load_sweep(file)


def test_a_search_is_followed_by_a_look_at_the_test_pairs(file, data):
    """Test pairs that come later change the result alone: nothing is trained again."""
    searched = file.read_text().replace("epochs = 4", "epochs = 1")
    file.write_text(searched.replace(f'test = "{data}/dev.tsv"', ""))
    before = run_cell(cells_of(load_sweep(file), "")[0])
    file.write_text(searched.replace(f'test = "{data}/dev.tsv"', f'test = "{data}/train.tsv"'))
    cell = cells_of(load_sweep(file), "")[0]
    weights = (cell.folder / "model.safetensors").stat().st_mtime_ns
    assert finished(cell) is None
    after = run_cell(cell)
    assert (after.seconds, after.dev) == (before.seconds, before.dev) and after.test != before.test
    assert len(after.right) == after.n != before.n == len(before.right)
    assert after.metrics["wer" if "wer" in after.metrics else "acc"] is not None and finished(cell) == after
    assert (cell.folder / "model.safetensors").stat().st_mtime_ns == weights
    assert "right" not in after.row() and "test" not in after.row()


def test_an_estimate_trains_nothing(isotone, file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)  # it does without
    told = isotone("sweep", file, "--estimate")
    header, *lines = told.out.splitlines()
    assert header == "cell\tepochs\tminutes" and not (tmp_path / "out").exists()
    found = [line.split("\t") for line in lines]
    assert [name for name, _, _ in found] == [cell.name for cell in cells_of(load_sweep(file), "")]
    assert all(epochs == "4" and float(minutes) >= 0 for _, epochs, minutes in found)
    assert f"{len(found)} of {len(found)} cells to train: about " in told.err


def test_an_estimate_counts_what_is_left(file):
    file.write_text(file.read_text().replace("epochs = 4", "epochs = 1, seeds = 2"))
    first, *others = cells_of(load_sweep(file), "")
    run_cell(first)
    done, *left = estimates(load_sweep(file))
    assert (done.epochs, done.seconds) == (0, 0.0)
    assert [each.epochs for each in left] == [2] * len(others) and all(each.seconds > 0 for each in left)
    total, longest = sum(each.seconds for each in left), max(each.seconds for each in left)
    assert seconds_on(1, [done, *left]) == total and seconds_on(100, left) == longest and seconds_on(1, [done]) == 0
    assert summary(load_sweep(file), [done]) == "0 of 1 cells to train: none"


def test_an_estimate_counts_the_network_that_is_distilled(file):
    file.write_text(file.read_text().replace("epochs = 4", "epochs = 1, seeds = 2, distil = true"))
    assert {each.epochs for each in estimates(load_sweep(file))} == {3}


@pytest.mark.parametrize(
    ("cores", "said"), [(1, "with one cell at a time (1 core here"), (8, "with 2 cells at a time (8")]
)
def test_an_estimate_is_for_the_cores_there_are(file, monkeypatch, cores, said):
    monkeypatch.setattr("isotone.experiments.estimate.core_count", lambda: cores)
    sweep = load_sweep(file).model_copy(update={"parallel": None, "threads": 1})
    first, second, *_ = cells_of(sweep, "")
    told = summary(sweep, [Estimate(first, 4, 600.0), Estimate(second, 4, 300.0)])
    assert "2 of 2 cells to train: about 15 minutes one after another" in told and said in told
