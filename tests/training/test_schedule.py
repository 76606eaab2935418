"""Schedules: the paper's halving and one cycle."""

import pytest
import torch

from isotone.training.assess import standard_error
from isotone.training.recipe import RECIPES, Recipe
from isotone.training.schedule import Halving, OneCycle, schedule_for
from isotone.training.step import optimizer_for


def test_halving_follows_the_paper():
    schedule = Halving(0.001, 0.00001)
    rates, going_on = [], True
    for loss in [1.0, 0.5, 0.6, 0.4, 0.4, *[0.9] * 20]:
        rates.append(schedule.rate(0))
        going_on = schedule.after_epoch(loss)
        if not going_on:
            break
    assert rates[:6] == [0.001, 0.001, 0.001, 0.0005, 0.0005, 0.00025]
    assert not going_on
    assert schedule.rate(0) == pytest.approx(0.001 / 2**7)  # the first below 1e-5
    assert rates[-1] >= 0.00001


def test_halving_resumes():
    first, second = Halving(0.1, 0.001), Halving(0.1, 0.001)
    for loss in (1.0, 2.0, 0.5):
        first.after_epoch(loss)
    second.restore(first.state())
    assert (second.rate(0), second.state()) == (first.rate(0), first.state())


def test_one_cycle_climbs_and_anneals():
    schedule = OneCycle(0.01, 100, 0.1)
    rates = [schedule.rate(step) for step in range(100)]
    assert max(rates) == pytest.approx(0.01, rel=1e-3)
    assert rates.index(max(rates)) in (9, 10)
    assert rates[:10] == sorted(rates[:10]) and rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[-1] < 0.0002


def test_batch_sizes_of_the_paper():
    assert Recipe().batch_size_for("g2p") == 20
    assert Recipe().batch_size_for("transliteration") == 50
    assert schedule_for(RECIPES["paper"].recipe, epochs=50, steps_per_epoch=10).rate(0) == 0.001


def test_the_error_of_a_percentage():
    assert standard_error(50.0, 100) == pytest.approx(5.0)
    assert standard_error(0.0, 20) == pytest.approx(standard_error(100.0, 20)) and 0 < standard_error(0.0, 20) < 6


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_weight_decay_takes_its_share_apart_from_the_gradient(decay):
    """Where the gradient is zero a step multiplies every weight by 1 − rate × decay, and does nothing else."""
    layer = torch.nn.Linear(3, 2)
    before = [weight.detach().clone() for weight in layer.parameters()]
    for weight in layer.parameters():
        weight.grad = torch.zeros_like(weight)
    optimizer_for(layer, 0.5, decay).step()
    for weight, old in zip(layer.parameters(), before, strict=True):
        torch.testing.assert_close(weight.detach(), old * (1 - 0.5 * decay))
