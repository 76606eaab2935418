"""The state of a run, for resuming bit by bit: one safetensors file with a JSON header, no pickle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from isotone.errors import ModelError
from isotone.store.layout import STATE
from isotone.store.tensors import write_tensors

__all__ = ["STATE", "load_state", "save_state"]

VERSION = 2
"""2: batches are sorted by their sources first, so a run saved by version 1 would see other batches."""


def save_state(folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer, progress: dict[str, Any]) -> None:
    """Weights, Adam's moments, the random state and `progress` (plain JSON), atomically."""
    tensors: dict[str, Tensor] = {f"network.{name}": t for name, t in network.state_dict().items()}
    for place, moments in optimizer.state_dict()["state"].items():
        for name, value in moments.items():
            tensors[f"optimizer.{place}.{name}"] = torch.as_tensor(value)
    tensors["random"] = torch.get_rng_state()
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    header = {"isotone": json.dumps({"version": VERSION, **progress})}
    write_tensors(folder / STATE, tensors, header)


def load_state(folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Put a saved run back into `network` and `optimizer` and torch's random state; gives back its progress."""
    path = folder / STATE
    if not path.is_file():
        raise ModelError(f"{path}: there is no run to resume")
    try:
        with safe_open(path, "pt") as file:
            progress: dict[str, Any] = json.loads(file.metadata()["isotone"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: damaged or cut short ({error})") from error
    if progress.get("version") != VERSION:
        raise ModelError(f"{path}: saved by another version of Isotone ({progress.get('version')})")
    weights = {name.removeprefix("network."): t for name, t in tensors.items() if name.startswith("network.")}
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        raise ModelError(f"{path}: does not fit this model: the data or the settings have changed") from error
    moments: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, place, key = name.split(".")
            moments.setdefault(int(place), {})[key] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    torch.set_rng_state(tensors["random"])
    return progress
