"""Planted errors: how well `isotone audit` finds them and marks the place, against baselines of the same run.

Folds are kept under bench/peers/cache/audit: run it again to go on after an interruption.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch
from rapidfuzz.distance import Levenshtein

import isotone
from bench.planting import KINDS, Planted, average_precision, found, plant
from bench.report import Result
from bench.workload import CACHE
from isotone.auditing.entries import Lexicon, read_lexicon
from isotone.auditing.findings import findings_of
from isotone.auditing.fold import entries_of, judge_entries, train_fold
from isotone.auditing.judgement import Judgement, read_judgements, write_judgements
from isotone.auditing.scoring import segment_of
from isotone.auditing.settings import Settings, settings_for
from isotone.auditing.workers import judge, read_job, work_folder, write_job
from isotone.files import write_json
from isotone.text.readers import read
from isotone.text.segment import Segmenter
from isotone.threads import core_count

DATA = Path(__file__).parents[2] / "shared" / "data"
SEED = 0
"""Of the planted errors that are reported; scores and settings were chosen with seeds 1 and 2."""


@dataclass(frozen=True)
class Corpus:
    """A lexicon to plant errors in."""

    name: str
    path: str
    format: str
    task: str
    entries: int | None = None
    """Drawn at random; None: all."""


CORPORA = (
    Corpus("hun", "g2p/sigmorphon2021/hun_train.tsv", "g2p", "g2p"),
    Corpus("German medium", "inflection/conll2017/german-train-medium", "conll2017", "inflection"),
    Corpus("dak", "inflection/sigmorphon2020/dak.trn", "conll2017", "inflection"),
    Corpus("CMUDict", "g2p/cmudict-wu/train.tsv", "g2p", "g2p", 10_000),
    Corpus("fre", "g2p/sigmorphon2021/fre_train.tsv", "g2p", "g2p"),
)


def planted_lexicon(corpus: Corpus, *, seed: int, limit: int | None = None) -> tuple[Lexicon, dict[int, Planted]]:
    """The corpus with 2 % of its targets corrupted."""
    examples = list(read(DATA / corpus.path, corpus.format))
    if count := limit or corpus.entries:
        examples = random.Random(0).sample(examples, min(count, len(examples)))
    texts = read_lexicon(DATA / corpus.path, format=corpus.format, task=corpus.task).texts
    segmenter = Segmenter(texts.target)
    corrupted, planted = plant(examples, segmenter.split, segmenter.join, seed=seed)
    return replace(read_lexicon(corrupted, task=corpus.task, texts=texts), name=corpus.name), planted


def run(quick: bool) -> Result:
    """Each corpus after the other, the smallest first."""
    rows: list[tuple[str | int | float, ...]] = []
    headline: dict[str, float] = {}
    if not DATA.is_dir():
        note = "the shared corpora are not on this machine"
        return Result(title="Planted errors", columns=("corpus",), rows=(), notes=(note,), status="unavailable")
    for corpus in CORPORA[:2] if quick else CORPORA:
        lexicon, planted = planted_lexicon(corpus, seed=SEED, limit=200 if quick else None)
        options = {"folds": 2, "epochs": 1} if quick else {"folds": 5}
        settings = settings_for(len(lexicon.entries), copies=lexicon.copies, **options)
        print(f"{corpus.name}: {len(lexicon.entries):,} entries, {len(planted)} planted, {settings}", flush=True)
        rows += _measured(corpus, lexicon, planted, settings, headline)
    return Result(
        title="Planted errors, 2 % of targets corrupted in five ways, 5 folds",
        columns=(
            *("corpus", "ranking", "average precision", "precision at n", "segment right"),
            *(f"{kind}: found" for kind in KINDS),
            "seconds",
        ),
        rows=tuple(rows),
        headline=headline,
        notes=(
            f"planting seed {SEED}; score, weights and settings were chosen with seeds 1 and 2",
            "n: as many entries as there are planted errors; `found` is the share of a kind among the n worst",
            "segment right: of the planted errors found, how many have a planted position in the marked segment; "
            "targets of other words are not counted, as all of them is wrong",
            "edit distance: to what the same cross-fitted models write, greedily and by exact search; ties in the "
            "order of the file",
            "seen: the surprisal by a model that was trained on all entries, the judged one included",
            "seconds: CPU time of training and judging, all folds together, one thread each",
        ),
    )


def _measured(
    corpus: Corpus, lexicon: Lexicon, planted: dict[int, Planted], settings: Settings, headline: dict[str, float]
) -> list[tuple[str | int | float, ...]]:
    folds = _crossfitted(lexicon, settings)
    judgements, seconds = folds.judgements, folds.seconds
    seen, seen_seconds = _judged_by_all(lexicon, settings)
    audit = findings_of(lexicon, judgements, folds=settings.folds)
    target = Segmenter(lexicon.texts.target).split
    numbers = [entry.number for entry in lexicon.entries]

    def each(value: Callable[[Judgement], float], by: dict[int, Judgement] = judgements) -> list[float]:
        return [value(by[number]) for number in numbers]

    distances = {
        name: [float(Levenshtein.distance(target(entry.target), target(by[entry.number]))) for entry in lexicon.entries]
        for name, by in (("greedy", folds.greedy), ("best", {number: judgements[number].best for number in numbers}))
    }
    rankings: dict[str, tuple[Sequence[float], float]] = {
        "audit": (audit.scores, seconds),
        "surprisal": (each(lambda one: one.total), seconds),
        "surprisal per symbol": (each(lambda one: one.total / len(one.surprisal)), seconds),
        "log p(best) − log p(y)": (each(lambda one: one.log_ratio), seconds),
        "baseline: edit distance to greedy": (distances["greedy"], folds.greedy_seconds),
        "baseline: edit distance to the best answer": (distances["best"], seconds),
        "baseline: length ratio": (_length_ratios(lexicon), 0.0),
        "baseline: surprisal, seen": (each(lambda one: one.total, seen), seen_seconds),
    }
    rows = []
    for name, (scores, time) in rankings.items():
        hits = found(scores, planted)
        precision = average_precision(scores, planted)
        right = [_is_right(judgements[row], planted[row]) for row in hits if planted[row].kind != "other word"]
        kinds = [
            sum(planted[row].kind == kind for row in hits) / max(1, sum(one.kind == kind for one in planted.values()))
            for kind in KINDS
        ]
        segment: float | str = float(np.mean(right)) if right and name == "audit" else ""
        rows.append((corpus.name, name, precision, len(hits) / len(planted), segment, *kinds, time))
        if name == "audit":
            headline[f"{corpus.name}: average precision"] = precision
            headline[f"{corpus.name}: segment right"] = float(np.mean(right)) if right else 0.0
    best = max(row[2] for row in rows if str(row[1]).startswith("baseline"))
    headline[f"{corpus.name}: best baseline's average precision"] = float(best)
    return rows


def _is_right(judgement: Judgement, planted: Planted) -> bool:
    first, end = segment_of(judgement.surprisal)
    return any(first <= place < end for place in planted.places)


@dataclass(frozen=True)
class Crossfitted:
    """What the models of all folds say about entries that they have not seen, and the CPU seconds that took."""

    judgements: dict[int, Judgement]
    greedy: dict[int, str]
    """What the same models write greedily."""
    seconds: float
    greedy_seconds: float


def _crossfitted(lexicon: Lexicon, settings: Settings) -> Crossfitted:
    """Folds as `isotone audit` has them, but each model also decodes greedily before it goes."""
    with work_folder(CACHE / "audit", lexicon, settings) as folder:
        write_job(folder, lexicon, settings)
        with ProcessPoolExecutor(min(settings.folds, core_count()), mp_context=get_context("spawn")) as pool:
            folds = list(pool.map(_fold, [folder] * settings.folds, range(settings.folds)))
        return Crossfitted(
            judge(lexicon, settings, folder, on_progress=lambda _: None),  # all folds are there
            {int(number): text for fold in folds for number, text in fold["targets"].items()},
            sum(fold["seconds"] for fold in folds),
            sum(fold["greedy seconds"] for fold in folds),
        )


def _fold(folder: Path, fold: int) -> dict[str, Any]:
    """One fold, unless it is there: its judgements and, returned, its greedy predictions and times."""
    path = folder / f"greedy-{fold}.json"
    if not path.exists():
        torch.set_num_threads(1)
        lexicon, settings = read_job(folder)
        rest, own = entries_of(lexicon, settings, fold)
        pairs, training = [entry.example for entry in rest], folder / f"training-{fold}"
        clock = [process_time()]
        train_fold(lexicon, settings, pairs, training, seed=settings.seed + fold)
        clock.append(process_time())
        model = isotone.load(training)
        write_judgements(folder / f"fold-{fold}.jsonl", judge_entries(model, lexicon, pairs, own))
        clock.append(process_time())
        found = model.predict([replace(entry.example, target=None) for entry in own], isotone.Greedy())
        targets = {entry.number: one.target for entry, one in zip(own, found, strict=True)}
        trained, judged, decoded = (after - before for before, after in pairwise([*clock, process_time()]))
        write_json(path, {"targets": targets, "seconds": trained + judged, "greedy seconds": trained + decoded})
        shutil.rmtree(training)
    written: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return written


def _judged_by_all(lexicon: Lexicon, settings: Settings) -> tuple[dict[int, Judgement], float]:
    """By one model that has seen all entries."""
    with work_folder(CACHE / "audit", lexicon, settings) as folder:
        path, started = folder / "seen.jsonl", process_time()
        pairs = [entry.example for entry in lexicon.entries]
        known = read_judgements(path, range(len(pairs)))
        if known is None:
            torch.set_num_threads(1)
            train_fold(lexicon, settings, pairs, folder / "seen", seed=settings.seed)
            known = judge_entries(isotone.load(folder / "seen"), lexicon, pairs, lexicon.entries)
            write_judgements(path, known)
        return {judgement.number: judgement for judgement in known}, process_time() - started


def _length_ratios(lexicon: Lexicon) -> list[float]:
    """How far log(target length / source length) is from the median, in robust deviations."""
    source, target = Segmenter(lexicon.texts.source).split, Segmenter(lexicon.texts.target).split
    ratios = np.array(
        [
            np.log((len(target(entry.target)) + 0.5) / (len(source(entry.example.source)) + 0.5))
            for entry in lexicon.entries
        ]
    )
    distances = np.abs(ratios - np.median(ratios))
    return [float(value) for value in distances / max(1e-9, float(np.median(distances)))]
