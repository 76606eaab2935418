"""What a model is, as stored: inside `model.safetensors`, with readable copies beside it.

The header of the weights carries a JSON object: the format's version, the configuration, the vocabulary, metrics, the
run (the training request), a temperature if there is one, and a checksum of all these and the tensors. So one rename
replaces the whole model. Folders of format 1 have the configuration and the vocabulary in config.json and
vocabulary.json only.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from isotone.errors import ModelError, first_problem
from isotone.files import open_regular, parse_json, read_json
from isotone.models.config import FORMAT as CONFIG_FORMAT
from isotone.models.config import ModelConfig
from isotone.store.header import Header, read_header
from isotone.store.layout import CONFIG, FORMAT, VOCABULARY, WEIGHTS, format_for
from isotone.store.metrics import Metrics, parse_metrics, read_metrics_file
from isotone.store.temperature import Temperature, parse_temperature
from isotone.store.upgrade import upgrade_config
from isotone.text.vocabulary import Vocabulary

__all__ = [
    "MISSING",
    "Manifest",
    "canonical",
    "check_copies",
    "description_of",
    "manifest_of",
    "metadata_of",
    "parse_config",
    "parse_vocabulary",
    "read_manifest",
]

MISSING = "missing from the model folder"
KEY = "isotone"
PAUSE = 0.2
"""Seconds to wait for another process that may be between writing the weights and writing the copies."""
_LOGGER = logging.getLogger("isotone")


@dataclass(frozen=True, eq=False)
class Manifest:
    """A single model but for its weights."""

    config: ModelConfig
    vocabulary: Vocabulary
    metrics: Metrics | None
    run: Mapping[str, Any] | None
    temperature: Temperature | None
    description: Mapping[str, Any]
    """The JSON object that all of the above was read from; empty in format 1."""
    checksum: str | None
    """None in format 1."""
    parameters: int
    """Numbers in all tensors."""
    exported: Mapping[str, Any] | None = None
    """For an exported model, the facts about the export; None for a trained one."""


def description_of(
    config: ModelConfig,
    vocabulary: Vocabulary,
    metrics: Metrics | None,
    run: Mapping[str, Any] | None,
    *,
    temperature: Temperature | None = None,
) -> dict[str, Any]:
    """The JSON object that describes a model, without the checksum; ModelError where it could not be read again."""
    description = {
        "format": format_for(temperature),
        "config": config.model_dump(mode="json"),
        "vocabulary": vocabulary.to_json(),
        "metrics": None if metrics is None else metrics.to_json(),
        "run": None if run is None else dict(run),
        **({} if temperature is None else {"temperature": temperature.to_json()}),
    }
    try:
        parse_json(canonical(description))
    except ValueError as error:
        raise ModelError(f"this model cannot be saved: {error}") from error
    return description


def canonical(description: Mapping[str, Any]) -> bytes:
    """The one JSON form of a description, for its checksum."""
    return json.dumps(description, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def metadata_of(description: Mapping[str, Any], checksum: str) -> dict[str, str]:
    """The metadata of the weights."""
    return {"format": "pt", KEY: json.dumps({**description, "checksum": checksum}, ensure_ascii=False)}


def read_manifest(folder: Path) -> Manifest:
    """What the single model in `folder` is, without reading its weights."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    with open_regular(folder / WEIGHTS, missing=MISSING) as file:
        return manifest_of(read_header(file, folder / WEIGHTS), folder)


def manifest_of(header: Header, folder: Path) -> Manifest:
    """What the weights' header says, or for a folder of format 1 the files beside it."""
    path = folder / WEIGHTS
    if KEY not in header.metadata:
        config = parse_config(read_json(folder / CONFIG, missing=MISSING), folder / CONFIG)
        vocabulary = parse_vocabulary(read_json(folder / VOCABULARY, missing=MISSING), folder / VOCABULARY)
        return Manifest(config, vocabulary, read_metrics_file(folder), None, None, {}, None, header.numel)
    try:
        description = parse_json(header.metadata[KEY].encode())
        checksum = description.pop("checksum")
        version, run = description["format"], description["run"]
        config, vocabulary = description["config"], description["vocabulary"]
        metrics = parse_metrics(description["metrics"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ModelError(f"{path}: its description is damaged ({error})") from error
    if type(version) is not int or not isinstance(run, dict | None) or not isinstance(checksum, str):
        raise ModelError(f"{path}: its description is damaged")
    _check_version(version, FORMAT, path)
    return Manifest(
        config=parse_config(config, path),
        vocabulary=parse_vocabulary(vocabulary, path),
        metrics=metrics,
        run=run,
        temperature=parse_temperature(description.get("temperature"), path),
        description=description,
        checksum=checksum,
        parameters=header.numel,
    )


def parse_config(raw: Any, path: Path) -> ModelConfig:
    """A configuration as read from the JSON of `path`."""
    if not isinstance(raw, dict):
        raise ModelError(f"{path}: expected a JSON object")
    _check_version(raw.get("format"), CONFIG_FORMAT, path)
    try:
        return ModelConfig.model_validate(upgrade_config(raw))
    except ValidationError as error:
        raise ModelError(f"{path}: {first_problem(error)}") from error


def check_copies(folder: Path) -> None:
    """Warn where config.json or vocabulary.json say something else than the weights, which count."""
    if _differing(folder) is None:
        return
    time.sleep(PAUSE)
    if (name := _differing(folder)) is not None:
        _LOGGER.warning("%s differs from the copy inside %s, which is the one that counts", folder / name, WEIGHTS)


def _differing(folder: Path) -> str | None:
    try:
        description = read_manifest(folder).description
    except ModelError:  # replaced or removed meanwhile
        return None
    for name, part in ((CONFIG, "config"), (VOCABULARY, "vocabulary")):
        try:
            if description and read_json(folder / name) != description[part]:
                return name
        except ModelError:  # a copy that cannot be read misleads nobody
            continue
    return None


def parse_vocabulary(raw: Any, path: Path) -> Vocabulary:
    """A vocabulary as read from the JSON of `path`."""
    try:
        return Vocabulary.from_json(raw)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def _check_version(version: Any, newest: int, path: Path) -> None:
    if isinstance(version, int) and version > newest:
        raise ModelError(f"{path}: format {version} comes from a newer Isotone (this one reads up to {newest})")
