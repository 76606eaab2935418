"""Predictions streamed through `isotone predict` for minutes: does its memory stay flat? An input larger than memory.

ISOTONE_MINUTES sets how long (20 by default); ISOTONE_MEGABYTES bounds the address space of the second part (3,000).
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import isotone
from bench.report import Result
from isotone.api.training import Recipe
from isotone.text.example import Example

LETTERS = "abcdefgh"
SAMPLES = 60
"""Measurements of memory."""


def _model(folder: Path) -> None:
    generator = random.Random(0)
    words = sorted({"".join(generator.choices(LETTERS, k=generator.randint(2, 6))) for _ in range(400)})
    pairs = [Example(word, word.replace("a", "aa").replace("h", "") or "x") for word in words]
    recipe = Recipe(name="bench", schedule="one-cycle", rate=0.01, epochs=3, batch_size=32)
    trained = isotone.train(train=pairs[30:], dev=pairs[:30], size="tiny", recipe=recipe, device="cpu")
    trained.export(folder, int8=True)


def _feed(pipe: Any, until: float, counted: list[int]) -> None:
    """Random words, no two blocks alike, until the time is over."""
    generator = random.Random(1)
    while time.monotonic() < until:
        words = ["".join(generator.choices(LETTERS, k=generator.randint(1, 9))) for _ in range(500)]
        pipe.write("".join(f"{word}\n" for word in words).encode())
        counted[0] += len(words)
    pipe.close()


def _megabytes(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _stream(model: Path, minutes: float) -> tuple[list[float], int, int]:
    """Megabytes over time, words asked, and lines answered."""
    command = [sys.executable, "-m", "isotone", "predict", str(model), "--format", "pairs"]
    process = subprocess.Popen([*command, "--threads", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    asked, answered = [0], [0]
    until = time.monotonic() + minutes * 60
    feeder = threading.Thread(target=_feed, args=(process.stdin, until, asked), daemon=True)

    def count() -> None:
        assert process.stdout is not None
        answered[0] = sum(block.count(b"\n") for block in iter(lambda: process.stdout.read(1 << 16), b""))  # type: ignore[union-attr]

    reader = threading.Thread(target=count, daemon=True)
    feeder.start()
    reader.start()
    series: list[float] = []
    while process.poll() is None:
        time.sleep(minutes * 60 / SAMPLES)
        series.append(_megabytes(process.pid))
    reader.join()
    return [value for value in series if value], asked[0], answered[0]


def _larger_than_memory(home: Path, model: Path, megabytes: int, *, quick: bool) -> tuple[float, int]:
    """An input file larger than the memory that `isotone predict` may have; exit code 0 is what counts.

    Nearly all of its lines do not fit the format and are left out, so that reading it takes seconds, not days.
    """
    size = (megabytes + 200) * 10**6 if not quick else 20 * 10**6
    path = home / "large.tsv"
    with path.open("wb") as file:
        good = b"".join(f"{word}\tx\n".encode() for word in ("abc", "deaf", "head"))
        filler = (b"no columns in this line at all\n" * 40_000)[: 10**6]
        filler = filler[: filler.rfind(b"\n") + 1]
        while file.tell() < size:
            file.write(good + filler)
    limit = (megabytes << 20, megabytes << 20)
    command = [sys.executable, "-m", "isotone", "predict", str(model), str(path), "--skip-bad", "--threads", "1"]
    columns = ["--source-column", "1", "--target-column", "3", "--tags-column", "2", "-o", str(home / "out.tsv")]
    done = subprocess.run(
        [*command, *columns],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
        stderr=subprocess.DEVNULL,
    )
    return path.stat().st_size / 1e6, done.returncode


def run(quick: bool) -> Result:
    """A stream for as long as was asked, then the large file."""
    minutes = 0.5 if quick else float(os.environ.get("ISOTONE_MINUTES", "20"))
    megabytes = int(os.environ.get("ISOTONE_MEGABYTES", "3000"))
    with TemporaryDirectory(prefix="isotone-long-") as name:
        home = Path(name)
        _model(home / "m")
        series, asked, answered = _stream(home / "m", minutes)
        large, code = _larger_than_memory(home, home / "m", megabytes, quick=quick)
    warm = series[len(series) // 4 :] or series
    third = max(1, len(warm) // 3)
    first, last = statistics.median(warm[:third]), statistics.median(warm[-third:])
    return Result(
        title="A long run",
        columns=("minutes", "words asked", "lines answered", "MB early", "MB late", "MB at most"),
        rows=((minutes, asked, answered, first, last, max(series)),),
        headline={
            "answers per question": answered / max(1, asked),
            "growth of memory, late / early": last / first,
            f"input of {large:,.0f} MB with {megabytes:,} MB of address space: exit code": float(code),
        },
        notes=(
            "a tiny model, exported in int8, exact search",
            "resident memory, medians of the second and the last quarter: " + " ".join(f"{v:.0f}" for v in series),
        ),
    )
