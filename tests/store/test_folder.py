"""The model folder: what is saved is what is loaded, and every damage has its one clear line."""

import json
import logging
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

import isotone
import tiny
from isotone.errors import ModelError
from isotone.models import ALIGNERS
from isotone.store.describe import read_folder, steadily
from isotone.store.folder import load_member, load_members, save_member, save_members
from isotone.store.metrics import Metrics
from isotone.store.mixture import save_mixture

OLD = Path(__file__).parent / "folders"
METRICS = Metrics(task="inflection", dev={"acc": 50.0, "loss": 0.5}, pairs=10, finished=True, recipe={"name": "fast"})
RUN = {"seed": 3, "data": {"train": "straße.tsv"}}
BATCH = tiny.random_batch([3, 2], [2, 4], tags=2)
NAMES = ["README.md", "config.json", "metrics.json", "model.safetensors", "run.json", "vocabulary.json"]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def scores(member):
    return member.network.eval().log_prob(BATCH)


@pytest.fixture
def folder(tmp_path):
    save_member(tmp_path / "model", tiny.bundle(), metrics=METRICS, run=RUN)
    return tmp_path / "model"


@pytest.fixture
def mixture(tmp_path):
    folder = tmp_path / "mixture"
    save_members(folder, [(tiny.bundle(), 1), (tiny.bundle("1-mono"), 3)], metrics=METRICS, run=RUN)
    return folder


@pytest.mark.parametrize("aligner", ALIGNERS)
def test_round_trip(tmp_path, aligner):
    member, folder = tiny.bundle(aligner), tmp_path / "deep" / "model"
    save_member(folder, member, metrics=METRICS, run=RUN)
    again = load_member(folder)
    assert again.config == member.config and again.vocabulary == member.vocabulary
    assert not again.network.training
    torch.testing.assert_close(scores(again), scores(member), atol=0, rtol=0)
    assert names(folder) == NAMES and names(folder.parent) == ["model"]
    described = read_folder(folder)
    assert (described.config, described.vocabulary) == (member.config, member.vocabulary)
    assert (described.metrics, described.run, described.members) == (METRICS, RUN, ((folder, 1.0),))
    assert described.parameters == member.network.parameter_count()


def test_loading_leaves_the_random_state_alone(folder):
    before = torch.get_rng_state()
    load_member(folder)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_weights_are_a_plain_safetensors_file(folder):
    tensors, expected = load_file(folder / "model.safetensors"), load_member(folder).network.state_dict()
    assert tensors.keys() == expected.keys()
    assert all(torch.equal(tensors[name], expected[name]) for name in expected)


def test_saving_twice_writes_the_same_bytes(folder, tmp_path):
    save_member(tmp_path / "again", load_member(folder), metrics=METRICS, run=RUN)
    for name in NAMES:
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("name", ["single", "mixture"])
def test_folders_of_format_1_still_load(name):
    expected = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))[name]
    model = isotone.load(OLD / name)
    for pair in expected:
        score = model.score(pair["source"], pair["target"], tags=pair["tags"])
        assert score == pytest.approx(pair["logprob"], rel=1e-6, abs=1e-6), "fp32 differs in its last bits by CPU"
        assert model(pair["source"], tags=pair["tags"], decode="exact").target == pair["best"]
    found = read_folder(OLD / name)
    assert found.run is None and found.metrics is not None and found.metrics.finished
    assert found.metrics.to_json() == json.loads((OLD / name / "metrics.json").read_text(encoding="utf-8"))
    assert [path.name for path, _ in found.members] == (["single"] if name == "single" else ["seed-0", "seed-1"])


def test_everything_but_the_weights_is_a_copy(folder, caplog):
    before = scores(load_member(folder))
    for name in NAMES:
        if name != "model.safetensors":
            (folder / name).unlink()
    torch.testing.assert_close(scores(load_member(folder)), before, atol=0, rtol=0)
    assert read_folder(folder).metrics == METRICS and not caplog.records


def test_an_edited_copy_is_ignored_with_one_warning(folder, caplog):
    edit_json(folder / "config.json", lambda value: value.update(task="g2p"))
    edit_json(folder / "vocabulary.json", lambda value: value["source"].append("é"))
    assert load_member(folder).config.task == "inflection"
    (record,) = caplog.records
    assert record.name == "isotone" and record.levelno == logging.WARNING
    assert record.getMessage().startswith(f"{folder}/config.json differs from the copy inside model.safetensors")


