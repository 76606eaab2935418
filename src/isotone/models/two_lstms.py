"""Two LSTMs at once, each on a core of its own.

An LSTM spread over two cores has them meet after every symbol, and gains little from the second one. The two directions
of an encoder know nothing of each other, so each can have a core to itself from its first symbol to its last.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from isotone.shapes import Float

__all__ = ["two_lstms"]

T = TypeVar("T")

WORTH_IT = 100_000_000
"""Operations on one LSTM's inputs below which handing it to a thread costs more than it saves."""


def two_lstms(
    lstms: tuple[nn.Module, nn.Module],
    inputs: tuple[Float[Tensor, "batch state feature"], Float[Tensor, "batch state feature"]],
) -> tuple[Float[Tensor, "batch state hidden"], Float[Tensor, "batch state hidden"]]:
    """What each LSTM makes of its input, with the numbers of one after the other."""
    if not _pays(lstms[0], inputs[0]):
        return lstms[0](inputs[0])[0], lstms[1](inputs[1])[0]
    if torch.is_grad_enabled():
        left, right = _TwoLstms.apply(lstms, *inputs, *lstms[0].parameters(), *lstms[1].parameters())  # type: ignore[no-untyped-call]
        return left, right
    return _both(lambda side: lstms[side](inputs[side])[0])


def _pays(lstm: nn.Module, inputs: Tensor) -> bool:
    """Is there a second core, and enough to do?"""
    operations = 2 * inputs.numel() * next(lstm.parameters()).shape[0]
    return inputs.device.type == "cpu" and torch.get_num_threads() > 1 and operations >= WORTH_IT


class _TwoLstms(torch.autograd.Function):
    """Each LSTM keeps a graph of its own, and the backward pass walks both at once."""

    @staticmethod
    def forward(ctx: Any, lstms: tuple[nn.Module, nn.Module], *tensors: Tensor) -> tuple[Tensor, Tensor]:
        inputs = [tensor.detach().requires_grad_() for tensor in tensors[:2]]
        ctx.leaves = [[tensor, *lstm.parameters()] for lstm, tensor in zip(lstms, inputs, strict=True)]
        with torch.enable_grad():
            ctx.results = _both(lambda side: lstms[side](inputs[side])[0])
        return ctx.results[0].detach(), ctx.results[1].detach()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        results, leaves = ctx.results, ctx.leaves
        left, right = _both(
            lambda side: torch.autograd.grad(results[side], leaves[side], grads[side], retain_graph=True)
        )
        return None, left[0], right[0], *left[1:], *right[1:]


def _both(task: Callable[[int], T]) -> tuple[T, T]:
    """task(0) and task(1) at once, in the modes of the calling thread: torch keeps them by thread."""
    grad, inference = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
    cast, dtype = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")

    def run(side: int) -> T:
        with (
            torch.inference_mode(inference),
            torch.set_grad_enabled(grad),
            torch.autocast("cpu", dtype=dtype, enabled=cast),
        ):
            return task(side)

    left, right = _Workers.pool().map(run, (0, 1))
    return left, right


class _Workers:
    """Two threads that each use one core; made when first needed, and again in a forked process."""

    _pool: ThreadPoolExecutor | None = None

    @classmethod
    def pool(cls) -> ThreadPoolExecutor:
        if cls._pool is None:
            cores = torch.get_num_threads()
            started = Barrier(3)
            pool = ThreadPoolExecutor(2, thread_name_prefix="isotone-lstm", initializer=cls._start, initargs=(started,))
            pool.submit(int), pool.submit(int)
            started.wait()
            torch.set_num_threads(cores)  # torch keeps the number by thread, but new threads take the last one set
            cls._pool = pool
        return cls._pool

    @staticmethod
    def _start(started: Barrier) -> None:
        torch.set_num_threads(1)
        started.wait()

    @classmethod
    def forget(cls) -> None:
        """A forked process has none of its parent's threads."""
        cls._pool = None


os.register_at_fork(after_in_child=_Workers.forget)
