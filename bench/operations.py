"""Floating-point operations that the default recipe spends on a network, counted, not timed; beside a transformer's."""

from __future__ import annotations

from typing import cast

import torch
from torch.utils.flop_counter import FlopCounterMode

from bench.german import SHARED, german
from bench.report import Result
from bench.workload import Trainer, bucketed, prepare
from isotone.data import Batch
from isotone.models.sizes import Size
from isotone.text.example import Example
from isotone.text.readers import FORMATS, read
from isotone.training.recipe import preset_for

TRM = 1e16
"""The shared task's transformer, 4 layers of 256, batches of 400, 20,000 steps: about that, for each language."""
FEW, MANY = 2, 12
"""Batches that are counted."""

Row = tuple[str | int | float, ...]


def run(quick: bool) -> Result:
    """One row for each data set."""
    rows: list[Row] = []
    headline: dict[str, float] = {}
    for name, task, examples, pairs, aligner in _data():
        preset = preset_for(pairs, task)
        texts = FORMATS["g2p" if task == "g2p" else "conll2017"].texts
        member, loader = prepare(examples, aligner=aligner, size=cast(Size, preset.size), texts=texts)
        member.network.consistency = preset.recipe.consistency
        batches = bucketed(loader, preset.recipe.batch_size_for(task), FEW if quick else MANY)
        each = _count(Trainer(member.network), batches) / sum(map(len, batches))
        epochs = preset.recipe.epochs_for(pairs)
        total = each * pairs * epochs
        rows.append((name, preset.name, aligner, pairs, epochs, each / 1e6, total, TRM / total))
        headline[f"{name}: the transformer's operations / ours"] = TRM / total
    return Result(
        title="Operations of training one network with the default recipe",
        columns=("data", "recipe", "aligner", "pairs", "epochs", "million a pair", "altogether", "transformer / ours"),
        rows=tuple(rows),
        headline=headline,
        notes=(
            "matrix products of forward and backward pass, as torch counts them; sums over alignments, element-wise "
            "operations and the decoding of dev pairs are not counted, nor that a guided epoch takes fewer",
            "transformer: TRM of SIGMORPHON 2020, 10¹⁶ a language, estimated from its size and its 20,000 steps",
        ),
    )


def _data() -> list[tuple[str, str, list[Example], int, str]]:
    """Name, task, examples to count, training pairs, aligner; what of ../shared is there."""
    medium = german().medium
    found = [("German medium", "inflection", medium, len(medium), "1-mono")]
    six = SHARED / "inflection" / "sigmorphon2020"
    for name in ("zul", "izh", "mlt", "gsw", "frr", "dak"):
        if (six / f"{name}.trn").is_file():
            examples = list(read(six / f"{name}.trn", "conll2017"))
            found.append((name, "inflection", examples, len(examples), "0-mono"))
    dictionary = SHARED / "g2p" / "cmudict-wu" / "train.tsv"
    if dictionary.is_file():
        examples = list(read(dictionary, "g2p"))
        found.append(("CMUDict", "g2p", examples[::24], len(examples), "1-mono"))
    return found


def _count(trainer: Trainer, batches: list[Batch]) -> int:
    """Operations of these training steps. oneDNN's LSTM is one call that torch cannot count, so it is off."""
    with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
        trainer.steps(batches)
    return counter.get_total_flops()
