"""Exact alignments of pairs: best path and posteriors, for hard attention; attention weights, for soft."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from isotone.data.batch import Batch, collate
from isotone.dp import best_path, length_mask, log_likelihood, posteriors
from isotone.models.network import Network
from isotone.results.alignment import END, START, Alignment
from isotone.shapes import Float, Int
from isotone.store.folder import Member
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["Aligned", "align", "align_pairs"]

BLOCK = 64
"""Pairs aligned at a time."""


@dataclass(frozen=True, eq=False)
class Aligned:
    """Alignments of a batch of pairs over source positions (BOS is 0)."""

    log_prob: Float[Tensor, "batch"]
    path: Int[Tensor, "batch target"]
    """The most probable alignment; −1 past a target's end, or where the pair has probability 0."""
    posterior: Float[Tensor, "batch target state"]
    """p(a_i = j | x, y)."""


@torch.no_grad()
def align(network: Network, batch: Batch) -> Aligned:
    """Best path and posteriors of every pair. SOFT has no alignment variable: its attention weights stand in."""
    chain = network.chain(batch)
    attention = network.attention(batch)
    if attention is None:
        return Aligned(log_likelihood(chain), best_path(chain)[1], posteriors(chain))
    real = length_mask(batch.target_lengths, batch.target.shape[1])
    return Aligned(log_likelihood(chain), attention.argmax(-1).masked_fill(~real, -1), attention * real[:, :, None])


def align_pairs(bundles: Sequence[Member], weights: Sequence[float], examples: Sequence[Example]) -> list[Alignment]:
    """Alignments ready to draw. In a mixture each model counts by its share of p(y | x), and the path is the
    leading model's; a pair of probability 0, such as one with a target symbol never seen in training, has no path."""
    drawn: list[Alignment] = []
    for start in range(0, len(examples), BLOCK):
        drawn += _align_block(bundles, weights, examples[start : start + BLOCK])
    return drawn


def _align_block(bundles: Sequence[Member], weights: Sequence[float], examples: Sequence[Example]) -> list[Alignment]:
    first = bundles[0]
    encoded = [first.codec.encode(example) for example in examples]
    device = first.network.device
    batch = collate(encoded, len(first.vocabulary.tags)).to(device)
    aligned = [align(bundle.network, batch) for bundle in bundles]
    log_weights = torch.tensor(weights, device=device).log() - math.log(sum(weights))
    joint = torch.stack([part.log_prob for part in aligned]) + log_weights[:, None]
    total = joint.logsumexp(0)
    shares = torch.softmax(joint, 0)
    posterior = sum(share[:, None, None] * part.posterior for share, part in zip(shares, aligned, strict=True))
    leaders = joint.argmax(0)
    segment = Segmenter(first.config.text.target).split
    drawn = []
    for row, (example, pair) in enumerate(zip(examples, encoded, strict=True)):
        source = (START, *pair.source_symbols, END)
        target = (*segment(example.target or ""), END)
        if pair.unseen or total[row] == -math.inf:
            drawn.append(Alignment(source, target, (), -math.inf))
            continue
        path = aligned[int(leaders[row])].path[row, : len(target)].tolist()
        table = torch.as_tensor(posterior)[row, : len(target), : len(source)].double().cpu().numpy()
        drawn.append(Alignment(source, target, tuple(path), float(total[row]), table))
    return drawn
