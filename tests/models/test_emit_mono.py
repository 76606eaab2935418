"""EMIT-MONO against its definition: products of emit and shift probabilities, written out."""

import math

import pytest
import torch

import oracle
import tiny
from isotone.dp import Chain, Dense, best_path, log_likelihood, posteriors
from isotone.models.aligners.emit_mono import EmitMono
from isotone.models.memory import Memory

LENGTHS = [5, 1, 3]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def by_products(scores, length):
    """p(a = j | k) = (1 − e_k) ⋯ (1 − e_{j−1}) e_j as nested lists; the last of `length` positions always emits."""
    size = len(scores)
    emit = [sigmoid(score) for score in scores[: length - 1]] + [1.0]
    shift = [sigmoid(-score) for score in scores[: length - 1]] + [0.0]
    return [
        [math.prod(shift[k:j]) * emit[j] if k <= j < length else 0.0 for j in range(size)]
        if k < length
        else [0.0] * size
        for k in range(size)
    ]


def transition(scores, lengths):
    """The aligner's transition for given scores h_dᵀ T h_e: an identity for queries, the scores for keys."""
    batch, target, state = scores.shape
    queries = torch.eye(target, dtype=scores.dtype).expand(batch, -1, -1)
    mask = torch.arange(state) < torch.tensor(lengths)[:, None]
    keys = scores.transpose(1, 2)
    memory = Memory(keys=keys, features=keys, mask=mask, tags=scores.new_zeros(batch, 0))
    return EmitMono(query=target, memory=4).transition(queries, memory)


def definition(scores, lengths):
    table = [[by_products(row, n) for row in rows] for rows, n in zip(scores.tolist(), lengths, strict=True)]
    return torch.tensor(table, dtype=torch.float64)


@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_the_prefix_sums_are_the_products(scale):
    scores = scale * torch.randn(3, 4, 5, dtype=torch.float64)
    expected, found = definition(scores, LENGTHS), transition(scores, LENGTHS)
    rows = [expected[b, :, :n].sum(-1) for b, n in enumerate(LENGTHS)]
    torch.testing.assert_close(torch.cat(rows, 1), torch.ones(4, sum(LENGTHS), dtype=torch.float64))
    torch.testing.assert_close(found.dense().exp(), expected, atol=1e-12, rtol=0)
    assert ((found.dense() == -math.inf) == (expected == 0)).all(), "structural zeros are exact"
    emission, lengths = torch.randn(3, 4, 5, dtype=torch.float64), torch.tensor([4, 2, 3])
    fast = Chain(emission, found, lengths)
    slow = Chain(emission, Dense(expected.log()), lengths)
    torch.testing.assert_close(log_likelihood(fast), log_likelihood(slow), atol=1e-12, rtol=0)
    torch.testing.assert_close(posteriors(fast), posteriors(slow), atol=1e-12, rtol=0)
    assert torch.equal(best_path(fast)[1], best_path(slow)[1])
    for b, length in enumerate(lengths.tolist()):
        wanted = oracle.log_likelihood(emission[b].tolist(), expected[b].log().tolist(), length)
        assert log_likelihood(fast)[b].item() == pytest.approx(wanted, abs=1e-10)


def test_one_entry_at_a_time():
    scores = torch.randn(3, 4, 5, dtype=torch.float64)
    found, expected = transition(scores, LENGTHS), definition(scores, LENGTHS).log()
    for k in range(5):
        for j in range(5):
            steps = torch.full((3, 4), k), torch.full((3, 4), j)
            real = torch.tensor(LENGTHS) > k  # nobody stands on padding, so what follows from there is never asked
            torch.testing.assert_close(found.log_step(*steps)[real], expected[real, :, k, j])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("pattern", ["up", "down", "mixed"])
def test_saturated_scores(dtype, pattern):
    """e within 10⁻²² of 0 or 1: probabilities as by the products, and every gradient a number."""
    signs = {"up": torch.ones(3, 4, 5), "down": -torch.ones(3, 4, 5), "mixed": torch.randn(3, 4, 5).sign()}[pattern]
    scores = (50 * signs).to(dtype).requires_grad_()
    found, expected = transition(scores, LENGTHS), definition(scores, LENGTHS)
    torch.testing.assert_close(found.dense().exp().double(), expected, atol=1e-4, rtol=0)
    emission = torch.randn(3, 4, 5, dtype=dtype, requires_grad=True)
    total = log_likelihood(Chain(emission, found, torch.tensor([4, 2, 3])))
    slow = log_likelihood(Chain(emission.detach().double(), Dense(expected.log()), torch.tensor([4, 2, 3])))
    torch.testing.assert_close(total.double(), slow, atol=1e-4, rtol=1e-5)
    total.sum().backward()
    assert scores.grad.isfinite().all() and emission.grad.isfinite().all()
    assert not scores.grad[1, :, 0:].any(), "one position: no decision to make"


def test_gradients_are_those_of_the_products():
    scores = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    emission = torch.randn(2, 3, 4, dtype=torch.float64)

    def total(scores):
        return log_likelihood(Chain(emission, transition(scores, [4, 3]), torch.tensor([3, 2])))

    assert torch.autograd.gradcheck(total, scores)


def test_a_first_step_reads_the_positions_from_the_left():
    """At even odds each further position is half as likely; the last takes what is left."""
    found = transition(torch.zeros(1, 1, 4, dtype=torch.float64), [4]).dense().exp()
    assert found[0, 0, 0].tolist() == pytest.approx([0.5, 0.25, 0.125, 0.125])


def test_it_has_no_parameter_of_its_own():
    assert tiny.model("emit-mono").state_dict().keys() == tiny.model("0-mono").state_dict().keys()
