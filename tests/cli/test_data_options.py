"""`@reads_data`: one declaration, the same options in every command that reads pairs, in the order of its help."""

import inspect
import shutil
import tracemalloc
from dataclasses import fields
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from cli.conftest import in_process
from isotone.api.data import DataFormat
from isotone.cli import align, evaluate, predict, report, score, train
from isotone.cli.data_options import DataOptions, reads_data

FOLDERS = Path(__file__).parents[1] / "store" / "folders"
NAMES = [field.name for field in fields(DataOptions)]


def parameters(command):
    return list(inspect.signature(command).parameters)


@pytest.mark.parametrize("module", [align, evaluate, predict, report, score])
def test_all_stand_before_the_threads(module):
    names = parameters(module.command)
    threads = names.index("threads")
    assert names[threads - len(NAMES) : threads] == NAMES


def test_train_has_them_in_three_places():
    names = parameters(train.command)
    assert names[names.index("recipe") + 1] == "format" and names[names.index("print_config") + 1] == "skip_bad"
    assert names[-6:] == [*NAMES[3:], "tensorboard"] and "skipped" in names
    assert sorted(names) == sorted({*names}) and "data" not in names


def test_a_command_gets_them_together():
    seen = []

    @reads_data(skip_bad="last")
    def command(*, first: str, data: DataOptions, last: int = 3) -> None:
        """Remember."""
        seen.append((first, data, last))

    app = typer.Typer()
    app.command()(command)
    assert parameters(command) == ["first", "format", *NAMES[2:], "skip_bad", "last"]
    assert CliRunner().invoke(app, ["a", "--tags-column", "2", "--skip-bad"]).exit_code == 0
    assert seen == [("a", DataOptions(tags_column=2, skip_bad=True), 3)]
    assert CliRunner().invoke(app, ["a", "--tags-column", "0"]).exit_code == 2


@pytest.mark.parametrize(
    "command",
    [("audit", "words.tsv"), ("report", "folder"), ("predict", "model", "*.txt", "--ray", "--format", "pairs")],
    ids=lambda command: command[0],
)
def test_what_a_command_cannot_list_it_refuses(command, tmp_path, monkeypatch):
    """--skipped would otherwise be ignored without a word."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.tsv").write_text("a\tA\n", encoding="utf-8")
    for name in ("folder", "model"):
        shutil.copytree(FOLDERS / "single", tmp_path / name)
    (tmp_path / "a.txt").write_text("abc\n", encoding="utf-8")
    done = in_process(*command, "--skipped", "left-out.txt", "-o", str(tmp_path / "out"))
    assert done.code == 2 and "--skipped: this command cannot list" in done.err, done.err
    assert not (tmp_path / "left-out.txt").exists()


def test_what_is_left_out_fills_no_memory(tmp_path):
    """Only --skipped keeps the lines: a file of bad lines may be larger than memory."""
    path = tmp_path / "bad.tsv"
    path.write_bytes(b"abc\tx\n" + b"no columns in this line\n" * 60_000)
    options = DataOptions(skip_bad=True)
    tracemalloc.start()
    try:
        reading = options.read(str(path), DataFormat(name="pairs"))
        assert len(list(reading)) == 1 and reading.skipped == 60_000
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
