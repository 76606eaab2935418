"""Model folders on the Hugging Face Hub."""

from __future__ import annotations

import tempfile
from pathlib import Path

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from isotone.errors import ModelError
from isotone.models.card import model_card
from isotone.models.store import CONFIG, VOCABULARY, WEIGHTS, Bundle, save_bundle

__all__ = ["fetch", "push"]

FILES = [CONFIG, VOCABULARY, WEIGHTS, "metrics.json", "README.md"]


def fetch(name: str, *, revision: str | None = None) -> Path:
    """Download a model's files (or find them in the cache); the folder they are in."""
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=FILES))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ModelError(f"{name}: neither a model folder here nor one on the hub ({reason})") from error


def push(bundle: Bundle, name: str, *, private: bool, token: str | None) -> str:
    """Upload a model with a generated card; gives back its address."""
    api = HfApi(token=token)
    try:
        api.create_repo(name, private=private, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            save_bundle(bundle, Path(folder))
            (Path(folder) / "README.md").write_text(model_card(bundle), encoding="utf-8")
            return str(api.upload_folder(repo_id=name, folder_path=folder))
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ModelError(f"{name}: could not upload ({reason})") from error
