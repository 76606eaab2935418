"""Questions to a chain. Each is one forward pass, three of them with its gradient; a given path needs no pass."""

from __future__ import annotations

from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from isotone.dp.chain import Chain
from isotone.dp.forward import forward, start_belief
from isotone.dp.masking import length_mask
from isotone.dp.semiring import LogSemiring, MaxSemiring, SamplingSemiring, Semiring
from isotone.dp.transition import Independent
from isotone.shapes import Float, Int

__all__ = [
    "best_path",
    "log_likelihood",
    "path_log_prob",
    "path_step_log_probs",
    "posteriors",
    "sample",
    "silence",
    "stays",
    "step_log_probs",
]


def log_likelihood(chain: Chain) -> Float[Tensor, "batch"]:
    """log p(y | x) = log Σ_a p(y, a | x), over every alignment the transition allows."""
    return forward(chain, LogSemiring())


def step_log_probs(chain: Chain) -> Float[Tensor, "batch target"]:
    """log p(y_i | y_<i, x) of each target symbol, alignments summed out; 0 past a row's length.

    They add up to `log_likelihood`. Belief is scaled to 1 after each step, so that probabilities near 1 stay exact.
    """
    batch, _, state = chain.log_emission.shape
    semiring = LogSemiring()
    belief, steps = start_belief(batch, state, chain.log_emission), []
    for move, log_emission in zip(chain.transition.moves(), chain.log_emission.unbind(1), strict=True):
        belief = move(belief, semiring) + log_emission
        steps.append(semiring.sum(belief, 1))
        belief = belief - steps[-1].clamp(min=torch.finfo(belief.dtype).min)[:, None]
    return _real(chain, torch.stack(steps, 1))


def path_log_prob(chain: Chain, path: Int[Tensor, "batch target"]) -> Float[Tensor, "batch"]:
    """log p(y, a | x) of one given alignment per row, a term of the sum above; −inf where a position is −1 (no path).

    Entries past a row's length are ignored.
    """
    return path_step_log_probs(chain, path).sum(1)


def path_step_log_probs(chain: Chain, path: Int[Tensor, "batch target"]) -> Float[Tensor, "batch target"]:
    """log p(y_i, a_i | a_{i−1}, y_<i, x), which add up to `path_log_prob`; 0 past a row's length."""
    position = path.clamp(min=0)
    previous = F.pad(position[:, :-1], (1, 0))  # a_0 = 0, the BOS
    log_emission = chain.log_emission.gather(2, position[:, :, None]).squeeze(2)
    log_joint = (log_emission + chain.transition.log_step(previous, position)).masked_fill(path < 0, -torch.inf)
    return _real(chain, log_joint)


def posteriors(chain: Chain) -> Float[Tensor, "batch target state"]:
    """p(a_i = j | x, y), exactly: rows sum to 1; all zeros past a row's length or where p(y | x) = 0."""
    return _emission_gradient(chain, LogSemiring())[1]


def stays(
    chain: Chain, posterior: Float[Tensor, "batch target state"]
) -> tuple[Float[Tensor, "batch"], Float[Tensor, "batch target state"]]:
    """log p(y | x), and p(a_{i−1} = j, a_i = j | x, y): step i stands where the step before it stood.

    Exact, from one forward pass and the posteriors γ: γ_i(j) · α_{i−1}(j) p(j | j) / Σ_k α_{i−1}(k) p(j | k). Zeros for
    the first step, which has no symbol before it.
    """
    batch, _, state = chain.log_emission.shape
    semiring, log_stay = LogSemiring(), chain.transition.log_stay()
    belief, shares = start_belief(batch, state, chain.log_emission), []
    for step, (move, log_emission) in enumerate(
        zip(chain.transition.moves(), chain.log_emission.unbind(1), strict=True)
    ):
        arrived = move(belief, semiring)
        log_share = belief + log_stay[:, step] - arrived.clamp(min=torch.finfo(arrived.dtype).min)
        shares.append(log_share.exp() if step else torch.zeros_like(arrived))
        belief = torch.where((step < chain.target_lengths)[:, None], arrived + log_emission, belief)
    return semiring.sum(belief, 1), posterior * torch.stack(shares, 1)


def silence(
    chain: Chain, posterior: Float[Tensor, "batch target state"], together: Float[Tensor, "batch target state"]
) -> Float[Tensor, "batch state"] | None:
    """p(no step but the last stands on j | x, y): the position emits nothing, the final EOS apart.

    A monotonic alignment visits a position once, so the visits are the steps that did not stand there before:
    1 − Σ_i (γ_i(j) − stay_i(j)). Independent steps give a product. None for other chains, where neither holds.
    """
    counted = length_mask(chain.target_lengths - 1, posterior.shape[1])[:, :, None]
    if chain.transition.monotone:
        return 1 - (posterior - together).masked_fill(~counted, 0.0).sum(1)
    if isinstance(chain.transition, Independent):
        return (1 - posterior.masked_fill(~counted, 0.0)).prod(1)
    return None


def best_path(chain: Chain) -> tuple[Float[Tensor, "batch"], Int[Tensor, "batch target"]]:
    """max_a log p(y, a | x) and the alignment that reaches it; −1 past a row's length or where p(y | x) = 0."""
    value, chosen = _emission_gradient(chain, MaxSemiring())
    return value, _positions(chosen)


def sample(chain: Chain, generator: torch.Generator | None = None) -> Int[Tensor, "batch target"]:
    """One alignment per row, drawn from p(a | x, y); −1 past a row's length or where p(y | x) = 0."""
    return _positions(_emission_gradient(chain, SamplingSemiring(generator))[1])


def _emission_gradient(chain: Chain, semiring: Semiring) -> tuple[Tensor, Tensor]:
    """The pass's value and ∂ value / ∂ log_emission, without touching the caller's graph."""
    log_emission = chain.log_emission.detach().requires_grad_()
    with torch.enable_grad():
        value = forward(replace(chain, log_emission=log_emission), semiring)
        (gradient,) = torch.autograd.grad(value.sum(), log_emission)
    possible = (value > -torch.inf)[:, None, None]
    return value.detach(), gradient.masked_fill(~possible, 0.0)


def _real(chain: Chain, steps: Float[Tensor, "batch target"]) -> Float[Tensor, "batch target"]:
    """Zeros past each row's length."""
    return steps.masked_fill(~length_mask(chain.target_lengths, steps.shape[1]), 0.0)


def _positions(one_hot: Tensor) -> Tensor:
    highest, position = one_hot.max(-1)
    return position.masked_fill(highest == 0, -1)
