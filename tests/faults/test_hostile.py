"""Folders made to do harm are refused with one line, within a second and without much memory."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

import tiny
from isotone.errors import DataError, ModelError
from isotone.files import open_regular, read_json
from isotone.store.folder import load_members, save_member, save_members

SECONDS = 1.5
"""Of processor time, for reading a folder twice: once without its weights."""


def described(folder, change):
    """Change the description inside the weights, as somebody would who wants to do harm."""
    path = folder / "model.safetensors"
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    description = json.loads(header["__metadata__"]["isotone"])
    change(description)
    header["__metadata__"]["isotone"] = json.dumps(description)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + length :])


def architecture(**changes):
    """`encoder__hidden=8` changes the encoder's hidden size."""

    def change(description):
        for path, value in changes.items():
            section, _, field = path.partition("__")
            description["config"]["architecture"][section][field] = value

    return lambda folder: described(folder, change)


def vocabulary(key, value):
    return lambda folder: described(folder, lambda d: d["vocabulary"].update({key: value}))


def without_description(folder):
    """As format 1: the files beside the weights count."""
    save_file(load_file(folder / "model.safetensors"), folder / "model.safetensors")


def loose(name, content):
    def change(folder):
        without_description(folder)
        (folder / name).write_bytes(content)

    return change


def instead(name, make):
    def change(folder):
        without_description(folder)
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return change


def header(text, *, length=None, behind=b""):
    def change(folder):
        raw = text.encode()
        size = (len(raw) if length is None else length).to_bytes(8, "little")
        (folder / "model.safetensors").write_bytes(size + raw + behind)

    return change


def sparse(path):
    with path.open("wb") as file:
        file.truncate(1 << 40)


def sparse_weights(folder):
    with (folder / "model.safetensors").open("rb+") as file:
        file.truncate(1 << 40)


NESTED = "[" * 1000 + "]" * 1000
DEEP = "[" * 100_000
TENSOR = '"a":{"dtype":"F32","shape":%s,"data_offsets":%s}'

