"""This checkout against an older one (`--against FOLDER`): the same questions to the same model, in turn."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.german import german
from bench.report import Result

HERE = Path(__file__).resolve().parents[1]
DRIVER = Path(__file__).with_name("before_after_driver.py")
ROUNDS = 3


def run(quick: bool, against: str | None = None) -> Result:
    """One row per kind of work: processor time per word before and now, and the ratio."""
    title = "This checkout against an older one"
    columns = ("work", "before, ms per word", "now, ms per word", "× as fast now")
    if against is None:
        notes = ("name an older checkout: python -m bench before-after --against FOLDER",)
        return Result(title=title, columns=columns, rows=(), notes=notes, status="unavailable")
    before = Path(against).resolve()
    words = 4 if quick else 100
    data = german()
    with tempfile.TemporaryDirectory() as temporary:
        folder, pairs = Path(temporary) / "model", Path(temporary) / "pairs.tsv"
        examples = [example for example in data.dev if example.target][:words]
        pairs.write_text(_table(examples), encoding="utf-8")
        train = Path(temporary) / "train.tsv"
        train.write_text(_table(data.medium[:40] if quick else data.medium), encoding="utf-8")
        _train(before, train, pairs, folder, epochs=1 if quick else 6)
        found: dict[Path, list[dict[str, Any]]] = {before: [], HERE: []}
        for round_ in range(1 if quick else ROUNDS):
            for checkout, answers in found.items():
                answers.append(_ask(checkout, folder, pairs, words))
            print(f"before-after: round {round_ + 1}", flush=True)
    old, new = found[before][0], found[HERE][0]
    rows = []
    for work in old["seconds"]:
        times = [[1000 * one["seconds"][work] / words for one in found[checkout]] for checkout in (before, HERE)]
        ratio = statistics.median(b / n for b, n in zip(*times, strict=True))
        rows.append((work, min(times[0]), min(times[1]), ratio))
    return Result(
        title=f"{title} ({_commit(before)}): {data.name}, 0-MONO of the size small, one thread",
        columns=columns,
        rows=tuple(rows),
        headline={
            "same exact predictions, %": _share(old["answers"], new["answers"]),
            "largest difference of log p, nats": max(
                abs(one - other) for one, other in zip(old["log_probs"], new["log_probs"], strict=True)
            ),
            "least ratio": min(row[3] for row in rows),
        },
        notes=(
            f"{words} words of dev; the older checkout trained the model, {1 if quick else 6} epochs on 1,000 pairs",
            "each checkout in a process of its own, in turn, three rounds; processor time, which other programs on the "
            "machine disturb less than the clock; the ratio is the median of the rounds",
        ),
    )


def _commit(checkout: Path) -> str:
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or checkout.name


def _table(examples: Any) -> str:
    return "".join(f"{one.source}\t{one.target}\t{';'.join(one.tags)}\n" for one in examples)


def _environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout / "src"), "OMP_NUM_THREADS": "1"}


def _train(checkout: Path, train: Path, dev: Path, folder: Path, *, epochs: int) -> None:
    options = {"--task": "inflection", "--model": "0-mono", "--train": train, "--dev": dev, "--out": folder}
    options |= {"--format": "conll2017", "--recipe": "small", "--size": "small", "--precision": "fp32"}
    options |= {"--epochs": epochs, "--threads": 1, "--device": "cpu"}
    listed = [str(part) for option in options.items() for part in option]
    command = [sys.executable, "-m", "isotone", "train", *listed]
    subprocess.run(command, check=True, env=_environment(checkout), cwd=folder.parent)


def _ask(checkout: Path, folder: Path, pairs: Path, words: int) -> dict[str, Any]:
    command = [sys.executable, str(DRIVER), str(folder), str(pairs), str(words)]
    done = subprocess.run(command, check=True, env=_environment(checkout), stdout=subprocess.PIPE, text=True)
    answers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if not Path(answers["from"]).is_relative_to(checkout):
        raise RuntimeError(f"{checkout}: answered by {answers['from']}")
    return answers


def _share(first: list[Any], second: list[Any]) -> float:
    return 100 * sum(one == other for one, other in zip(first, second, strict=True)) / len(first)
