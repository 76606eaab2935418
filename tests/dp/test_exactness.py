"""Structural zeros, path counts, gradients, long chains, frozen rows."""

import math
from dataclasses import replace

import pytest
import torch

from chains import KINDS, random_chain, random_transition
from isotone.dp import (
    Banded,
    Chain,
    Dense,
    Independent,
    LogSemiring,
    Monotone,
    forward,
    log_likelihood,
    masked_log_softmax,
    posteriors,
)


def uniform_mono(target, state):
    """Every monotone step has weight 1, so the total counts the monotone paths."""
    steps = torch.zeros(state, state, dtype=torch.float64).masked_fill(
        ~torch.ones(state, state).triu().bool(), -math.inf
    )
    return Chain(
        torch.zeros(1, target, state, dtype=torch.float64),
        Dense(steps.expand(1, target, state, state)),
        torch.tensor([target]),
    )


@pytest.mark.parametrize(("target", "state"), [(1, 1), (3, 5), (7, 4), (12, 9), (20, 20)])
def test_monotone_paths_are_counted_by_binomial_coefficients(target, state):
    assert round(forward(uniform_mono(target, state), LogSemiring()).exp().item()) == math.comb(
        target + state - 1, target
    )


@pytest.mark.parametrize("kind", KINDS)
def test_fast_equals_dense_with_gradients(kind):
    fast = random_chain(kind, 4, 7, 9, width=3)
    leaf = fast.log_emission.requires_grad_()
    log_likelihood(fast).sum().backward()
    by_fast, leaf.grad = leaf.grad, None
    log_likelihood(fast.to_dense()).sum().backward()
    torch.testing.assert_close(by_fast, leaf.grad, atol=1e-10, rtol=0)


@pytest.mark.parametrize("size", [(1, 1), (3, 4), (4, 2)])
def test_gradcheck_through_every_transition(size):
    target, state = size
    lengths = torch.tensor([target, 1])
    mask = torch.ones(2, state, dtype=torch.bool)
    mask[1, 1:] = False
    emission = torch.randn(2, target, state, dtype=torch.float64, requires_grad=True)
    scores = torch.randn(2, target, state, dtype=torch.float64, requires_grad=True)
    jumps = torch.randn(2, target, state, 3, dtype=torch.float64, requires_grad=True)
    landing = torch.arange(state)[:, None] + torch.arange(-1, 2)
    inside = (landing >= 0) & (landing < mask.sum(1)[:, None, None])

    def mono(e, s):
        return log_likelihood(Chain(e, Monotone.from_scores(s, mask), lengths))

    def independent(e, s):
        return log_likelihood(Chain(e, Independent(masked_log_softmax(s, mask[:, None])), lengths))

    def band(e, j):
        return log_likelihood(Chain(e, Banded(masked_log_softmax(j, inside[:, None]), -1), lengths))

    assert torch.autograd.gradcheck(mono, (emission, scores))
    assert torch.autograd.gradcheck(independent, (emission, scores))
    assert torch.autograd.gradcheck(band, (emission, jumps))


def test_sums_and_their_gradients_survive_empty_rows():
    x = torch.randn(3, 4, 5, dtype=torch.float64)
    x[0, 1:3, 0], x[1, :, 1] = -math.inf, -math.inf
    free, weights = x.clone().requires_grad_(), torch.randn(3, 5, dtype=torch.float64)
    found = LogSemiring().sum(free, 1)
    assert torch.equal(found, LogSemiring().sum(x, 1))
    torch.testing.assert_close(found, torch.logsumexp(x, 1), atol=1e-12, rtol=0)
    found.backward(weights)
    torch.testing.assert_close(free.grad, torch.softmax(x, 1).nan_to_num(0.0) * weights[:, None], atol=1e-12, rtol=0)
    finite = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda values: LogSemiring().sum(values, 1), (finite,))


def test_shares_of_a_sum_add_up_to_one_at_any_level():
    x = (torch.randn(4, 50) - 3000).requires_grad_()
    LogSemiring().sum(x, 1).sum().backward()
    torch.testing.assert_close(x.grad.sum(1), torch.ones(4), atol=1e-6, rtol=0)


