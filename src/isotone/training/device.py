"""Where and in which number format to train: Lightning Fabric behind two plain options."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import torch

from isotone.errors import ConfigError
from isotone.models.precision import hardware_bf16, has_bf16

if TYPE_CHECKING:
    from lightning_fabric import Fabric

__all__ = ["PRECISIONS", "check_device", "fabric_for", "shared_fabric"]

_LOGGER = logging.getLogger("isotone")

PRECISIONS = {"fp32": "32-true", "bf16": "bf16-mixed", "fp64": "64-true"}
"""What `--precision` takes besides auto."""


def check_device(device: str = "auto", precision: str = "fp32", devices: int = 1) -> tuple[str, list[int] | int, str]:
    """(accelerator, devices, precision) as Fabric wants them; raises ConfigError for what this machine lacks.

    `device` is auto, cpu, cuda, cuda:N or mps; `precision` fp32, bf16, fp64, or auto: bf16 where the hardware has it.
    """
    found = "cuda" if torch.cuda.is_available() else "cpu"
    accelerator, _, index = (found, "", "") if device == "auto" else device.partition(":")
    if accelerator not in {"cpu", "cuda", "mps"}:
        raise ConfigError(f"unknown device {device!r}: expected auto, cpu, cuda, cuda:N or mps")
    if accelerator == "cuda" and not torch.cuda.is_available():
        raise ConfigError("there is no CUDA device on this machine; use --device cpu")
    if accelerator == "mps" and not torch.backends.mps.is_available():
        raise ConfigError("there is no MPS device on this machine; use --device cpu")
    if index and (accelerator != "cuda" or not index.isdigit() or int(index) >= torch.cuda.device_count()):
        raise ConfigError(f"there is no device {device!r} on this machine")
    if devices > 1:
        _check_several(device, accelerator, index, devices)
    if precision == "auto":
        precision = "bf16" if has_bf16(torch.device(accelerator)) else "fp32"
    if precision not in PRECISIONS:
        raise ConfigError(f"unknown precision {precision!r}: expected auto, {', '.join(PRECISIONS)}")
    return accelerator, [int(index)] if index.isdigit() else devices, precision


def _check_several(device: str, accelerator: str, index: str, devices: int) -> None:
    if index or accelerator == "mps":
        raise ConfigError(f"--devices {devices}: {device} is one device; use --device cuda or cpu")
    if accelerator == "cuda" and devices > torch.cuda.device_count():
        raise ConfigError(f"--devices {devices}: this machine has {torch.cuda.device_count()} CUDA devices")


def fabric_for(device: str = "auto", precision: str = "fp32") -> Fabric:
    """A launched Fabric for one process; bf16 without hardware for it is slow, and says so."""
    fabric = _fabric(*check_device(device, precision))
    fabric.launch()
    return fabric


def shared_fabric(device: str, precision: str, *, devices: int, nodes: int = 1, spawn: bool) -> Fabric:
    """A Fabric for `devices` processes on each node that share every batch; with `spawn` its launch starts them."""
    settings = check_device(device, precision, devices)
    from isotone.training.strategy import QuietDDP

    try:
        return _fabric(*settings, strategy=QuietDDP(spawn=spawn), num_nodes=nodes)
    except RuntimeError as error:
        if "interactive" not in str(error):
            raise
        raise ConfigError(f"--devices {devices}: not from a notebook; run `isotone train` or a script") from error


def _fabric(accelerator: str, devices: list[int] | int, precision: str, **several: Any) -> Fabric:
    if precision == "bf16" and not hardware_bf16(torch.device(accelerator)):
        _LOGGER.warning("bf16 is slow here: no bf16 arithmetic in hardware (AVX-512 BF16, AMX or a recent GPU)")
    from lightning_fabric import Fabric  # takes two seconds, which predicting need not wait for

    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)
    return Fabric(
        accelerator=accelerator,
        devices=devices,
        precision=PRECISIONS[precision],  # type: ignore[arg-type]
        **several,
    )
