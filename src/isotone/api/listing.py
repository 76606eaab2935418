"""Which models there are: those that come with Isotone, those in folders here, those fetched from the Hub."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from isotone.errors import ModelError
from isotone.store.layout import holds_model
from isotone.store.shipped import SHIPPED, shipped_names

__all__ = ["Listed", "fetch", "list_models"]

DEPTH = 4
"""Folders below the one that is searched; runs of a sweep are three deep."""
MANY = 20_000
"""Folders that are looked into at most: somebody may ask in the root of a file system."""


@dataclass(frozen=True)
class Listed:
    """A model that was found."""

    name: str
    """What to write for MODEL."""
    where: Literal["shipped", "here", "hub"]
    """Comes with Isotone, stands in a folder here, or was fetched from the Hub before."""
    task: str | None = None
    model: str | None = None
    """The aligner; of a mixture the first member's."""
    members: int = 1
    parameters: int | None = None
    megabytes: float = 0.0
    dev: dict[str, float | None] | None = None
    """Metrics on its dev set, where known."""
    problem: str | None = None
    """Why it cannot be read."""

    def to_json(self) -> dict[str, Any]:
        """A line of `isotone models --json`."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def list_models(root: str | Path = ".") -> Iterator[Listed]:
    """The shipped models, those in folders below `root`, and those in the Hub's cache; reads no weights."""
    for name in shipped_names():
        yield _listed(SHIPPED / name, name, "shipped")
    for folder in _below(Path(root)):
        yield _listed(folder, str(folder), "here")
    for folder, name in _cached():
        yield _listed(folder, name, "hub")


def fetch(name: str, *, revision: str | None = None) -> Path:
    """Download a model from the Hugging Face Hub into its cache; returns the folder."""
    from isotone.store.hub import fetch as download

    return download(name, revision=revision)


def _listed(folder: Path, name: str, where: Literal["shipped", "here", "hub"]) -> Listed:
    from isotone.store.describe import read_folder

    try:
        found = read_folder(folder)
    except ModelError as error:
        return Listed(name, where, problem=str(error))
    return Listed(
        name,
        where,
        task=found.config.task,
        model=found.config.architecture.aligner.name,
        members=len(found.members),
        parameters=found.parameters,
        megabytes=round(sum(_size(member) for member, _ in found.members) / 1e6, 1),
        dev=found.metrics.dev if found.metrics else None,
    )


def _size(folder: Path) -> int:
    """Bytes of the weights or graphs."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.suffix in {".onnx", ".safetensors"})


def _below(root: Path) -> Iterator[Path]:
    """Model folders below `root`, those of a mixture's members left out, hidden folders and links not entered."""
    for looked_into, (place, folders, _) in enumerate(os.walk(root)):
        folder = Path(place)
        if holds_model(folder):
            yield folder
            folders.clear()
        elif looked_into > MANY or len(folder.relative_to(root).parts) >= DEPTH:
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))


def _cached() -> Iterator[tuple[Path, str]]:
    """Models in the Hub's cache, the newest snapshot of each, and their names there."""
    from huggingface_hub.constants import HF_HUB_CACHE

    for repository in sorted(Path(HF_HUB_CACHE).glob("models--*")):
        snapshots = [path for path in repository.glob("snapshots/*") if holds_model(path)]
        if snapshots:
            name = repository.name.removeprefix("models--").replace("--", "/")
            yield max(snapshots, key=lambda path: path.stat().st_mtime), name
