"""The command line in this process (`isotone`) and in its own (`shell`), and models trained through it."""

import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import toy
from isotone.cli.main import run


@dataclass(frozen=True)
class Ended:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def lines(self):
        return self.out.splitlines()

    def refused(self):
        """The user's mistake: exit 2, nothing on stdout, exactly one line on stderr, which is given back."""
        assert (self.code, self.out) == (2, ""), self
        assert self.err.startswith("isotone: ") and self.err.endswith("\n") and self.err.count("\n") == 1, self.err
        return self.err.removeprefix("isotone: ").removesuffix("\n")


def in_process(*arguments, stdin=b""):
    """`isotone arguments…` without a new interpreter."""
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(stdin if isinstance(stdin, bytes) else stdin.encode())),
        "stdout": io.TextIOWrapper(io.BytesIO(), encoding="utf-8"),
        "stderr": io.TextIOWrapper(io.BytesIO(), encoding="utf-8"),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["isotone", *map(str, arguments)])
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as ended:
            run()
    for name in ("stdout", "stderr"):
        streams[name].flush()
    out, err = (streams[name].buffer.getvalue().decode() for name in ("stdout", "stderr"))
    return Ended(ended.value.code, out, err)


COMMAND = [sys.executable, "-m", "isotone"]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "80"}


def in_shell(*arguments, stdin=b""):
    """`isotone arguments…` as a process of its own."""
    done = subprocess.run([*COMMAND, *map(str, arguments)], input=stdin, capture_output=True, env=ENVIRONMENT)
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="session")
def isotone():
    return in_process


@pytest.fixture(scope="session")
def shell():
    return in_shell


def table(examples):
    """In the format conll2017."""
    return "".join(f"{e.source}\t{e.target}\t{';'.join(e.tags)}\n" for e in examples)


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> Path:
    """train.tsv, dev.tsv and test.tsv of the toy language, with tags."""
    folder = tmp_path_factory.mktemp("data")
    for name, count, seed in (("train", 400, 0), ("dev", 20, 9), ("test", 30, 10)):
        (folder / f"{name}.tsv").write_text(table(toy.examples(count, seed=seed)), encoding="utf-8")
    return folder


def training(data, out, *more):
    """The arguments of a quick run."""
    files = ["--train", data / "train.tsv", "--dev", data / "dev.tsv", "--out", out]
    recipe = ["--recipe", "small", "--size", "tiny", "--epochs", 1, "--batch-size", 16, "--device", "cpu"]
    return ["train", "--task", "inflection", *files, *recipe, *more]


def sweep_file(folder, *, epochs=2):
    """A sweep of two models over the toy language in `folder`, trained on its few test pairs: a matter of seconds."""
    return f"""
name = "toy"
out = "out"
task = "inflection"
recipe = "small"
format = "conll2017"
models = ["0-mono", "1-mono"]
parallel = 1
overrides = {{size = "tiny", epochs = {epochs}}}
[[data]]
name = "a"
train = "{folder}/test.tsv"
dev = "{folder}/dev.tsv"
test = "{folder}/dev.tsv"
"""


@pytest.fixture(scope="session")
def model(data, tmp_path_factory) -> Path:
    """A 1-mono model that knows the toy language, trained by the command line."""
    folder = tmp_path_factory.mktemp("models") / "good"
    done = in_process(*training(data, folder, "--model", "1-mono", "--epochs", 5))
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="session")
def other(data, model) -> Path:
    """A second model on the same data, for mixtures; it has hardly learnt anything."""
    folder = model.parent / "other"
    done = in_process(*training(data, folder, "--model", "0-mono", "--seed", 1))
    assert done.code == 0, done.err
    return folder
