"""Exported folders: what is in them, what is refused, and what an interrupted or hostile one does."""

import json
from hashlib import sha256

import numpy as np
import pytest

import isotone
from exporting import encoded, exported, member
from isotone.api.export import export
from isotone.errors import ConfigError, ModelError
from isotone.runtime.load import load_exported
from isotone.store.describe import read_folder
from isotone.store.folder import save_member
from isotone.store.metrics import Metrics

METRICS = Metrics(task="inflection", dev={"acc": 50.0}, finished=True)


@pytest.fixture
def model():
    return isotone.Transducer([member("0-mono")], metrics=METRICS, run={"task": "inflection"})


@pytest.fixture
def folder(model, tmp_path):
    export(model, tmp_path / "exported")
    return tmp_path / "exported"


def manifest(folder):
    return json.loads((folder / "export.json").read_text())


def graph_files(folder):
    return sorted(path.name for path in folder.glob("*.onnx"))


def test_a_folder_says_what_it_is(model, folder):
    found = read_folder(folder)
    assert found.config == model.config and found.vocabulary == model.vocabulary
    assert (found.metrics, found.run) == (METRICS, {"task": "inflection"})
    assert found.parameters == model.members[0].parameters
    assert found.exported["precision"] == "fp32" and found.exported["difference"]["log_prob"] < 1e-4
    assert found.exported["difference"]["same"] == found.exported["difference"]["samples"]
    card = (folder / "README.md").read_text()
    assert "without PyTorch" in card and "fp32" in card and "nats per symbol" in card
    for graph in manifest(folder)["graphs"].values():
        content = (folder / graph["file"]).read_bytes()
        assert len(content) == graph["bytes"] and sha256(content).hexdigest() == graph["sha256"]
    assert not (folder / "model.safetensors").exists() and not (folder / ".isotone.lock").exists()


def test_it_loads_as_the_same_model(model, folder):
    loaded = isotone.load(folder)
    again = isotone.Transducer.from_pretrained(folder)
    assert repr(loaded) == repr(model) == repr(again) and loaded.metrics == METRICS
    assert loaded.score("abcd", "xyz") == pytest.approx(model.score("abcd", "xyz"), abs=1e-5)
    assert loaded("abcd").target == model("abcd").target
    assert not hasattr(loaded.members[0], "network")


def test_int8_takes_less_space(tmp_path):
    big = isotone.Transducer([member("1-mono", hidden=64, embedding=32)])
    export(big, tmp_path / "fp32")
    export(big, tmp_path / "int8", int8=True)
    sizes = [sum(graph["bytes"] for graph in manifest(tmp_path / name)["graphs"].values()) for name in ("fp32", "int8")]
    assert sizes[1] < sizes[0] / 2.5 and manifest(tmp_path / "int8")["precision"] == "int8"


def test_a_mixture_exports_as_one(model, tmp_path):
    other = isotone.Transducer([model.members[0], member("1-mono")], weights=[3, 1])
    export(other, tmp_path / "mixture")
    loaded = isotone.load(tmp_path / "mixture")
    assert loaded.weights == (0.75, 0.25) and len(loaded.members) == 2
    assert loaded.score("abcd", "xyz") == pytest.approx(other.score("abcd", "xyz"), abs=1e-5)
    assert read_folder(tmp_path / "mixture").exported is not None
    export(model, tmp_path / "mixture", overwrite=True)  # a single model takes its place
    assert len(isotone.load(tmp_path / "mixture").members) == 1
    assert not (tmp_path / "mixture" / "member-0").exists()


def test_a_mixture_of_both_engines(model, folder, tmp_path):
    save_member(tmp_path / "trained", model.members[0])
    mixed = isotone.load(tmp_path / "trained", folder)
    assert mixed.score("abcd", "xyz") == pytest.approx(model.score("abcd", "xyz"), abs=1e-5)


def test_overwriting_replaces_only_what_export_wrote(model, folder):
    before = graph_files(folder)
    (folder / "notes.txt").write_text("mine")
    foreign = folder / f"step-{'0' * 16}.onnx"
    foreign.write_bytes(b"not named after its content")
    with pytest.raises(ConfigError, match="--overwrite"):
        export(model, folder)
    export(model, folder, int8=True, overwrite=True)
    assert manifest(folder)["precision"] == "int8"
    assert not set(before) & set(graph_files(folder)) and foreign.exists()
    assert (folder / "notes.txt").read_text() == "mine"


