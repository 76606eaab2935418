"""Several runs that differ by their seed only, packed into one mixture folder."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Sequence
from pathlib import Path

from isotone.decoding.ensemble import Mixture
from isotone.errors import ConfigError
from isotone.store.describe import holds_model, read_folder
from isotone.store.folder import Member, load_member
from isotone.store.layout import MIXTURE
from isotone.store.metrics import Metrics
from isotone.store.mixture import save_mixture
from isotone.text.example import Example
from isotone.training.assess import DevSet
from isotone.training.events import Callback
from isotone.training.settings import Settings
from isotone.training.state import STATE
from isotone.training.train import check_folder, train

__all__ = ["member_name", "train_seeds"]


def member_name(seed: int) -> str:
    """The folder of one run inside the mixture's."""
    return f"seed-{seed}"


def train_seeds(
    examples: Sequence[Example],
    dev: Sequence[Example],
    folder: Path,
    settings: Settings,
    count: int,
    callbacks: Sequence[Callback] = (),
) -> tuple[list[Member], bool]:
    """Train `count` models with the seeds from `settings.seed` on and pack them; False if Ctrl-C ended it.

    Then there is no mixture yet, and the models are those that are finished, or the first one as far as it is.
    With `settings.resume`, finished members are kept and an unfinished one goes on where it stopped.
    """
    seeds = range(settings.seed, settings.seed + count)
    _check(folder, settings)
    bundles: list[Member] = []
    for seed in seeds:
        bundle, finished = _member(examples, dev, folder / member_name(seed), settings, seed, callbacks)
        if not finished:
            return bundles or [bundle], False
        bundles.append(bundle)
    assessment = DevSet(bundles[0], dev).assess(bundles[0], Mixture([bundle.network for bundle in bundles]))
    names = [member_name(seed) for seed in seeds]
    found = {name: read_folder(folder / name).metrics for name in names}
    metrics = Metrics(
        task=settings.task,
        dev={**assessment.metrics, "loss": assessment.loss},
        members={name: each.dev if each else None for name, each in found.items()},
        pairs=len(examples),
        finished=True,
        recipe=settings.recipe.model_dump(mode="json"),
    )
    save_mixture(folder, names, metrics=metrics)
    return bundles, True


def _check(folder: Path, settings: Settings) -> None:
    """As for a single model, but what can be resumed are the members."""
    if settings.resume:
        if not folder.is_dir() or not any(folder.glob(f"{member_name(settings.seed)}*")):
            raise ConfigError(f"{folder}: there is no run to resume here")
        return
    check_folder(folder, resume=False, overwrite=settings.overwrite)
    if settings.overwrite and folder.is_dir():
        for name in (MIXTURE, "metrics.json", "README.md"):
            (folder / name).unlink(missing_ok=True)
        for old in folder.glob("seed-*"):
            shutil.rmtree(old)


def _member(
    examples: Sequence[Example],
    dev: Sequence[Example],
    folder: Path,
    settings: Settings,
    seed: int,
    callbacks: Sequence[Callback],
) -> tuple[Member, bool]:
    resumable = settings.resume and (folder / STATE).is_file()
    if settings.resume and not resumable and holds_model(folder):
        known = read_folder(folder).metrics
        if known is not None and known.finished:
            return load_member(folder), True
    own = dataclasses.replace(settings, seed=seed, resume=resumable, overwrite=not resumable)
    bundle, outcome = train(examples, dev, folder, own, callbacks)
    return bundle, outcome.finished
