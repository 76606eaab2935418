"""Ancestral samples of strings, each with its exact log-probability."""

from __future__ import annotations

import torch
from torch import Tensor

from isotone.data.batch import Batch
from isotone.decoding.constraint import Constraint
from isotone.decoding.hypothesis import Hypothesis
from isotone.decoding.stepper import Stepper
from isotone.decoding.walk import length_limit, walk
from isotone.errors import ConfigError
from isotone.shapes import Float, Int

__all__ = ["sample"]


@torch.inference_mode()
def sample(
    model: Stepper,
    batch: Batch,
    *,
    count: int = 1,
    generator: torch.Generator | None = None,
    max_length: int | None = None,
    constraint: Constraint | None = None,
) -> list[tuple[Hypothesis, ...]]:
    """`count` strings for each source, drawn from p(y | x), in the order drawn: the same string may come again.

    Under a constraint each symbol is drawn among those allowed, renormalised; the log-probability that comes with a
    string is the model's own log p(y | x) all the same. A string that reaches its limit is ended there by EOS; one that
    the constraint forbids to end there is left out, the only way to get fewer than `count`.
    """
    if count < 1:
        raise ConfigError(f"count must be at least 1, not {count}")
    rows = torch.arange(len(batch), device=batch.source.device).repeat_interleave(count)

    def draw(log_symbols: Float[Tensor, "row symbol"]) -> tuple[Float[Tensor, "row"], Int[Tensor, "row"]]:
        symbols = torch.multinomial(log_symbols.softmax(1).nan_to_num(1.0), 1, generator=generator)
        return log_symbols.gather(1, symbols)[:, 0], symbols[:, 0]

    limits = length_limit(batch, max_length)[rows]
    drawn = walk(model, model.encode(batch).select(rows), limits=limits, pick=draw, constraint=constraint)
    return [
        tuple(hypothesis for hypothesis in drawn[first : first + count] if hypothesis is not None)
        for first in range(0, len(drawn), count)
    ]
