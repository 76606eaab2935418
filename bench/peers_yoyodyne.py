"""Yoyodyne's hard attention LSTM against our 1-MONO: training and greedy decoding, same data, sizes and threads.

Each side is a process of its own that waits while the other works; they take turns.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench.german import German, german
from bench.peers_setup import UnavailableError, peer
from bench.report import Result
from bench.workload import CACHE, all_cores
from isotone.text.example import Example

VERSION = "yoyodyne==0.5.27"
ROOT = Path(__file__).parents[1]
SETTINGS = {"embedding": 200, "hidden": 400, "dropout": 0.4, "context": 4, "aligner": "1-mono"}
BATCHES = (20, 64)
"""Pairs in a batch, for both sides: the paper's, and one more for those who would rather have speed."""
STEPS = 12
"""Symbols written for each word: about the mean length of a German form, EOS counted."""
AIM = 12.0
TAGS = ("without", "with")

Row = tuple[str | int | float, ...]
COLUMNS = ("tags", "batch", "what", "Isotone", "Yoyodyne", "ratio", "Isotone parameters", "Yoyodyne parameters")


class Driver:
    """One side: a process that answers a line of JSON to every command."""

    def __init__(self, command: list[str], settings: Mapping[str, Any]) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": str(settings["threads"]), "TOKENIZERS_PARALLELISM": "false"}
        self._process = subprocess.Popen(
            [*command, json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        self.parameters = int(self._answer()["parameters"])

    def speed(self, command: str) -> float:
        """Examples a second of one turn."""
        assert self._process.stdin
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        values = self._answer()
        return float(values["count"] / values["seconds"])

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise UnavailableError(f"the driver ended with exit code {self._process.wait()}; see its messages above")
        values: dict[str, Any] = json.loads(line)
        return values

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()


def _files(data: German, *, pairs: int, words: int) -> dict[str, str]:
    """The same pairs for both sides, as tab-separated files."""

    def line(example: Example) -> str:
        return f"{example.source}\t{example.target}\t{';'.join(example.tags)}\n"

    plain = [e for e in data.high if '"' not in e.source + (e.target or "")]  # Yoyodyne reads quotes as CSV does
    known = set("".join(e.source + (e.target or "") for e in plain))
    tags = {tag for e in plain for tag in e.tags}
    asked = [e for e in data.dev if set(e.source + (e.target or "")) <= known and set(e.tags) <= tags]
    CACHE.mkdir(parents=True, exist_ok=True)
    paths = {"train": CACHE / "yoyodyne-train.tsv", "words": CACHE / "yoyodyne-words.tsv"}
    paths["train"].write_text("".join(map(line, plain[:pairs])), encoding="utf-8")
    paths["words"].write_text("".join(map(line, asked[:words])), encoding="utf-8")
    return {name: str(path) for name, path in paths.items()}


def _duel(python: Path, settings: dict[str, Any], *, rounds: int, batches: tuple[int, int]) -> list[Row]:
    """Both sides in turn; ours takes more batches in a turn, so that turns are of similar length."""
    with ExitStack() as stack:
        ours = stack.enter_context(Driver([sys.executable, "-m", "bench.peers_isotone_driver"], settings))
        theirs = stack.enter_context(Driver([str(python), "-P", "bench/peers_yoyodyne_driver.py"], settings))
        commands = {
            "training, examples/s": (f"train {batches[0]}", f"train {batches[1]}"),
            f"greedy, words/s ({STEPS} symbols each)": ("decode", "decode"),
        }
        rows: list[Row] = []
        for what, (mine, other) in commands.items():
            ours.speed(mine.split()[0] + " 2")
            theirs.speed(other.split()[0] + " 2")
            speeds = []
            for turn in range(rounds):
                speeds.append((ours.speed(mine), theirs.speed(other)))
                print(f"peers-yoyodyne {what}: round {turn + 1}/{rounds}", flush=True)
            fast, slow = (statistics.median(column) for column in zip(*speeds, strict=True))
            tags = TAGS[bool(settings["tags"])]
            rows.append((tags, settings["batch"], what, fast, slow, fast / slow, ours.parameters, theirs.parameters))
        return rows


def _best(rows: list[Row], tags: str) -> float:
    """Our fastest training against Yoyodyne's fastest, whatever the batch."""
    training = [row for row in rows if row[0] == tags and str(row[2]).startswith("training")]
    return max(float(row[3]) for row in training) / max(float(row[4]) for row in training)


def run(quick: bool) -> Result:
    """Install Yoyodyne, then race."""
    threads = all_cores()
    data = german()
    title = f"Yoyodyne's hard attention LSTM against 1-MONO, {data.name}, {threads} threads"
    rounds, pairs = (1, (80, 40)) if quick else (3, (720, 200))
    files = _files(data, pairs=500 if quick else 10_000, words=8 if quick else 100)
    rows: list[Row] = []
    try:
        # torchvision and torchaudio come along for nothing, built for another torch, and break `import lightning`
        python = peer("yoyodyne", VERSION, without=("torchvision", "torchaudio")) / "python"
        for tags, batch in product((False, True), BATCHES):
            batches = (max(2, pairs[0] // batch), max(2, pairs[1] // batch))
            settings = {**SETTINGS, **files, "tags": tags, "batch": batch, "threads": threads, "steps": STEPS}
            settings |= {"ours": batches[0], "theirs": batches[1]}
            rows += _duel(python, settings, rounds=rounds, batches=batches)
    except UnavailableError as error:
        return Result(title=title, columns=COLUMNS, rows=(), status="unavailable", notes=(f"{VERSION}: {error}",))
    return Result(
        title=title,
        columns=COLUMNS,
        rows=tuple(rows),
        headline={
            **{f"{row[2]}, {row[0]} tags, batch {row[1]}: Yoyodyne ×": float(row[5]) for row in rows},
            **{f"training, {tags} tags, each at its best batch: Yoyodyne ×": _best(rows, tags) for tags in TAGS},
            "aim for training": AIM,
        },
        notes=(
            f"{VERSION} from pip on the same torch: monotonic, attention context 4 (it scores jumps −4…4 and masks), "
            "embedding 200, hidden 400, 2 bidirectional encoder layers, Adam, clip 5",
            "each in its own process with the same threads, in turn; median of the rounds, warm-up not counted",
            "Yoyodyne runs in a bare loop without Lightning's trainer, which would add to its time; its batches are of "
            "random pairs, ours of pairs of similar length: each as it trains, so part of the ratio is bucketing",
            "training batches are fixed and made beforehand: an epoch's batches at even quantiles of |x|·|y|, by one "
            f"rule for both sides, about {pairs[0]} pairs for us and {pairs[1]} for Yoyodyne in a turn",
            "with tags: Yoyodyne joins an encoding of the tags to every source state (a linear features encoder, the "
            "cheapest it has), we feed a tag vector to the decoder, as the paper does",
            f"greedy decoding is normalised: both sides write exactly {STEPS} symbols for every word, whatever the "
            "weights, since a model trained for seconds would run into length limits; the same batch size for both, "
            "ours sorted by length",
        ),
    )
