"""Training at the paper's sizes: examples/s of every aligner, against the same model written plainly.

A step is what `isotone train` does: forward, backward, clip at 5, fused Adam, on length-bucketed batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch

from bench.german import german
from bench.paper_way import PaperWay
from bench.report import Result
from bench.timing import alternate
from bench.twin import PlainTwin
from bench.workload import Trainer, all_cores, bucketed, prepare, unsorted
from isotone.data import Batch, Loader
from isotone.models.precision import has_bf16
from isotone.store.folder import Member

REFERENCE = {"soft": 64.0, "0-hard": 25.0, "0-mono": 33.0, "1-mono": 32.0}
"""The paper's own code, examples/s at batch 20 on two threads: measured on ANOTHER machine (AVX-512, AMX)."""
EXAMPLES = 240
"""Measured in a round, about."""
SECONDS = 45.0
"""For an aligner, after which no new round begins."""

Row = tuple[str | int | float, ...]
COLUMNS = (
    *("aligner", "batch", "precision", "examples/s", "plain twin", "ratio", "paper's way", "ratio to it"),
    *("reference (other machine)", "cross-machine ratio"),
)


def _warm(trainer: Trainer, batches: Sequence[Batch]) -> Callable[[], None]:
    """A contestant; its first steps, which allocate and choose kernels, are taken here and not counted."""
    trainer.steps(batches[:1] + batches[-1:])  # type: ignore[operator]
    return partial(trainer.steps, batches)


def _stepwise(bundle: Member) -> bool:
    """Does `PaperWay` know this aligner?"""
    return bundle.config.architecture.aligner.name.endswith("mono")


def _unpadded(batches: Sequence[Batch]) -> Batch:
    """The first pair that fills its batch's width and height, alone."""
    for batch in batches:
        full = (batch.source_lengths == batch.source.shape[1]) & (batch.target_lengths == batch.target.shape[1])
        for row in full.nonzero()[:1, 0].tolist():
            one = slice(row, row + 1)
            source, target = batch.source[one], batch.target[one]
            return Batch(source, batch.source_lengths[one], target, batch.target_lengths[one], batch.tags[one])
    raise RuntimeError("no pair fills its batch")


def _same(bundle: Member, twins: Sequence[PlainTwin | PaperWay], batch: Batch) -> None:
    """A ratio only between equals."""
    bundle.network.eval()
    with torch.no_grad():
        expected = bundle.network.log_prob(batch)
        for twin in twins:
            torch.testing.assert_close(twin.eval()(batch), expected, rtol=1e-4, atol=1e-3)


def _contestants(
    bundle: Member, loader: Loader, sizes: Sequence[int], examples: int
) -> tuple[dict[str, Callable[[], None]], dict[str, int]]:
    """By name, what runs a round, and how many examples it has."""
    plain, way = PlainTwin(bundle.network), PaperWay(bundle.network)
    contestants: dict[str, Callable[[], None]] = {}
    counts: dict[str, int] = {}

    def add(name: str, trainer: Trainer, batches: list[Batch]) -> None:
        contestants[name] = _warm(trainer, batches)
        counts[name] = sum(map(len, batches))

    batches = {size: bucketed(loader, size, max(1, round(examples / size))) for size in sizes}
    _same(bundle, [plain], batches[sizes[0]][0])
    if _stepwise(bundle):
        _same(bundle, [way], _unpadded(batches[sizes[0]]))
    ours, twin = Trainer(bundle.network), Trainer(plain)
    for size in sizes:
        add(f"{size} fp32", ours, batches[size])
        add(f"{size} plain", twin, batches[size])
    if has_bf16(torch.device("cpu")):
        autocast = Trainer(bundle.network, precision="bf16")
        for size in sizes:
            add(f"{size} bf16", autocast, batches[size])
    if _stepwise(bundle):
        add(f"{sizes[0]} way", Trainer(way), unsorted(loader, sizes[0], max(1, round(examples / sizes[0]))))
    return contestants, counts


def _rows(aligner: str, sizes: Sequence[int], speed: dict[str, float]) -> list[Row]:
    rows: list[Row] = []
    for size in sizes:
        for precision in ("fp32", "bf16"):
            if f"{size} {precision}" not in speed:
                continue
            ours, plain = speed[f"{size} {precision}"], speed[f"{size} plain"]
            way = speed.get(f"{size} way")
            against_way: Row = (way, ours / way) if way else ("", "")
            reference = REFERENCE[aligner]
            rows.append(
                (aligner, size, precision, ours, plain, ours / plain, *against_way, reference, ours / reference)
            )
    return rows


def run(quick: bool) -> Result:
    """Examples/s for every aligner, batch size and number format."""
    threads = all_cores()
    data = german()
    sizes, examples, repeats = ((4, 8), 8, 1) if quick else ((20, 64), EXAMPLES, 5)
    rows: list[Row] = []
    headline: dict[str, float] = {}
    for aligner in REFERENCE:
        bundle, loader = prepare(data.high, aligner=aligner)
        contestants, counts = _contestants(bundle, loader, sizes, examples)
        times = alternate(contestants, repeats, warm_up=False, seconds=SECONDS, progress=f"train-speed {aligner}")
        speed = {name: counts[name] / time for name, time in times.items()}
        rows += _rows(aligner, sizes, speed)
        for size in sizes:
            headline[f"{aligner}, batch {size}, fp32: plain twin ×"] = speed[f"{size} fp32"] / speed[f"{size} plain"]
        if f"{sizes[0]} way" in speed:
            ratio = speed[f"{sizes[0]} fp32"] / speed[f"{sizes[0]} way"]
            headline[f"{aligner}, batch {sizes[0]}, fp32: the paper's way ×"] = ratio
        best = max(value for name, value in speed.items() if not name.endswith(("plain", "way")))
        headline[f"{aligner}: best examples/s"] = best
        headline[f"{aligner}, batch {sizes[0]}, fp32: CROSS-MACHINE × the paper's code"] = (
            speed[f"{sizes[0]} fp32"] / REFERENCE[aligner]
        )
    bf16 = "measured" if has_bf16(torch.device("cpu")) else "no bf16 on this CPU, so fp32 only"
    return Result(
        title=f"Training step, the paper's sizes, {data.name} high, {threads} threads",
        columns=COLUMNS,
        rows=tuple(rows),
        headline=headline,
        notes=(
            f"bf16: {bf16}",
            f"median of up to {repeats} rounds of about {examples} examples, contestants in turn, warm-up not counted",
            "plain twin: same weights, batches and step; packed bidirectional encoder, all emission cells at once, "
            "dense transitions; log-probabilities checked equal before timing",
            "the paper's way: its algorithm step by step (bench/paper_way.py) on random batches; checked equal on "
            "a pair without padding",
            "a round's batches are those at even quantiles of |x|·|y| in an epoch, by one rule for all contestants; "
            "the longest few per cent are under-represented in all",
            "reference: SPEED.md's figures of the paper's own code, taken on another machine (2 cores, AVX-512): the "
            "ratio to it is cross-machine, for orientation only",
        ),
    )
