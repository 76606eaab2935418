"""One optimiser step: forward, backward, clip, update. The training loop takes it, and the benchmarks time it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import nn

from isotone.data.batch import Batch
from isotone.dp import NotANumberError
from isotone.errors import DivergedError
from isotone.training.ranks import Ranks

if TYPE_CHECKING:
    from lightning_fabric import Fabric
    from lightning_fabric.wrappers import _FabricModule, _FabricOptimizer

__all__ = ["DIVERGED", "clip_gradients", "optimizer_for", "shared_step", "train_step"]

DIVERGED = "training diverged (NaN or infinity); lower the learning rate"
"""Why a run cannot go on."""


def optimizer_for(network: nn.Module, rate: float, decay: float = 0.0) -> torch.optim.Optimizer:
    """Adam with decoupled weight decay, all parameters in one call."""
    return torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay, fused=True)


def train_step(
    fabric: Fabric, network: _FabricModule, optimizer: _FabricOptimizer, batch: Batch, *, clip: float
) -> float:
    """A step on −Σ log p(y | x) / target symbols, the gradient's norm cut to `clip`; the loss, in nats per symbol.

    Where the batch brings alignments, the network gives log p(y, a | x) instead. Where the loss or the gradient
    is no number the weights stay as they are, and the run is over.
    """
    try:
        loss = -network(batch.to(fabric.device)).sum() / batch.target_symbols
    except NotANumberError as error:
        raise DivergedError(DIVERGED) from error
    fabric.backward(loss)
    _update(network, optimizer, clip)
    return float(loss.item())


def shared_step(
    ranks: Ranks,
    network: _FabricModule,
    optimizer: _FabricOptimizer,
    batch: Batch,
    *,
    clip: float,
    asked: Sequence[bool] = (),
) -> tuple[float, list[bool]]:
    """`train_step` on a batch whose rows all ranks share; the loss, and for each of `asked` whether any rank said yes.

    DDP gives every rank the mean of their gradients, so each divides its own rows' loss by the symbols of a rank's
    share of the whole batch: that mean is then the gradient of one process on all rows. A rank without a row (a small
    last batch) takes part with a row that counts nothing, because the others wait for its gradient.
    """
    own = batch.shard(ranks.rank, ranks.count)
    rows, weight = (own, 1.0) if own is not None else (batch.shard(0, len(batch)) or batch, 0.0)
    loss, diverged = None, False
    try:
        loss = -network(rows.to(ranks.fabric.device)).sum() * weight
    except NotANumberError:
        diverged = True  # the others must hear of it: they would wait for this rank's gradient
    total, failed, *said = ranks.sums(0.0 if loss is None else float(loss.item()), diverged, *asked)
    if loss is None or failed:
        raise DivergedError(DIVERGED)
    ranks.fabric.backward(loss * (ranks.count / batch.target_symbols))
    _update(network, optimizer, clip)
    return total / batch.target_symbols, [number > 0 for number in said]


def _update(network: nn.Module, optimizer: _FabricOptimizer, clip: float) -> None:
    try:
        clip_gradients(network, clip)
    except DivergedError:
        optimizer.zero_grad()
        raise
    optimizer.step()
    optimizer.zero_grad()


def clip_gradients(network: nn.Module, limit: float) -> None:
    """Gradients are only touched where their norm is too long, which is rare; refused where it is not a number."""
    parameters = list(network.parameters())
    norm = torch.nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
    if not norm <= limit:
        if not norm.isfinite():
            raise DivergedError(DIVERGED)
        torch.nn.utils.clip_grads_with_norm_(parameters, limit, norm)
