"""Model folders on the Hugging Face Hub."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from isotone.errors import ModelError
from isotone.store.layout import CARD, CONFIG, EXPORT, METRICS, MIXTURE, RUN, TEMPERATURE, VOCABULARY, WEIGHTS
from isotone.store.metrics import Metrics
from isotone.store.temperature import Temperature

if TYPE_CHECKING:
    from isotone.store.folder import Member

__all__ = ["check_inside", "fetch", "push"]

GRAPHS = ["encoder-*.onnx", "step-*.onnx", "greedy-*.onnx"]
FILES = [CONFIG, VOCABULARY, WEIGHTS, METRICS, RUN, TEMPERATURE, CARD, EXPORT, *GRAPHS]
PATTERNS = [*FILES, MIXTURE, *(f"*/{name}" for name in FILES)]
"""A model's files, and those of a mixture's members."""


def fetch(name: str, *, revision: str | None = None) -> Path:
    """Download a model's files, or find them in the cache; returns the folder they are in."""
    try:
        folder = Path(snapshot_download(name, revision=revision, allow_patterns=PATTERNS))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError, ValueError) as error:
        raise ModelError(f"{name}: neither a model folder here nor one on the hub ({_reason(error)})") from error
    check_inside(folder, name)
    return folder


def check_inside(folder: Path, name: str) -> None:
    """ModelError if a file of a downloaded folder leads out of the repository's own folder in the cache.

    A snapshot's files are links to the blobs two folders up; nothing else may be linked.
    """
    home = folder.resolve().parent.parent
    for pattern in PATTERNS:
        for path in folder.glob(pattern):
            if not path.resolve().is_relative_to(home):
                raise ModelError(f"{name}: {path.relative_to(folder)} leads out of the downloaded folder")


def push(
    members: Sequence[tuple[Member, float]],
    name: str,
    *,
    metrics: Metrics | None = None,
    run: Mapping[str, Any] | None = None,
    temperature: Temperature | None = None,
    private: bool = False,
    token: str | None = None,
) -> str:
    """Upload a model or a mixture with its card; returns its address."""
    from isotone.store.folder import save_members

    api = HfApi(token=token)
    try:
        address = api.create_repo(name, private=private, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="isotone-") as folder:
            save_members(Path(folder), members, metrics=metrics, run=run, temperature=temperature)
            api.upload_folder(repo_id=name, folder_path=folder, commit_message="Upload an Isotone model")
        return str(address)
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise ModelError(f"{name}: could not upload ({_reason(error)})") from error


def _reason(error: Exception) -> str:
    """The first line of a message that may have many."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
