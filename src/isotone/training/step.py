"""One optimiser step: forward, backward, clip, update. The training loop takes it, and the benchmarks time it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from isotone.data.batch import Batch

if TYPE_CHECKING:
    from lightning_fabric import Fabric
    from lightning_fabric.wrappers import _FabricModule, _FabricOptimizer

__all__ = ["optimizer_for", "train_step"]


def optimizer_for(network: nn.Module, rate: float) -> torch.optim.Optimizer:
    """Adam, all parameters in one call."""
    return torch.optim.Adam(network.parameters(), lr=rate, fused=True)


def train_step(
    fabric: Fabric, network: _FabricModule, optimizer: _FabricOptimizer, batch: Batch, *, clip: float
) -> float:
    """A step on −Σ log p(y | x) / target symbols, the gradient's norm cut to `clip`; the loss, in nats per symbol."""
    loss = -network(batch.to(fabric.device)).sum() / batch.target_symbols
    fabric.backward(loss)
    _clip(network, clip)
    optimizer.step()
    optimizer.zero_grad()
    return float(loss.item())


def _clip(network: nn.Module, limit: float) -> None:
    """Gradients are only touched where their norm is too long, which is rare."""
    parameters = list(network.parameters())
    norm = torch.nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
    if norm > limit:
        torch.nn.utils.clip_grads_with_norm_(parameters, limit, norm)
