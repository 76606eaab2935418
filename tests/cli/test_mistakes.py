"""Every mistake a user can make: exit 2, one line that says what is wrong, nothing half-written."""

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import toy
from cli.conftest import table, training
from isotone import files
from isotone.text.readers import MAX_LINE

GOOD = table(toy.examples(6)).encode()


def left(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def refused_file(isotone, model, data, tmp_path):
    """Give a bad file to every command that reads pairs; its message, the same from all of them."""

    def refuse(content, *, suffix=".tsv"):
        bad = tmp_path / f"bad{suffix}"
        bad.write_bytes(content)
        commands = [[command, model, bad] for command in ("score", "align", "evaluate")]
        commands += [
            [*training(data, tmp_path / "m"), "--format", "conll2017", f"--{role}", bad] for role in ("train", "dev")
        ]
        commands += [["score", model, bad, "-o", tmp_path / "out"]]
        messages = {isotone(*arguments).refused() for arguments in commands}
        assert left(tmp_path) == [bad.name]
        assert len(messages) == 1
        return messages.pop().replace(str(tmp_path), "")

    return refuse


def test_missing_column(refused_file):
    message = refused_file(GOOD + b"abc\tabc\n")
    assert message == "/bad.tsv:7: expected 3 tab-separated columns (lemma, form, tags), found 2"


def test_empty_fields(refused_file):
    assert refused_file(GOOD + b"\tabc\tN;PL\n") == "/bad.tsv:7: empty lemma"
    assert refused_file(GOOD + b"abc\tabc\t\n") == "/bad.tsv:7: empty tags"


def test_empty_file(refused_file, isotone, model, data, tmp_path):
    assert refused_file(b"") == "/bad.tsv: no examples found (expected 3 tab-separated columns (lemma, form, tags))"
    empty = tmp_path / "bad.tsv"
    assert "no examples found" in isotone(*training(data, tmp_path / "m"), "--train", empty).refused()
    assert "no examples found" in isotone("predict", model, empty).refused()
    assert "<stdin>: no examples found" in isotone("score", model, "-").refused()


def test_undecodable_bytes(refused_file):
    assert refused_file(GOOD + b"ab\xff\tab\tN\n") == "/bad.tsv:7: not valid UTF-8 (byte 0xff at column 3)"


def test_damaged_gzip(refused_file):
    assert "/bad.gz: damaged gzip file" in refused_file(b"\x1f\x8b\x08\x00garbage", suffix=".gz")


def test_a_line_too_long(refused_file, isotone, model, tmp_path):
    long = b"a" * MAX_LINE + b"\tb\tN\n"
    assert refused_file(GOOD + long) == "/bad.tsv:7: line longer than the limit of 1,000,000 characters"
    done = isotone("score", model, tmp_path / "bad.tsv", "--skip-bad")
    assert (done.code, len(done.lines)) == (0, 6) and "left out 1 line" in done.err


def test_no_such_file(isotone, model, data, tmp_path):
    assert isotone("score", model, tmp_path / "no.tsv").refused() == f"{tmp_path}/no.tsv: no such file"
    assert "is a directory" in isotone("predict", model, tmp_path).refused()
    assert "no such file" in isotone(*training(data, tmp_path / "m"), "--dev", tmp_path / "no").refused()
    assert left(tmp_path) == []


def test_dev_file_in_another_format(isotone, data, tmp_path):
    examples = toy.examples(20)
    (tmp_path / "pairs.tsv").write_text("".join(f"{e.source}\t{e.target}\n" for e in examples))
    done = isotone(*training(data, tmp_path / "m"), "--dev", tmp_path / "pairs.tsv")
    assert done.refused().endswith("pairs.tsv:1: expected 3 tab-separated columns (lemma, form, tags), found 2")
    (tmp_path / "swapped.tsv").write_text("".join(f"{e.source}\t{';'.join(e.tags)}\t{e.target}\n" for e in examples))
    message = isotone(*training(data, tmp_path / "m"), "--dev", tmp_path / "swapped.tsv").refused()
    assert "swapped.tsv: looks like sigmorphon2023, but" in message and "train.tsv like conll2017" in message
    assert left(tmp_path) == ["pairs.tsv", "swapped.tsv"]


def test_formats_that_cannot_be_guessed(isotone, data, tmp_path):
    (tmp_path / "t.tsv").write_text("ab\tcd\nef\tgh\n")
    arguments = ["train", "--train", tmp_path / "t.tsv", "--dev", "50%", "--out", tmp_path / "m"]
    assert "cannot tell the format of this file; name it with --format" in isotone(*arguments).refused()
    assert "unknown format 'csv'" in isotone(*arguments, "--format", "csv").refused()
    assert "give either --format or columns" in isotone(*arguments, "--format", "g2p", "--source-column", 2).refused()
    assert "are the same" in isotone(*arguments, "--source-column", 2, "--target-column", 2).refused()
    assert "--source-column" in isotone(*arguments, "--source-column", 0).refused()
    assert "cannot be empty" in isotone(*arguments, "--column-separator", "").refused()
    assert left(tmp_path) == ["t.tsv"]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--model", "3-mono", "no aligner called '3-mono'; there are soft, 0-hard"),
        ("--recipe", "soup", "unknown recipe 'soup': expected one of paper, fast, small"),
        ("--task", "cooking", "unknown task 'cooking': expected one of inflection"),
        ("--device", "abacus", "unknown device 'abacus'"),
        ("--device", "cpu:3", "there is no device 'cpu:3'"),
        ("--precision", "fp7", "precision: Input should be 'auto', 'fp32', 'bf16' or 'fp64'"),
        ("--size", "vast", "unknown size 'vast': expected one of paper, medium"),
        ("--normalization", "NFX", "normalization: Input should be"),
        ("--dev", "0%", "fraction must lie between 0 and 1"),
        ("--dev", "100%", "fraction must lie between 0 and 1"),
        ("--dev", "150%", "fraction must lie between 0 and 1"),
        ("--dev", "many%", "many%: no such file"),
        ("--epochs", "0", "--epochs"),
        ("--epochs", "three", "--epochs"),
        ("--seed", "1e3", "--seed"),
        ("--frobnicate", "1", "--frobnicate"),
    ],
)
def test_names_and_numbers_for_train(isotone, data, tmp_path, option, value, message):
    assert message in isotone(*training(data, tmp_path / "m"), option, value).refused()
    assert left(tmp_path) == []


