"""The names of a model folder's files, and how to remove them without touching anything else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from isotone.files import is_leftover, sync_folder

__all__ = [
    "CARD",
    "CONFIG",
    "EXPORT",
    "FORMAT",
    "LOCK",
    "LOG",
    "METRICS",
    "MIXTURE",
    "RUN",
    "STATE",
    "STATE_RUN",
    "STATE_TENSORS",
    "TEMPERATURE",
    "VOCABULARY",
    "WEIGHTS",
    "format_for",
    "holds_model",
    "is_graph",
    "is_graph_leftover",
    "is_vacant",
    "remove_leftovers",
    "remove_model",
]

WEIGHTS = "model.safetensors"
"""The model, whole: weights, configuration, vocabulary, metrics and run. The other files of a model are copies."""
CONFIG, VOCABULARY, METRICS, RUN, CARD = "config.json", "vocabulary.json", "metrics.json", "run.json", "README.md"
TEMPERATURE = "temperature.json"
LOG = "train.log.csv"
MIXTURE = "mixture.json"
"""Makes a folder a mixture of the models in folders inside it."""
EXPORT = "export.json"
"""Makes a folder an exported model: what it is, and which graphs belong to it."""
STATE = Path("state")
"""An unfinished run."""
STATE_RUN, STATE_TENSORS = STATE / "run.json", STATE / "training.safetensors"
"""What was asked for, and how far it is."""
LOCK = ".isotone.lock"
FORMAT = 3
"""Newest version of the folder's layout. 1: the configuration and the vocabulary are in files of their own only; 3:
there is a temperature, which older versions must not overlook. A folder without one is still written as 2."""

_GRAPH = re.compile(r"(encoder|step|greedy)-[0-9a-f]{16}\.onnx")
_MODEL = (WEIGHTS, EXPORT, CONFIG, VOCABULARY, METRICS, RUN, TEMPERATURE, CARD, LOG)
_OURS = {*_MODEL, MIXTURE, STATE_RUN.name, STATE_TENSORS.name, LOCK}


def holds_model(folder: Path) -> bool:
    """Is there a model or a mixture in `folder`, whole or damaged?"""
    return any((folder / name).is_file() for name in (MIXTURE, WEIGHTS, EXPORT))


def is_graph(name: str) -> bool:
    """Is `name` that of a graph of an exported model? It ends with the beginning of the file's checksum."""
    return _GRAPH.fullmatch(name) is not None


def format_for(temperature: object | None) -> int:
    """The version to write: the oldest that says everything."""
    return 2 if temperature is None else 3


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files of ours that a killed process left behind; call it only while holding the lock."""
    for place in (folder, folder / STATE):
        if place.is_dir():
            for path in place.iterdir():
                if is_leftover(path.name, _OURS) or is_graph_leftover(path.name):
                    path.unlink(missing_ok=True)


def is_graph_leftover(name: str) -> bool:
    """Is `name` a temporary file that a killed export left behind?"""
    found = _GRAPH.search(name)
    return found is not None and is_leftover(name, {found[0]})


def is_vacant(folder: Path, *, besides: Sequence[str] = ()) -> bool:
    """Does `folder` not exist, or hold nothing but a lock, leftovers of ours, and the files named in `besides`?"""
    if not folder.is_dir():
        return not folder.exists()
    known = {LOCK, *besides}
    return all(
        path.name in known or is_leftover(path.name, _OURS) or is_graph_leftover(path.name) for path in folder.iterdir()
    )


def remove_model(folder: Path, *, keep: tuple[str, ...] = ()) -> None:
    """Remove a single model's own files but for `keep`, its saved run, and the folder if nothing else is in it.

    The weights go first: without them nobody takes the folder for a model.
    """
    for name in _MODEL:
        if name not in keep:
            with suppress(OSError):  # missing, or a folder of that name
                (folder / name).unlink()
    with suppress(OSError):
        for path in [path for path in folder.iterdir() if is_graph(path.name)]:
            path.unlink()
    with suppress(OSError):
        remove_leftovers(folder)
        for path in (STATE_TENSORS, STATE_RUN):
            (folder / path).unlink(missing_ok=True)
    for place in (folder / STATE, folder):
        with suppress(OSError):  # not empty: somebody else's files
            place.rmdir()
    sync_folder(folder.parent)