def edit_json(path, change):
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def edit_tensors(path, change):
    """As with another program, which does not know about our checksum."""
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path)


def edit_description(path, change):
    """Change what the header of the weights says about the model, also the checksum."""
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    description = json.loads(header["__metadata__"]["isotone"])
    change(description)
    header["__metadata__"]["isotone"] = json.dumps(description)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + length :])


def spoil(name, value):
    def change(tensors):
        tensors[name].view(-1)[0] = value

    return lambda path: edit_tensors(path, change)


def retyped(dtype):
    return lambda path: edit_tensors(path, lambda t: t.update({"aligner.key.bias": t["aligner.key.bias"].to(dtype)}))


WEIGHTS = {
    "missing": (lambda path: path.unlink(), "missing from the model folder"),
    "cut short": (lambda path: path.write_bytes(path.read_bytes()[:-9]), "damaged or cut short"),
    "empty": (lambda path: path.write_bytes(b""), "damaged or cut short"),
    "longer": (lambda path: path.write_bytes(path.read_bytes() + b"\0"), "damaged or cut short"),
    "missing tensor": (
        lambda path: edit_tensors(path, lambda t: t.pop("aligner.key.bias")),
        "tensor aligner.key.bias is missing",
    ),
    "strange tensor": (
        lambda path: edit_tensors(path, lambda t: t.update(extra=torch.zeros(1))),
        "tensor extra does not belong to this architecture",
    ),
    "int64": (retyped(torch.int64), "tensor aligner.key.bias has the dtype I64, expected F32"),
    "bool": (retyped(torch.bool), "tensor aligner.key.bias has the dtype BOOL, expected F32"),
    "nan": (spoil("aligner.key.bias", torch.nan), "tensor aligner.key.bias has numbers that are infinite or not"),
    "infinity": (spoil("decoder.embedding.weight", torch.inf), "tensor decoder.embedding.weight has numbers that"),
    "checksum": (
        lambda path: edit_description(path, lambda d: d["config"].update(task="g2p")),
        "damaged \\(its content does not have the checksum",
    ),
    "from the future": (lambda path: edit_description(path, lambda d: d.update(format=99)), "newer Isotone"),
    "no checksum": (lambda path: edit_description(path, lambda d: d.pop("checksum")), "its description is damaged"),
    "run a list": (lambda path: edit_description(path, lambda d: d.update(run=[])), "its description is damaged"),
    "vocabulary size": (
        lambda path: edit_description(path, lambda d: d["vocabulary"]["source"].append("é")),
        "tensor encoder.embedding.weight is \\(8, 5\\), expected \\(9, 5\\)",
    ),
    "unknown key": (lambda path: edit_description(path, lambda d: d["config"].update(colour=1)), "colour"),
    "unknown aligner": (
        lambda path: edit_description(path, lambda d: d["config"]["architecture"].update(aligner="2-mono")),
        "no aligner called '2-mono'",
    ),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_damaged_weights_have_a_reason(folder, name):
    damage, message = WEIGHTS[name]
    path = folder / "model.safetensors"
    damage(path)
    with pytest.raises(ModelError, match=message) as caught:
        load_member(folder)
    assert str(caught.value).startswith(f"{path}: ")


FORMAT_1 = {
    "missing config": (lambda f: (f / "config.json").unlink(), "config.json: missing"),
    "missing vocabulary": (lambda f: (f / "vocabulary.json").unlink(), "vocabulary.json: missing"),
    "cut JSON": (lambda f: (f / "config.json").write_text('{"format": 1,'), "config.json: not readable as JSON"),
    "a list": (lambda f: (f / "config.json").write_text("[]"), "config.json: expected a JSON object"),
    "not UTF-8": (lambda f: (f / "config.json").write_bytes(b"\xff"), "config.json: not readable as JSON"),
    "unknown key": (lambda f: edit_json(f / "config.json", lambda v: v.update(colour=1)), "config.json: colour"),
    "from the future": (lambda f: edit_json(f / "config.json", lambda v: v.update(format=99)), "newer Isotone"),
    "vocabulary key": (lambda f: edit_json(f / "vocabulary.json", lambda v: v.pop("tags")), "missing tags"),
    "vocabulary size": (
        lambda f: edit_json(f / "vocabulary.json", lambda v: v["source"].append("é")),
        "tensor encoder.embedding.weight is",
    ),
}


@pytest.mark.parametrize("name", FORMAT_1)
def test_damage_of_format_1_has_a_reason(folder, name):
    damage, message = FORMAT_1[name]
    edit_tensors(folder / "model.safetensors", lambda tensors: None)  # leaves the description out
    load_member(folder)
    damage(folder)
    with pytest.raises(ModelError, match=message):
        load_member(folder)


def test_no_folder(tmp_path):
    for read in (load_member, load_members, read_folder):
        with pytest.raises(ModelError, match="nowhere: no such model folder"):
            read(tmp_path / "nowhere")
        with pytest.raises(ModelError, match=r"model\.safetensors: missing from the model folder"):
            read(tmp_path)


def test_saving_keeps_other_files_of_the_folder(folder):
    (folder / "notes.txt").write_text("mine")
    save_member(folder, tiny.bundle("1-mono"))
    assert (folder / "notes.txt").read_text() == "mine"
    assert load_member(folder).config.architecture.aligner.name == "1-mono"
    assert not (folder / "metrics.json").exists() and not (folder / "run.json").exists(), "of the model before"


def test_metrics_that_cannot_be_read_break_nothing(folder):
    edit_description(folder / "model.safetensors", lambda d: d.update(metrics={"dev": []}))
    assert read_folder(folder).metrics is None
    edit_tensors(folder / "model.safetensors", lambda tensors: None)
    for text in ("[" * 100_000, "{}", "[]", '{"task": 1}', "\udcff"):
        (folder / "metrics.json").write_bytes(text.encode(errors="surrogateescape"))
        assert read_folder(folder).metrics is None
        load_member(folder)


def test_infinite_metrics_are_saved_as_unknown(tmp_path):
    metrics = Metrics(task="g2p", dev={"loss": float("inf"), "wer": 3.0}, finished=True)
    save_member(tmp_path / "m", tiny.bundle(), metrics=metrics)
    assert read_folder(tmp_path / "m").metrics.dev == {"loss": None, "wer": 3.0}
    assert "| loss | infinite |" in (tmp_path / "m" / "README.md").read_text(encoding="utf-8")


def test_half_a_character_is_not_saved(tmp_path):
    member = tiny.Member.build(tiny.bundle().config, tiny.vocabulary(source=["a", "\ud800"]))
    with pytest.raises(ModelError, match="cannot be saved: half a Unicode character"):
        save_member(tmp_path / "m", member)
    assert not (tmp_path / "m").exists()


def test_a_mixture(mixture):
    parts = load_members(mixture)
    assert [share for _, share in parts] == [0.25, 0.75]
    assert [part.config.architecture.aligner.name for part, _ in parts] == ["0-mono", "1-mono"]
    found = read_folder(mixture)
    assert found.members == ((mixture / "member-0", 0.25), (mixture / "member-1", 0.75)) and found.is_mixture
    assert (found.metrics, found.run) == (METRICS, RUN)
    assert found.parameters == sum(part.network.parameter_count() for part, _ in parts)
    assert names(mixture) == ["README.md", "member-0", "member-1", "metrics.json", "mixture.json", "run.json"]
    assert "Mixture of 2 models" in (mixture / "README.md").read_text(encoding="utf-8")
    with pytest.raises(ModelError, match="is a mixture, expected a single model"):
        load_member(mixture)


def test_a_single_model_replaces_a_mixture_but_not_the_users_files(mixture):
    (mixture / "member-bank-of-genomes").mkdir()
    (mixture / "member-1" / "notes.txt").write_text("mine")
    (mixture / "member-0" / "state").mkdir()
    (mixture / "member-0" / "state" / "training.safetensors").write_bytes(b"")
    save_member(mixture, tiny.bundle("soft"))
    ((member, share),) = load_members(mixture)
    assert (member.config.architecture.aligner.name, share) == ("soft", 1.0)
    expected = ["README.md", "config.json", "member-1", "member-bank-of-genomes", "model.safetensors"]
    assert names(mixture) == [*expected, "vocabulary.json"]
    assert names(mixture / "member-1") == ["notes.txt"]


def test_a_mixture_replaces_a_single_model_but_not_the_users_files(folder):
    (folder / "notes.txt").write_text("mine")
    (folder / "train.log.csv").write_text("epoch\n")
    save_members(folder, [(tiny.bundle(), 1), (tiny.bundle("1-mono"), 1)])
    assert names(folder) == ["README.md", "member-0", "member-1", "mixture.json", "notes.txt"]
    assert len(load_members(folder)) == 2


def test_a_mixture_that_came_and_went_while_reading_is_read_again(folder):
    first, second = tiny.bundle("0-mono"), tiny.bundle("1-mono")
    looks = []

    def read():
        looks.append(len(looks))
        if looks == [0]:  # as another process would, at the worst moment
            save_members(folder, [(first, 1.0), (second, 1.0)])
            save_member(folder, second)
        return [member.config.architecture.aligner.name for member, _ in load_members(folder)]

    assert steadily(folder, read) == ["1-mono"] and looks == [0, 1]


def test_a_mixture_replaces_a_mixture(mixture):
    (mixture / "member-0" / "notes.txt").write_text("mine")
    save_members(mixture, [(tiny.bundle("soft"), 1)] * 3)
    assert names(mixture) == ["README.md", "member-0", "member-2", "member-3", "member-4", "mixture.json"]
    assert names(mixture / "member-0") == ["notes.txt"]
    assert [share for _, share in load_members(mixture)] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{", "not readable as JSON"),
        ("[]", "mixture.json: "),
        ('{"members": [], "weights": []}', "members"),
        ('{"members": [""], "weights": [1]}', "member '' is not a folder inside"),
        ('{"members": ["member-0"], "weights": [1, 2]}', "as many weights"),
        ('{"members": ["member-0", "member-1"], "weights": [0, 0]}', "weights.0"),
        ('{"members": ["member-0", "member-1"], "weights": [1, -1]}', "weights.1"),
        ('{"members": ["member-0", "member-1"], "weights": [1, NaN]}', "weights.1"),
        ('{"members": ["member-0", "member-1"], "weights": [1, 1e999]}', "weights.1"),
        ('{"members": ["member-0", "member-1"], "weights": [1e300, 1e-320]}', "too small"),
        ('{"members": ["member-0", "member-0"], "weights": [1, 1]}', "twice"),
        ('{"members": ["../model"], "weights": [1]}', "not a folder inside"),
        ('{"members": [".."], "weights": [1]}', "not a folder inside"),
        ('{"members": ["."], "weights": [1]}', "not a folder inside"),
        ('{"members": ["/etc"], "weights": [1]}', "not a folder inside"),
        ('{"members": ["C:\\\\x"], "weights": [1]}', "not a folder inside"),
        ('{"members": ["a\\u0000"], "weights": [1]}', "not a folder inside"),
        ('{"members": ["\\ud800"], "weights": [1]}', "half a Unicode character"),
        ('{"members": ["absent"], "weights": [1]}', "absent: no such model folder"),
        ('{"members": ["link"], "weights": [1]}', "link: is a link"),
        ('{"members": ["nested"], "weights": [1]}', "nested: is itself a mixture"),
        ('{"members": "member-0", "weights": [1]}', "members"),
        ('{"format": 99, "members": ["member-0"], "weights": [1]}', "format"),
    ],
)
def test_a_damaged_mixture_file(mixture, folder, value, message):
    (mixture / "link").symlink_to(folder)
    save_members(mixture / "nested", [(tiny.bundle(), 1)] * 2)
    (mixture / "mixture.json").write_text(value)
    for read in (read_folder, load_members):
        with pytest.raises(ModelError, match=message):
            read(mixture)


def test_huge_weights_do_not_overflow(mixture):
    edit_json(mixture / "mixture.json", lambda value: value.update(weights=[1e308, 1e308]))
    assert [share for _, share in load_members(mixture)] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("members", "weights", "message"),
    [
        (["member-0"], [1, 2], "as many weights"),
        (["member-0"], [float("nan")], "weights.0"),
        (["member-0"], [0], "weights.0"),
        (["absent"], None, "absent: no such model folder"),
        ([], None, "members"),
    ],
)
def test_a_mixture_that_would_not_load_is_not_saved(mixture, members, weights, message):
    before = (mixture / "mixture.json").read_bytes()
    with pytest.raises(ModelError, match=message):
        save_mixture(mixture, members, weights=weights)
    assert (mixture / "mixture.json").read_bytes() == before and len(load_members(mixture)) == 2
