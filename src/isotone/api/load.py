"""From model folders to a `Transducer`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from isotone.errors import ConfigError, ModelError
from isotone.extras import require_torch
from isotone.store.shipped import folder_named

if TYPE_CHECKING:
    from isotone.api.member import AnyMember
    from isotone.api.transducer import Transducer

__all__ = ["existing_folder", "load", "read_members"]


def load(*paths: str | Path, weights: Sequence[float] | None = None) -> Transducer:
    """The model in a folder, or one that comes with Isotone, by its name ("en-us").

    Several act as one mixture, with equal weights unless given.
    """
    folders = [existing_folder(path) for path in paths]  # before torch is imported, which takes seconds

    from isotone.decoding.mixture import shares
    from isotone.store.describe import read_folder

    outer = shares(weights, len(folders))

    from isotone.api.transducer import Transducer

    members, inner = read_members(folders, outer)
    if len(folders) > 1:
        for found in map(read_folder, folders):
            if found.is_mixture and found.temperature is not None:
                raise ConfigError(
                    f"{found.path}: a mixture with a temperature of its own is no part of another mixture"
                )
        return Transducer(members, weights=inner)
    known = read_folder(folders[0])
    return Transducer(members, weights=inner, metrics=known.metrics, run=known.run, temperature=known.temperature)


def existing_folder(path: str | Path) -> Path:
    """The folder of this path, or of the model that comes with Isotone under this name; ModelError if there is neither.

    Needs no torch, so a wrong name is refused at once.
    """
    folder = folder_named(path)
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    return folder


def read_members(folders: Sequence[Path], weights: Sequence[float]) -> tuple[list[AnyMember], list[float]]:
    """The models in folders and their weights; the folder of a mixture stands for its members.

    Each folder decides what runs its model: torch for a trained one, ONNX Runtime for an exported one.
    """
    from isotone.store.describe import read_folder, steadily

    def members_of(folder: Path) -> list[tuple[AnyMember, float]]:
        return [(_member(path), share) for path, share in read_folder(folder).members]

    listed = [
        (member, weight * share)
        for folder, weight in zip(folders, weights, strict=True)
        for member, share in steadily(folder, partial(members_of, folder))
    ]
    return [member for member, _ in listed], [weight for _, weight in listed]


def _member(folder: Path) -> AnyMember:
    from isotone.store.exported import is_exported

    if is_exported(folder):
        from isotone.runtime.load import load_exported

        return load_exported(folder)
    require_torch(folder)

    from isotone.store.folder import load_member

    return load_member(folder)
