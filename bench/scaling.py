"""How cost grows: training examples/s against length 10…400 and against batch 1…256, plotted by `report`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from time import monotonic

from bench.german import german
from bench.report import Result
from bench.timing import alternate, exponent
from bench.twin import PlainTwin
from bench.workload import Trainer, all_cores, bucketed, prepare, synthetic

ALIGNERS = ("soft", "0-mono", "1-mono")
LENGTHS = (10, 20, 50, 100, 200, 400)
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
BATCH = 8
"""Pairs in a batch while the length grows."""
TWIN = 100
"""The plain twin's greatest length: past it, it needs gigabytes."""
SECONDS = 210.0
"""For everything; what is left is shared out, so that a slow machine measures fewer rounds, not fewer points."""

Row = tuple[str | int | float, ...]


def _lengths(lengths: Iterable[int], repeats: int, deadline: float) -> list[Row]:
    rows: list[Row] = []
    data = german().high
    models = {aligner: prepare(data, aligner=aligner)[0] for aligner in ALIGNERS}
    trainers = {aligner: Trainer(bundle.network) for aligner, bundle in models.items()}
    trainers["0-mono, plain twin"] = Trainer(PlainTwin(models["0-mono"].network))
    for length in lengths:
        batch = synthetic(models["soft"].vocabulary, batch=BATCH, length=length)
        contestants: dict[str, Callable[[], object]] = {
            name: partial(trainer.step, batch)
            for name, trainer in trainers.items()
            if "twin" not in name or length <= TWIN
        }
        rounds = repeats if length < 200 else min(repeats, 2)
        left = max(1.0, (deadline - monotonic()) / 2)
        times = alternate(contestants, rounds, seconds=left, progress=f"scaling length {length}")
        rows += [("length", name, length, BATCH / time) for name, time in times.items()]
    return rows


def _batches(sizes: Iterable[int], repeats: int, deadline: float) -> list[Row]:
    """German batches of every size, each the median of its bucketed epoch."""
    rows: list[Row] = []
    data = german().high
    made = {aligner: prepare(data, aligner=aligner) for aligner in ALIGNERS}
    trainers = {aligner: Trainer(bundle.network) for aligner, (bundle, _) in made.items()}
    for size in sizes:
        batches = bucketed(made["soft"][1], size, 3)
        contestants = {name: partial(trainer.steps, batches) for name, trainer in trainers.items()}
        left = max(1.0, (deadline - monotonic()) / 2)
        times = alternate(contestants, repeats, seconds=left, progress=f"scaling batch {size}")
        count = sum(map(len, batches))
        rows += [("batch", name, size, count / time) for name, time in times.items()]
    return rows


def run(quick: bool) -> Result:
    """Both sweeps; `python -m bench report` draws them."""
    threads = all_cores()
    lengths, sizes, repeats = ((5, 10), (1, 2), 1) if quick else (LENGTHS, BATCHES, 5)
    started = monotonic()
    rows = _lengths(lengths, repeats, started + 0.6 * SECONDS)
    rows += _batches(sizes, repeats, started + SECONDS)
    headline = {}
    for name in ALIGNERS:
        points = [(int(row[2]), 1 / float(row[3])) for row in rows if row[:2] == ("length", name)]
        upper = points[len(points) // 2 :] if len(points) > 3 else points
        headline[f"{name}: exponent of the time of a pair, n = {upper[0][0]}…{upper[-1][0]}"] = exponent(
            [n for n, _ in upper], [time for _, time in upper]
        )
        speeds = {int(row[2]): float(row[3]) for row in rows if row[:2] == ("batch", name)}
        headline[f"{name}: best batch size"] = float(max(speeds, key=lambda size: speeds[size]))
    return Result(
        title=f"How cost grows, the paper's sizes, fp32, {threads} threads",
        columns=("against", "model", "value", "examples/s"),
        rows=tuple(rows),
        headline=headline,
        notes=(
            f"length: random strings, |x| = |y| = n before BOS and EOS, batch {BATCH}",
            "batch: German high, three bucketed batches of that size, spread over the epoch's lengths",
            "median of up to 5 rounds (2 from n = 200), models in turn, after a warm-up",
            "by operations a pair costs n for the LSTMs and n² for the emission of the hard aligners (n for SOFT's, "
            "whose attention is n²)",
        ),
    )
