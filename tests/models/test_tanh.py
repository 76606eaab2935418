"""The faster tanh is tanh."""

import pytest
import torch

from isotone.models.tanh import tanh_


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_tanh(dtype):
    x = torch.cat([torch.linspace(-30, 30, 20_001), torch.tensor([0.0, 1e-8, -1e-8, 1e30, -1e30])]).to(dtype)
    expected = torch.tanh(x.double())
    tolerance = 3e-7 if dtype == torch.float32 else 1e-15
    torch.testing.assert_close(tanh_(x.clone()).double(), expected, rtol=0, atol=tolerance)


def test_it_writes_over_its_argument():
    x = torch.ones(3)
    assert tanh_(x) is x
