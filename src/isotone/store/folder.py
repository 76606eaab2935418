"""The model folder: config.json + vocabulary.json + model.safetensors. No pickle anywhere."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from isotone.errors import ModelError
from isotone.files import atomic_folder, write_json
from isotone.models.config import FORMAT, ModelConfig
from isotone.models.network import Network
from isotone.store.upgrade import upgrade_config
from isotone.text.codec import Codec
from isotone.text.vocabulary import Vocabulary

__all__ = ["CONFIG", "VOCABULARY", "WEIGHTS", "Member", "load_member", "read_config", "save_member", "write_tensors"]

CONFIG, VOCABULARY, WEIGHTS = "config.json", "vocabulary.json", "model.safetensors"


@dataclass(frozen=True, eq=False)
class Member:
    """A model folder in memory: what it is, its alphabets, its weights."""

    config: ModelConfig
    vocabulary: Vocabulary
    network: Network
    codec: Codec

    @classmethod
    def build(cls, config: ModelConfig, vocabulary: Vocabulary) -> Member:
        """A freshly initialised model."""
        network = Network.build(config.architecture, vocabulary)
        return cls(config, vocabulary, network, Codec(vocabulary, config.text, config.architecture.emission.copy_gate))


def save_member(bundle: Member, folder: Path) -> None:
    """Write the three files together; on any failure the folder stays as it was."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in bundle.network.state_dict().items()}
    with atomic_folder(folder) as part:
        write_json(part / CONFIG, bundle.config.model_dump(mode="json"))
        write_json(part / VOCABULARY, bundle.vocabulary.to_json())
        write_tensors(part / WEIGHTS, tensors, {"format": "pt"})


def write_tensors(path: Path, tensors: dict[str, Tensor], metadata: dict[str, str]) -> None:
    """A safetensors file; a full disk is the OSError that it would be for any other file."""
    try:
        save_file(tensors, path, metadata=metadata)
    except SafetensorError as error:
        if number := re.search(r"os error (\d+)", str(error)):
            raise OSError(int(number[1]), os.strerror(int(number[1])), str(path)) from error
        raise


def load_member(folder: Path) -> Member:
    """Read a model folder, checking everything: ModelError says what is wrong with which file."""
    config = read_config(folder)
    vocabulary = Vocabulary.from_json(_json(folder / VOCABULARY))
    bundle = Member.build(config, vocabulary)
    _fill(bundle.network, _tensors(folder / WEIGHTS), folder / WEIGHTS)
    bundle.network.eval()
    return bundle


def read_config(folder: Path) -> ModelConfig:
    """What the model in a folder is, without its weights."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    path = folder / CONFIG
    raw = upgrade_config(_json(path))
    version = raw.get("format")
    if isinstance(version, int) and version > FORMAT:
        raise ModelError(f"{path}: format {version} comes from a newer Isotone (this one reads up to {FORMAT})")
    try:
        return ModelConfig.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ModelError(f"{path}: {place}: {first['msg']}") from error


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelError(f"{path}: missing from the model folder") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: not readable as JSON ({error})") from error
    if not isinstance(value, dict):
        raise ModelError(f"{path}: expected a JSON object")
    return value


def _tensors(path: Path) -> dict[str, Tensor]:
    if not path.is_file():
        raise ModelError(f"{path}: missing from the model folder")
    try:
        return load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise ModelError(f"{path}: damaged or cut short ({error})") from error


def _fill(network: Network, tensors: dict[str, Tensor], path: Path) -> None:
    expected = network.state_dict()
    for name in sorted(expected.keys() - tensors.keys()):
        raise ModelError(f"{path}: tensor {name} is missing")
    for name in sorted(tensors.keys() - expected.keys()):
        raise ModelError(f"{path}: tensor {name} does not belong to this architecture")
    for name, tensor in expected.items():
        if tensors[name].shape != tensor.shape:
            found, wanted = tuple(tensors[name].shape), tuple(tensor.shape)
            raise ModelError(f"{path}: tensor {name} is {found}, expected {wanted}")
    network.load_state_dict(tensors)
