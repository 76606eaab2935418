"""Phonetisaurus from pip against our small and tiny presets on G2P: training time, WER and words/s on one split."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import isotone
from bench.german import SHARED
from bench.peers_setup import UnavailableError, peer
from bench.report import Result
from bench.timing import once
from bench.trained import Lines
from bench.workload import CACHE, all_cores
from isotone.demos import load_pronunciations
from isotone.evaluation import METRICS
from isotone.models.config import Size
from isotone.text.example import Example
from isotone.text.readers import format_named, read
from isotone.training.recipe import preset_named

VERSION = "phonetisaurus==0.3.0"
LANGUAGE = "hun"
COLUMNS = ("system", "training s", "WER %", "PER", "words/s", "words/s with start-up", "MB")

Row = tuple[str | int | float, ...]
Symbols = tuple[str, ...]


@dataclass(frozen=True)
class Split:
    """Words and their spaced phones."""

    name: str
    train: Sequence[Example]
    dev: Sequence[Example]
    test: Sequence[Example]

    @property
    def references(self) -> dict[str, tuple[Symbols, ...]]:
        """All pronunciations of each test word."""
        found: dict[str, tuple[Symbols, ...]] = {}
        for example in self.test:
            found[example.source] = (*found.get(example.source, ()), tuple((example.target or "").split()))
        return found


def g2p_split(*, quick: bool) -> Split:
    """Hungarian where the shared data is, else CMUdict."""
    folder = SHARED / "g2p" / "sigmorphon2021"
    if (folder / f"{LANGUAGE}_train.tsv").is_file():
        train, dev, test = (list(read(folder / f"{LANGUAGE}_{p}.tsv", "g2p")) for p in ("train", "dev", "test"))
        split = Split(f"SIGMORPHON 2021 G2P, {LANGUAGE}", train, dev, test)
    else:
        corpus = load_pronunciations(train_size=8_000)
        split = Split("CMUdict, 8,000 words", corpus.train, corpus.dev, corpus.test)
    return Split(split.name, split.train[:300], split.dev[:10], split.test[:10]) if quick else split


def rates(written: dict[str, Symbols], split: Split) -> tuple[float, float]:
    """WER and PER, one count a word, against its best reference; a word without an answer is wrong."""
    references = split.references
    candidates = [written.get(word, ()) for word in references]
    wer, per = (METRICS[name].mean(candidates, list(references.values())) for name in ("wer", "per"))
    return wer, per


def phonetisaurus(split: Split, *, name: str = "phonetisaurus", timeout: int = 300) -> Row:
    """Train it and predict: a row of the table; its files go into the cache under `name`."""
    program = str(peer("phonetisaurus", VERSION) / "phonetisaurus")
    folder = CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    lexicon, model = folder / "train.dict", folder / "g2p.fst"
    lexicon.write_text("".join(f"{e.source}\t{e.target}\n" for e in split.train), encoding="utf-8")
    print(f"phonetisaurus: training on {len(split.train)} words", flush=True)
    seconds = once(lambda: _call([program, "train", "--model", str(model), str(lexicon)], timeout=timeout))
    words = list(split.references)
    few, many = (_predict(program, model, words[:1]), _predict(program, model, words))
    again = [_predict(program, model, words)[1] for _ in range(4)]
    whole = sorted([many[1], *again])[2]
    written = {line.split()[0]: tuple(line.split()[1:]) for line in many[0].splitlines() if line.strip()}
    net = max(1e-3, whole - few[1])
    size = model.stat().st_size / 1e6
    return ("Phonetisaurus", seconds, *rates(written, split), len(words) / net, len(words) / whole, size)


def _predict(program: str, model: Path, words: Sequence[str]) -> tuple[str, float]:
    start = perf_counter()
    output = _call([program, "predict", "--model", str(model)], "".join(word + "\n" for word in words))
    return output, perf_counter() - start


def _call(command: list[str], text: str | None = None, *, timeout: int = 300) -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=timeout)
    except (OSError, subprocess.SubprocessError) as error:
        raise UnavailableError(str(getattr(error, "stderr", "") or error)[-300:]) from error
    return done.stdout


def train_ours(split: Split, size: Size, folder: Path, *, epochs: int | None, rate: float | None) -> None:
    """Train 0-MONO of this size as the demo does."""
    isotone.train(
        train=split.train,
        dev=split.dev,
        out=folder,
        task="g2p",
        model="0-mono",
        recipe="demo-g2p",
        size=size,
        epochs=epochs,
        rate=rate,
        texts=format_named("g2p").texts,
        callbacks=[Lines()],
    )


def _ours(split: Split, size: Size, *, epochs: int, rate: float | None) -> Row:
    folder = CACHE / f"g2p-{size}"
    shutil.rmtree(folder, ignore_errors=True)
    print(f"isotone {size}: {epochs} epochs on {len(split.train)} words", flush=True)
    start = perf_counter()
    train_ours(split, size, folder, epochs=epochs, rate=rate)
    seconds = perf_counter() - start
    load = once(lambda: isotone.load(folder))
    model = isotone.load(folder)
    words = list(split.references)
    written = {word: p.best.symbols for word, p in zip(words, model(words, decode="greedy"), strict=True)}
    decode = sorted(once(lambda: model(words, decode="greedy")) for _ in range(5))[2]
    megabytes = (folder / "model.safetensors").stat().st_size / 1e6
    found = rates(written, split)
    speed = len(words) / decode
    return (f"Isotone 0-MONO, {size}", seconds, *found, speed, len(words) / (decode + load), megabytes)


def run(quick: bool) -> Result:
    """Both systems on the same words."""
    threads = all_cores()
    split = g2p_split(quick=quick)
    epochs, batch = 1 if quick else 8, preset_named("demo-g2p").recipe.batch_size
    rows: list[Row] = []
    status, reason = "ok", f"{VERSION} from pip, its defaults: joint 8-gram over an EM alignment, one thread"
    try:
        rows.append(phonetisaurus(split))
    except UnavailableError as error:
        status, reason = "unavailable", f"{VERSION} cannot be had here: {error}"
    peaks = {"tiny": 0.005, "small": None}
    sizes: tuple[Size, ...] = ("tiny",) if quick else ("tiny", "small")
    for size in sizes:
        rows.append(_ours(split, size, epochs=epochs, rate=peaks[size]))
    headline = {}
    if status == "ok":
        for row in rows[1:]:
            headline[f"{row[0]}: WER minus Phonetisaurus's, points"] = float(row[2]) - float(rows[0][2])
            headline[f"{row[0]}: words/s / Phonetisaurus's"] = float(row[4]) / float(rows[0][4])
            headline[f"{row[0]}: training time / Phonetisaurus's"] = float(row[1]) / float(rows[0][1])
    return Result(
        title=f"G2P against Phonetisaurus, {split.name}, {len(split.references)} test words, {threads} threads for us",
        columns=COLUMNS,
        rows=tuple(rows),
        headline=headline,
        status=status,
        notes=(
            reason,
            f"ours: the recipe demo-g2p ({epochs} epochs, batch {batch}), greedy decoding; training "
            "time includes the dev evaluation after each epoch",
            "words/s: after start-up (Phonetisaurus: its time for all words less its time for one; ours: the model "
            "loaded); with start-up: Phonetisaurus's whole command, for us loading and decoding, without importing "
            "torch. Medians of five",
            "each test word counts once, against its best reference",
        ),
    )
