"""The presets paper, medium, small and tiny: parameters, speed, file size, and accuracy after the same small budget."""

from __future__ import annotations

import statistics
from functools import partial

import isotone
from bench.decode_speed import latency_ms
from bench.german import german
from bench.report import Result
from bench.timing import alternate
from bench.trained import BUDGET, trained
from bench.workload import Trainer, all_cores, bucketed, prepare
from isotone.decoding import Greedy
from isotone.models import SIZES
from isotone.store.layout import WEIGHTS

Row = tuple[str | int | float, ...]
MORE = ("one word, median ms", "dev ACC %", "seconds to train")


def run(quick: bool) -> Result:
    """One row for each preset."""
    threads = all_cores()
    data = german()
    folders = {size: trained(data, size, quick=quick) for size in SIZES}
    words = data.dev[:4] if quick else data.dev
    models = {size: isotone.load(folder) for size, (folder, _) in folders.items()}
    made = {size: prepare(data.high, aligner="0-mono", size=size) for size in SIZES}
    batches = bucketed(next(iter(made.values()))[1], 4 if quick else 20, 2 if quick else 12)
    trainers = {size: Trainer(bundle.network) for size, (bundle, _) in made.items()}
    repeats = 1 if quick else 5
    steps = alternate(
        {size: partial(trainer.steps, batches) for size, trainer in trainers.items()},
        repeats,
        seconds=60,
        progress="sizes training",
    )
    decode = alternate(
        {size: partial(lambda model: list(model.predict(words, Greedy())), model) for size, model in models.items()},
        repeats,
        seconds=60,
        progress="sizes decoding",
    )
    rows: list[Row] = []
    for size, (folder, seconds) in folders.items():
        report = models[size].evaluate(words, Greedy(), bootstrap=0)
        rows.append(
            (
                size,
                made[size][0].network.parameter_count(),
                (folder / WEIGHTS).stat().st_size / 1e6,
                sum(map(len, batches)) / steps[size],
                len(words) / decode[size],
                statistics.median(latency_ms(models[size], words[:100])),
                report.metrics["acc"],
                seconds,
            )
        )
    first = rows[0]
    headline: dict[str, float] = {}
    for row in rows[1:]:
        headline[f"{row[0]}: training × paper"] = float(row[3]) / float(first[3])
        headline[f"{row[0]}: decoding × paper"] = float(row[4]) / float(first[4])
    return Result(
        title=f"Presets, 0-MONO, {data.name}, fp32, {threads} threads",
        columns=("size", "parameters", "MB", "training examples/s", "greedy words/s", *MORE),
        rows=tuple(rows),
        headline=headline,
        notes=(
            "parameters and training speed: German high's alphabets and batches of 20, in turn; median",
            f"MB, words/s and ACC: models trained {1 if quick else BUDGET} epochs on German medium (1,000 pairs), "
            "one-cycle, batch 20: the same small budget for all, far from converged; ACC on the whole dev set, of "
            "which training saw 100 words to pick its epoch",
            "seconds to train: all epochs with their dev evaluation, when the model was trained (it is cached)",
        ),
    )
