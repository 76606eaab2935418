"""The copy gate: the fused path against its dense twin and against plain Python, and what is exactly zero."""

import math

import pytest
import torch

import oracle
import tiny
from isotone.errors import ConfigError
from isotone.models import ALIGNERS, Architecture, Network, fused_emission
from isotone.models.emission import Emission
from isotone.models.fused_emission import blocked_log_probs
from isotone.models.gated_emission import Gated, dense_gated_log_probs
from isotone.text.vocabulary import EOS, FIRST, PAD, UNK

OUTPUTS = 4
SIZE = EOS + OUTPUTS
"""Ids of the alphabet: EOS and three letters can be generated; SIZE and SIZE + 1 can only be copied."""
COPIES = torch.tensor([[-1, FIRST, SIZE, -1, -1], [-1, SIZE, SIZE + 1, FIRST + 2, -1]])
TARGET = torch.tensor([[FIRST, SIZE, UNK, EOS, PAD, SIZE + 1], [SIZE + 1, FIRST + 2, FIRST + 1, SIZE, EOS, EOS]])


def head():
    return Gated.build(TARGET, COPIES, first=EOS, outputs=OUTPUTS)


def inputs(feature=6, dtype=torch.float64):
    shapes = (*TARGET.shape, feature), (*COPIES.shape, feature), (OUTPUTS + 1, feature), (OUTPUTS + 1,)
    return [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]


def blocks(monkeypatch, chunk, keep):
    monkeypatch.setattr(fused_emission, "KEEP", keep)
    monkeypatch.setattr(fused_emission, "CHUNK", chunk)


def log_p(query, memory, weight, bias, target, copied):
    """The definition in plain Python, one cell: `copied` is the id that a copy writes, −1 for none."""
    hidden = [math.tanh(q + m) for q, m in zip(query, memory, strict=True)]
    logits = [sum(w * h for w, h in zip(row, hidden, strict=True)) + b for row, b in zip(weight, bias, strict=True)]
    opening = logits.pop()
    gate = 1 / (1 + math.exp(-opening)) if copied >= 0 else 0.0
    place = target - EOS
    softmax = math.exp(logits[place] - oracle.log_add(logits)) if 0 <= place < OUTPUTS else 0.0
    p = gate * (target == copied) + (1 - gate) * softmax
    return math.log(p) if p else -math.inf


def test_fused_and_dense_equal_plain_python():
    arguments = inputs()
    query, memory, weight, bias = (x.tolist() for x in arguments)
    for function in (blocked_log_probs, dense_gated_log_probs):
        for b, table in enumerate(function(head(), *arguments).tolist()):
            for i, row in enumerate(table):
                for j, found in enumerate(row):
                    target, copied = int(TARGET[b, i]), int(COPIES[b, j])
                    if target != PAD:  # never looked at
                        expected = log_p(query[b][i], memory[b][j], weight, bias, target, copied)
                        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("keep", [0, 1 << 20])
@pytest.mark.parametrize("chunk", [1, 40, 1 << 20])
def test_fused_equals_dense_in_value_and_gradient(chunk, keep, monkeypatch):
    blocks(monkeypatch, chunk, keep)
    arguments = inputs()
    weights = torch.randn(2, 6, 5, dtype=torch.float64)
    results = []
    for function in (blocked_log_probs, dense_gated_log_probs):
        value = function(head(), *arguments)
        possible = value.masked_fill(value == -torch.inf, 0.0)
        results.append((value, *torch.autograd.grad((possible * weights).sum(), arguments)))
    for fused, dense in zip(*results, strict=True):
        torch.testing.assert_close(fused, dense, atol=1e-12, rtol=0)


@pytest.mark.parametrize("keep", [0, 1 << 20])
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_gradcheck(chunk, keep, monkeypatch):
    blocks(monkeypatch, chunk, keep)

    def possible(*arguments):
        value = blocked_log_probs(head(), *arguments)
        return value[value > -torch.inf]

    assert torch.autograd.gradcheck(possible, inputs(feature=3))


def test_impossible_cells_have_zero_gradients_whatever_comes_back():
    arguments = inputs()
    value = blocked_log_probs(head(), *arguments)
    impossible = value == -torch.inf
    assert impossible[0, 2].all() and impossible[0, 5].all() and not impossible[0, 3].any()
    assert impossible[1, 0].tolist() == [True, True, False, True, True]
    for grad in torch.autograd.grad(value, arguments, impossible.double()):
        assert not grad.any()


