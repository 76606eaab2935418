"""Several runs that differ by their seed only, packed into one mixture folder."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Sequence
from pathlib import Path

from isotone.errors import ConfigError
from isotone.files import atomic_text, write_json
from isotone.store.card import mixture_card
from isotone.store.folder import Member, load_member
from isotone.store.hub import read_metrics
from isotone.store.mixture import MIXTURE, write_mixture
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
    assessment = DevSet(bundles[0], dev).assess(*bundles)
    metrics = {
        "task": settings.task,
        "dev": {**assessment.metrics, "loss": assessment.loss},
        "members": {member_name(seed): (read_metrics(folder / member_name(seed)) or {}).get("dev") for seed in seeds},
        "pairs": len(examples),
        "finished": True,
        "recipe": settings.recipe.model_dump(mode="json"),
    }
    write_json(folder / "metrics.json", metrics)
    with atomic_text(folder / "README.md") as file:
        file.write(mixture_card(bundles, assessment.metrics))
    write_mixture(folder, [member_name(seed) for seed in seeds])
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
    if settings.resume and not resumable and (read_metrics(folder) or {}).get("finished"):
        return load_member(folder), True
    own = dataclasses.replace(settings, seed=seed, resume=resumable, overwrite=not resumable)
    bundle, outcome = train(examples, dev, folder, own, callbacks)
    return bundle, outcome.finished
