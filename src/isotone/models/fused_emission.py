"""log p of the gold symbols at every (target, source) cell, in blocks, recomputed in the backward pass to save memory.

Written plainly, the hidden layer takes batch·|x|·|y|·3d_h numbers, kept for the backward pass: 180 MB for one pair of
200 + 200 symbols. Here only a block of cells exists at a time, forward and backward.
`dense_gold_log_probs` is the plain twin that this is tested against. A `Head` defines what a cell's logits mean: a
softmax here, a softmax behind a gate in `gated_emission.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from isotone.models.precision import precise_dtype, without_autocast
from isotone.models.tanh import tanh_
from isotone.shapes import Float, Int

__all__ = ["CHUNK", "Block", "Head", "blocked_log_probs", "dense_gold_log_probs", "gold_index", "gold_log_probs"]

Block = tuple[slice, slice]
"""(batch rows, target positions)."""

KEEP = 1 << 24
"""Numbers of hidden layer that the forward pass may leave for the backward pass: 64 MB in fp32. A batch that needs more
is recomputed block by block."""
CHUNK = 1 << 20
"""Numbers in a chunk's hidden layer, about: 4 MB in fp32, so that it stays in the cache."""


@runtime_checkable
class Head(Protocol):
    """From a block's logits (rows, steps, state, output) to log p of the gold symbols, and back."""

    def log_probs(self, logits: Tensor, block: Block) -> Tensor:
        """(rows, steps, state), in the logits' number format."""
        ...

    def grad_logits(self, logits: Tensor, grad: Tensor, block: Block) -> Tensor:
        """The gradient of the logits, contiguous, given that of the result, (rows, steps, state)."""
        ...


@dataclass(frozen=True, eq=False)
class _Softmax:
    """Σ_y q(y) log softmax(logits)[y], with q = (1 − ε)·one-hot(gold) + ε/|Σy|: log p(gold) where ε is 0."""

    gold: Int[Tensor, "batch target"]
    smoothing: float = 0.0
    """ε."""

    def log_probs(self, logits: Tensor, block: Block) -> Tensor:
        chosen = logits.gather(-1, gold_index(self.gold[block], logits)).squeeze(-1)
        if self.smoothing:
            chosen = chosen.lerp(logits.mean(-1), self.smoothing)
        return chosen - logits.logsumexp(-1)

    def grad_logits(self, logits: Tensor, grad: Tensor, block: Block) -> Tensor:
        # ∂ Σ_y q(y) log p(y) / ∂ logits = q − p
        grad_logits = torch.softmax(logits, -1).mul_(-grad[..., None])
        if self.smoothing:
            grad_logits += grad[..., None] * (self.smoothing / logits.shape[-1])
        index = gold_index(self.gold[block], logits)
        return grad_logits.scatter_add_(-1, index, grad[..., None] * (1 - self.smoothing))


def dense_gold_log_probs(
    query: Tensor, memory: Tensor, gold: Tensor, weight: Tensor, bias: Tensor, *, smoothing: float = 0.0
) -> Float[Tensor, "batch target state"]:
    """The definition, all cells at once."""
    hidden = torch.tanh(query[:, :, None] + memory[:, None])
    log_probs = torch.log_softmax(hidden @ weight.T + bias, -1)
    index = gold[:, :, None, None].expand(-1, -1, memory.shape[1], 1)
    return (1 - smoothing) * log_probs.gather(-1, index).squeeze(-1) + smoothing * log_probs.mean(-1)


def gold_log_probs(
    query: Float[Tensor, "batch target feature"],
    memory: Float[Tensor, "batch state feature"],
    gold: Int[Tensor, "batch target"],
    weight: Float[Tensor, "output feature"],
    bias: Float[Tensor, "output"],
    lengths: Int[Tensor, "batch"] | None = None,
    *,
    smoothing: float = 0.0,
) -> Float[Tensor, "batch target state"]:
    """log softmax(W tanh(query + memory) + b)[gold] for every target position and source state.

    With `smoothing` ε, the mean over a smoothed label: (1 − ε) times that plus ε times the mean over all outputs.
    Past a row's length, where one is given, the result is some finite number: 0 where all rows of a block have ended.
    """
    return blocked_log_probs(_Softmax(gold, smoothing), query, memory, weight, bias, lengths)


