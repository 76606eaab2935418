"""Training from Python and for the command line: plan a job, run it, load what it leaves."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isotone.errors import ConfigError
from isotone.extras import require_training
from isotone.files import read_json
from isotone.text.config import SideChanges, TextChanges, Texts
from isotone.text.inputs import Pairs
from isotone.text.readers import DataFormat
from isotone.training.epoch_log import progress_log
from isotone.training.events import BatchDone, Callback, EpochDone, MixturePlan, Plan
from isotone.training.job import Job, Mode, check_folder, new_request, plan_job
from isotone.training.pairs import Sources
from isotone.training.recipe import RECIPES, Recipe
from isotone.training.request import Asked, Request
from isotone.training.start import read_start

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
    "MixturePlan",
    "Mode",
    "Plan",
    "Recipe",
    "Request",
    "check_folder",
    "mode_of",
    "new_request",
    "paradigm_change",
    "plan_job",
    "read_request",
    "read_start",
    "run_job",
    "tensorboard_log",
    "text_changes",
    "train",
]

PARADIGM = 0.5
"""How often `--paradigm` reads another form in place of the lemma; `--set paradigm=…` for another share."""


def run_job(job: Job, callbacks: Sequence[Callback] = ()) -> Outcome | None:
    """Train what a job asks for; None where its run was finished before."""
    require_training()

    from isotone.training.train import train as fit

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
    paradigm: bool | None = None,
    start_from: str | Path | None = None,
    format: str | DataFormat | None = None,
    texts: Texts | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    device: str | None = None,
    devices: int | None = None,
    threads: int | None = None,
    reverse: bool | None = None,
    distil: bool | None = None,
    distil_sources: Sources | None = None,
    keep_teacher: bool | None = None,
    fold_case: bool | None = None,
    skip_bad: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    config: Request | None = None,
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
    **changes: Any,
) -> Transducer:
    """Train on pairs or files, as `isotone train` does; returns the best epoch's model.

    `dev` may be a share of the training pairs to hold out, such as 0.05. Without `out` nothing is kept on disk. `copy`
    gives the model a copy gate: symbols never seen in training can be copied, with a true probability. `paradigm` also
    reads known forms of a lemma as sources of its other forms; see `Transducer.with_known`. `start_from` is the folder
    of a trained model to begin with: its network and its weights, to which symbols and tags of these pairs are added.
    Without a `recipe` task and number of pairs choose one. With `seeds` > 1 that many models are trained, from `seed`
    on, and act as one mixture. With `devices` > 1 as many processes share every batch; in a script, call this below
    `if __name__ == "__main__":`, because each of them imports the script. `reverse` learns sources from targets:
    phones to letters. `distil` trains one more network on what the mixture writes for the training sources, and for
    `distil_sources` if there are some, and leaves that one; with `keep_teacher` the mixture stays in its folder
    `teacher`. `fold_case` reads capitals as lower case, by default for g2p sources in lower case only.
    `progress` tells of each epoch on stderr; by default in interactive sessions and notebooks. `changes` are other
    fields of the recipe (epochs, batch_size, rate, precision, …) and of the network (dropout, width, or by dotted name:
    **{"encoder.layers": 3}).
    """
    from isotone.api import load

    require_training()
    asked = Asked(
        task=task,
        model=model,
        recipe=recipe,
        size=size,
        text=texts if fold_case is None else _folding(texts, fold_case),
        seed=seed,
        seeds=seeds,
        device=device,
        devices=devices,
        threads=threads,
        reverse=reverse,
        distil=distil,
        keep_teacher=keep_teacher,
        start=None if start_from is None else read_start(start_from),
        changes={**changes, "copy_gate": copy, **paradigm_change(paradigm)},
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
            further=distil_sources,
        )
        told = hasattr(sys, "ps1") if progress is None else progress
        with progress_log(job.pairs.notes if job.pairs else ()) if told else nullcontext() as log:
            outcome = run_job(job, [*callbacks, *([log] if log else [])])
        if outcome is not None and not outcome.finished and outcome.best is None:
            raise KeyboardInterrupt
        return load(folder)


def _folding(texts: Texts | None, fold_case: bool) -> Texts | SideChanges:
    if texts is None:
        return SideChanges(source=TextChanges(fold_case=fold_case))
    return texts.with_changes(source=TextChanges(fold_case=fold_case))


def paradigm_change(paradigm: bool | None) -> dict[str, float]:
    """What `--paradigm` means for the recipe: half of the sources are other forms. None where nothing was said."""
    return {} if paradigm is None else {"paradigm": PARADIGM if paradigm else 0.0}


def mode_of(*, resume: bool, overwrite: bool) -> Mode:
    """What may be in the folder."""
    if resume and overwrite:
        raise ConfigError("--resume and --overwrite exclude each other")
    return "resume" if resume else "overwrite" if overwrite else "new"


def text_changes(
    *, normalization: str | None, source: str | None, target: str | None, fold_case: bool | None = None
) -> SideChanges | None:
    """Changes to the data's own way of cutting symbols, as the command line words them; None where nothing was said.

    Only sources are folded.
    """
    if normalization is source is target is None and fold_case is None:
        return None
    return SideChanges(
        source=TextChanges.of(normalization=normalization, symbols=source, fold_case=fold_case),
        target=TextChanges.of(normalization=normalization, symbols=target),
    )


def read_request(path: Path) -> Request:
    """A request from a file, as `isotone train --print-config` prints it."""
    if not path.is_file():
        raise ConfigError(f"{path}: no such file")
    return Request.from_json(read_json(path, error=ConfigError), place=str(path))


def tensorboard_log(folder: Path) -> Callback:
    """A callback that logs to TensorBoard."""
    from isotone.training.log import TensorBoardLog

    return TensorBoardLog(folder)
