"""Decoding with a trained model of the paper's size: greedy, beam and exact, and the latency of one word."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from time import perf_counter

import isotone
import isotone.decoding.batches as batching
from bench.german import german
from bench.paper_way import PaperWay
from bench.report import Result
from bench.timing import alternate, once
from bench.trained import BUDGET, trained
from bench.workload import all_cores
from isotone import Transducer
from isotone.data import collate
from isotone.decoding import Beam, Decoder, Exact, Greedy
from isotone.text.example import Example

REFERENCE = 98.0
"""The paper's own code, words/s greedily on German dev at batch 20, two threads: measured on ANOTHER machine."""
CELLS = (256, 512, 1024, 2048, 4096)
AUTOMATIC = batching.CELLS
SECONDS = 30.0
"""For beam and for exact search, after which no new words are begun."""

BATCH = 20
WAY = f"greedy, the paper's way, {BATCH} words at a time"

Row = tuple[str | int | float, ...]


def _words(model: Transducer, words: list[Example], decoder: Decoder, cells: int) -> None:
    """Decode all words, in batches of about `cells` source symbols."""
    batching.CELLS = cells
    try:
        list(model.predict(words, decoder))
    finally:
        batching.CELLS = AUTOMATIC


def _within(model: Transducer, words: list[Example], decoder: Decoder) -> tuple[int, float, float]:
    """As many words as `SECONDS` allow, 50 at a time: how many, the share certified as the best, and the time."""
    done = certified = 0
    start = perf_counter()
    while done < len(words) and perf_counter() - start < SECONDS:
        found = list(model.predict(words[done : done + 50], decoder))
        done += len(found)
        certified += sum(bool(prediction.certified) for prediction in found)
    return done, certified / done, perf_counter() - start


def latency_ms(model: Transducer, words: list[Example]) -> list[float]:
    """Milliseconds of each word, asked for alone through the public API."""
    times = []
    for word in words:
        start = perf_counter()
        model(word.source, tags=word.tags, decode="greedy")
        times.append(1000 * (perf_counter() - start))
    return sorted(times)


def _paper_way(model: Transducer, words: list[Example]) -> tuple[Callable[[], None], float]:
    """What decodes the words as the paper's code does, BATCH at a time; and the share of words on which it agrees."""
    bundle = model.members[0]
    way = PaperWay(bundle.network).eval()
    sources = [bundle.codec.encode(Example(word.source, None, word.tags)) for word in words]
    starts = range(0, len(sources), BATCH)
    batches = [collate(sources[start : start + BATCH], len(bundle.vocabulary.tags)) for start in starts]
    found = model.predict(words, Greedy())
    ours = [bundle.vocabulary.target.encode(prediction.best.symbols) for prediction in found]
    theirs = [tuple(ids) for batch in batches for ids in way.greedy(batch)]
    same = sum(first == second for first, second in zip(ours, theirs, strict=True))

    def decode() -> None:
        for batch in batches:
            way.greedy(batch)

    return decode, same / len(words)


def run(quick: bool) -> Result:
    """Words/s by decoder and batch, and one-word latency."""
    threads = all_cores()
    data = german()
    folder, _ = trained(data, "paper", quick=quick)
    load = once(lambda: isotone.load(folder))
    model = isotone.load(folder)
    words = data.dev[:6] if quick else data.dev
    few = words[:2] if quick else words[:200]
    contestants: dict[str, Callable[[], None]] = {
        f"greedy, batches of {cells} symbols{' (automatic)' if cells == AUTOMATIC else ''}": partial(
            _words, model, words, Greedy(), cells
        )
        for cells in sorted({*CELLS, AUTOMATIC})
    }
    automatic = next(name for name in contestants if "automatic" in name)
    contestants[WAY], agreement = _paper_way(model, few)
    times = alternate(contestants, 1 if quick else 5, seconds=90, progress="decode-speed greedy")
    counts = {name: len(few if name == WAY else words) for name in contestants}
    rows: list[Row] = [(name, counts[name], counts[name] / time) for name, time in times.items()]
    certified = 0.0
    for name, decoder in (("beam 5", Beam()), ("exact", Exact())):
        _words(model, few[:1], decoder, AUTOMATIC)
        done, certified, seconds = _within(model, few, decoder)
        rows.append((name, done, done / seconds))
        print(f"decode-speed {name}: done", flush=True)
    latency_ms(model, words[:20])
    latency = latency_ms(model, few)
    median, p99 = statistics.median(latency), latency[min(len(latency) - 1, int(0.99 * len(latency)))]
    rows.append(("one word at a time, greedy", len(few), 1000 / statistics.mean(latency)))
    written = [p.best.symbols for p in model.predict(words, Greedy())]
    speed = len(words) / times[automatic]
    return Result(
        title=f"Decoding {data.name} dev, 0-MONO at the paper's size, {threads} threads",
        columns=("decoder", "words", "words/s"),
        rows=tuple(rows),
        headline={
            "greedy words/s, automatic batches": speed,
            "greedy × the paper's way": speed * times[WAY] / len(few),
            "words on which both agree, %": 100 * agreement,
            "CROSS-MACHINE × the paper's code (98 words/s)": speed / REFERENCE,
            "one word, median ms": median,
            "one word, 99th percentile ms": p99,
            "loading, ms": 1000 * load,
            "exact: % certified as the most probable string": 100 * certified,
            "mean symbols written": statistics.mean(len(symbols) for symbols in written),
            "mean symbols of the references": statistics.mean(len(e.target or "") for e in words),
        },
        notes=(
            f"a model trained for {1 if quick else BUDGET} epochs on 1,000 pairs: good enough to end its words; the "
            "headline has how long they are beside the references",
            "the reference of 98 words/s is SPEED.md's figure of the paper's own code on another machine: that ratio "
            "is cross-machine",
            f"the paper's way: its algorithm (bench/paper_way.py), {BATCH} words at a time in the file's order, as the "
            "reference was taken, each batch until its last word has ended; the padding kept from its encoder",
            "batches are counted in source symbols; words are sorted by length, and leave the batch when they end; "
            "each core takes a batch of its own, where there are at least three for each (not with 4096)",
            "latency: a call of the loaded model, decode='greedy', from string to string, words in the file's order",
        ),
    )
