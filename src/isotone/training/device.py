"""Where and in which number format to train: Lightning Fabric behind two plain options."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import torch

from isotone.errors import ConfigError
from isotone.models.precision import hardware_bf16, has_bf16

if TYPE_CHECKING:
    from lightning_fabric import Fabric

__all__ = ["PRECISIONS", "check_device", "fabric_for"]

_LOGGER = logging.getLogger("isotone")

PRECISIONS = {"fp32": "32-true", "bf16": "bf16-mixed", "fp64": "64-true"}
"""What `--precision` takes besides auto."""


def check_device(device: str = "auto", precision: str = "fp32") -> tuple[str, list[int] | int, str]:
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
    if precision == "auto":
        precision = "bf16" if has_bf16(torch.device(accelerator)) else "fp32"
    if precision not in PRECISIONS:
        raise ConfigError(f"unknown precision {precision!r}: expected auto, {', '.join(PRECISIONS)}")
    return accelerator, [int(index)] if index.isdigit() else 1, precision


def fabric_for(device: str = "auto", precision: str = "fp32") -> Fabric:
    """A launched Fabric; bf16 without hardware for it is slow, and says so."""
    accelerator, devices, chosen = check_device(device, precision)
    if chosen == "bf16" and not hardware_bf16(torch.device(accelerator)):
        _LOGGER.warning("bf16 is slow here: no bf16 arithmetic in hardware (AVX-512 BF16, AMX or a recent GPU)")
    from lightning_fabric import Fabric  # takes two seconds, which predicting need not wait for

    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)
    fabric = Fabric(
        accelerator=accelerator,
        devices=devices,
        precision=PRECISIONS[chosen],  # type: ignore[arg-type]
    )
    fabric.launch()
    return fabric
