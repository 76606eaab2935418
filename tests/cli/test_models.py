"""Models by name: those that come with Isotone, and the list of all there are."""

import json
import shutil
from pathlib import Path

import pytest

import isotone as package
from cli.conftest import in_process
from isotone.api import listing
from isotone.store import shipped

FOLDERS = Path(__file__).parents[1] / "store" / "folders"


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """One shipped model, called "toy", and a current folder with nothing in it."""
    place = tmp_path / "shipped"
    package.load(FOLDERS / "single").export(place / "toy", int8=True)
    for module in (shipped, listing):
        monkeypatch.setattr(module, "SHIPPED", place)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return place / "toy"


def rows(*arguments):
    done = in_process("models", "--json", *arguments)
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.lines]


def test_a_shipped_model_has_a_name(toy):
    word = "abc\tN;PL\n"
    by_name = in_process("predict", "toy", "--format", "conll2017", stdin=word)
    by_path = in_process("predict", toy, "--format", "conll2017", stdin=word)
    assert by_name.code == 0 and by_name.out == by_path.out != ""
    assert json.loads(in_process("info", "toy", "--json").out)["task"] == "inflection"
    assert (
        package.load("toy")("abc", tags=["N"]).target
        == package.Transducer.from_pretrained("toy")("abc", tags=["N"]).target
    )
    assert in_process("predict", "tou").refused() == "tou: no such model folder"
    assert in_process("predict", "toy", "no-such-file").refused() == "no-such-file: no such file"


def test_a_model_here_goes_before_a_shipped_one(toy, tmp_path):
    here = tmp_path / "here" / "toy"
    here.mkdir()
    (here / "notes.txt").touch()
    assert shipped.folder_named("toy") == toy, "a folder without a model is not meant"
    shutil.copytree(FOLDERS / "mixture", here, dirs_exist_ok=True)
    assert len(package.load("toy").members) == 2
    assert shipped.folder_named(tmp_path / "here" / "toy") == here


def test_a_shipped_model_is_not_changed(toy, tmp_path):
    pairs = tmp_path / "dev.tsv"
    pairs.write_text("abc\taabc\tN;SG\n", encoding="utf-8")
    refused = in_process("calibrate", "toy", pairs, "--format", "conll2017").refused()
    assert refused == "toy comes with Isotone and stays as it is: name a new folder with --out"
    (tmp_path / "here" / "toy").mkdir()  # no model in it, so the shipped one is meant, and must not end up here
    assert in_process("calibrate", "toy", pairs, "--format", "conll2017").refused() == refused


def test_list(toy, tmp_path):
    shutil.copytree(FOLDERS, tmp_path / "here" / "runs" / "one")
    broken = tmp_path / "here" / "broken"
    broken.mkdir()
    (broken / "model.safetensors").write_bytes(b"nothing")
    snapshot = tmp_path / "hub" / "models--me--mine" / "snapshots" / "0123"
    shutil.copytree(FOLDERS / "single", snapshot)
    found = rows()
    assert [(row["name"], row["where"]) for row in found] == [
        ("toy", "shipped"),
        ("broken", "here"),
        ("runs/one/mixture", "here"),
        ("runs/one/single", "here"),
        ("me/mine", "hub"),
    ]
    assert found[0]["task"] == "inflection" and found[0]["model"] == "1-mono" and found[0]["parameters"] == 12367
    assert "broken" in found[1]["problem"] and found[2]["members"] == 2
    table = in_process("models").lines
    assert len(table) == 5 and table[2].split("\t")[:4] == ["runs/one/mixture", "here", "inflection", "0-mono × 2"]
    assert rows(tmp_path / "shipped")[1]["name"] == str(toy)


def test_folders_that_are_not_entered(toy, tmp_path):
    for place in (".hidden/model", "a/b/c/d/e/model"):
        shutil.copytree(FOLDERS / "single", tmp_path / "here" / place)
    assert [row["name"] for row in rows()] == ["toy"]


def test_fetch(toy, tmp_path, monkeypatch):
    def download(name, *, revision, allow_patterns):
        assert (name, revision) == ("me/mine", "v1")
        return str(FOLDERS / "single")

    monkeypatch.setattr("isotone.store.hub.snapshot_download", download)
    assert in_process("models", "--fetch", "me/mine", "--revision", "v1").out == f"{FOLDERS / 'single'}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["nowhere"], "nowhere: no such folder"), (["--revision", "v1"], "--revision: only with --fetch")],
)
def test_refusals(arguments, message):
    assert in_process("models", *arguments).refused() == message
