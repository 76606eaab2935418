"""Number formats: matrix products may run in bf16 (autocast); probabilities never do."""

from __future__ import annotations

import os
import platform
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from isotone.errors import ConfigError

__all__ = [
    "BF16",
    "Instructions",
    "bf16_lstm",
    "hardware_bf16",
    "has_bf16",
    "precise",
    "precise_dtype",
    "run_lstm",
    "this_cpu",
    "without_autocast",
]

BF16 = "ISOTONE_BF16"
"""Environment variable: 1 or 0 overrides what the hardware says when `--precision auto` chooses a number format."""


def precise_dtype(dtype: torch.dtype) -> torch.dtype:
    """fp64 stays fp64; everything else becomes fp32."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def precise(x: Tensor) -> Tensor:
    """`x` in fp32 or better."""
    return x.to(precise_dtype(x.dtype))


def without_autocast(device: torch.device) -> AbstractContextManager[Any]:
    """Turn autocast off. Entering torch's context is slow, so this does nothing where autocast is off already."""
    if torch.is_autocast_enabled(device.type):
        return torch.autocast(device.type, enabled=False)
    return nullcontext()


@dataclass(frozen=True)
class Instructions:
    """What a CPU can do, as far as bf16 depends on it."""

    x86: bool
    onednn_bf16: bool
    """oneDNN computes in bf16, in hardware or not."""
    avx512: bool
    avx512_bf16: bool
    amx: bool


def this_cpu() -> Instructions:
    """The CPU that this runs on."""
    return Instructions(
        x86=platform.machine().lower() in {"x86_64", "amd64"},
        onednn_bf16=bool(torch.ops.mkldnn._is_mkldnn_bf16_supported()),
        avx512=torch.cpu._is_avx512_supported(),
        avx512_bf16=torch.cpu._is_avx512_bf16_supported(),
        amx=torch.cpu._is_amx_tile_supported(),
    )


def hardware_bf16(device: torch.device) -> bool:
    """Does this device have instructions for bf16? (x86 CPUs need AVX-512 BF16 or AMX.)

    oneDNN's own answer is not enough: it also accepts AVX-512 without BF16, where it emulates bf16 at less than half
    the speed of fp32, and AVX2 with conversions alone.
    """
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    if device.type != "cpu":
        return False
    cpu = this_cpu()
    return cpu.onednn_bf16 and (not cpu.x86 or cpu.avx512_bf16 or cpu.amx)


def bf16_lstm(device: torch.device) -> bool:
    """Can torch's LSTM be trained under bf16 autocast here, in hardware or emulated by oneDNN?"""
    if device.type != "cpu":
        return True
    cpu = this_cpu()
    return cpu.onednn_bf16 and (not cpu.x86 or cpu.avx512)


def has_bf16(device: torch.device) -> bool:
    """Should `auto` precision mean bf16 here? The hardware decides, unless the environment variable does."""
    match os.environ.get(BF16, ""):
        case "":
            return hardware_bf16(device)
        case "0" | "1" as forced:
            return forced == "1"
        case other:
            raise ConfigError(f"{BF16}={other}: expected 1 or 0, or leave it unset to ask the hardware")


def run_lstm(lstm: nn.Module, inputs: Tensor) -> Tensor:
    """The states of a batch-first LSTM, from zeros: (batch, time, input) → (batch, time, hidden).

    oneDNN has no bf16 LSTM for CPUs without AVX-512 and fails there under autocast. Torch's own implementation takes
    over: slower, but bf16 then gives the same types and nearly the same numbers on every machine.
    """
    device = inputs.device
    if not torch.is_autocast_enabled("cpu") or bf16_lstm(device):
        return _states(lstm(inputs))
    dtype = torch.get_autocast_dtype("cpu")
    weights = {name: weight.to(dtype) for name, weight in lstm.named_parameters()}
    with without_autocast(device):
        return _states(torch.func.functional_call(lstm, weights, (inputs.to(dtype),)))


def _states(output: tuple[Tensor, Any]) -> Tensor:
    return output[0]
