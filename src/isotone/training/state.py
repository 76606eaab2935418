"""An unfinished run, for resuming bit by bit: what was asked for, and how far it is. JSON and safetensors, no pickle.

state/run.json                 the request, written before the first step; gone when the run is finished
state/training.safetensors     weights, Adam's moments, random states and progress, replaced as a whole
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isotone.errors import ConfigError, ModelError
from isotone.files import read_json, write_json
from isotone.store.layout import STATE, STATE_RUN, STATE_TENSORS
from isotone.training.request import Request

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

__all__ = [
    "Unfinished",
    "clear_state",
    "random_states",
    "read_state",
    "read_unfinished",
    "restore_state",
    "save_state",
    "write_unfinished",
]

VERSION = 3
"""3: the log's rows are part of the progress. 2: batches are sorted by their sources first."""


@dataclass(frozen=True)
class Unfinished:
    """A run that has begun and not ended."""

    request: Request
    members: tuple[str, ...] = ()
    """Folders of the models of a mixture to come, in the order of their seeds."""


def write_unfinished(folder: Path, run: Unfinished) -> None:
    """Before the first step: from here on `--resume` knows what to do."""
    (folder / STATE).mkdir(parents=True, exist_ok=True)
    value = {"version": VERSION, "request": run.request.to_json(), "members": list(run.members)}
    write_json(folder / STATE_RUN, value)


def read_unfinished(folder: Path) -> Unfinished | None:
    """The run that a folder holds, if there is one. Imports no torch."""
    path = folder / STATE_RUN
    if not path.exists():
        return None
    value = read_json(path)
    if not isinstance(value, dict) or value.get("version") != VERSION:
        raise ConfigError(f"{path}: saved by another version of Isotone; start again with --overwrite")
    names = value.get("members", [])
    if not isinstance(names, list) or not all(
        isinstance(n, str) and n == Path(n).name and n not in {"", ".", ".."} for n in names
    ):
        raise ConfigError(f"{path}: damaged (members); start again with --overwrite")
    return Unfinished(Request.from_json(value.get("request"), place=str(path)), tuple(names))


def clear_state(folder: Path) -> None:
    """Forget an unfinished run: our own files, and the folder if nothing else is in it."""
    for name in (STATE_TENSORS, STATE_RUN):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):  # not there, or somebody else's files are in it
        (folder / STATE).rmdir()


def save_state(
    folder: Path,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    progress: dict[str, Any],
    random: dict[str, Tensor],
) -> None:
    """Weights, Adam's moments, the random states of all ranks and `progress` (plain JSON), atomically."""
    import torch

    from isotone.store.tensors import write_tensors

    tensors: dict[str, Tensor] = {f"network.{name}": t for name, t in network.state_dict().items()}
    for place, moments in optimizer.state_dict()["state"].items():
        for name, value in moments.items():
            tensors[f"optimizer.{place}.{name}"] = torch.as_tensor(value)
    tensors |= random
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    (folder / STATE).mkdir(parents=True, exist_ok=True)
    write_tensors(folder / STATE_TENSORS, tensors, {"isotone": json.dumps({"version": VERSION, **progress})})


def read_state(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]] | None:
    """A saved run: its progress, and what `restore_state` needs.

    A run that was killed before its first save has none: it starts from the beginning.
    """
    from safetensors import SafetensorError, safe_open

    path = folder / STATE_TENSORS
    if not path.is_file():
        return None
    try:
        with safe_open(path, "pt") as file:
            progress: dict[str, Any] = json.loads(file.metadata()["isotone"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: damaged or cut short ({error})") from error
    if progress.get("version") != VERSION:
        raise ModelError(f"{path}: saved by another version of Isotone ({progress.get('version')})")
    return progress, tensors


def restore_state(
    folder: Path, tensors: dict[str, Tensor], network: nn.Module, optimizer: torch.optim.Optimizer, *, rank: int = 0
) -> bool:
    """Put a saved run back into `network`, `optimizer` and the random generators of this rank.

    False where the run had no such rank, so that there is no random state for it.
    """
    weights = {name.removeprefix("network."): t for name, t in tensors.items() if name.startswith("network.")}
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        raise ModelError(
            f"{folder / STATE_TENSORS}: does not fit this run's network; start again with --overwrite"
        ) from error
    moments: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, place, key = name.split(".")
            moments.setdefault(int(place), {})[key] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    return _restore_random_states(tensors, rank)


def random_states(device: torch.device, rank: int = 0) -> dict[str, Tensor]:
    """Of the CPU's generator and, where the network is on a GPU, of that GPU's: dropout draws from it there."""
    import torch

    states = {f"random{_behind(rank)}": torch.get_rng_state()}
    if device.type == "cuda":
        states[f"random.cuda{_behind(rank)}"] = torch.cuda.get_rng_state(device)
    return states


def _restore_random_states(tensors: dict[str, Tensor], rank: int = 0) -> bool:
    import torch

    if f"random{_behind(rank)}" not in tensors:
        return False
    torch.set_rng_state(tensors[f"random{_behind(rank)}"])
    if f"random.cuda{_behind(rank)}" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors[f"random.cuda{_behind(rank)}"])
    return True


def _behind(rank: int) -> str:
    """Rank 0 has no number: what one process saves, several may go on with, and the other way round."""
    return f".{rank}" if rank else ""
