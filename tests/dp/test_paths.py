"""log p(y, a | x) of a given alignment: every transition, against enumeration and the forward pass."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import oracle
from chains import KINDS, random_chain, rows
from isotone.dp import (
    Banded,
    Chain,
    Independent,
    Monotone,
    best_path,
    log_likelihood,
    masked_log_softmax,
    path_log_prob,
    path_step_log_probs,
)

every_kind = pytest.mark.parametrize("kind", KINDS)


def random_paths(chain):
    """One alignment a row, most of them impossible for most transitions."""
    batch, target, state = chain.log_emission.shape
    return torch.randint(0, state, (batch, target))


def by_forward(chain, path):
    """The slow twin: the forward pass of a chain that can be nowhere else."""
    there = torch.arange(chain.log_emission.shape[2]) == path[:, :, None]
    return log_likelihood(replace(chain, log_emission=chain.log_emission.masked_fill(~there, -math.inf)))


@every_kind
@given(
    batch=st.integers(1, 4),
    target=st.integers(1, 5),
    state=st.integers(1, 4),
    width=st.integers(0, 6),
    seed=st.integers(0, 10_000),
)
def test_it_is_the_product_along_the_path(kind, batch, target, state, width, seed):
    torch.manual_seed(seed)
    chain = random_chain(kind, batch, target, state, width=width)
    for path in (random_paths(chain), random_paths(chain).cummax(1).values):
        expected = [
            oracle.path_log_prob(emission, transition, positions[:length])
            for positions, (emission, transition, length) in zip(path.tolist(), rows(chain), strict=True)
        ]
        assert path_log_prob(chain, path).tolist() == pytest.approx(expected, abs=1e-9)
        assert path_log_prob(chain.to_dense(), path).tolist() == pytest.approx(expected, abs=1e-9)
        assert by_forward(chain, path).tolist() == pytest.approx(expected, abs=1e-9)
        assert path_step_log_probs(chain, path).sum(1).tolist() == pytest.approx(expected, abs=1e-9)
        assert (path_log_prob(chain, path) <= log_likelihood(chain) + 1e-9).all()


@every_kind
def test_all_paths_together_are_the_log_likelihood(kind):
    chain = random_chain(kind, 1, 3, 4, ragged=False)
    paths = torch.cartesian_prod(*[torch.arange(4)] * 3)
    each = torch.cat([path_log_prob(chain, path[None]) for path in paths])
    torch.testing.assert_close(each.logsumexp(0), log_likelihood(chain)[0], atol=1e-12, rtol=0)


@every_kind
def test_the_best_path_has_the_best_score(kind):
    chain = random_chain(kind, 6, 5, 4)
    chain.log_emission[2, 0] = -math.inf  # impossible: no path, no probability
    value, path = best_path(chain)
    torch.testing.assert_close(path_log_prob(chain, path), value, atol=1e-12, rtol=0)
    assert value[2] == -math.inf


@every_kind
def test_the_twin_has_the_same_gradient(kind):
    chain = random_chain(kind, 4, 6, 5, width=4)
    _, path = best_path(chain)
    leaf = chain.log_emission.requires_grad_()
    gradients = [torch.autograd.grad(query(chain, path).sum(), leaf)[0] for query in (path_log_prob, by_forward)]
    torch.testing.assert_close(*gradients, atol=1e-12, rtol=0)
    assert gradients[0].sum().item() == chain.target_lengths.sum().item()


def test_gradcheck_through_every_transition():
    mask = torch.tensor([[True] * 4, [True] * 3 + [False]])
    lengths, path = torch.tensor([3, 2]), torch.tensor([[0, 1, 3], [1, 1, -1]])
    emission, scores = (torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))
    jumps = torch.randn(2, 3, 4, 3, dtype=torch.float64, requires_grad=True)
    inside = torch.arange(4)[:, None] + torch.arange(3) < mask.sum(1)[:, None, None]

    def mono(e, s):
        return path_log_prob(Chain(e, Monotone.from_scores(s, mask), lengths), path)

    def independent(e, s):
        return path_log_prob(Chain(e, Independent(masked_log_softmax(s, mask[:, None])), lengths), path)

    def band(e, j):
        return path_log_prob(Chain(e, Banded(masked_log_softmax(j, inside[:, None]), 0), lengths), path)

    assert torch.autograd.gradcheck(mono, (emission, scores))
    assert torch.autograd.gradcheck(independent, (emission, scores))
    assert torch.autograd.gradcheck(band, (emission, jumps))


@every_kind
def test_what_stands_past_the_end_does_not_count(kind):
    chain = random_chain(kind, 5, 6, 4, width=3)
    path = random_paths(chain).cummax(1).values
    past = torch.arange(6) >= chain.target_lengths[:, None]
    found = path_log_prob(chain, path)
    for filling in (-1, 0, 3):
        assert torch.equal(path_log_prob(chain, path.masked_fill(past, filling)), found)


def test_a_step_back_is_a_structural_zero_with_finite_gradients():
    scores = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    chain = Chain(
        torch.zeros(1, 3, 4, dtype=torch.float64),
        Monotone.from_scores(scores, torch.tensor([[True, True, True, False]])),
        torch.tensor([3]),
    )
    for path in ([2, 1, 2], [0, 1, 3], [0, -1, 1]):
        found = path_log_prob(chain, torch.tensor([path]))
        assert found.item() == -math.inf
        (gradient,) = torch.autograd.grad(found.sum(), scores, retain_graph=True)
        assert gradient.isfinite().all()
