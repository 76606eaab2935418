"""The pairs that a model was trained on, where its folder names them and they are still the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isotone.errors import IsotoneError
from isotone.text.example import Example
from isotone.text.readers import read
from isotone.text.split import split_off

__all__ = ["training_pairs"]


def training_pairs(run: Mapping[str, Any] | None) -> tuple[list[Example] | None, str]:
    """The pairs that `run` (run.json) names, checked against its digest; or None, and why they are not known."""
    from isotone.training.pairs import digest
    from isotone.training.request import Request

    if run is None:
        return None, "this model does not say what it was trained on"
    try:
        data = Request.from_json(run, place="run.json").data
    except IsotoneError as error:
        return None, f"this model's run.json cannot be read ({error})"
    if data.train is None or data.format is None:
        return None, "this model was trained on pairs given in Python, not on a file"
    if not Path(data.train).is_file():
        return None, f"{data.train}: no such file here (the training pairs; name them with --train)"
    try:
        pairs = list(read(data.train, data.format.format(), skip_bad=data.skip_bad))
        if isinstance(data.dev, float):
            pairs, _ = split_off(pairs, data.dev)
    except IsotoneError as error:
        return None, str(error)
    if digest(pairs) != data.train_digest:
        return None, f"{data.train}: is no longer what this model was trained on"
    return pairs, ""
