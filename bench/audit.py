"""Planted errors: how well `isotone audit` finds them and marks the place, against baselines of the same run.

Folds are kept under bench/peers/cache/audit: run it again to go on after an interruption.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

import numpy as np
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
from isotone.auditing.workers import judge, work_folder
from isotone.files import write_json
from isotone.text.readers import read
from isotone.text.segment import Segmenter

DATA = Path(__file__).parents[2] / "shared" / "data"
SEED = 0
"""Of the planted errors that are reported; scores and settings were chosen with seed 1."""


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
        settings = settings_for(len(lexicon.entries), folds=2 if quick else 5, epochs=1 if quick else None)
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
            f"planting seed {SEED}; score, weights and settings were chosen with seed 1",
            "n: as many entries as there are planted errors; `found` is the share of a kind among the n worst",
            "segment right: of the planted errors found, how many have a planted position in the marked segment; "
            "targets of other words are not counted, as all of them is wrong",
            "edit distance: to what the same cross-fitted models write, greedily and by exact search; ties in the "
            "order of the file",
            "seen: the surprisal by a model that was trained on all entries, the judged one included",
            "seconds: wall clock of training and judging, on a machine that may have done other work",
        ),
    )


def _measured(
    corpus: Corpus, lexicon: Lexicon, planted: dict[int, Planted], settings: Settings, headline: dict[str, float]
) -> list[tuple[str | int | float, ...]]:
    judgements, seconds = _judged(lexicon, settings)
    seen, seen_seconds = _judged_by_all(lexicon, settings)
    audit = findings_of(lexicon, judgements, folds=settings.folds)
    target = Segmenter(lexicon.texts.target).split
    numbers = [entry.number for entry in lexicon.entries]

    def each(value: Callable[[Judgement], float], by: dict[int, Judgement] = judgements) -> list[float]:
        return [value(by[number]) for number in numbers]

    greedy, greedy_seconds = _greedy(lexicon, settings)
    distances = {
        name: [float(Levenshtein.distance(target(entry.target), target(by[entry.number]))) for entry in lexicon.entries]
        for name, by in (("greedy", greedy), ("best", {number: judgements[number].best for number in numbers}))
    }
    rankings: dict[str, tuple[Sequence[float], float]] = {
        "audit": (audit.scores, seconds),
        "surprisal": (each(lambda one: one.total), seconds),
        "surprisal per symbol": (each(lambda one: one.total / len(one.surprisal)), seconds),
        "log p(best) − log p(y)": (each(lambda one: one.log_ratio), seconds),
        "baseline: edit distance to greedy": (distances["greedy"], greedy_seconds),
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


def _judged(lexicon: Lexicon, settings: Settings) -> tuple[dict[int, Judgement], float]:
    """By models that have not seen the entry, as `isotone audit` does; the time is that of the first run."""
    with work_folder(CACHE / "audit", lexicon, settings) as folder:
        clock, started = folder / "seconds.json", monotonic()
        spent = float(json.loads(clock.read_text())["seconds"]) if clock.exists() else 0.0
        try:
            judgements = judge(lexicon, settings, folder, on_progress=lambda _: None)
        finally:
            spent += monotonic() - started
            write_json(clock, {"seconds": round(spent, 1)})
        return judgements, spent


def _greedy(lexicon: Lexicon, settings: Settings) -> tuple[dict[int, str], float]:
    """The greedy prediction of the model that has not seen the entry, and the seconds it took, training included.

    Folds do not keep their models, so each is trained again, with the same seed: the same model.
    """
    with work_folder(CACHE / "audit", lexicon, settings) as folder:
        path, started, written = folder / "greedy.json", monotonic(), dict[int, str]()
        if path.exists():
            known = json.loads(path.read_text(encoding="utf-8"))
            return {int(number): text for number, text in known["targets"].items()}, float(known["seconds"])
        for fold in range(settings.folds):
            rest, own = entries_of(lexicon, settings, fold)
            again = folder / f"greedy-{fold}"
            train_fold(lexicon, settings, [entry.example for entry in rest], again, seed=settings.seed + fold)
            asked = [replace(entry.example, target=None) for entry in own]
            found = isotone.load(again).predict(asked, isotone.Greedy())
            written |= {entry.number: one.target or "" for entry, one in zip(own, found, strict=True)}
            shutil.rmtree(again)
        seconds = round(monotonic() - started, 1)
        write_json(path, {"seconds": seconds, "targets": written})
        return written, seconds


def _judged_by_all(lexicon: Lexicon, settings: Settings) -> tuple[dict[int, Judgement], float]:
    """By one model that has seen all entries."""
    with work_folder(CACHE / "audit", lexicon, settings) as folder:
        path, started = folder / "seen.jsonl", monotonic()
        pairs = [entry.example for entry in lexicon.entries]
        known = read_judgements(path, range(len(pairs)))
        if known is None:
            train_fold(lexicon, settings, pairs, folder / "seen", seed=settings.seed)
            known = judge_entries(isotone.load(folder / "seen"), lexicon, pairs, lexicon.entries)
            write_judgements(path, known)
        return {judgement.number: judgement for judgement in known}, monotonic() - started


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
