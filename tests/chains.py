"""Random chains of every transition kind, small enough to enumerate."""

import torch

from isotone.dp import Banded, Chain, Dense, Independent, Monotone, masked_log_softmax

KINDS = ("independent", "monotone", "band", "two-sided band", "dense")


def random_transition(kind, batch, target, state, *, real=None, width=2, dtype=torch.float64):
    """Random scores; `real[b]` positions exist in row b."""
    real = torch.full((batch,), state) if real is None else real
    mask = torch.arange(state) < real[:, None]
    if kind == "independent":
        return Independent(masked_log_softmax(torch.randn(batch, target, state, dtype=dtype), mask[:, None]))
    if kind == "monotone":
        return Monotone.from_scores(3 * torch.randn(batch, target, state, dtype=dtype), mask)
    if kind == "dense":
        scores = torch.randn(batch, target, state, state, dtype=dtype)
        return Dense(masked_log_softmax(scores, mask[:, None, None]))
    first = -width if kind == "two-sided band" else 0
    jumps = torch.arange(first, width + 1)
    landing = torch.arange(state)[:, None] + jumps
    inside = (landing >= 0) & (landing < real[:, None, None])
    scores = torch.randn(batch, target, state, len(jumps), dtype=dtype)
    return Banded(masked_log_softmax(scores, inside[:, None]), first)


def random_chain(kind, batch, target, state, *, ragged=True, width=2, dtype=torch.float64):
    """A ragged batch; the first row has full length."""
    lengths = torch.randint(1, target + 1, (batch,)) if ragged else torch.full((batch,), target)
    real = torch.randint(1, state + 1, (batch,)) if ragged else torch.full((batch,), state)
    lengths[0], real[0] = target, state
    emission = torch.randn(batch, target, state, dtype=dtype) - 1
    transition = random_transition(kind, batch, target, state, real=real, width=width, dtype=dtype)
    return Chain(emission, transition, lengths)


def rows(chain):
    """Each row as the oracle's plain lists."""
    dense = chain.transition.dense()
    for row, length in enumerate(chain.target_lengths.tolist()):
        yield chain.log_emission[row].tolist(), dense[row].tolist(), length
