"""log p of the gold symbols at every (target, source) cell, in blocks, recomputed in the backward pass if need be.

Written plainly, the hidden layer takes batch·|x|·|y|·3d_h numbers, kept for the backward pass: 180 MB for one pair of
200 + 200 symbols. Here only a block of cells exists at a time, forward and backward.
`dense_gold_log_probs` is the plain twin that the tests hold this against.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from isotone.models.precision import precise_dtype
from isotone.shapes import Float, Int

__all__ = ["CHUNK", "dense_gold_log_probs", "gold_log_probs"]

KEEP = 1 << 24
"""Numbers of hidden layer that the forward pass may leave for the backward pass: 64 MB in fp32. A batch that needs more
is recomputed block by block."""
CHUNK = 1 << 19
"""Numbers in a chunk's hidden layer, about: 2 MB in fp32, so that it stays in the cache."""


def dense_gold_log_probs(
    query: Tensor, memory: Tensor, gold: Tensor, weight: Tensor, bias: Tensor
) -> Float[Tensor, "batch target state"]:
    """The definition, all cells at once."""
    hidden = torch.tanh(query[:, :, None] + memory[:, None])
    log_probs = torch.log_softmax(hidden @ weight.T + bias, -1)
    index = gold[:, :, None, None].expand(-1, -1, memory.shape[1], 1)
    return log_probs.gather(-1, index).squeeze(-1)


def gold_log_probs(
    query: Float[Tensor, "batch target feature"],
    memory: Float[Tensor, "batch state feature"],
    gold: Int[Tensor, "batch target"],
    weight: Float[Tensor, "output feature"],
    bias: Float[Tensor, "output"],
) -> Float[Tensor, "batch target state"]:
    """log softmax(W tanh(query + memory) + b)[gold] for every target position and source state."""
    result: Tensor = _GoldLogProbs.apply(query, memory, gold, weight, bias)  # type: ignore[no-untyped-call]
    return result


class _GoldLogProbs(torch.autograd.Function):
    """Products in the inputs' number format (bf16 under autocast), normalisers in fp32 or better."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, memory: Tensor, gold: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(query, memory, gold, weight, bias)
        needed = query.shape[0] * query.shape[1] * memory.shape[1] * weight.shape[1]
        ctx.kept = [] if needed <= KEEP and any(ctx.needs_input_grad) else None
        out = torch.empty(*gold.shape, memory.shape[1], dtype=precise_dtype(query.dtype), device=query.device)
        with torch.autocast(query.device.type, enabled=False):
            for rows, steps in _chunks(query, memory, weight):
                hidden, logits = _cells(query[rows, steps], memory[rows], weight, bias)
                if ctx.kept is not None:
                    ctx.kept.append((hidden, logits))
                chosen = logits.gather(-1, _index(gold[rows, steps], logits)).squeeze(-1)
                out[rows, steps] = chosen - logits.logsumexp(-1)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, Tensor, Tensor]:
        query, memory, gold, weight, bias = ctx.saved_tensors
        precise = precise_dtype(query.dtype)
        outputs, features = weight.shape
        grad_query = torch.empty_like(query)
        grad_memory, grad_weight, grad_bias = (
            torch.zeros(x.shape, dtype=precise, device=x.device) for x in (memory, weight, bias)
        )
        with torch.autocast(query.device.type, enabled=False):
            for place, (rows, steps) in enumerate(_chunks(query, memory, weight)):
                hidden, logits = ctx.kept[place] if ctx.kept else _cells(query[rows, steps], memory[rows], weight, bias)
                cell_grad = grad[rows, steps, :, None]
                # ∂ log p(gold) / ∂ logits = one-hot(gold) − p
                grad_logits = torch.softmax(logits, -1).mul_(-cell_grad)
                grad_logits.scatter_add_(-1, _index(gold[rows, steps], logits), cell_grad)
                flat = grad_logits.view(-1, outputs)
                grad_bias += flat.sum(0)
                flat = flat.to(hidden.dtype)
                grad_weight += flat.T @ hidden.view(-1, features)
                grad_hidden = (flat @ weight.to(hidden.dtype)).view_as(hidden)
                grad_cells = torch.ops.aten.tanh_backward(grad_hidden, hidden)
                grad_query[rows, steps] = grad_cells.sum(2)
                grad_memory[rows] += grad_cells.sum(1)
        grads = (grad_memory.to(memory.dtype), None, grad_weight.to(weight.dtype), grad_bias.to(bias.dtype))
        return grad_query, *grads


def _cells(query: Tensor, memory: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """(rows, steps, state, feature) hidden layer and (rows, steps, state, output) logits."""
    hidden = (query[:, :, None] + memory[:, None]).tanh_()
    logits = (hidden @ weight.to(hidden.dtype).T).to(precise_dtype(hidden.dtype)) + bias
    return hidden, logits


def _index(gold: Tensor, logits: Tensor) -> Tensor:
    return gold[:, :, None, None].expand(*logits.shape[:3], 1)


def _chunks(query: Tensor, memory: Tensor, weight: Tensor) -> Iterator[tuple[slice, slice]]:
    """Blocks of (batch rows, target positions), each of about CHUNK numbers."""
    batch, length, _ = query.shape
    cells = max(1, memory.shape[1] * max(weight.shape))
    steps = min(length, max(1, CHUNK // cells))
    rows = max(1, CHUNK // (cells * steps))
    for row in range(0, batch, rows):
        for step in range(0, length, steps):
            yield slice(row, row + rows), slice(step, step + steps)