def test_an_export_that_was_killed_is_not_there(model, tmp_path, monkeypatch):
    """Before export.json is written the folder holds no model; the next export into it works and tidies up."""
    target = tmp_path / "exported"
    with monkeypatch.context() as patch:
        patch.setattr("isotone.store.exported.write_json", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            export(model, target)
    assert graph_files(target)
    with pytest.raises(ModelError):
        isotone.load(target)
    export(model, target)
    assert len(graph_files(target)) == 3 and isotone.load(target)("abcd").target == model("abcd").target


def test_trained_folders_are_never_written_to(model, tmp_path):
    save_member(tmp_path / "trained", model.members[0])
    for overwrite in (False, True):
        with pytest.raises(ConfigError, match="holds a trained model"):
            export(model, tmp_path / "trained", overwrite=overwrite)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="is a file"):
        export(model, tmp_path / "file")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("")
    with pytest.raises(ConfigError, match="holds no exported model"):
        export(model, tmp_path / "other", overwrite=True)


def test_exported_models_are_not_exported_saved_or_trained_again(folder, tmp_path):
    loaded = isotone.load(folder)
    with pytest.raises(ConfigError, match="already"):
        export(loaded, tmp_path / "again")
    with pytest.raises(ConfigError, match="copy or upload its folder"):
        loaded.save_pretrained(tmp_path / "again")
    for choice in ({}, {"resume": True}, {"overwrite": True}):
        with pytest.raises(ConfigError, match="cannot be trained"):
            isotone.train(train=[("a", "b")] * 3, dev=[("a", "b")], out=folder, **choice)


def changed(**changes):
    def change(folder):
        value = manifest(folder)
        value.update(changes)
        (folder / "export.json").write_text(json.dumps(value))

    return change


def graph(**changes):
    def change(folder):
        value = manifest(folder)
        value["graphs"]["step"].update(changes)
        (folder / "export.json").write_text(json.dumps(value))

    return change


def with_content(content):
    """A graph whose name, size and checksum are right."""

    def change(folder):
        digest = sha256(content).hexdigest()
        name = f"step-{digest[:16]}.onnx"
        (folder / name).write_bytes(content)
        graph(file=name, bytes=len(content), sha256=digest)(folder)

    return change


def other_graph(folder):
    """A graph of another architecture, properly signed."""
    from isotone.runtime.export import graphs_of

    other = member("1-mono", hidden=7)
    with_content(graphs_of(other.network, "1-mono", int8=False)["step"])(folder)


def cut(folder):
    path = next(folder.glob("step-*.onnx"))
    path.write_bytes(path.read_bytes()[:-1])


def flipped(folder):
    path = next(folder.glob("encoder-*.onnx"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


HOSTILE = {
    "cut short": (cut, "cut short"),
    "a flipped bit": (flipped, "checksum"),
    "not JSON": (lambda folder: (folder / "export.json").write_text("{"), "JSON"),
    "a newer format": (changed(format=99), "newer Isotone"),
    "no graphs": (changed(graphs={}), "missing"),
    "another precision": (changed(precision="int2"), "precision"),
    "an impossible size": (graph(bytes=1 << 50), "larger than"),
    "out of the folder": (graph(file="../step-0000000000000000.onnx"), "not the name"),
    "an unknown aligner": (changed(config={"format": 2, "architecture": {"aligner": {"name": "x"}}}), "aligner"),
    "no graph at all": (with_content(b"hello"), "onnxruntime"),
    "another model's graph": (other_graph, "does not fit"),
    "missing": (lambda folder: next(folder.glob("step-*.onnx")).unlink(), "missing"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_or_hostile_folder_is_refused_with_one_line(folder, name):
    change, said = HOSTILE[name]
    change(folder)
    with pytest.raises(ModelError, match=said) as error:
        isotone.load(folder)
    assert "\n" not in str(error.value) and str(folder) in str(error.value)


def test_the_engine_in_a_folder_is_the_one_in_memory(folder, model):
    made = model.members[0]
    pairs = encoded(made)
    assert np.array_equal(load_exported(folder).model.log_probs(pairs), exported(made).log_probs(pairs))
