"""What a model folder holds, as plain facts. Imports no torch and reads no weights."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import Any

from isotone.store.describe import read_folder
from isotone.store.manifest import check_copies

__all__ = ["describe"]


def describe(path: str | Path) -> dict[str, Any]:
    """What `isotone info --json` prints."""
    folder = read_folder(Path(path))
    for member, _ in folder.members:
        check_copies(member)
    config, vocabulary = folder.config, folder.vocabulary
    return {
        **({"members": {member.name: share for member, share in folder.members}} if folder.is_mixture else {}),
        "task": config.task,
        "model": ",".join(dict.fromkeys(member.architecture.aligner.name for member in folder.configs)),
        "direction": _direction({member.backwards for member in folder.configs}),
        "parameters": folder.parameters,
        **({"exported": dict(folder.exported)} if folder.exported else {}),
        "source_symbols": len(vocabulary.source.symbols),
        "target_symbols": len(vocabulary.target.symbols),
        "tags": len(vocabulary.tags),
        "architecture": config.architecture.model_dump(),
        "source_text": config.text.source.model_dump(),
        "target_text": config.text.target.model_dump(),
        "data_format": config.data_format.name if config.data_format else None,
        **({"temperature": folder.temperature.to_json()} if folder.temperature else {}),
        **({"training": folder.metrics.to_json()} if folder.metrics else {}),
        **({"run": dict(folder.run)} if folder.run is not None else {}),
    }


def _direction(backwards: Set[bool]) -> str:
    """From which end of a string the networks write, as `--set direction=` calls it."""
    return "both" if len(backwards) > 1 else "backwards" if backwards == {True} else "forwards"
