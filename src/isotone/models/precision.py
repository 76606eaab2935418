"""Number formats: matrix products may run in bf16 (autocast); probabilities never do."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from isotone.errors import ConfigError

__all__ = ["BF16", "hardware_bf16", "has_bf16", "precise", "precise_dtype", "run_lstm", "without_autocast"]

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


def hardware_bf16(device: torch.device) -> bool:
    """Does this device run LSTMs and matrix products in bf16 in hardware? (CPUs need AVX-512 BF16 or AMX.)"""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    if device.type == "cpu":
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return False


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

    oneDNN has no bf16 LSTM for CPUs without bf16 instructions and fails there under autocast. Torch's own
    implementation takes over: slower, but bf16 then gives the same types and nearly the same numbers on every machine.
    """
    device = inputs.device
    if device.type != "cpu" or not torch.is_autocast_enabled("cpu") or hardware_bf16(device):
        return _states(lstm(inputs))
    dtype = torch.get_autocast_dtype("cpu")
    weights = {name: weight.to(dtype) for name, weight in lstm.named_parameters()}
    with without_autocast(device):
        return _states(torch.func.functional_call(lstm, weights, (inputs.to(dtype),)))


def _states(output: tuple[Tensor, Any]) -> Tensor:
    return output[0]
