"""The model folder: what is saved is what is loaded, and every damage has its one clear line."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

import tiny
from isotone.errors import ModelError
from isotone.models import ALIGNERS
from isotone.store import folder as folder_module
from isotone.store.folder import load_member, save_member


@pytest.fixture
def folder(tmp_path):
    save_member(tiny.bundle(), tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("aligner", ALIGNERS)
def test_round_trip(tmp_path, aligner):
    bundle = tiny.bundle(aligner)
    save_member(bundle, tmp_path / "deep" / "model")
    again = load_member(tmp_path / "deep" / "model")
    assert again.config == bundle.config and again.vocabulary == bundle.vocabulary
    assert not again.network.training
    batch = tiny.random_batch([3, 2], [2, 4], tags=2)
    torch.testing.assert_close(again.network.log_prob(batch), bundle.network.eval().log_prob(batch), atol=0, rtol=0)
    assert sorted(p.name for p in (tmp_path / "deep" / "model").iterdir()) == [
        "config.json",
        "model.safetensors",
        "vocabulary.json",
    ]
    assert not list((tmp_path / "deep").glob(".*")), "leftovers"


def edit_json(path, change):
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def edit_tensors(path, change):
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path)


DAMAGE = {
    "missing config": (lambda f: (f / "config.json").unlink(), "config.json: missing"),
    "missing vocabulary": (lambda f: (f / "vocabulary.json").unlink(), "vocabulary.json: missing"),
    "missing weights": (lambda f: (f / "model.safetensors").unlink(), "model.safetensors: missing"),
    "cut JSON": (lambda f: (f / "config.json").write_text('{"format": 1,'), "config.json: not readable"),
    "a list": (lambda f: (f / "config.json").write_text("[]"), "expected a JSON object"),
    "unknown key": (lambda f: edit_json(f / "config.json", lambda v: v.update(colour=1)), "colour"),
    "unknown aligner": (
        lambda f: edit_json(f / "config.json", lambda v: v["architecture"].update(aligner="2-mono")),
        "no aligner called '2-mono'",
    ),
    "from the future": (
        lambda f: edit_json(f / "config.json", lambda v: v.update(format=99)),
        "newer Isotone",
    ),
    "vocabulary key": (lambda f: edit_json(f / "vocabulary.json", lambda v: v.pop("tags")), "missing tags"),
    "vocabulary size": (
        lambda f: edit_json(f / "vocabulary.json", lambda v: v["source"].append("é")),
        "tensor encoder.embedding.weight is",
    ),
    "cut weights": (
        lambda f: (f / "model.safetensors").write_bytes((f / "model.safetensors").read_bytes()[:-9]),
        "damaged or cut short",
    ),
    "missing tensor": (
        lambda f: edit_tensors(f / "model.safetensors", lambda t: t.pop("aligner.key.bias")),
        "tensor aligner.key.bias is missing",
    ),
    "strange tensor": (
        lambda f: edit_tensors(f / "model.safetensors", lambda t: t.update(extra=torch.zeros(1))),
        "tensor extra does not belong",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_has_a_reason(folder, name):
    spoil, message = DAMAGE[name]
    spoil(folder)
    with pytest.raises(ModelError, match=message):
        load_member(folder)


def test_no_folder(tmp_path):
    with pytest.raises(ModelError, match="no such model folder"):
        load_member(tmp_path / "nowhere")


def test_a_failed_save_leaves_the_old_model_intact(folder, monkeypatch):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def disk_full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder_module, "save_file", disk_full)
    with pytest.raises(OSError, match="No space"):
        save_member(tiny.bundle("1-mono"), folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert not list(folder.parent.glob(".*"))


def test_saving_keeps_other_files_of_the_folder(folder):
    (folder / "notes.txt").write_text("mine")
    save_member(tiny.bundle("1-mono"), folder)
    assert (folder / "notes.txt").read_text() == "mine"
    assert load_member(folder).config.architecture.aligner.name == "1-mono"
