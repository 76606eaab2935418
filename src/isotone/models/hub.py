"""Model folders for others: with a card, and on the Hugging Face Hub."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from isotone.errors import ModelError
from isotone.files import write_json
from isotone.models.card import model_card
from isotone.models.store import CONFIG, VOCABULARY, WEIGHTS, Bundle, save_bundle

__all__ = ["fetch", "push", "read_metrics", "save_with_card"]

METRICS, CARD = "metrics.json", "README.md"
FILES = [CONFIG, VOCABULARY, WEIGHTS, METRICS, CARD]


def fetch(name: str, *, revision: str | None = None) -> Path:
    """Download a model's files (or find them in the cache); the folder they are in."""
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=FILES))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ModelError(f"{name}: neither a model folder here nor one on the hub ({_reason(error)})") from error


def push(bundle: Bundle, name: str, metrics: Mapping[str, Any] | None, *, private: bool, token: str | None) -> str:
    """Upload a model with a generated card; gives back its address."""
    api = HfApi(token=token)
    try:
        address = api.create_repo(name, private=private, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="isotone-") as folder:
            save_with_card(bundle, Path(folder), metrics)
            api.upload_folder(repo_id=name, folder_path=folder, commit_message="Upload an Isotone model")
        return str(address)
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise ModelError(f"{name}: could not upload ({_reason(error)})") from error


def save_with_card(bundle: Bundle, folder: Path, metrics: Mapping[str, Any] | None) -> None:
    """The model folder with its card, and with `metrics`, where known, as its metrics.json."""
    save_bundle(bundle, folder)
    (folder / CARD).write_text(model_card(bundle, dict(metrics) if metrics else None), encoding="utf-8")
    if metrics:
        write_json(folder / METRICS, metrics)


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
