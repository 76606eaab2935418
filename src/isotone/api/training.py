"""Training from Python and for the command line: plan a job, run it, load what it leaves."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isotone.errors import ConfigError
from isotone.files import read_json
from isotone.text.config import SideChanges, TextChanges, Texts
from isotone.text.inputs import Pairs
from isotone.text.readers import DataFormat
from isotone.training.events import BatchDone, Callback, EpochDone, Plan
from isotone.training.job import Job, Mode, check_folder, new_request, plan_job
from isotone.training.recipe import RECIPES, Recipe
from isotone.training.request import Asked, Request

if TYPE_CHECKING:
    from isotone.api.transducer import Transducer
    from isotone.training.outcome import Outcome

__all__ = [
    "RECIPES",
    "Asked",
    "BatchDone",
    "Callback",
    "EpochDone",
    "Job",
    "Mode",
    "Plan",
    "Recipe",
    "Request",
    "check_folder",
    "mode_of",
    "new_request",
    "plan_job",
    "read_request",
    "run_job",
    "tensorboard_log",
    "text_changes",
    "train",
]


def run_job(job: Job, callbacks: Sequence[Callback] = ()) -> Outcome | None:
    """Train what a job asks for; None where its run was finished before."""
    try:
        from isotone.training.train import train as fit
    except ModuleNotFoundError as error:
        raise ConfigError(f"training needs {error.name}: pip install isotone") from error
    return fit(job, callbacks)


def train(
    *,
    train: Pairs | None = None,
    dev: Pairs | float | None = None,
    out: str | Path | None = None,
    task: str | None = None,
    model: str | None = None,
    recipe: str | Recipe | None = None,
    size: str | None = None,
    copy: bool | None = None,
    format: str | DataFormat | None = None,
    texts: Texts | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    device: str | None = None,
    devices: int | None = None,
    threads: int | None = None,
    skip_bad: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    config: Request | None = None,
    callbacks: Sequence[Callback] = (),
    **changes: Any,
) -> Transducer:
    """Train on pairs or files, as `isotone train` does; returns the best epoch's model.

    `dev` may be a share of the training pairs to hold out, such as 0.05. Without `out` nothing is kept on disk. `copy`
    gives the model a copy gate: symbols never seen in training can be copied, with a true probability. Without a
    `recipe` the number of pairs chooses one. With `seeds` > 1 that many models are trained, from `seed` on, and act as
    one mixture. With `devices` > 1 as many processes share every batch; in a script, call this below
    `if __name__ == "__main__":`, because each of them imports the script. `changes` are other fields of the recipe
    (epochs, batch_size, rate, precision, …) and of the network (dropout, width, or by dotted name:
    **{"encoder.layers": 3}).
    """
    from isotone.api import load

    asked = Asked(
        task=task,
        model=model,
        recipe=recipe,
        size=size,
        text=texts,
        seed=seed,
        seeds=seeds,
        device=device,
        devices=devices,
        threads=threads,
        changes={**changes, "copy_gate": copy},
    )
    with tempfile.TemporaryDirectory(prefix="isotone-") as temporary:
        folder = Path(temporary) / "model" if out is None else Path(out)
        job = plan_job(
            asked,
            folder,
            train=train,
            dev=dev,
            format=format,
            skip_bad=skip_bad,
            mode=mode_of(resume=resume, overwrite=overwrite),
            config=config,
        )
        outcome = run_job(job, callbacks)
        if outcome is not None and not outcome.finished and outcome.best is None:
            raise KeyboardInterrupt
        return load(folder)


def mode_of(*, resume: bool, overwrite: bool) -> Mode:
    """What may be in the folder."""
    if resume and overwrite:
        raise ConfigError("--resume and --overwrite exclude each other")
    return "resume" if resume else "overwrite" if overwrite else "new"


def text_changes(*, normalization: str | None, source: str | None, target: str | None) -> SideChanges | None:
    """Changes to the data's own way of cutting symbols, as the command line words them; None where nothing was said."""
    if normalization is source is target is None:
        return None
    sides = [TextChanges.of(normalization=normalization, symbols=symbols) for symbols in (source, target)]
    return SideChanges(source=sides[0], target=sides[1])


def read_request(path: Path) -> Request:
    """A request from a file, as `isotone train --print-config` prints it."""
    if not path.is_file():
        raise ConfigError(f"{path}: no such file")
    return Request.from_json(read_json(path, error=ConfigError), place=str(path))


def tensorboard_log(folder: Path) -> Callback:
    """A callback that logs to TensorBoard."""
    from isotone.training.log import TensorBoardLog

    return TensorBoardLog(folder)