def test_extreme_gates_stay_exact():
    query, memory, weight, bias = (x.detach() for x in inputs())
    for logit in (-800.0, 800.0):
        weight[-1], bias[-1] = 0, logit
        leaves = [x.requires_grad_() for x in (query, memory, weight.clone(), bias.clone())]
        value = blocked_log_probs(head(), *leaves)
        assert value[0, 1, 2].item() == pytest.approx(min(0.0, logit))
        for grad in torch.autograd.grad(value[value > -torch.inf].sum(), leaves):
            assert grad.isfinite().all()


@pytest.mark.parametrize("keep", [0, 1 << 20])
@pytest.mark.parametrize("chunk", [1, 60, 200, 1 << 20])
def test_padding_is_passed_over_and_nothing_else(chunk, keep, monkeypatch):
    blocks(monkeypatch, chunk, keep)
    arguments, lengths = inputs(), torch.tensor([4, 6])
    real = (torch.arange(6) < lengths[:, None])[:, :, None].expand(-1, -1, COPIES.shape[1])
    weights = torch.randn(real.shape, dtype=torch.float64)
    results = []
    for value in (blocked_log_probs(head(), *arguments, lengths), dense_gated_log_probs(head(), *arguments)):
        looked_at = real & value.isfinite()
        loss = (value[looked_at] * weights[looked_at]).sum()
        results.append((value[real], *torch.autograd.grad(loss, arguments)))
    for fused, dense in zip(*results, strict=True):
        torch.testing.assert_close(fused, dense, atol=1e-12, rtol=0)


def test_bf16_is_close_and_its_result_is_fp32():
    arguments = inputs(dtype=torch.float32)
    half = [a.detach().to(torch.bfloat16).requires_grad_() for a in arguments]
    exact, rough = blocked_log_probs(head(), *arguments), blocked_log_probs(head(), *half)
    assert rough.dtype == torch.float32
    torch.testing.assert_close(rough, exact, atol=0.05, rtol=0.05)
    rough[rough > -torch.inf].sum().backward()
    assert half[0].grad.dtype == torch.bfloat16 and all(x.grad.isfinite().all() for x in half)


def test_all_symbols_agree_with_the_gold_symbol_and_sum_to_one():
    emission = Emission(query=3, memory=6, outputs=OUTPUTS, first_output=EOS, gated=True).double()
    query = torch.randn(2, 1, 3, dtype=torch.float64)
    features = emission.memory(torch.randn(2, 5, 6, dtype=torch.float64))
    every = emission.log_symbols(query[:, 0], features, COPIES, 2)
    torch.testing.assert_close(every.exp().sum(-1), torch.ones(2, 5, dtype=torch.float64))
    for symbol in range(EOS, SIZE + 2):
        target = torch.full((2, 1), symbol)
        gold = emission.log_prob(query, features[:, None], target, COPIES)[:, 0]
        torch.testing.assert_close(gold, every[:, :, symbol - EOS])


def test_the_gate_is_one_row_and_nothing_without_it():
    for aligner in ("0-mono", "1-mono"):
        plain, gated = tiny.model(aligner), tiny.model(aligner + tiny.COPY)
        assert gated.parameter_count() - plain.parameter_count() == 3 * 4 + 1
        assert gated.state_dict().keys() - plain.state_dict().keys() == {"emission.gate.weight", "emission.gate.bias"}


def test_unknown_is_never_written():
    network = tiny.model("1-mono --copy")
    batch = tiny.batch_for("1-mono --copy", [4, 3], [2, 1])
    batch.target[1, 0] = UNK
    assert network.log_prob(batch)[1] == -torch.inf
    memory = network.encode(batch)
    assert (network.step(network.start(memory), memory).log_symbols[:, :EOS] == -torch.inf).all()


def test_what_must_be_told_what_it_copies_says_so():
    with pytest.raises(ValueError, match="use its own codec"):
        tiny.model("0-mono --copy").log_prob(tiny.random_batch([2], [1]))


def test_soft_has_nothing_to_copy_from():
    for name in ALIGNERS:
        if name == "soft":
            with pytest.raises(ConfigError, match="soft averages over source positions"):
                tiny.architecture(name, copy_gate=True)
            with pytest.raises(ValueError, match="soft averages over source positions"):
                Architecture(aligner=name, emission={"copy_gate": True})
        else:
            Network.build(tiny.architecture(name, copy_gate=True), tiny.vocabulary())
    with pytest.raises(ConfigError, match="emission: copy_gate and copies_unknown exclude each other"):
        tiny.architecture("0-mono", copy_gate=True, copies_unknown=True)
