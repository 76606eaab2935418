"""From examples to a model folder: what `isotone train` and `isotone.train()` both call."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import torch

from isotone.errors import ConfigError, DataError
from isotone.store.describe import holds_model
from isotone.store.folder import Member, load_member, save_member
from isotone.store.metrics import Metrics
from isotone.text.example import Example
from isotone.training.assess import DevSet
from isotone.training.device import fabric_for
from isotone.training.events import Callback
from isotone.training.log import LOG, CsvLog
from isotone.training.loop import Outcome, Run
from isotone.training.prepare import prepare
from isotone.training.settings import Settings
from isotone.training.state import STATE

__all__ = ["check_folder", "train"]


def check_folder(folder: Path, *, resume: bool, overwrite: bool) -> None:
    """Refuse to write into a folder that holds something, unless the user said what to do with it."""
    if resume and overwrite:
        raise ConfigError("--resume and --overwrite exclude each other")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is a file, expected a folder for the model")
    if resume and not (folder / STATE).is_file():
        finished = holds_model(folder)
        raise ConfigError(f"{folder}: {'its run is finished' if finished else 'there is no run to resume here'}")
    if not resume and not overwrite and folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: is not empty; give --resume to go on or --overwrite to start anew")


def train(
    examples: Sequence[Example],
    dev: Sequence[Example],
    folder: Path,
    settings: Settings,
    callbacks: Sequence[Callback] = (),
) -> tuple[Member, Outcome]:
    """Train on `examples`, select on `dev`, leave the best epoch in `folder` and give it back."""
    check_folder(folder, resume=settings.resume, overwrite=settings.overwrite)
    if not examples or not dev:
        raise DataError("training needs at least one pair to train on and one dev pair")
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    try:
        run = _begin(examples, dev, folder, settings, callbacks)
    except BaseException:
        for callback in callbacks:
            callback.on_end()
        raise
    outcome = run.fit()
    best = load_member(folder)
    _describe(folder, best, outcome, settings, pairs=len(examples))
    if outcome.finished:
        shutil.rmtree(folder / STATE.parent, ignore_errors=True)
    return best, outcome


def _begin(
    examples: Sequence[Example],
    dev: Sequence[Example],
    folder: Path,
    settings: Settings,
    callbacks: Sequence[Callback],
) -> Run:
    """Everything up to the first step."""
    fabric = fabric_for(settings.device, settings.recipe.precision)
    torch.manual_seed(settings.seed)
    bundle, loader = prepare(examples, settings, callbacks)
    if settings.overwrite:
        _clear(folder)
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(
        bundle=bundle,
        loader=loader,
        dev=DevSet(bundle, dev),
        recipe=settings.recipe,
        fabric=fabric,
        folder=folder,
        callbacks=[CsvLog(folder / LOG, resume=settings.resume), *callbacks],
    )
    if settings.resume:
        run.resume()
    return run


def _clear(folder: Path) -> None:
    """Forget an earlier run's log and state; its model stays until the first epoch of the new one replaces it."""
    shutil.rmtree(folder / STATE.parent, ignore_errors=True)
    for name in (LOG, "metrics.json"):
        (folder / name).unlink(missing_ok=True)


def _describe(folder: Path, bundle: Member, outcome: Outcome, settings: Settings, *, pairs: int) -> None:
    """metrics.json and the model card."""
    best = outcome.best
    metrics = Metrics(
        task=settings.task,
        dev={**best.metrics, "loss": best.dev_loss} if best else {},
        best_epoch=best.epoch if best else 0,
        epochs=outcome.epochs,
        finished=outcome.finished,
        pairs=pairs,
        batch_size=settings.recipe.batch_size_for(settings.task),
        seed=settings.seed,
        recipe=settings.recipe.model_dump(mode="json"),
    )
    save_member(folder, bundle, metrics=metrics)
