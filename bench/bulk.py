"""Millions of words on Ray Data with two actors, one of them killed half-way, against one process."""

from __future__ import annotations

import filecmp
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import isotone
from bench.report import Result
from isotone.api.training import Recipe
from isotone.text.example import Example

WORDS, FILES = 2_000_000, 8
LETTERS = "abcdefgh"


def _examples(count: int) -> list[Example]:
    """A toy spelling with doubled vowels and a silent h: learnt in seconds, decoded like any other."""
    generator = random.Random(0)
    words = {"".join(generator.choices(LETTERS, k=generator.randint(2, 6))) for _ in range(count)}
    double = {"a": "aa", "e": "ee", "h": ""}
    return [Example(word, "".join(double.get(letter, letter) for letter in word) or "x") for word in sorted(words)]


def _write(folder: Path, words: int) -> None:
    generator = random.Random(1)
    folder.mkdir()
    for number in range(FILES):
        with (folder / f"{number}.txt").open("w") as file:
            for _ in range(words // FILES):
                file.write("".join(generator.choices(LETTERS, k=generator.randint(1, 8))) + "\n")


def _kill_one(driver: int) -> bool:
    """Kill one of the driver's actors; False where there is none."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != driver:
            ancestor = parents[ancestor]
        with suppress(OSError):
            if ancestor == driver and b"_Worker" in Path(f"/proc/{process}/cmdline").read_bytes():
                os.kill(process, signal.SIGKILL)
                return True
    return False


def _distributed(command: list[str], out: Path) -> tuple[float, bool]:
    """Seconds of the whole run, and whether an actor was killed once half of the files were there."""
    started, killed = time.monotonic(), False
    process = subprocess.Popen([*command, "-o", str(out)], stderr=subprocess.DEVNULL)
    while process.poll() is None:
        if not killed and len(list(out.glob("*.txt"))) >= FILES // 2:
            killed = _kill_one(process.pid)
        time.sleep(0.2)
    if process.returncode:
        raise RuntimeError(f"exit code {process.returncode}")
    return time.monotonic() - started, killed


def run(quick: bool) -> Result:
    """Both ways over the same files; the outputs are compared byte by byte."""
    words = 4_000 if quick else WORDS
    with TemporaryDirectory(prefix="isotone-bulk-") as name:
        home = Path(name)
        examples = _examples(600)
        recipe = Recipe(name="bench", schedule="one-cycle", rate=0.01, epochs=3 if quick else 15, batch_size=32)
        trained = isotone.train(train=examples[40:], dev=examples[:40], size="tiny", recipe=recipe, device="cpu")
        trained.export(home / "m", int8=True)
        _write(home / "in", words)
        command = [sys.executable, "-m", "isotone", "predict", str(home / "m")]
        plain = ["--format", "pairs", "--decode", "greedy"]
        seconds, killed = _distributed([*command, f"{home}/in/*.txt", "--ray", "--actors", "2", *plain], home / "out")
        started = time.monotonic()
        (home / "one").mkdir()
        for number in range(FILES):
            single = [str(home / "in" / f"{number}.txt"), "-o", str(home / "one" / f"{number}.txt"), "--threads", "1"]
            subprocess.run([*command, *single, *plain], check=True)
        alone = time.monotonic() - started
        names = [f"{number}.txt" for number in range(FILES)]
        same, _, _ = filecmp.cmpfiles(home / "out", home / "one", names, shallow=False)
    return Result(
        title="Bulk prediction on Ray Data",
        columns=("words", "files", "actor killed", "seconds, two actors", "seconds, one process", "identical files"),
        rows=((words, FILES, "yes" if killed else "no", seconds, alone, len(same)),),
        headline={
            "words per second, two actors (start of Ray and the lost actor's work included)": words / seconds,
            "words per second, one process with one thread": words / alone,
            "identical output files": float(len(same)),
        },
        notes=(
            "a tiny model, exported in int8, greedy",
            f"one of two actors killed with SIGKILL when {FILES // 2} of {FILES} files were done",
        ),
    )