def test_names_and_numbers_for_the_rest(isotone, model, other, tmp_path):
    assert isotone("predict", tmp_path / "no").refused() == f"{tmp_path}/no: no such model folder"
    assert "unknown decoder 'guess'" in isotone("predict", model, "--decode", "guess").refused()
    both = f"{model},{other}"
    for weights, message in (
        ("much,little", "--weights: expected numbers with commas between them"),
        ("1", "2 models need as many weights"),
        ("1,-1", "weights must be positive"),
        ("nan,1", "weights must be positive"),
        ("inf,1", "weights must be positive"),
    ):
        assert message in isotone("predict", both, "--weights", weights).refused()
    assert isotone("fly").refused() and isotone("predict").refused() and isotone("score", model).refused()


def test_models_of_a_mixture_share_alphabets(isotone, model, tmp_path):
    (tmp_path / "t.tsv").write_text("xyz\tzyx\tN;PL\n" * 2 + "zyx\txyz\tN;PL\n")
    assert (
        isotone(*training(tmp_path, tmp_path / "m"), "--train", tmp_path / "t.tsv", "--dev", tmp_path / "t.tsv").code
        == 0
    )
    assert "must share alphabets" in isotone("predict", f"{model},{tmp_path / 'm'}", stdin="a\tN\n").refused()


def test_a_model_folder_cut_short(isotone, model, tmp_path):
    shutil.copytree(model, tmp_path / "m")
    file = tmp_path / "m" / "model.safetensors"
    whole = file.read_bytes()
    for content in (whole[: len(whole) // 2], b"", whole[:-1]):
        file.write_bytes(content)
        for command in ("predict", "info"):
            assert str(file) in isotone(command, tmp_path / "m").refused()
    file.unlink()
    assert isotone("predict", tmp_path / "m").refused() == f"{file}: missing from the model folder"


@pytest.mark.parametrize("name", ["config.json", "vocabulary.json", "metrics.json"])
def test_copies_cut_short_do_no_harm(isotone, model, data, tmp_path, name):
    shutil.copytree(model, tmp_path / "m")
    before = [isotone("score", tmp_path / "m", data / "test.tsv").out, isotone("info", tmp_path / "m", "--json").out]
    (tmp_path / "m" / name).write_text("{")
    after = [isotone("score", tmp_path / "m", data / "test.tsv").out, isotone("info", tmp_path / "m", "--json").out]
    assert before == after and before[0] and before[1]


def test_output_folder_not_empty(isotone, data, tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.txt").write_text("precious")
    assert isotone(*training(data, tmp_path / "m")).refused().endswith("--overwrite to replace its model")
    assert "holds neither a model nor a run" in isotone(*training(data, tmp_path / "m", "--resume")).refused()
    assert "exclude each other" in isotone(*training(data, tmp_path / "m", "--resume", "--overwrite")).refused()
    assert left(tmp_path / "m") == ["thesis.txt"]
    assert "is a file" in isotone(*training(data, tmp_path / "m" / "thesis.txt")).refused()
    assert isotone(*training(data, tmp_path / "m" / "thesis.txt" / "m")).refused()


def test_disk_full_while_saving_leaves_the_old_model(isotone, data, model, tmp_path, monkeypatch):
    out = tmp_path / "m"
    shutil.copytree(model, out)
    before = isotone("score", out, data / "test.tsv").out

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full)
    done = isotone(*training(data, out, "--overwrite"))
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1] == f"isotone: {out / 'state' / 'run.json'}: No space left on device"
    assert "Traceback" not in done.err
    monkeypatch.undo()
    assert isotone("score", out, data / "test.tsv").out == before
    assert left(tmp_path) == ["m"]


@pytest.fixture
def small_disk(tmp_path):
    """A disk of two megabytes, where this user may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run([mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True).returncode
    ):
        pytest.skip("mounting a small disk is not permitted here")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_a_disk_that_is_really_full(isotone, data, model, small_disk):
    out = small_disk / "m"
    shutil.copytree(model, out)
    before = isotone("score", out, data / "test.tsv").out
    done = isotone(*training(data, out, "--overwrite"))  # there is no room for a second model beside the first
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1] == f"isotone: {out / 'model.safetensors'}: No space left on device"
    assert isotone("score", out, data / "test.tsv").out == before
    assert left(small_disk) == ["m"]
    room = os.statvfs(small_disk)
    with (small_disk / "filler").open("wb") as file:
        file.write(b"\0" * (room.f_bavail * room.f_frsize))
    done = isotone("align", model, data / "test.tsv", "--json", "--posterior", "-o", small_disk / "out.json")
    assert done.refused().endswith("No space left on device")
    assert left(small_disk) == ["filler", "m"]


def test_a_folder_that_may_not_be_written(isotone, data, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    if os.access(locked, os.W_OK):
        pytest.skip("this user may write anywhere")
    assert "Permission denied" in isotone(*training(data, locked / "m")).refused()
    assert left(Path(locked)) == []
