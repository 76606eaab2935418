"""Two LSTMs on two cores: the numbers and gradients of one after the other, in every mode of torch."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from isotone.models import two_lstms as module
from isotone.models.two_lstms import two_lstms


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    monkeypatch.setattr(module, "WORTH_IT", 0)
    yield
    torch.set_num_threads(before)


def _case(dtype: torch.dtype = torch.float32) -> tuple[tuple[nn.LSTM, nn.LSTM], tuple[Tensor, Tensor]]:
    torch.manual_seed(0)
    lstms = nn.LSTM(3, 4, batch_first=True, dtype=dtype), nn.LSTM(3, 4, batch_first=True, dtype=dtype)
    inputs = torch.randn(2, 5, 3, dtype=dtype), torch.randn(2, 5, 3, dtype=dtype)
    return lstms, (inputs[0].requires_grad_(), inputs[1].requires_grad_())


def _one_after_the_other(lstms: tuple[nn.LSTM, nn.LSTM], inputs: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return lstms[0](inputs[0])[0], lstms[1](inputs[1])[0]


def test_same_numbers_and_gradients() -> None:
    lstms, inputs = _case(torch.float64)
    leaves = [*inputs, *lstms[0].parameters(), *lstms[1].parameters()]
    grads = []
    for run in (two_lstms, _one_after_the_other):
        left, right = run(lstms, inputs)
        grads.append(torch.autograd.grad((left.sin() * right.exp()).sum(), leaves))
    for fast, plain in zip(*grads, strict=True):
        torch.testing.assert_close(fast, plain)


def test_gradcheck() -> None:
    lstms, inputs = _case(torch.float64)
    assert torch.autograd.gradcheck(lambda *x: two_lstms(lstms, x), inputs)


def test_without_gradients_in_the_callers_mode() -> None:
    lstms, inputs = _case()
    expected = _one_after_the_other(lstms, inputs)
    with torch.no_grad():
        left, right = two_lstms(lstms, inputs)
        assert not left.requires_grad
    torch.testing.assert_close((left, right), tuple(x.detach() for x in expected))
    with torch.inference_mode():
        assert two_lstms(lstms, inputs)[0].is_inference()


def test_autocast_reaches_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    lstms, inputs = _case()
    seen: list[tuple[bool, torch.dtype]] = []

    def look(self: nn.LSTM, x: Tensor) -> tuple[Tensor, None]:
        seen.append((torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")))
        return x * 2, None

    monkeypatch.setattr(nn.LSTM, "forward", look)
    with torch.autocast("cpu", dtype=torch.bfloat16), torch.no_grad():
        two_lstms(lstms, inputs)
    assert seen == [(True, torch.bfloat16)] * 2


def test_a_failure_in_a_thread_is_the_callers() -> None:
    lstms, _ = _case()
    with pytest.raises(RuntimeError, match="input"):
        two_lstms(lstms, (torch.zeros(2, 5, 7), torch.zeros(2, 5, 7)))


def test_the_callers_number_of_threads_stays() -> None:
    lstms, inputs = _case()
    two_lstms(lstms, inputs)
    assert torch.get_num_threads() == 2


def test_one_core_or_little_to_do_takes_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    lstms, inputs = _case()
    monkeypatch.setattr(module, "_both", lambda task: pytest.fail("a thread was asked for"))
    torch.set_num_threads(1)
    two_lstms(lstms, inputs)
    torch.set_num_threads(2)
    monkeypatch.setattr(module, "WORTH_IT", 10**12)
    two_lstms(lstms, inputs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_has_threads_of_its_own() -> None:
    lstms, inputs = _case()
    with torch.no_grad():
        two_lstms(lstms, inputs)
    child = os.fork()
    if not child:  # a pool without threads would wait for ever: the alarm ends it
        import signal

        signal.alarm(20)
        module._Workers.pool().submit(int).result()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