def test_gradcheck_of_prefix_sums_with_leading_zeros_and_mixed_signs():
    x = torch.randn(3, 6, dtype=torch.float64)
    x[1, :2] = -math.inf
    free = x.clone().requires_grad_()
    weights = torch.randn(3, 6, dtype=torch.float64)

    def weighted(values):
        out = LogSemiring().cumulative(values)
        return torch.where(out > -math.inf, out, torch.zeros_like(out)).mul(weights).sum()

    (gradient,) = torch.autograd.grad(weighted(free), free)
    assert not gradient[1, :2].any()
    assert gradient.isfinite().all()
    finite = torch.randn(3, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(weighted, (finite,))


@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_target_symbols_stay_finite_and_precise(kind):
    chain = random_chain(kind, 2, 1000, 30, dtype=torch.float32, width=4, ragged=False)
    precise = Chain(
        chain.log_emission.double(),
        type(chain.transition)(
            *(v.double() if isinstance(v, torch.Tensor) else v for v in vars(chain.transition).values())
        ),
        chain.target_lengths,
    )
    found, expected = log_likelihood(chain), log_likelihood(precise)
    assert found.isfinite().all()
    torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=0)
    torch.testing.assert_close(posteriors(chain).sum(-1), torch.ones(2, 1000), atol=1e-3, rtol=0)


def test_masses_beyond_float_range_survive_prefix_sums():
    """A position 200 nats below the peak is still there: prefix sums never underflow to a false zero."""
    scores = torch.zeros(1, 2, 3)
    emission = torch.tensor([[[0.0, 200.0, 200.0], [0.0, -300.0, -300.0]]]) - 200
    chain = Chain(emission, Monotone.from_scores(scores, torch.ones(1, 3, dtype=torch.bool)), torch.tensor([2]))
    torch.testing.assert_close(posteriors(chain)[0, 0], posteriors(chain.to_dense())[0, 0], atol=1e-6, rtol=0)
    assert posteriors(chain)[0, 0, 0] > 0.99


@pytest.mark.parametrize("kind", KINDS)
def test_rows_do_not_see_padding(kind):
    chain = random_chain(kind, 1, 4, 5, ragged=False, width=2)
    alone = log_likelihood(chain)
    dense = chain.transition.dense()
    padded_emission = torch.randn(1, 7, 8, dtype=torch.float64)
    padded_emission[:, :4, :5] = chain.log_emission
    padded_steps = torch.full((1, 7, 8, 8), -math.inf, dtype=torch.float64)
    padded_steps[:, :4, :5, :5] = dense
    padded = Chain(padded_emission, Dense(padded_steps), torch.tensor([4]))
    torch.testing.assert_close(log_likelihood(padded), alone, atol=1e-12, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_transition_rows_are_distributions_or_empty(kind):
    real = torch.tensor([5, 3])
    rows = random_transition(kind, 2, 3, 5, real=real, width=2).dense().exp().sum(-1)
    assert (((rows - 1).abs() < 1e-9) | (rows == 0)).all()


def test_masked_log_softmax_of_an_empty_row():
    scores = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    allowed = torch.tensor([[True, False, True], [False, False, False]])
    out = masked_log_softmax(scores, allowed)
    assert out[0, 1] == -math.inf and (out[1] == -math.inf).all()
    out[0, ::2].sum().backward()
    assert scores.grad.isfinite().all() and not scores.grad[1].any()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda c: {"target_lengths": torch.tensor([0, 1])}, "target lengths must lie in"),
        (lambda c: {"target_lengths": torch.tensor([4, 1])}, "target lengths must lie in"),
        (lambda c: {"log_emission": c.log_emission * math.nan}, "nan or"),
        (lambda c: {"log_emission": c.log_emission[:, :2]}, "transition is"),
    ],
)
def test_a_chain_refuses_nonsense(spoil, message):
    chain = random_chain("dense", 2, 3, 4, ragged=False)
    with pytest.raises(ValueError, match=message):
        Chain(**{**vars(chain), **spoil(chain)})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_chain_refuses_transitions_that_are_no_log_probabilities(kind, value):
    chain = random_chain(kind, 2, 3, 4, ragged=False)
    tensors = {name: x for name, x in vars(chain.transition).items() if isinstance(x, torch.Tensor)}
    for name, tensor in tensors.items():
        spoiled = tensor.clone()
        spoiled.view(-1)[-1] = -value if name == "log_reachable" else value  # p is divided by what is reachable
        with pytest.raises(ValueError, match="transition holds nan or"):
            replace(chain, transition=replace(chain.transition, **{name: spoiled}))
