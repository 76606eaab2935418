"""What is to be done in which folder: a new run, one that goes on, or nothing any more. Decided without torch.

Every mistake that can be seen before the first step is refused here, before anything in the folder is touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from isotone.errors import ConfigError
from isotone.store.describe import read_folder
from isotone.store.layout import EXPORT, holds_model, is_vacant
from isotone.store.shipped import folder_named
from isotone.text.inputs import Pairs
from isotone.text.readers import DataFormat
from isotone.training.pairs import Sources, TrainingPairs, gather
from isotone.training.paradigm import check_paradigms
from isotone.training.request import Asked, Request
from isotone.training.start import read_start
from isotone.training.state import read_unfinished

__all__ = ["Job", "Mode", "begun_run", "check_folder", "new_request", "plan_job"]

Mode = Literal["new", "resume", "overwrite"]
"""What may be in the folder: nothing, a run to go on with, or a model to replace."""


@dataclass(frozen=True)
class Job:
    """A request with its pairs, and the folder that its model goes to."""

    request: Request
    pairs: TrainingPairs | None
    """None where there is nothing left to do."""
    folder: Path
    mode: Mode
    besides: tuple[str, ...] = ()
    """Files that the caller keeps in the folder itself."""


def check_folder(folder: Path, mode: Mode, besides: Sequence[str] = ()) -> None:
    """Refuse to write into a folder that holds something, unless it is ours and the user said what to do with it."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ConfigError(f"{folder}: is a file, expected a folder for the model")
    if is_vacant(folder, besides=besides):
        return
    if (folder / EXPORT).exists():
        raise ConfigError(f"{folder}: holds an exported model, which cannot be trained; choose another folder")
    if mode == "new":
        raise ConfigError(f"{folder}: is not empty; give --resume to go on or --overwrite to replace its model")
    if not holds_model(folder) and read_unfinished(folder) is None:
        raise ConfigError(f"{folder}: is not empty, and holds neither a model nor a run; choose another folder")


def plan_job(
    asked: Asked,
    folder: Path,
    *,
    train: Pairs | None = None,
    dev: Pairs | float | None = None,
    format: str | DataFormat | None = None,
    skip_bad: bool = False,
    mode: Mode = "new",
    config: Request | None = None,
    besides: Sequence[str] = (),
    further: Sources | None = None,
) -> Job:
    """The job that follows from what the user said; `config` is a whole request to begin from.

    A run that goes on takes everything from its folder; what the user says must not contradict it. Where there is
    nothing to go on with, `resume` starts a new run, so that one command serves a scheduler that starts it again.
    `further` are sources without targets, for `Asked.distil`.
    """
    check_folder(folder, mode, besides)
    job = partial(Job, folder=folder, mode=mode, besides=tuple(besides))
    begun = begun_run(folder) if mode == "resume" else None
    if begun is None:
        named: Any = {"train": train, "dev": dev, "format": format, "skip_bad": skip_bad, "further": further}
        request, pairs = new_request(asked, **named, config=config)
        _check_apart(folder, request)
        return job(request=request, pairs=pairs)
    known, finished = begun
    if config is not None:
        _check_same(known, config.model_copy(update={"data": known.data}))
    if finished and train is None:
        return job(request=_agreed(known, asked), pairs=None)
    found = _gather(asked, known, train=train, dev=dev, format=format, skip_bad=skip_bad, further=further)
    _same_data(known, found)
    return job(request=_agreed(known, asked), pairs=None if finished else found)


def new_request(
    asked: Asked,
    *,
    train: Pairs | None = None,
    dev: Pairs | float | None = None,
    format: str | DataFormat | None = None,
    skip_bad: bool = False,
    config: Request | None = None,
    further: Sources | None = None,
) -> tuple[Request, TrainingPairs]:
    """The request of a new run and its pairs, whatever folder it goes to."""
    asked = _with_start(asked, config)
    pairs = _gather(asked, config, train=train, dev=dev, format=format, skip_bad=skip_bad, further=further)
    if config is not None:
        request = config.model_copy(update={"data": pairs.record}).changed(asked)
    else:
        request = Request.of(asked, data=pairs.record, texts=pairs.texts)
    if request.recipe.paradigm:
        check_paradigms(pairs.train)
    if asked.start is not None:
        natural = pairs.texts if asked.text is None else request.text
        said = asked.start.check_pairs(pairs.train, natural, request.text)
        pairs = replace(pairs, notes=(*pairs.notes, *said))
    return request, pairs


