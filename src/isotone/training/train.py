"""From examples to a model folder: what `isotone train` and `isotone.train()` both call."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from isotone.data.invention import Invention
from isotone.data.loader import Loader
from isotone.data.unknown import UnknownTraining, copied_share
from isotone.errors import ConfigError, DataError
from isotone.evaluation import task_named
from isotone.files import write_json
from isotone.models.aligners import ALIGNERS, check_copying
from isotone.models.card import model_card
from isotone.models.config import SIZES, Architecture, ModelConfig
from isotone.models.store import CONFIG, Bundle, load_bundle
from isotone.text.codec import Codec, Encoded
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.readers.selection import DataFormat
from isotone.text.vocabulary import Vocabulary
from isotone.training.assess import DevSet
from isotone.training.device import fabric_for
from isotone.training.events import Callback
from isotone.training.fixed_alignments import with_alignments
from isotone.training.log import LOG, CsvLog
from isotone.training.loop import Outcome, Run
from isotone.training.recipe import Recipe
from isotone.training.state import STATE

__all__ = ["Settings", "check_folder", "train"]

COPIED = 0.5
"""Unknown symbols are copied where at least this share of source symbols stands in its own target."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A run's choices besides its data."""

    task: str
    aligner: str
    recipe: Recipe
    texts: Texts = field(default_factory=Texts)
    data_format: DataFormat | None = None
    """Remembered in the model folder, for files to come."""
    seed: int = 0
    device: str = "auto"
    threads: int | None = None
    """CPU threads; all cores by default."""
    resume: bool = False
    overwrite: bool = False

    def __post_init__(self) -> None:
        task_named(self.task)
        if self.aligner not in ALIGNERS:
            raise ConfigError(f"unknown model {self.aligner!r}: expected one of {', '.join(ALIGNERS)}")
        if self.recipe.copy_gate:
            check_copying(self.aligner)


def check_folder(folder: Path, *, resume: bool, overwrite: bool) -> None:
    """Refuse to write into a folder that holds something, unless the user said what to do with it."""
    if resume and overwrite:
        raise ConfigError("--resume and --overwrite exclude each other")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is a file, expected a folder for the model")
    if resume and not (folder / STATE).is_file():
        finished = (folder / CONFIG).is_file()
        raise ConfigError(f"{folder}: {'its run is finished' if finished else 'there is no run to resume here'}")
    if not resume and not overwrite and folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: is not empty; give --resume to go on or --overwrite to start anew")


def train(
    examples: Sequence[Example],
    dev: Sequence[Example],
    folder: Path,
    settings: Settings,
    callbacks: Sequence[Callback] = (),
) -> tuple[Bundle, Outcome]:
    """Train on `examples`, select on `dev`, leave the best epoch in `folder` and give it back."""
    check_folder(folder, resume=settings.resume, overwrite=settings.overwrite)
    if not examples or not dev:
        raise DataError("training needs at least one pair to train on and one dev pair")
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    fabric = fabric_for(settings.device, settings.recipe.precision)
    torch.manual_seed(settings.seed)
    bundle, loader = _prepare(examples, settings, callbacks)
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
    outcome = run.fit()
    best = load_bundle(folder)
    _describe(folder, best, outcome, settings, pairs=len(examples))
    if outcome.finished:
        shutil.rmtree(folder / STATE.parent, ignore_errors=True)
    return best, outcome


def _prepare(examples: Sequence[Example], settings: Settings, callbacks: Sequence[Callback]) -> tuple[Bundle, Loader]:
    """Alphabets, a fresh network, and the batches."""
    vocabulary, counts = Vocabulary.build(examples, settings.texts)
    recipe = settings.recipe
    codec = Codec(vocabulary, settings.texts, recipe.copy_gate)
    encoded = [codec.encode(example) for example in examples]
    copies = recipe.copy_gate or copied_share(encoded, vocabulary) >= COPIED
    architecture = Architecture(
        aligner=settings.aligner,
        dropout=recipe.dropout,
        query_dropout=recipe.query_dropout,
        copies_unknown=copies and not recipe.copy_gate,
        copy_gate=recipe.copy_gate,
        **SIZES[recipe.size],
    )
    config = ModelConfig(
        task=settings.task, architecture=architecture, text=settings.texts, data_format=settings.data_format
    )
    bundle = Bundle.build(config, vocabulary)
    aligner = bundle.network.aligner
    guided = recipe.guided_epochs_for(len(examples)) if aligner.positions else 0
    if aligner.supervised or guided:
        encoded = _align(encoded, vocabulary, callbacks)
    loader = Loader(
        examples=encoded,
        batch_size=recipe.batch_size_for(settings.task),
        tag_count=len(vocabulary.tags),
        seed=settings.seed,
        unknown=UnknownTraining.build(
            vocabulary, counts, strength=recipe.unknown, copies=copies, reach=architecture.width
        ),
        aligned_epochs=None if aligner.supervised else guided,
        invention=Invention.build(encoded, vocabulary, rate=recipe.augment) if recipe.augment else None,
    )
    return bundle, loader


def _align(examples: Sequence[Encoded], vocabulary: Vocabulary, callbacks: Sequence[Callback]) -> list[Encoded]:
    def tell(number: int) -> None:
        for callback in callbacks:
            callback.on_round(number)

    try:
        return with_alignments(examples, vocabulary, tell)
    except BaseException:
        for callback in callbacks:
            callback.on_end()
        raise


def _clear(folder: Path) -> None:
    """Forget an earlier run's log and state; its model stays until the first epoch of the new one replaces it."""
    shutil.rmtree(folder / STATE.parent, ignore_errors=True)
    for name in (LOG, "metrics.json"):
        (folder / name).unlink(missing_ok=True)


def _describe(folder: Path, bundle: Bundle, outcome: Outcome, settings: Settings, *, pairs: int) -> None:
    """metrics.json and the model card."""
    best = outcome.best
    metrics = {
        "task": settings.task,
        "dev": {**best.metrics, "loss": best.dev_loss} if best else {},
        "best_epoch": best.epoch if best else 0,
        "epochs": outcome.epochs,
        "finished": outcome.finished,
        "pairs": pairs,
        "batch_size": settings.recipe.batch_size_for(settings.task),
        "seed": settings.seed,
        "recipe": settings.recipe.model_dump(mode="json"),
    }
    write_json(folder / "metrics.json", metrics)
    (folder / "README.md").write_text(model_card(bundle, metrics), encoding="utf-8")
