"""Models trained for a few minutes at most, kept under bench/peers/cache/ for the benches that need a trained one."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic

import isotone
from bench.german import German
from bench.workload import CACHE
from isotone.api.training import Callback, EpochDone, Recipe
from isotone.files import write_json
from isotone.models.config import Size

BUDGET = 10
"""Epochs on German medium (1,000 pairs), for every size alike."""
RATES: dict[Size, float] = {"paper": 0.002, "medium": 0.002, "small": 0.003, "tiny": 0.005}


class Lines(Callback):
    """A line for each epoch."""

    def on_epoch(self, event: EpochDone) -> None:
        metrics = " ".join(f"{name} {value:.3g}" for name, value in event.metrics.items())
        print(f"epoch {event.epoch}: dev loss {event.dev_loss:.3f} {metrics} ({event.seconds:.0f} s)", flush=True)


def trained(data: German, size: Size, *, quick: bool) -> tuple[Path, float]:
    """A 0-MONO model's folder, and the seconds its training took (when it was trained)."""
    folder = CACHE / f"0-mono-{size}{'-quick' if quick else ''}"
    clock = folder / "seconds.json"
    if clock.is_file():
        print(f"{size}: trained before, in {folder}", flush=True)
        return folder, float(json.loads(clock.read_text())["seconds"])
    print(f"{size}: training {1 if quick else BUDGET} epochs on {data.name} medium", flush=True)
    recipe = Recipe(name="bench", schedule="one-cycle", rate=RATES[size], epochs=1 if quick else BUDGET, batch_size=20)
    started = monotonic()
    isotone.train(
        train=data.medium[:40] if quick else data.medium,
        dev=data.dev[:4] if quick else data.dev[:100],
        out=folder,
        task="inflection",
        model="0-mono",
        recipe=recipe,
        size=size,
        callbacks=[Lines()],
        overwrite=True,
    )
    seconds = monotonic() - started
    write_json(clock, {"seconds": seconds})
    return folder, seconds