def blocked_log_probs(
    head: Head, query: Tensor, memory: Tensor, weight: Tensor, bias: Tensor, lengths: Tensor | None = None
) -> Float[Tensor, "batch target state"]:
    """What `head` makes of the logits W tanh(query + memory) + b, block by block."""
    ends = [query.shape[1]] * len(query) if lengths is None else lengths.tolist()
    result: Tensor = _GoldLogProbs.apply(head, ends, query, memory, weight, bias)  # type: ignore[no-untyped-call]
    return result


class _GoldLogProbs(torch.autograd.Function):
    """Products in the inputs' number format (bf16 under autocast), normalisers in fp32 or better."""

    @staticmethod
    def forward(
        ctx: Any, head: Head, ends: list[int], query: Tensor, memory: Tensor, weight: Tensor, bias: Tensor
    ) -> Tensor:
        ctx.save_for_backward(query, memory, weight, bias)
        ctx.head, ctx.ends = head, ends
        needed = query.shape[0] * query.shape[1] * memory.shape[1] * weight.shape[1]
        ctx.kept = [] if needed <= KEEP and any(ctx.needs_input_grad) else None
        shape = (*query.shape[:2], memory.shape[1])
        out = torch.zeros(shape, dtype=precise_dtype(query.dtype), device=query.device)
        weight = weight.to(query.dtype)  # once per call, not once per block
        with without_autocast(query.device):
            for rows, steps in _chunks(ends, memory, weight):
                hidden, logits = _cells(query[rows, steps], memory[rows], weight, bias)
                if ctx.kept is not None:
                    ctx.kept.append((hidden, logits))
                out[rows, steps] = head.log_probs(logits, (rows, steps))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[None, None, Tensor, Tensor, Tensor, Tensor]:
        query, memory, weight, bias = ctx.saved_tensors
        precise = precise_dtype(query.dtype)
        outputs, features = weight.shape
        product_weight = weight.to(query.dtype)
        grad_query = torch.zeros_like(query)
        grad_memory, grad_weight, grad_bias = (
            torch.zeros(x.shape, dtype=precise, device=x.device) for x in (memory, weight, bias)
        )
        with without_autocast(query.device):
            for place, (rows, steps) in enumerate(_chunks(ctx.ends, memory, weight)):
                cells = (query[rows, steps], memory[rows], product_weight, bias)
                hidden, logits = ctx.kept[place] if ctx.kept else _cells(*cells)
                flat = ctx.head.grad_logits(logits, grad[rows, steps], (rows, steps)).view(-1, outputs)
                grad_bias += flat.sum(0)
                flat = flat.to(hidden.dtype)
                grad_weight += flat.T @ hidden.view(-1, features)
                grad_hidden = (flat @ product_weight).view_as(hidden)
                grad_cells = torch.ops.aten.tanh_backward(grad_hidden, hidden)
                grad_query[rows, steps] = grad_cells.sum(2)
                grad_memory[rows] += grad_cells.sum(1)
        grads = (grad_memory.to(memory.dtype), grad_weight.to(weight.dtype), grad_bias.to(bias.dtype))
        return None, None, grad_query, *grads


def _cells(query: Tensor, memory: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """(rows, steps, state, feature) hidden layer and (rows, steps, state, output) logits."""
    hidden = tanh_(query[:, :, None] + memory[:, None])
    logits = (hidden @ weight.T).to(precise_dtype(hidden.dtype)) + bias
    return hidden, logits


def gold_index(gold: Int[Tensor, "batch target"], logits: Tensor) -> Tensor:
    """The gold symbols' places in a block of logits, for `gather`."""
    return gold[:, :, None, None].expand(*logits.shape[:3], 1)


def _chunks(ends: list[int], memory: Tensor, weight: Tensor) -> Iterator[Block]:
    """Blocks of (batch rows, target positions), each of about CHUNK numbers, as far as their longest row goes.

    Nothing depends on the order of rows; with the longest first, as `Loader` has them, least is computed for nothing.
    """
    cells = max(1, memory.shape[1] * max(weight.shape))
    steps = max(1, CHUNK // cells)
    row = 0
    while row < len(ends):
        last = row + max(1, CHUNK // (cells * max(1, min(steps, max(ends[row:])))))
        longest = max(ends[row:last])
        for step in range(0, longest, steps):
            yield slice(row, last), slice(step, min(step + steps, longest))
        row = last
