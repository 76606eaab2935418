"""Our dropout does what torch's does: the rate, the scale, the mean, the gradient, and it repeats itself."""

import pytest
import torch

from isotone.models.dropout import Dropout


@pytest.mark.parametrize("rate", [0.1, 0.4, 0.5, 0.9])
def test_rate_and_scale(rate):
    x = torch.full((200, 1001), 3.0)
    y = Dropout(rate)(x)
    zero = y == 0
    assert zero.double().mean().item() == pytest.approx(rate, abs=0.005)
    torch.testing.assert_close(y[~zero], torch.full_like(y[~zero], 3.0 / (1 - rate)), rtol=1e-3, atol=0)
    assert y.double().mean().item() == pytest.approx(3.0, abs=0.05)


def test_neighbours_are_independent():
    """The four masks cut from one random number have nothing to do with each other."""
    kept = (Dropout(0.4)(torch.ones(400_000)) != 0).double().view(-1, 4)
    correlation = torch.corrcoef(kept.T)
    assert (correlation - torch.eye(4)).abs().max() < 0.02


def test_gradient_is_the_mask():
    x = torch.randn(7, 13, dtype=torch.float64, requires_grad=True)
    y = Dropout(0.4)(x)
    y.sum().backward()
    torch.testing.assert_close(x.grad * x.detach(), y.detach())


def test_identity_outside_training():
    x = torch.randn(5, 3)
    assert Dropout(0.4).eval()(x) is x
    assert Dropout(0.0)(x) is x


def test_seeded():
    x = torch.ones(11, 3)
    torch.manual_seed(7)
    first = Dropout(0.4)(x)
    torch.manual_seed(7)
    assert torch.equal(Dropout(0.4)(x), first)
    assert not torch.equal(Dropout(0.4)(x), first)