def _with_start(asked: Asked, config: Request | None) -> Asked:
    """What the user said, with the model that a whole request begins with, and the task that this model is for."""
    if asked.start is None and config is not None and config.origin is not None:
        asked = replace(asked, start=read_start(config.origin.model))
        if asked.start is not None and asked.start.origin.fingerprint != config.origin.fingerprint:
            raise ConfigError(f"{config.origin.model}: is no longer the model that this request was made for")
    if asked.start is not None and asked.task is None and config is None:
        asked = replace(asked, task=asked.start.config.task)
    return asked


def _check_apart(folder: Path, request: Request) -> None:
    """Refuse to replace the model that is to be begun with: a resumed run needs it, too."""
    if request.origin is None:
        return
    if folder_named(request.origin.model).resolve().is_relative_to(folder.resolve()):
        raise ConfigError(f"{folder}: holds the model to begin with; choose another folder")


def _gather(
    asked: Asked,
    known: Request | None,
    *,
    train: Pairs | None,
    dev: Pairs | float | None,
    format: str | DataFormat | None,
    skip_bad: bool,
    further: Sources | None,
) -> TrainingPairs:
    """The pairs that the user names, or those that a known request names."""
    if known is not None:
        train = known.data.train if train is None else train
        dev = known.data.dev if dev is None else dev
        format, skip_bad = format or known.data.format, skip_bad or known.data.skip_bad
        further = known.data.further if further is None else further
    distils = asked.distil if asked.distil is not None else known is not None and known.distil is not None
    if further is not None and not distils:
        raise ConfigError("--distil-sources goes with --distil")
    if train is None or dev is None:
        raise ConfigError("name the training pairs (--train) and the dev pairs or their share (--dev)")
    task = asked.task or (known.task if known else str(Request.model_fields["task"].default))
    reverse = bool(asked.reverse or (known and known.data.format and known.data.format.reverse))
    if asked.start is not None:
        reverse = asked.start.reverses(asked.reverse)
    text = asked.text if asked.start is None else asked.start.texts(asked.text)
    read: Any = {"format": format, "skip_bad": skip_bad, "text": text, "reverse": reverse, "further": further}
    return gather(train, dev, task=task, **read)


def begun_run(folder: Path) -> tuple[Request, bool] | None:
    """The run in a folder, and whether it is finished."""
    if (unfinished := read_unfinished(folder)) is not None:
        return unfinished.request, False
    if not holds_model(folder):
        return None
    model = read_folder(folder)
    if model.run is None:
        raise ConfigError(f"{folder}: its model does not say how it was trained, so there is no run to resume")
    return Request.from_json(model.run, place=str(folder)), True


def _agreed(request: Request, asked: Asked) -> Request:
    """The folder's request, unless the user contradicts it; device, devices and threads may be others."""
    wanted = request.changed(asked)
    _check_same(request, wanted)
    return wanted


def _check_same(request: Request, wanted: Request) -> None:
    if difference := request.contradiction(wanted):
        raise ConfigError(f"--resume: the run in this folder is another one: its {difference}")


def _same_data(request: Request, pairs: TrainingPairs) -> None:
    for name in ("train", "dev"):
        if getattr(request.data, f"{name}_digest") != getattr(pairs.record, f"{name}_digest"):
            before = getattr(request.data, f"{name}_pairs")
            raise ConfigError(f"--resume: the {name} pairs are not those that this run began with ({before:,} pairs)")
    if request.data.further_digest != pairs.record.further_digest:
        before = request.data.further_sources
        raise ConfigError(f"--resume: the --distil-sources are not those that this run began with ({before:,} sources)")
