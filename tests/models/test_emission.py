"""The fused emission against its dense twin: values, gradients, any chunk size, any number format."""

import pytest
import torch

import tiny
from isotone.models import fused_emission
from isotone.models.emission import Emission
from isotone.models.fused_emission import dense_gold_log_probs, gold_log_probs


def inputs(batch=2, target=5, state=3, feature=6, outputs=4, dtype=torch.float64):
    return (
        torch.randn(batch, target, feature, dtype=dtype, requires_grad=True),
        torch.randn(batch, state, feature, dtype=dtype, requires_grad=True),
        torch.randint(0, outputs, (batch, target)),
        torch.randn(outputs, feature, dtype=dtype, requires_grad=True),
        torch.randn(outputs, dtype=dtype, requires_grad=True),
    )


@pytest.mark.parametrize("keep", [0, 1 << 20])
@pytest.mark.parametrize("chunk", [1, 40, 1 << 20])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_fused_equals_dense_in_value_and_gradient(chunk, keep, smoothing, monkeypatch):
    monkeypatch.setattr(fused_emission, "KEEP", keep)
    monkeypatch.setattr(fused_emission, "CHUNK", chunk)
    arguments = inputs()
    weights = torch.randn(2, 5, 3, dtype=torch.float64)
    leaves = [a for a in arguments if a.requires_grad]
    results = []
    for function in (gold_log_probs, dense_gold_log_probs):
        value = function(*arguments, smoothing=smoothing)
        results.append((value, *torch.autograd.grad((value * weights).sum(), leaves)))
    for fused, dense in zip(*results, strict=True):
        torch.testing.assert_close(fused, dense, atol=1e-12, rtol=0)


@pytest.mark.parametrize("keep", [0, 1 << 20])
@pytest.mark.parametrize("chunk", [1, 40, 200, 1 << 20])
def test_padding_is_passed_over_and_nothing_else(chunk, keep, monkeypatch):
    """Cells within the rows' lengths have the values and gradients of all cells; past them nothing has a gradient."""
    monkeypatch.setattr(fused_emission, "KEEP", keep)
    monkeypatch.setattr(fused_emission, "CHUNK", chunk)
    arguments, lengths = inputs(batch=4), torch.tensor([3, 5, 1, 2])
    real = (torch.arange(5) < lengths[:, None])[:, :, None]
    weights = torch.randn(4, 5, 3, dtype=torch.float64) * real
    leaves = [a for a in arguments if a.requires_grad]
    results = []
    for value in (gold_log_probs(*arguments, lengths), dense_gold_log_probs(*arguments)):
        assert value.isfinite().all()
        results.append((value * real, *torch.autograd.grad((value * weights).sum(), leaves)))
    for fused, dense in zip(*results, strict=True):
        torch.testing.assert_close(fused, dense, atol=1e-12, rtol=0)


def test_blocks_cover_every_real_cell_once_and_stay_small(monkeypatch):
    monkeypatch.setattr(fused_emission, "CHUNK", 60)
    memory, weight = torch.zeros(6, 3, 5), torch.zeros(4, 5)
    for ends in ([1, 1, 1, 7, 7, 2], [7, 7, 2, 1, 1, 1], [4] * 6):
        seen = torch.zeros(6, 7, dtype=torch.long)
        for rows, steps in fused_emission._chunks(ends, memory, weight):
            seen[rows, steps] += 1
            assert (rows.stop - rows.start) * (steps.stop - steps.start) * 3 * 5 <= 60
        assert seen.max() == 1
        assert all(seen[row, :end].all() for row, end in enumerate(ends))


@pytest.mark.parametrize("keep", [0, 1 << 20])
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_gradcheck(chunk, keep, monkeypatch):
    monkeypatch.setattr(fused_emission, "KEEP", keep)
    monkeypatch.setattr(fused_emission, "CHUNK", chunk)
    query, memory, gold, weight, bias = inputs(target=3, state=2, feature=4)
    assert torch.autograd.gradcheck(lambda q, m, w, b: gold_log_probs(q, m, gold, w, b), (query, memory, weight, bias))


def test_bf16_is_close_and_its_result_is_fp32():
    arguments = inputs(dtype=torch.float32)
    half = [a.detach().to(torch.bfloat16).requires_grad_() if a.requires_grad else a for a in arguments]
    exact, rough = gold_log_probs(*arguments), gold_log_probs(*half)
    assert rough.dtype == torch.float32
    torch.testing.assert_close(rough, exact, atol=0.05, rtol=0.05)
    rough.sum().backward()
    assert half[0].grad.dtype == torch.bfloat16


def test_all_symbols_agree_with_the_gold_symbol():
    emission = Emission(query=3, memory=6, outputs=5, first_output=3).double()
    query = torch.randn(2, 1, 3, dtype=torch.float64)
    features = emission.memory(torch.randn(2, 4, 6, dtype=torch.float64))
    every = emission.log_symbols(query[:, 0], features)
    for output in range(5):
        gold = torch.full((2, 1), output + 3)
        torch.testing.assert_close(emission.log_prob(query, features[:, None], gold)[:, 0], every[:, :, output])


def test_unknown_has_probability_zero_where_it_is_no_output():
    emission = Emission(query=3, memory=6, outputs=5, first_output=3).double()
    query, memory = torch.randn(1, 3, 3, dtype=torch.float64), torch.randn(1, 4, 6, dtype=torch.float64)
    log_probs = emission.log_prob(query, emission.memory(memory)[:, None], torch.tensor([[4, 2, 3]]))
    assert log_probs[0, 1].eq(-torch.inf).all() and log_probs[0, ::2].isfinite().all()


def test_labels_are_smoothed_while_training_only():
    network, batch = tiny.model("0-mono"), tiny.random_batch([3, 2], [2, 4])
    plain = network.log_prob(batch)
    network.emission.smoothing = 0.1
    assert torch.equal(network.log_prob(batch), plain), "evaluation gives true probabilities"
    network.train()
    assert not torch.allclose(network.log_prob(batch), plain)
