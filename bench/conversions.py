"""What a training step in bf16 converts between number formats, counted, on any CPU.

bf16 saves time in matrix products and loses some of it to conversions. Times need a CPU with bf16; counts do not. An
LSTM counts as one operation with its inputs and weights converted, as oneDNN's is on a CPU with bf16 instructions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

import isotone.models.decoder
import isotone.models.encoders.lstm
from bench.german import german
from bench.report import Result
from bench.workload import Trainer, bucketed, prepare

COLUMNS = ("aligner", "batch", "operations", "weights → bf16", "gradients → fp32", "activations, both ways")
ALIGNERS = ("soft", "0-hard", "0-mono", "1-mono")


class _Lstm(torch.autograd.Function):
    """The shapes and number formats of an LSTM, without its arithmetic."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, hidden: int, *weights: Tensor) -> Tensor:
        ctx.save_for_backward(inputs, *weights)
        return inputs.new_zeros(*inputs.shape[:2], hidden)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        inputs, *weights = ctx.saved_tensors
        return torch.zeros_like(inputs), None, *map(torch.zeros_like, weights)


def _one_operation(lstm: nn.Module, inputs: Tensor) -> Tensor:
    weights = [weight.to(torch.bfloat16) for weight in lstm.parameters()]
    states: Tensor = _Lstm.apply(inputs.to(torch.bfloat16), lstm.hidden_size, *weights)  # type: ignore[no-untyped-call]
    return states


@contextmanager
def _lstm_as_one_operation() -> Iterator[None]:
    modules: tuple[Any, ...] = (isotone.models.decoder, isotone.models.encoders.lstm)
    kept = [module.run_lstm for module in modules]
    for module in modules:
        module.run_lstm = _one_operation
    try:
        yield
    finally:
        for module, function in zip(modules, kept, strict=True):
            module.run_lstm = function


class _Counter(TorchDispatchMode):
    """Counts operations, and numbers converted between fp32 and bf16: those of weights apart from the rest."""

    def __init__(self, weights: set[torch.Size]) -> None:
        super().__init__()
        self.weights = weights
        self.operations = 0
        self.converted: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        self.operations += 1
        if func.name() in {"aten::_to_copy", "aten::copy_"}:
            given = [value for value in args if isinstance(value, Tensor)][-1]
            if {given.dtype, out.dtype} == {torch.float32, torch.bfloat16}:
                kind = str(out.dtype) if given.shape in self.weights else "activations"
                self.converted[kind] += given.numel()
        return out


def run(quick: bool) -> Result:
    """Conversions of one step at the paper's sizes, by aligner and batch size."""
    data = german()
    rows: list[tuple[str | int | float, ...]] = []
    with _lstm_as_one_operation():
        for aligner in ALIGNERS[-1:] if quick else ALIGNERS:
            member, loader = prepare(data.high, aligner=aligner)
            trainer = Trainer(member.network, precision="bf16")
            for size in (4,) if quick else (20, 64):
                batch = bucketed(loader, size, 5)[2]
                trainer.step(batch)
                counter = _Counter({weight.shape for weight in member.network.parameters()})
                with counter:
                    trainer.step(batch)
                found = counter.converted
                kinds = (found["torch.bfloat16"], found["torch.float32"], found["activations"])
                rows.append((aligner, size, counter.operations, *(f"{kind / 1e6:.2f} M" for kind in kinds)))
    return Result(
        title=f"Numbers converted in a bf16 training step, the paper's sizes, {data.name} high",
        columns=COLUMNS,
        rows=tuple(rows),
        notes=("a batch of median size; operations as torch dispatches them, views included, an LSTM as one",),
    )
