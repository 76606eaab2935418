"""Training from Python."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isotone.api.transducer import Transducer
from isotone.store.hub import read_metrics
from isotone.text.config import Texts
from isotone.text.inputs import Pairs
from isotone.text.readers.selection import DataFormat
from isotone.training import Callback, Recipe
from isotone.training import train as fit
from isotone.training.request import request
from isotone.training.seeds import train_seeds

__all__ = ["train"]


def train(
    *,
    train: Pairs,
    dev: Pairs | float,
    out: str | Path | None = None,
    task: str = "transduction",
    model: str = "0-mono",
    recipe: str | Recipe | None = None,
    copy: bool | None = None,
    format: str | DataFormat | None = None,
    texts: Texts | None = None,
    seeds: int = 1,
    callbacks: Sequence[Callback] = (),
    **settings: Any,
) -> Transducer:
    """Train on pairs or files, as `isotone train` does; gives back the best epoch's model.

    `dev` may be a share of the training pairs to hold out, such as 0.05. Without `out` nothing is kept on disk. `copy`
    gives the model a copy gate: what it has never seen can be copied with a true probability.
    `settings` are those of `isotone.training.Settings` (seed, device, threads, resume, overwrite) and
    fields of the recipe to change (epochs, size, batch_size, rate, dropout, …). Without a `recipe` the number of pairs
    chooses one. With `seeds` > 1 so many models are trained, from the given seed on, and act as one mixture.
    """
    if copy is not None:
        settings["copy_gate"] = copy
    pairs, held_out, chosen = request(
        train=train, dev=dev, task=task, model=model, recipe=recipe, format=format, texts=texts, settings=settings
    )
    with tempfile.TemporaryDirectory(prefix="isotone-") as temporary:
        folder = Path(temporary) / "model" if out is None else Path(out)
        if seeds > 1:
            bundles, _ = train_seeds(pairs, held_out, folder, chosen, seeds, callbacks)
        else:
            bundles = [fit(pairs, held_out, folder, chosen, callbacks)[0]]
        return Transducer(bundles, metrics=read_metrics(folder))
