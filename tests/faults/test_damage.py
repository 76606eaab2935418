"""Flipped bits, files cut short, full disks, forbidden folders: the same answers, or one clear ModelError."""

import errno
import os
import random
import resource
import shutil

import pytest
import torch

import tiny
from isotone import files
from isotone.errors import ModelError
from isotone.store import manifest
from isotone.store.folder import load_members, save_member, save_members
from isotone.store.layout import is_vacant, remove_leftovers
from isotone.store.metrics import Metrics

BATCH = tiny.random_batch([3, 2], [2, 4], tags=2)
METRICS = Metrics(task="inflection", dev={"acc": 50.0}, finished=True)
FLIPS = 40


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    home = tmp_path_factory.mktemp("whole")
    save_member(home / "single", tiny.bundle(), metrics=METRICS, run={"seed": 1})
    save_members(home / "mixture", [(tiny.bundle(), 1), (tiny.bundle("1-mono"), 2)], metrics=METRICS, run={"seed": 1})
    return home


def answers(folder):
    return [(member.network.log_prob(BATCH), share) for member, share in load_members(folder)]


def same(found, expected):
    return len(found) == len(expected) and all(
        torch.equal(log_prob, other) and share == pytest.approx(weight)
        for (log_prob, share), (other, weight) in zip(found, expected, strict=True)
    )


def damages(content, seed):
    """Versions of a file with one bit flipped, most of them where the header is, and some cut short."""
    generator = random.Random(seed)
    for number in range(FLIPS):
        place = generator.randrange(min(len(content), 2000) if number % 4 else len(content))
        yield content[:place] + bytes([content[place] ^ 1 << generator.randrange(8)]) + content[place + 1 :]
    for place in (0, 1, 7, 8, 9, len(content) // 3, len(content) // 2, len(content) - 1):
        yield content[:place]


@pytest.mark.parametrize(
    "file",
    [
        "single/model.safetensors",
        "single/config.json",
        "single/vocabulary.json",
        "single/metrics.json",
        "single/run.json",
        "single/README.md",
        "mixture/mixture.json",
        "mixture/member-1/model.safetensors",
    ],
)
def test_flipped_bits_and_files_cut_short(folders, tmp_path, monkeypatch, file):
    monkeypatch.setattr(manifest, "PAUSE", 0.0)
    kind = file.partition("/")[0]
    expected = answers(folders / kind)
    shutil.copytree(folders, tmp_path / "f")
    refused = 0
    for content in damages((folders / file).read_bytes(), seed=len(file)):
        (tmp_path / "f" / file).write_bytes(content)
        try:
            found = answers(tmp_path / "f" / kind)
        except ModelError as error:
            assert str(tmp_path / "f" / kind) in str(error)
            refused += 1
        else:
            # A mixture's weights have no checksum: a digit may become another one.
            assert same(found, expected) or file.endswith("mixture.json")
    assert (refused > 0) == file.endswith(("model.safetensors", "mixture.json")), "copies may say anything"


@pytest.fixture
def folder(folders, tmp_path):
    return shutil.copytree(folders / "single", tmp_path / "m")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def fails_with(number):
    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("os.fsync", errno.ENOSPC),
        ("os.fsync", errno.EIO),
        ("tempfile.mkstemp", errno.EACCES),
        ("tempfile.mkstemp", errno.EROFS),
    ],
)
def test_a_save_that_fails_leaves_everything_as_it_was(folder, monkeypatch, place, number):
    before = contents(folder)
    module, _, name = place.partition(".")
    monkeypatch.setattr(getattr(files, module), name, fails_with(number))
    with pytest.raises(OSError) as caught:
        save_member(folder, tiny.bundle("1-mono"))
    assert caught.value.errno == number
    assert contents(folder) == before


def test_a_disk_that_fills_up_while_writing(folder):
    """A limit on the size of files stands in for a small disk: the weights are cut off in the middle."""
    before = contents(folder)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, hard))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            save_member(folder, tiny.bundle("1-mono"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.filename == str(folder / "model.safetensors")
    assert contents(folder) == before


def test_a_mixture_whose_last_step_fails_is_still_the_old_model(folder, monkeypatch):
    expected = answers(folder)
    written = []

    def fail_at_the_end(path):
        written.append(path.name)
        if path.name == "mixture.json":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    real = files.Path.replace
    monkeypatch.setattr(files.Path, "replace", lambda part, path: fail_at_the_end(path) or real(part, path))
    with pytest.raises(OSError, match="No space"):
        save_members(folder, [(tiny.bundle(), 1)] * 2)
    assert written.count("model.safetensors") == 2 and same(answers(folder), expected)


def test_leftovers_are_removed_and_nothing_else(folder):
    (folder / "state").mkdir()
    ours = [
        ".model.safetensors.abcd1_23.part",
        ".mixture.json.00000000.part",
        "state/.training.safetensors.x_y_z_00.part",
    ]
    theirs = [".thesis.txt.abcd1_23.part", ".model.safetensors.part", "model.safetensors.part", ".hidden", "a.part"]
    for name in (*ours, *theirs):
        (folder / name).write_text("x")
    remove_leftovers(folder)
    assert not any((folder / name).exists() for name in ours)
    assert all((folder / name).exists() for name in theirs)


def test_vacant_folders(tmp_path):
    assert is_vacant(tmp_path / "none") and is_vacant(tmp_path)
    (tmp_path / ".isotone.lock").touch()
    (tmp_path / ".config.json.abcd1234.part").touch()
    assert is_vacant(tmp_path)
    (tmp_path / "notes.txt").touch()
    assert not is_vacant(tmp_path) and not is_vacant(tmp_path / "notes.txt")