HOSTILE = {
    "hidden-1e9": (architecture(encoder__hidden=10**9), "hidden"),
    "hidden-8000": (architecture(encoder__hidden=8000), "tensor"),
    "hidden-65536": (architecture(encoder__hidden=65_536, encoder__embedding=65_536, encoder__layers=64), "tensor"),
    "layers-100000": (architecture(encoder__layers=100_000), "layers"),
    "width-1e9": (architecture(aligner__name="1-mono", aligner__width=10**9), "width"),
    "negative": (architecture(encoder__hidden=-1), "hidden"),
    "huge-number": (architecture(encoder__hidden=10**400), "hidden"),
    "wrong-type": (architecture(encoder__hidden=[[]]), "hidden"),
    "architecture-null": (lambda f: described(f, lambda d: d["config"].update(architecture=None)), "architecture"),
    "config-null": (lambda f: described(f, lambda d: d.update(config=None)), "expected a JSON object"),
    "soft-copy": (architecture(aligner__name="soft", emission__copy_gate=True), "copy"),
    "million-tags": (vocabulary("tags", [f"t{n}" for n in range(10**6)]), "its header is larger than 4 MB"),
    "many-tags": (vocabulary("tags", [f"t{n}" for n in range(250_000)]), "tensor"),
    "million-loose-tags": (
        loose("vocabulary.json", json.dumps([f"t{n}" for n in range(10**6)]).encode()),
        "larger than",
    ),
    "tag-numbers": (vocabulary("tags", [1, 2]), "tags"),
    "tag-twice": (vocabulary("tags", ["N", "N"]), "tags"),
    "surrogate": (vocabulary("source", ["a", "\ud800", "c", "d"]), "half a Unicode character"),
    "loose-surrogate": (loose("vocabulary.json", b'{"source":["\\udfff"],"target":[],"tags":[]}'), "half a Unicode"),
    "nested-config": (loose("config.json", NESTED.encode()), "nested more than"),
    "nested-vocabulary": (loose("vocabulary.json", b'{"tags":' + NESTED.encode() + b"}"), "nested more than"),
    "deep-config": (loose("config.json", DEEP.encode()), "nested more than"),
    "nested-run": (lambda f: described(f, lambda d: d.update(run={"a": json.loads(NESTED[700:-700])})), "nested more"),
    "long-config": (loose("config.json", b" " * (17 << 20)), "larger than 4 MB"),
    "many-lists": (loose("config.json", b"[" + b"[]," * 1_300_000 + b"[]]"), "too many lists and objects"),
    "long-number": (loose("config.json", b'{"format": ' + b"9" * 1_000_000 + b"}"), "not readable as JSON"),
    "fifo-config": (instead("config.json", os.mkfifo), "not a regular file"),
    "fifo-weights": (instead("model.safetensors", os.mkfifo), "not a regular file"),
    "fifo-mixture": (instead("mixture.json", os.mkfifo), "not a regular file"),
    "zero-config": (instead("config.json", lambda p: p.symlink_to("/dev/zero")), "not a regular file"),
    "zero-weights": (instead("model.safetensors", lambda p: p.symlink_to("/dev/zero")), "not a regular file"),
    "zero-vocabulary": (instead("vocabulary.json", lambda p: p.symlink_to("/dev/zero")), "not a regular file"),
    "folder-config": (instead("config.json", os.mkdir), "is a folder, expected a file"),
    "folder-weights": (instead("model.safetensors", os.mkdir), "is a folder, expected a file"),
    "folder-mixture": (instead("mixture.json", os.mkdir), "is a folder, expected a file"),
    "sparse-config": (instead("config.json", sparse), "larger than 4 MB"),
    "sparse-weights": (sparse_weights, "damaged or cut short"),
    "link-to-itself": (instead("config.json", lambda p: p.symlink_to(p.name)), "cannot be read"),
    "header-length": (header("{}", length=2**63), "no complete header"),
    "header-list": (header("[]"), "damaged or cut short"),
    "header-nested": (header(NESTED), "nested more than"),
    "header-metadata": (header('{"__metadata__":{"isotone":1}}'), "metadata must be strings"),
    "header-shape": (header("{" + TENSOR % ("[1000000,1000000]", "[0,4]") + "}", behind=b"1234"), "bytes of its shape"),
    "header-negative": (header("{" + TENSOR % ("[-1,-1]", "[0,4]") + "}", behind=b"1234"), "no proper shape"),
    "header-offsets": (header("{" + TENSOR % ("[1]", "[4,8]") + "}", behind=b"12345678"), "missing|cut short|belong"),
    "header-dtype": (header('{"a":{"dtype":[],"shape":[1],"data_offsets":[0,4]}}', behind=b"1234"), "cut short"),
    "description-list": (header('{"__metadata__":{"isotone":"[]"}}'), "its description is damaged"),
    "description-cut": (header('{"__metadata__":{"isotone":"{"}}'), "its description is damaged"),
}


@pytest.fixture(scope="module")
def heard(tmp_path_factory):
    """What a process with little memory says about each folder, and how long it takes."""
    if sys.platform != "linux":
        pytest.skip("limits memory as Linux does")
    home = tmp_path_factory.mktemp("hostile")
    for name, (spoil, _) in HOSTILE.items():
        save_member(home / name, tiny.bundle())
        spoil(home / name)
    here = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": f"{here.parents[1] / 'src'}:{here.parent}", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, here / "hostile_folders.py", *(home / name for name in HOSTILE)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    found = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    return found or pytest.fail(done.stderr)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_folders_are_refused(heard, name):
    described, loaded = heard[name]["said"]
    assert loaded is not None and re.search(HOSTILE[name][1], loaded), loaded
    assert described in {None, loaded}, "the description needs no weights, but says the same or nothing"
    assert f"/{name}" in loaded and "\n" not in loaded
    assert heard[name]["seconds"] < SECONDS


def test_a_mixture_of_one_gigantic_member(tmp_path):
    save_members(tmp_path, [(tiny.bundle(), 1)] * 2)
    architecture(encoder__hidden=8000)(tmp_path / "member-1")
    with pytest.raises(ModelError, match=r"member-1/model\.safetensors: tensor"):
        load_members(tmp_path)


def test_reading_json(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('\ufeff{"a": ["\\ud83d\\ude00", 1e999]}', encoding="utf-8")
    assert read_json(path) == {"a": ["😀", float("inf")]}
    path.write_text("{")
    with pytest.raises(DataError, match=r"a\.json: not readable as JSON"):
        read_json(path, error=DataError)
    with pytest.raises(DataError, match=r"b\.json: no such file"):
        read_json(tmp_path / "b.json", error=DataError)
    path.write_text("[1, 2]")
    with pytest.raises(ModelError, match="larger than"):
        read_json(path, limit=5)
    with pytest.raises(ModelError, match="cannot be read"):
        open_regular(tmp_path / "a\0b")
