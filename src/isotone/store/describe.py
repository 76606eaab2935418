"""What stands in a model folder, read without torch and without the weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from isotone.errors import ModelError
from isotone.models.config import ModelConfig
from isotone.store.exported import read_model
from isotone.store.layout import EXPORT, MIXTURE, WEIGHTS
from isotone.store.metrics import Metrics, parse_metrics, read_metrics_file
from isotone.store.mixture import read_member, read_mixture
from isotone.store.temperature import Temperature
from isotone.text.vocabulary import Vocabulary

__all__ = ["Folder", "read_folder", "steadily"]

T = TypeVar("T")
ATTEMPTS = 20


@dataclass(frozen=True)
class Folder:
    """A model folder, single or mixture, but for the weights."""

    path: Path
    config: ModelConfig
    """The first member's."""
    vocabulary: Vocabulary
    """Shared by all members."""
    metrics: Metrics | None
    """How it was trained, where that is known."""
    run: Mapping[str, Any] | None
    """The training request, where that is known."""
    members: tuple[tuple[Path, float], ...]
    """The folders of the models and their shares, which sum to 1; for a single model the folder itself and 1."""
    configs: tuple[ModelConfig, ...]
    """Of each member."""
    parameters: int
    """Numbers in the weights of all members together."""
    exported: Mapping[str, Any] | None = None
    """For an exported model, what is particular to it: precision, and how far it is from the model it was made of."""
    temperature: Temperature | None = None
    """Of the model, or of the mixture as a whole (its members may have their own)."""

    @property
    def is_mixture(self) -> bool:
        """Are the models in folders inside this one?"""
        return self.members[0][0] != self.path


def read_folder(folder: Path) -> Folder:
    """Read what a model folder holds; ModelError says what is wrong with which file."""
    return steadily(folder, lambda: _read(folder))


def steadily(folder: Path, read: Callable[[], T]) -> T:
    """What `read` gives, tried again if another process replaces the model or the mixture meanwhile.

    Otherwise members of two mixtures might be read together, or folders looked for that are no longer there. That there
    is no mixture before and after is not enough: one may have come and gone between, and the model with it.
    """
    for _ in range(ATTEMPTS):
        before = _mark(folder)
        try:
            found = read()
        except ModelError:
            if _mark(folder) == before:
                raise
            continue
        after = _mark(folder)
        if after[0] == before[0] and (before[0] is not None or after == before):
            return found
    raise ModelError(f"{folder}: another process keeps replacing it; try again later")


def _read(folder: Path) -> Folder:
    mixture = read_mixture(folder)
    if mixture is None:
        single = read_model(folder)
        return Folder(
            path=folder,
            config=single.config,
            vocabulary=single.vocabulary,
            metrics=single.metrics,
            run=single.run,
            members=((folder, 1.0),),
            configs=(single.config,),
            parameters=single.parameters,
            exported=single.exported,
            temperature=single.temperature,
        )
    manifests = [read_member(folder, name) for name in mixture.members]
    return Folder(
        path=folder,
        config=manifests[0].config,
        vocabulary=manifests[0].vocabulary,
        metrics=parse_metrics(mixture.metrics) if mixture.format > 1 else read_metrics_file(folder),
        run=mixture.run,
        members=tuple((folder / name, share) for name, share in zip(mixture.members, mixture.shares, strict=True)),
        configs=tuple(manifest.config for manifest in manifests),
        parameters=sum(manifest.parameters for manifest in manifests),
        exported=manifests[0].exported if all(manifest.exported for manifest in manifests) else None,
        temperature=mixture.temperature,
    )


def _mark(folder: Path) -> tuple[tuple[int, ...] | None, ...]:
    """Changes whenever a mixture (the first part) or a model (the others) is committed to the folder."""
    return tuple(_file_mark(folder / name) for name in (MIXTURE, WEIGHTS, EXPORT))


def _file_mark(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
