"""Semirings: what "plus" means decides what the one forward pass computes.

| semiring | plus        | value of the pass         | its gradient with respect to the emissions |
|----------|-------------|---------------------------|--------------------------------------------|
| log      | logsumexp   | log-likelihood            | posterior alignment probabilities          |
| max      | max         | score of the best path    | the best path, one-hot                     |
| sampling | logsumexp   | log-likelihood            | one alignment drawn from the posterior     |

In all of them "times" is addition and zero is −inf. A structural zero stays one, and its gradient is zero, not nan.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

__all__ = ["LogSemiring", "MaxSemiring", "SamplingSemiring", "Semiring"]


@runtime_checkable
class Semiring(Protocol):
    """A way of adding up log-space values along one axis."""

    def sum(self, x: Tensor, dim: int) -> Tensor:
        """Add up along `dim`: (…, n, …) → (…, …). An empty row (all −inf) gives −inf."""
        ...

    def cumulative(self, x: Tensor) -> Tensor:
        """Prefix sums along the last axis: out[a] = sum of x[0..a]. (…, n) → (…, n)."""
        ...


class LogSemiring:
    """Sums of probabilities: log Σ exp."""

    def sum(self, x: Tensor, dim: int) -> Tensor:
        """log Σ exp; an empty row has value −inf and gradient zero."""
        return _apply(_LogSum, x, dim) if _learns(x) else _weights(x, dim)[2]

    def cumulative(self, x: Tensor) -> Tensor:
        """log of the prefix sums of exp(x)."""
        return _apply(_LogCumulative, x) if _learns(x) else torch.logcumsumexp(x, -1)


class MaxSemiring:
    """The single best path; its gradient picks one winner, even among ties."""

    def sum(self, x: Tensor, dim: int) -> Tensor:
        """The maximum along `dim`."""
        return x.max(dim).values

    def cumulative(self, x: Tensor) -> Tensor:
        """The running maximum."""
        return x.cummax(-1).values


class SamplingSemiring:
    """Values as in the log semiring; each sum's gradient goes to *one* term, drawn in proportion to its share."""

    def __init__(self, generator: torch.Generator | None = None) -> None:
        self.generator = generator

    def sum(self, x: Tensor, dim: int) -> Tensor:
        """log Σ exp along `dim`, whose gradient is a draw."""
        moved = x.movedim(dim, -1)
        return _apply(_SampledCumulative, moved, self.generator)[..., -1]

    def cumulative(self, x: Tensor) -> Tensor:
        """Prefix sums, each with its own draw among the terms it adds up."""
        return _apply(_SampledCumulative, x, self.generator)


def _learns(x: Tensor) -> bool:
    """Will there be a backward pass? Then torch's own functions will not do: their gradients are nan at −inf."""
    return x.requires_grad and torch.is_grad_enabled()


def _apply(function: type[torch.autograd.Function], *arguments: Any) -> Tensor:
    """Call an autograd function; the one place that is untyped in torch."""
    result: Tensor = function.apply(*arguments)  # type: ignore[no-untyped-call]
    return result


def _weights(x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    """exp(x − peak), its sum along `dim`, and log of the sum of exp(x).

    The peak of an empty row is the lowest finite number, not −inf, so that exp(−inf − peak) is 0 and not nan.
    """
    peak = x.amax(dim, keepdim=True).clamp_(min=torch.finfo(x.dtype).min)
    weights = (x - peak).exp_()
    total = weights.sum(dim)
    return weights, total, total.log().add_(peak.squeeze(dim))


class _LogSum(torch.autograd.Function):
    """torch.logsumexp with a gradient that survives a row of −inf; one node where plain operations take a dozen."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, dim: int) -> Tensor:
        weights, total, out = _weights(x, dim)
        ctx.save_for_backward(weights, total)
        ctx.dim = dim
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        """Each term's share of the sum, which is at least 1, or 0 in an empty row: shares add up to 1 at any level."""
        weights, total = ctx.saved_tensors
        return weights * (grad / total.clamp(min=1)).unsqueeze(ctx.dim), None


class _LogCumulative(torch.autograd.Function):
    """torch.logcumsumexp with a gradient that survives −inf at the front of a row."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        out = torch.logcumsumexp(x, -1)
        ctx.save_for_backward(x, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """∂out[a]/∂x[k] = exp(x[k] − out[a]) for k ≤ a: a suffix sum, kept in log space sign by sign."""
        x, out = ctx.saved_tensors
        empty = out == -torch.inf
        grad, level = grad.masked_fill(empty, 0.0), out.masked_fill(empty, 0.0)
        result = torch.exp(x + _suffix_log_sum(grad.clamp(min=0).log() - level))
        if bool((grad < 0).any()):
            result = result - torch.exp(x + _suffix_log_sum((-grad).clamp(min=0).log() - level))
        return result


def _suffix_log_sum(x: Tensor) -> Tensor:
    return torch.logcumsumexp(x.flip(-1), -1).flip(-1)


class _SampledCumulative(torch.autograd.Function):
    """Prefix sums whose gradient at `a` goes to one index k ≤ a, drawn with probability exp(x[k] − out[a])."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, generator: torch.Generator | None) -> Tensor:
        out = torch.logcumsumexp(x, -1)
        uniform = torch.rand(x.shape, dtype=x.dtype, device=x.device, generator=generator)
        # Inverse transform: the first k whose prefix sum exceeds u · (sum up to a). 1 − u is never 0.
        threshold = out + torch.log1p(-uniform)
        chosen = torch.searchsorted(out.contiguous(), threshold.contiguous())
        ctx.save_for_backward(torch.minimum(chosen, torch.arange(x.shape[-1], device=x.device)))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (chosen,) = ctx.saved_tensors
        return torch.zeros_like(grad).scatter_add(-1, chosen, grad), None
