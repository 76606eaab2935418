"""Number formats: matrix products may run in bf16 (autocast); probabilities never do."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

__all__ = ["has_bf16", "precise", "precise_dtype", "without_autocast"]


def precise_dtype(dtype: torch.dtype) -> torch.dtype:
    """fp64 stays fp64; everything else becomes fp32."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def precise(x: Tensor) -> Tensor:
    """`x` in fp32 or better."""
    return x.to(precise_dtype(x.dtype))


def without_autocast(device: torch.device) -> AbstractContextManager[Any]:
    """Products in the format of their factors. Torch's own context is slow to enter, so only where there is need."""
    if torch.is_autocast_enabled(device.type):
        return torch.autocast(device.type, enabled=False)
    return nullcontext()


def has_bf16(device: torch.device) -> bool:
    """Can this device run LSTMs and products in bf16, in hardware? (CPUs need AVX-512 BF16 or AMX.)"""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    if device.type == "cpu":
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return False
