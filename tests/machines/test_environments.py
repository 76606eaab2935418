"""Real commands in the environments that users have: other locales, no home, read-only files, closed streams, one core.

Everything runs in processes of its own with a tiny model that is part of the tests.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ROOT / "tests" / "store" / "folders"
MODEL = FOLDERS / "single"
KNOWN = json.loads((FOLDERS / "expected.json").read_text(encoding="utf-8"))["single"]
WORDS = "".join(f"{row['source']}\t{';'.join(row['tags'])}\n" for row in KNOWN)
PAIRS = "".join(f"{row['source']}\t{row['target']}\t{';'.join(row['tags'])}\n" for row in KNOWN)
BEST = [row["best"] for row in KNOWN]
KEPT = ("PATH", "LD_LIBRARY_PATH", "TMPDIR", "VIRTUAL_ENV")

LOCALES: dict[str, dict[str, str]] = {
    "C": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"},
    "plain ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "POSIX": {"LC_ALL": "POSIX"},
    "Turkish, installed or not": {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"},
    "Latin-1, installed or not": {"LC_ALL": "de_DE.ISO-8859-1", "PYTHONUTF8": "0"},
    "cp1252 console": {"PYTHONIOENCODING": "cp1252"},
    "cp1252 console, strict": {"PYTHONIOENCODING": "cp1252:strict", "PYTHONUTF8": "0"},
    "dumb terminal": {"TERM": "dumb", "COLUMNS": "40"},
    "no colour": {"NO_COLOR": "1", "COLUMNS": "40"},
    "colours forced": {"FORCE_COLOR": "1", "COLUMNS": "40"},
    "one thread": {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
    "no home": {"HOME": ""},
    "a home that does not exist": {"HOME": "/nonexistent/home"},
}


@dataclass(frozen=True)
class Done:
    """A finished process."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


def run(*arguments: object, environment: dict[str, str] | None = None, **options: object) -> Done:
    """`isotone arguments…` with nothing in the environment but what is named."""
    base = {name: os.environ[name] for name in KEPT if name in os.environ}
    values = {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1", "HOME": "/nonexistent"}
    values = {name: value for name, value in {**base, **values, **(environment or {})}.items() if value}
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "isotone", *map(str, arguments)]
    done = subprocess.run(command, env=values, timeout=120, **{**streams, **options})  # type: ignore[call-overload]
    out, err = ((stream or b"").decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr))
    assert "Traceback" not in err, err
    return Done(done.returncode, out, err)


def predicted(done: Done) -> list[str]:
    """The predictions of `isotone predict --json`."""
    assert done.code == 0, done.err
    return [json.loads(line)["predictions"][0]["target"] for line in done.out.splitlines()]


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.tsv"
    path.write_text(WORDS, encoding="utf-8")
    return path


