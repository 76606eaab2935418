"""Exported models against torch: words/s, latency, cold start, memory, int8's accuracy; Phonetisaurus beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic, perf_counter

import torch

import isotone
from bench.peers_phonetisaurus import g2p_split, phonetisaurus
from bench.peers_setup import UnavailableError
from bench.report import Result
from bench.runtime_models import ENGINES, Case, cases
from isotone import Transducer
from isotone.api.threads import set_threads
from isotone.text.example import Example

BATCHES = (1, 32, 1024)
ONE_BY_ONE = 40
"""Words asked for alone; the median counts."""
COLUMNS = ("model", "engine", "decoder", "one word ms", "words/s at 32", "words/s at 1024", "ACC %", "|Δ log p|/symbol")

Row = tuple[str | int | float, ...]

MEMORY = """
import sys, isotone
model = isotone.load(sys.argv[1])
model(sys.argv[2:])
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
"""Not `getrusage`: Linux lets a process begin with the maximum of the one that started it."""


def fastest(contestants: Mapping[str, Callable[[], float]], turns: int, seconds: float) -> dict[str, float]:
    """The least that each contestant reports, turn by turn: the fastest turn is the least disturbed one."""
    best: dict[str, float] = {}
    started = monotonic()
    for turn in range(turns):
        if turn and monotonic() - started > seconds:
            break
        for name, contestant in contestants.items():
            best[name] = min(best.get(name, float("inf")), contestant())
    return best


def _alone(model: Transducer, words: Sequence[Example], decode: str) -> float:
    """Median seconds of a word asked for alone, each in its fastest of three turns."""
    times = []
    for word in words:
        turns = []
        for _ in range(3):
            start = perf_counter()
            model(word.source, tags=word.tags, decode=decode)
            turns.append(perf_counter() - start)
        times.append(min(turns))
    return sorted(times)[len(times) // 2]


def _together(model: Transducer, words: Sequence[Example], decode: str) -> float:
    start = perf_counter()
    for _ in model.predict(words, decode=decode):
        pass
    return (perf_counter() - start) / len(words)


def _speeds(case: Case, *, quick: bool) -> tuple[list[Row], dict[str, float]]:
    """The table's rows of one model, and its ratios."""
    models = {engine: isotone.load(folder) for engine, folder in case.folders.items()}
    words = [Example(pair.source, None, pair.tags) for pair in case.pairs]
    quality = {engine: _quality(model, models["torch fp32"], case) for engine, model in models.items()}
    rows: list[Row] = []
    headline: dict[str, float] = {}
    for decode in ("exact", "greedy"):
        contestants: dict[str, Callable[[], float]] = {}
        for engine, model in models.items():
            for size in BATCHES:
                some = words[: ONE_BY_ONE if size == 1 else size]
                work = _alone if size == 1 else _together
                contestants[f"{engine} {size}"] = lambda m=model, w=some, f=work, d=decode: f(m, w, d)  # type: ignore[misc]
        best = fastest(contestants, 1 if quick else 5, seconds=40)
        for engine in ENGINES:
            alone, few, many = (best[f"{engine} {size}"] for size in BATCHES)
            rows.append((case.name, engine, decode, 1000 * alone, 1 / few, 1 / many, *quality[engine]))
        for engine in ENGINES[1:]:
            for size, label in zip(BATCHES, ("one word", "32 words", "1024 words"), strict=True):
                ratio = best[f"torch fp32 {size}"] / best[f"{engine} {size}"]
                headline[f"{case.name}: {label}, {decode}, torch's time / {engine}'s"] = ratio
    return rows, headline


def _quality(model: Transducer, reference: Transducer, case: Case) -> tuple[float, float]:
    """Accuracy in percent (each source against its best reference), and the mean |Δ log p| per target symbol."""
    judged = model.judge(list(case.pairs))
    right = sum(one.right for one in judged)
    pairs = [pair for pair in case.pairs if pair.target][:300]
    ours, theirs = (list(one.scores(pairs)) for one in (model, reference))
    symbols = sum(len(reference.codec.encode(pair).target or ()) for pair in pairs)
    finite = [(a.logprob, b.logprob) for a, b in zip(ours, theirs, strict=True) if b.logprob > float("-inf")]
    return 100 * right / len(judged), sum(abs(a - b) for a, b in finite) / max(1, symbols)


def _cold_start(folder: Path, word: str) -> float:
    """Seconds from `echo word | isotone predict FOLDER` to its end."""
    command = [sys.executable, "-m", "isotone", "predict", str(folder), "--format", "pairs", "--threads", "1"]
    start = perf_counter()
    subprocess.run(command, input=f"{word}\n", check=True, capture_output=True, text=True, env=_environment())
    return perf_counter() - start


def _memory(folder: Path, words: Sequence[str]) -> float:
    """Megabytes resident at most, having loaded the model and predicted the words."""
    command = [sys.executable, "-c", MEMORY, str(folder), *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=_environment())
    return int(done.stdout) / 1024


def _environment() -> dict[str, str]:
    source = str(Path(isotone.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}


def run(quick: bool) -> Result:
    """All engines on the same words, one thread each."""
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    set_threads(1)
    rows: list[Row] = []
    headline: dict[str, float] = {}
    notes: list[str] = []
    for case in cases(quick=quick):
        print(f"runtime: {case.name}", flush=True)
        found, ratios = _speeds(case, quick=quick)
        rows += found
        headline |= ratios
        word = case.pairs[0].source
        for engine, folder in case.folders.items():
            started = fastest({engine: lambda f=folder, w=word: _cold_start(f, w)}, 1 if quick else 3, 30)  # type: ignore[misc]
            headline[f"{case.name}: cold start s, {engine}"] = started[engine]
            headline[f"{case.name}: resident MB, {engine}"] = _memory(folder, [p.source for p in case.pairs[:100]])
            size = sum(path.stat().st_size for path in folder.iterdir() if path.suffix in (".onnx", ".safetensors"))
            headline[f"{case.name}: weights MB, {engine}"] = size / 1e6
    status = "ok"
    try:
        name, _, wer, _, speed, *_ = phonetisaurus(g2p_split(quick=quick))
        rows.append((str(name), "C++", "8-gram", 0.0, 0.0, speed, 100 - float(wer), 0.0))
        for row in [row for row in rows if "G2P" in str(row[0]) and row[1] == "ONNX int8"]:
            headline[f"{row[0]}, int8, {row[2]}: words/s / Phonetisaurus's"] = float(row[5]) / float(speed)
            headline[f"{row[0]}, int8, {row[2]}: WER / Phonetisaurus's"] = (100 - float(row[6])) / max(float(wer), 1e-9)
    except UnavailableError as error:
        status = "unavailable"
        notes.append(f"Phonetisaurus cannot be had here: {error}")
    notes += [
        "one thread for everybody; contestants take turns, and the fastest turn counts",
        f"one word: a call with one string, the median of {ONE_BY_ONE} words; others: one call with that many",
        "ACC: exact match of the default (exact) decoder, against the best reference; 100 − WER for G2P",
        "|Δ log p|: mean difference to torch's log-probability of the reference, per target symbol, in nats",
        "cold start: from starting `isotone predict` with one word on standard input to its end",
    ]
    title = "Exported models against torch, one thread"
    return Result(title=title, columns=COLUMNS, rows=tuple(rows), headline=headline, notes=tuple(notes), status=status)
