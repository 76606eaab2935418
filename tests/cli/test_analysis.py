"""isotone correspondences, errors, calibrate and evaluate --calibration."""

import json
import shutil

import pytest

from isotone.results.schemas import SCHEMAS
from results.test_schemas import strict


def rows(text):
    return [line.split("\t") for line in text.splitlines()]


def test_correspondences(isotone, model, data, tmp_path):
    page = tmp_path / "page.html"
    done = isotone("correspondences", model, data / "test.tsv", "--html", page, "--minimum", 0)
    head, *table = rows(done.out)
    assert done.code == 0 and head[:5] == ["left", "source", "right", "kind", "target"]
    assert {row[3] for row in table} == {"emits", "run", "silent"}
    assert page.read_text().startswith("<!DOCTYPE html>")
    done = isotone("correspondences", model, data / "test.tsv", "--json", "--context", 1, "-o", tmp_path / "out.json")
    value = strict(SCHEMAS["correspondences"]).validate_json((tmp_path / "out.json").read_text())
    assert done.out == "" and value["pairs"] == 30 and value["contexts"]


def test_errors(isotone, model, other, data, tmp_path):
    items, page = tmp_path / "items.tsv", tmp_path / "page.html"
    files = ["-o", items, "--report", page]
    done = isotone("errors", other, data / "test.tsv", "--against", model, *files, "--json")
    value = strict(SCHEMAS["errors"]).validate_json(done.out)
    assert done.err == "" and "train" not in value  # the folder names its training file, and that is still the same
    assert value["against"]["broken"] > value["against"]["fixed"]
    head, *table = rows(items.read_text())
    assert head[-1] == "outcome" and len(table) == value["n"] == 30 and all(len(row) == len(head) for row in table)
    text = page.read_text(encoding="utf-8")
    assert "<h1>Errors of other on test.tsv</h1>" in text and "other against good." in text and str(data) not in text
    done = isotone("errors", other, data / "test.tsv", "--train", data / "train.tsv")
    assert {row[0] for row in rows(done.out)} >= {"table", "edit", "tag", "tags", "length", "source", "tag set"}


def test_evaluate_analysis_is_the_same(isotone, other, data):
    for more in ([], ["--json"]):
        wanted = isotone("errors", other, data / "test.tsv", *more).out
        assert isotone("evaluate", other, data / "test.tsv", "--analysis", *more).out == wanted != ""
    refused = isotone("evaluate", other, data / "test.tsv", "--analysis", "--calibration").refused()
    assert "isotone errors" in refused


def test_a_training_file_that_is_gone_or_changed(isotone, model, data, tmp_path):
    shutil.copytree(data, tmp_path / "data")
    from cli.conftest import training

    assert isotone(*training(tmp_path / "data", tmp_path / "m")).code == 0
    train = tmp_path / "data" / "train.tsv"
    train.write_text(train.read_text() + "abc\tabc\tN;SG\n")
    done = isotone("errors", tmp_path / "m", data / "test.tsv", "--json")
    assert "no longer what this model was trained on" in done.err == f"isotone: {done.err.partition(': ')[2]}"
    assert "no longer" in json.loads(done.out)["train"]
    train.unlink()
    assert "no such file" in isotone("errors", tmp_path / "m", data / "test.tsv").err


def test_calibration(isotone, model, data, tmp_path):
    picture, page = tmp_path / "plot.svg", tmp_path / "plot.html"
    done = isotone("evaluate", model, data / "test.tsv", "--calibration", "--plot", picture, "--bins", 4)
    assert any(row[0] == "ece" and len(row) == 4 for row in rows(done.out)) and picture.read_text().startswith("<svg")
    done = isotone("evaluate", model, data / "test.tsv", "--plot", page, "--json")
    value = strict(SCHEMAS["evaluate"]).validate_json(done.out)
    assert value["calibration"]["n"] == 30 and len(value["calibration"]["bins"]) == 10
    assert "interval" in value["calibration"] and page.read_text().startswith("<!DOCTYPE")
    assert "calibration" not in json.loads(isotone("evaluate", model, data / "test.tsv", "--json").out)


def test_calibrate_stores_and_takes_away(isotone, model, other, data, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    before = (folder / "model.safetensors").read_bytes()
    scores = isotone("score", folder, data / "test.tsv").out
    measured = isotone("calibrate", folder, data / "train.tsv", "--dry-run", "--json")
    value = strict(SCHEMAS["calibrate"]).validate_json(measured.out)
    assert (folder / "model.safetensors").read_bytes() == before
    assert isotone("calibrate", folder, data / "train.tsv", "--json").out == measured.out
    assert json.loads(isotone("info", folder, "--json").out)["temperature"] == value
    assert isotone("score", folder, data / "test.tsv").out != scores
    assert isotone("calibrate", folder, "--reset").code == 0
    assert isotone("score", folder, data / "test.tsv").out == scores
    both = f"{model},{other}"
    assert "--out" in isotone("calibrate", both, data / "test.tsv").refused()
    assert isotone("calibrate", both, data / "test.tsv", "--out", tmp_path / "mixture").code == 0
    assert json.loads(isotone("info", tmp_path / "mixture", "--json").out)["temperature"]["fitted_on"] == 15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["calibrate", "{model}"], "name the dev pairs"),
        (["calibrate", "{model}", "x.tsv", "--reset"], "--reset"),
        (["calibrate", "{model}", "x.tsv", "--share", "1"], "--share"),
        (["calibrate", "{model}", "x.tsv", "--out", "{model}"], "is not empty"),
        (["evaluate", "{model}", "x.tsv", "--plot", "a.pdf"], ".svg or .html"),
        (["errors", "{model}", "x.tsv", "--against", "nowhere"], "no such model folder"),
        (["correspondences", "{model}", "nowhere.tsv"], "no such file"),
    ],
)
def test_refusals(isotone, model, arguments, message):
    assert message in isotone(*[argument.format(model=model) for argument in arguments]).refused()