def predict(words: object, *more: object, model: Path = MODEL, **settings: object) -> list[str]:
    options = ("--format", "conll2017", "--json", "--decode", "exact")
    return predicted(run("predict", model, words, *options, *more, **settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", LOCALES)
def test_the_same_predictions_everywhere(name: str, words: Path) -> None:
    """Whatever the console is: results in UTF-8, and warnings that quote symbols and tags never seen."""
    words.write_text(WORDS + "aЖ→b\tN;⟨→⟩\n", encoding="utf-8")
    options = ("--format", "conll2017", "--json", "--decode", "exact")
    done = run("predict", MODEL, words, *options, environment=LOCALES[name])
    assert predicted(done)[:-1] == BEST
    assert json.loads(done.out.splitlines()[-1])["source"] == "aЖ→b"
    assert "never seen" in done.err


@pytest.mark.parametrize("name", LOCALES)
def test_help_and_messages_everywhere(name: str, tmp_path: Path) -> None:
    environment = LOCALES[name]
    help = run("--help", environment=environment)
    assert help.code == 0 and "predict" in help.out and help.err == ""
    if environment.get("COLUMNS") == "40":
        plain = re.sub(r"\x1b\[[0-9;]*m", "", help.out)
        assert max(map(len, plain.splitlines())) <= 40
    assert run("--version", environment=environment).out.startswith("isotone ")
    done = run("compare", tmp_path / "naïve → ⟨Ж⟩.csv", environment=environment)
    assert done.code == 2 and done.out == "" and done.err.endswith(".csv: no such file\n")


def test_a_whole_evaluation_in_plain_ascii(tmp_path: Path) -> None:
    path, errors = tmp_path / "päirs.tsv", tmp_path / "Ж.tsv"
    path.write_text(PAIRS + "Ж\t→\tN\n", encoding="utf-8")
    environment = LOCALES["plain ASCII"] | LOCALES["cp1252 console, strict"]
    options = ("--format", "conll2017", "--errors", errors, "--bootstrap", "10")
    done = run("evaluate", MODEL, path, *options, environment=environment)
    assert done.code == 0 and done.out.splitlines()[1].startswith("acc\t"), done.err
    assert "Ж\tN\t" in errors.read_text(encoding="utf-8")
    done = run("align", MODEL, path, "--format", "conll2017", environment=environment)
    assert done.code == 0 and "Ж" in done.out, done.err


def test_spaces_and_other_letters_in_every_path(tmp_path: Path) -> None:
    place = tmp_path / "a folder – mit Ümläuten и пробелами"
    shutil.copytree(MODEL, place / "mein Modell ⟨1⟩")
    (place / "wörter.tsv").write_text(WORDS, encoding="utf-8")
    model = Path("mein Modell ⟨1⟩")
    for environment in (LOCALES["C"], LOCALES["plain ASCII"]):
        assert predict("wörter.tsv", model=model, cwd=place, environment=environment) == BEST
    options = ("--format", "conll2017", "-o", "äusgabe.tsv")
    plain = LOCALES["plain ASCII"]
    assert run("predict", place / model, "wörter.tsv", *options, cwd=place, environment=plain).code == 0
    assert run("info", model, cwd=place, environment=plain).code == 0
    assert len((place / "äusgabe.tsv").read_text(encoding="utf-8").splitlines()) == len(BEST)
    assert sorted(path.name for path in place.iterdir()) == sorted(["mein Modell ⟨1⟩", "wörter.tsv", "äusgabe.tsv"])


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A copy of the package and of the model without a single write bit."""
    shutil.copytree(ROOT / "src", tmp_path / "source", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(MODEL, tmp_path / "source" / "model")
    everything = [tmp_path / "source", *(tmp_path / "source").rglob("*")]
    for path in everything:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    yield tmp_path / "source"
    for path in everything:
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


def test_a_read_only_source_tree_and_model(read_only: Path, words: Path) -> None:
    before = sorted(path for path in read_only.rglob("*") if "__pycache__" not in path.parts)
    home = {"PYTHONPATH": str(read_only), "HOME": str(read_only)}
    assert predict(words, model=read_only / "model", environment=home) == BEST
    assert run("info", read_only / "model", environment=home).code == 0
    assert sorted(path for path in read_only.rglob("*") if "__pycache__" not in path.parts) == before


def test_an_unwritable_working_directory(read_only: Path, words: Path) -> None:
    assert predict(words, cwd=read_only, environment={"HOME": str(read_only)}) == BEST


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin processes to cores")
def test_one_core(words: Path) -> None:
    first = min(os.sched_getaffinity(0))
    pinned = {"preexec_fn": lambda: os.sched_setaffinity(0, {first}), "environment": {"OMP_NUM_THREADS": ""}}
    assert predict(words, **pinned) == BEST
    assert predict(words, "--threads", 8, **pinned) == BEST


@pytest.mark.parametrize("threads", [1, 2, 8, 64])
def test_any_number_of_threads(threads: int, words: Path) -> None:
    assert predict(words, "--threads", threads, environment={"OMP_NUM_THREADS": ""}) == BEST


def closing(number: int) -> Callable[[], None]:
    """For preexec_fn: `<&-`, `>&-` or `2>&-` of a shell."""
    return lambda: os.close(number)


def test_standard_input_closed(words: Path) -> None:
    closed = {"stdin": None, "preexec_fn": closing(0)}
    assert run("--version", **closed).code == run("--help", **closed).code == 0
    assert predict(words, **closed) == BEST
    done = run("predict", MODEL, "--format", "conll2017", **closed)
    assert (done.code, done.out, done.err) == (2, "", "isotone: <stdin>: standard input is closed\n")


def test_standard_output_closed(words: Path, tmp_path: Path) -> None:
    closed = {"stdout": None, "preexec_fn": closing(1)}
    assert run("--version", **closed).code == 0
    options = ("--format", "conll2017", "-o", tmp_path / "out.tsv")
    done = run("predict", MODEL, words, *options, **closed)
    assert done.code == 0, done.err
    assert len((tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()) == len(BEST)


def test_standard_error_closed(words: Path) -> None:
    closed = {"stderr": None, "preexec_fn": closing(2)}
    assert predict(words, **closed) == BEST
    assert run("predict", MODEL, "/nonexistent", "--format", "pairs", **closed).code == 2


def test_everything_closed(words: Path, tmp_path: Path) -> None:
    def close_all() -> None:
        for number in range(3):
            os.close(number)

    streams = {"stdin": None, "stdout": None, "stderr": None}
    options = ("--format", "conll2017", "-o", tmp_path / "out.tsv")
    assert run("predict", MODEL, words, *options, **streams, preexec_fn=close_all).code == 0
    assert len((tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()) == len(BEST)


def test_no_terminal_at_all(words: Path) -> None:
    """A session of its own, as under cron: no controlling terminal, no TERM, no COLUMNS."""
    assert predict(words, start_new_session=True) == BEST


def test_process_substitution(words: Path) -> None:
    """`isotone predict MODEL <(cat words.tsv)` in a shell."""
    read, write = os.pipe()
    os.write(write, WORDS.encode())
    os.close(write)
    assert predict(f"/dev/fd/{read}", pass_fds=[read]) == BEST
    os.close(read)
