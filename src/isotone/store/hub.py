"""Model folders for others: with a card, and on the Hugging Face Hub."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from isotone.errors import ModelError
from isotone.files import atomic_text, write_json
from isotone.store.card import mixture_card, model_card
from isotone.store.folder import CONFIG, VOCABULARY, WEIGHTS, Member, save_member
from isotone.store.mixture import MIXTURE, write_mixture

__all__ = ["fetch", "push", "read_metrics", "save_with_card"]

METRICS, CARD = "metrics.json", "README.md"
FILES = [CONFIG, VOCABULARY, WEIGHTS, METRICS, CARD]
PATTERNS = [*FILES, MIXTURE, *(f"*/{name}" for name in FILES)]
"""A model's files, and those of a mixture's members."""


def fetch(name: str, *, revision: str | None = None) -> Path:
    """Download a model's files (or find them in the cache); the folder they are in."""
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=PATTERNS))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ModelError(f"{name}: neither a model folder here nor one on the hub ({_reason(error)})") from error


def push(
    bundles: Sequence[Member],
    name: str,
    metrics: Mapping[str, Any] | None,
    weights: Sequence[float],
    *,
    private: bool,
    token: str | None,
) -> str:
    """Upload a model or a mixture with a generated card; gives back its address."""
    api = HfApi(token=token)
    try:
        address = api.create_repo(name, private=private, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="isotone-") as folder:
            save_with_card(bundles, Path(folder), metrics, weights)
            api.upload_folder(repo_id=name, folder_path=folder, commit_message="Upload an Isotone model")
        return str(address)
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise ModelError(f"{name}: could not upload ({_reason(error)})") from error


def save_with_card(
    bundles: Sequence[Member], folder: Path, metrics: Mapping[str, Any] | None, weights: Sequence[float]
) -> None:
    """The model folder with its card, and with `metrics`, where known, as its metrics.json.

    Several models make a mixture's folder, with a folder for each of them in it.
    """
    if len(bundles) == 1:
        save_member(bundles[0], folder)
        card = model_card(bundles[0], dict(metrics) if metrics else None)
    else:
        names = [f"member-{place}" for place in range(len(bundles))]
        for bundle, name in zip(bundles, names, strict=True):
            save_member(bundle, folder / name)
        write_mixture(folder, names, weights)
        dev = metrics.get("dev") if metrics else None
        card = mixture_card(bundles, dev)
    if metrics:
        write_json(folder / METRICS, metrics)
    with atomic_text(folder / CARD) as file:
        file.write(card)


def read_metrics(folder: Path) -> dict[str, Any] | None:
    """A folder's metrics.json; None where there is none that can be read, for a model works without it."""
    try:
        value = json.loads((folder / METRICS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _reason(error: Exception) -> str:
    """The first line of a message that may have many."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
