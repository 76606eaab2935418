"""Which rule picks the best epoch when the dev set is small: one run each, judged by many small dev sets."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import isotone
from bench.report import Result
from isotone.evaluation import METRICS, task_named
from isotone.text.example import Example
from isotone.text.readers import read
from isotone.training import single
from isotone.training.assess import Assessment, DevSet, standard_error

SHARED = Path(__file__).parents[2] / "shared" / "data"
G2P, INFLECTION = "g2p/sigmorphon2021", "inflection/conll2017"
SETS: dict[str, tuple[str, str, str, str]] = {
    "French": ("g2p", "g2p", f"{G2P}/fre_train.tsv", f"{G2P}/fre_dev.tsv"),
    "Hungarian": ("g2p", "g2p", f"{G2P}/hun_train.tsv", f"{G2P}/hun_dev.tsv"),
    "Dutch": ("g2p", "g2p", "g2p/sigmorphon2020/dut_train.tsv", "g2p/sigmorphon2020/dut_dev.tsv"),
    "Finnish": ("inflection", "conll2017", f"{INFLECTION}/finnish-train-medium", f"{INFLECTION}/finnish-dev"),
    "Arabic": ("inflection", "conll2017", f"{INFLECTION}/arabic-train-medium", f"{INFLECTION}/arabic-dev"),
}
PAIRS, WORDS, DRAWS = 800, 400, 400
SIZES = (20, 40, 100, 200)


@dataclass(frozen=True)
class Epoch:
    """One value per dev word: the selection metric, the finer one, and minus log p of the reference per symbol."""

    main: list[float]
    finer: list[float]
    loss: list[float]


class Recorder(DevSet):
    """A dev set that keeps what every epoch did to every word."""

    epochs: list[Epoch] = []  # noqa: RUF012

    def assess(self, *members: Any, decoder: Any = None) -> Assessment:
        found = super().assess(*members, decoder=decoder)
        task, items = self._task, self.judged
        finer = METRICS[finer_metric(task.name)]
        Recorder.epochs.append(
            Epoch(
                [task.selection_metric.best(item.prediction, item.references) for item in items],
                [finer.best(item.prediction, item.references) for item in items],
                [-(item.logprob or 0.0) / (len(item.references[0]) + 1) for item in items],
            )
        )
        return found


Rule = Callable[[Sequence[Epoch], Sequence[int]], int]
"""The epoch that is kept, from all epochs' figures on some of the words."""


def finer_metric(task: str) -> str:
    """The task's metric that tells a near miss from nonsense: PER, MLD or MFS."""
    return task_named(task).metrics[-1]


def _mean(values: Sequence[float], words: Sequence[int]) -> float:
    return fmean(min(values[word], 1e3) for word in words)


def _lowest(key: Callable[[Epoch, Sequence[int]], tuple[float, ...]]) -> Rule:
    """The epoch with the lowest key; of equals the later one."""
    return lambda epochs, words: min(range(len(epochs)), key=lambda place: (*key(epochs[place], words), -place))


def _later(sign: int) -> Rule:
    """What our recipes do: each later epoch, unless it is worse than the best so far by a standard error."""

    def rule(epochs: Sequence[Epoch], words: Sequence[int]) -> int:
        means = [sign * _mean(epoch.main, words) for epoch in epochs]
        kept = 0
        for place, mean in enumerate(means):
            best = min(means[: place + 1])
            if mean <= best + standard_error(abs(best), len(words)):
                kept = place
        return kept

    return rule


def _rules(main_sign: int, finer_sign: int) -> dict[str, Rule]:
    return {
        "metric": _lowest(lambda e, w: (main_sign * _mean(e.main, w),)),
        "metric, then loss": _lowest(lambda e, w: (main_sign * _mean(e.main, w), _mean(e.loss, w))),
        "loss": _lowest(lambda e, w: (_mean(e.loss, w),)),
        "finer metric": _lowest(lambda e, w: (finer_sign * _mean(e.finer, w), main_sign * _mean(e.main, w))),
        "last epoch": _lowest(lambda e, w: (0.0,)),
        "ours: later within a standard error": _later(main_sign),
    }


def run(quick: bool) -> Result:
    """Regret: how much worse, on the other words, the chosen epoch is than the best epoch for those."""
    if not SHARED.is_dir():
        return Result(title="Picking the best epoch", columns=(), rows=(), status="unavailable", notes=("no corpora",))
    rows: list[tuple[str | int | float, ...]] = []
    for name, (task, format, train, dev) in list(SETS.items())[: 1 if quick else None]:
        epochs = _train(task, format, SHARED / train, SHARED / dev, quick=quick)
        signs = [-1 if METRICS[m].higher_is_better else 1 for m in (task_named(task).selection, finer_metric(task))]
        for size in SIZES:
            for rule, pick in _rules(*signs).items():
                rows.append((name, size, rule, *_regret(epochs, pick, size, signs)))
    totals = {
        f"{rule}, {size} dev words: error rate above the best epoch's, points": fmean(
            float(row[3]) for row in rows if row[1:3] == (size, rule)
        )
        for size in SIZES
        for rule in _rules(1, 1)
    }
    return Result(
        title="Picking the best epoch with few dev words",
        columns=("data", "dev words", "rule", "WER or 100 − ACC above best, points", "PER or MLD above best"),
        rows=tuple(rows),
        headline=totals,
        notes=(
            f"tiny 0-mono, recipe small, {PAIRS} training pairs, one run per data set; {DRAWS} draws of a dev set "
            "from 400 dev words, judged on the words not drawn; ties go to the later epoch",
        ),
    )


def _train(task: str, format: str, train: Path, dev: Path, *, quick: bool) -> list[Epoch]:
    Recorder.epochs = []
    pairs, words = _some(train, format, PAIRS), _some(dev, format, WORDS)
    original, single.DevSet = single.DevSet, Recorder  # type: ignore[misc]
    try:
        with tempfile.TemporaryDirectory() as folder:
            isotone.train(
                train=pairs,
                dev=words,
                out=Path(folder) / "model",
                task=task,
                recipe="small",
                size="tiny",
                epochs=3 if quick else 14,
                threads=1,
            )
    finally:
        single.DevSet = original  # type: ignore[misc]
    print(f"{train.name}: {len(Recorder.epochs)} epochs", flush=True)
    return Recorder.epochs[4 if not quick else 1 :]  # without the guided start, whose epochs are never kept


def _some(path: Path, format: str, count: int) -> list[Example]:
    examples = list({(e.source, e.tags): e for e in read(path, format)}.values())
    return random.Random(0).sample(examples, min(count, len(examples)))


def _regret(epochs: list[Epoch], rule: Rule, size: int, signs: list[int]) -> tuple[float, float]:
    generator = random.Random(1)
    words = range(len(epochs[0].main))
    lost: list[tuple[float, float]] = []
    for _ in range(DRAWS):
        chosen = generator.sample(words, size)
        others = sorted(set(words) - set(chosen))
        best = rule(epochs, chosen)
        main = [signs[0] * _mean(epoch.main, others) for epoch in epochs]
        finer = [signs[1] * _mean(epoch.finer, others) for epoch in epochs]
        lost.append((main[best] - min(main), finer[best] - min(finer)))
    return fmean(first for first, _ in lost), fmean(second for _, second in lost)
