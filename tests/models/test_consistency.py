"""Two readings of a pair, and how far they disagree."""

import math

import pytest
import torch

import tiny
from isotone.data.batch import Batch
from isotone.models import ALIGNERS
from isotone.models.consistency import consistent, disagreement


def divergence(p, q):
    """½ KL(p‖q) + ½ KL(q‖p) of two coins, from its definition."""
    pairs = ((p, q), (1 - p, 1 - q))
    return 0.5 * sum(a * math.log(a / b) + b * math.log(b / a) for a, b in pairs)


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.5), (0.9, 0.2), (0.999, 0.3), (1e-4, 0.7)])
def test_disagreement_is_the_divergence_of_this_symbol_or_another(p, q):
    log_p, log_q = torch.tensor([p, q], dtype=torch.float64).log()
    assert float(disagreement(log_p, log_q)) == pytest.approx(divergence(p, q), abs=1e-9)
    assert float(disagreement(log_q, log_p)) == pytest.approx(divergence(p, q), abs=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_certainty_and_padding_have_gradients_that_are_numbers(dtype):
    steps = torch.tensor([[0.0, -1e-9, -3.0, 0.0], [-1e-9, -1e-4, -80.0, 0.0]], dtype=dtype, requires_grad=True)
    consistent(steps, 1.0).sum().backward()
    assert steps.grad.isfinite().all() and steps.grad[:, 3].eq(0.5).all()


def test_its_gradient_is_right():
    torch.manual_seed(0)
    steps = -torch.rand(4, 3, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: consistent(x, 2.0), steps)


def agreeing(aligner, batch):
    """Without dropout both readings are the same, so the objective is what it is without consistency."""
    network = tiny.model(aligner, dropout=0.0).train()
    plain = network(batch)
    network.consistency = 5.0
    torch.testing.assert_close(network(batch), plain)


@pytest.mark.parametrize("aligner", ALIGNERS)
def test_without_dropout_two_readings_agree(aligner):
    agreeing(aligner, tiny.batch_for(aligner, [3, 2], [2, 4]))


@pytest.mark.parametrize("second", [[2, 1, 2, 3, 3], [0, 1, 2, 3, 3]], ids=["steps back", "possible"])
def test_alignments_count_where_they_are_possible(second):
    batch = tiny.random_batch([3, 2], [2, 4])
    batch.alignment = torch.tensor([[1, 2, 3, -1, -1], second])
    agreeing("0-mono", batch)


def test_dropout_makes_readings_disagree_while_training_only():
    network, batch = tiny.model("0-mono", dropout=0.5), tiny.random_batch([3, 2], [2, 4])
    plain = network(batch)
    network.consistency = 5.0
    assert torch.equal(network(batch), plain), "evaluation gives true probabilities"
    network.train()
    torch.manual_seed(0)
    steps = network._steps(batch.twice())
    torch.manual_seed(0)
    objective = network(batch)
    assert (objective < 0.5 * (steps[::2] + steps[1::2]).sum(1)).all()
    assert not torch.equal(steps[::2], steps[1::2])


def test_twice_repeats_every_field():
    batch = tiny.copying(tiny.random_batch([3, 2], [2, 4], tags=2))
    batch.alignment = torch.zeros_like(batch.target)
    twice = batch.twice()
    assert isinstance(twice, Batch) and len(twice) == 4
    for name, field in vars(batch).items():
        assert torch.equal(vars(twice)[name][::2], field) and torch.equal(vars(twice)[name][1::2], field), name
