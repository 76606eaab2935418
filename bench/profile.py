"""Where a training step's time goes, part by part, and how close it comes to the machine's matrix-multiply peak.

The step is cut at the tensors that pass between its parts: each part's forward and backward pass is timed on its own,
with the true gradients, and the whole step is timed uncut; what the parts do not explain is "other".
"""

from __future__ import annotations

import dataclasses
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from time import perf_counter

import torch
from torch import Tensor

from bench.german import german
from bench.report import Result
from bench.timing import alternate
from bench.workload import CLIP, Trainer, all_cores, bucketed, prepare
from isotone.data import Batch
from isotone.dp import Chain, Transition, length_mask, log_likelihood
from isotone.models import Architecture, Memory, Network
from isotone.models.precision import has_bf16
from isotone.training.step import clip_gradients, optimizer_for

Row = tuple[str | int | float, ...]
Parts = dict[str, float]


class Stopwatch:
    """Seconds by part; `cut` runs a part and detaches what comes out, `back` runs its backward pass."""

    def __init__(self) -> None:
        self.seconds: Parts = defaultdict(float)
        self._outputs: list[tuple[str, list[tuple[Tensor, Tensor]]]] = []

    def cut(self, name: str, part: Callable[[], Sequence[Tensor]]) -> list[Tensor]:
        """The part's outputs, as new leaves that collect gradients."""
        start = perf_counter()
        produced = part()
        self.seconds[f"{name}, forward"] += perf_counter() - start
        leaves = [tensor.detach().requires_grad_(tensor.requires_grad) for tensor in produced]
        self._outputs.append((name, [(t, leaf) for t, leaf in zip(produced, leaves, strict=True) if t.requires_grad]))
        return leaves

    def back(self) -> None:
        """Every part's backward pass, last part first."""
        for name, pairs in reversed(self._outputs):
            pairs = [(tensor, leaf) for tensor, leaf in pairs if leaf.grad is not None]
            start = perf_counter()
            torch.autograd.backward([tensor for tensor, _ in pairs], [leaf.grad for _, leaf in pairs])
            self.seconds[f"{name}, backward"] += perf_counter() - start
        self._outputs.clear()

    def time(self, name: str, work: Callable[[], object]) -> None:
        """Something without a backward pass."""
        start = perf_counter()
        work()
        self.seconds[name] += perf_counter() - start


def _tensors(transition: Transition) -> dict[str, Tensor]:
    values = {field.name: getattr(transition, field.name) for field in dataclasses.fields(transition)}  # type: ignore[arg-type]
    return {name: value for name, value in values.items() if isinstance(value, Tensor)}


def cut_step(network: Network, optimizer: torch.optim.Optimizer, batch: Batch, watch: Stopwatch) -> None:
    """One training step, part by part: the same arithmetic as `Network.log_prob` and the training loop."""
    (states,) = watch.cut("encoder LSTMs", lambda: [network.encoder(batch.source, batch.source_lengths)])
    mask = length_mask(batch.source_lengths, batch.source.shape[1])
    keys, features = watch.cut(
        "T·h_e and V_e·h_e", lambda: [network.aligner.key(states), network.emission.memory(states)]
    )
    tags = states.new_zeros(len(batch), 0)
    if network.tags is not None:
        tag_encoder = network.tags
        (tags,) = watch.cut("tags", lambda: [tag_encoder(batch.tags)])
    (query,) = watch.cut("decoder LSTM", lambda: [network.decoder(batch.target, tags)])
    memory = Memory(keys, features, mask, tags)
    transitions: list[Transition] = []

    def align() -> list[Tensor]:
        transitions.append(network.aligner.transition(query, memory))
        return list(_tensors(transitions[0]).values())

    moved = watch.cut("aligner scores", align)
    transition = dataclasses.replace(  # type: ignore[type-var]
        transitions[0], **dict(zip(_tensors(transitions[0]), moved, strict=True))
    )
    (log_emission,) = watch.cut(
        "emission",
        lambda: [
            network.emission.log_prob(
                query, network.aligner.features(query, memory), batch.target, lengths=batch.target_lengths
            )
        ],
    )
    (log_prob,) = watch.cut(
        "dynamic program", lambda: [log_likelihood(Chain(log_emission, transition, batch.target_lengths))]
    )
    log_prob.grad = torch.full_like(log_prob, -1 / batch.target_symbols)
    watch.back()
    watch.time("clip", lambda: clip_gradients(network, CLIP))
    watch.time("Adam", optimizer.step)
    optimizer.zero_grad()


def flops(architecture: Architecture, batch: Batch, outputs: int, tag_size: int) -> float:
    """Multiplications and additions of a training step in matrix products, forward and backward (twice that).

    With padding, but for the emission, which passes over most of it: counted without any, so a little too low.
    """
    rows, source = batch.source.shape
    target = batch.target.shape[1]
    read, hidden = architecture.encoder.model_dump(), architecture.decoder.hidden
    direction, memory = read["hidden"], 2 * read["hidden"]
    feature = hidden + memory
    inputs = [read["embedding"]] + [memory] * (read["layers"] - 1)
    encoder = sum(2 * 4 * direction * (size + direction) * 2 for size in inputs) * source
    decoder = 2 * 4 * hidden * (architecture.decoder.embedding + tag_size + hidden) * target
    projections = 2 * memory * (hidden + feature) * source + 2 * hidden * feature * target
    soft = not architecture.aligner_part.positions
    scores = 2 * hidden * source * target if not soft and "width" not in architecture.aligner.model_dump() else 0
    states = 1 if soft else source
    attention = 2 * (hidden + feature) * source * target if soft else 0
    emission = 2 * feature * outputs * states * batch.target_symbols
    return 3 * (rows * (encoder + decoder + projections + scores + attention) + emission)


def peak_gflops(dtype: torch.dtype, *, size: int = 1200, repeats: int = 20) -> float:
    """What torch reaches on square matrices here, GFLOP/s."""
    a, b = torch.randn(size, size).to(dtype), torch.randn(size, size).to(dtype)
    out = torch.empty(size, size, dtype=dtype)
    times = []
    for _ in range(repeats + 3):
        start = perf_counter()
        torch.mm(a, b, out=out)
        times.append(perf_counter() - start)
    return 2 * size**3 / statistics.median(times[3:]) / 1e9


def _profile(aligner: str, *, quick: bool, peak: float) -> tuple[list[Row], dict[str, float]]:
    bundle, loader = prepare(german().high, aligner=aligner)
    network = bundle.network
    batches = bucketed(loader, 4 if quick else 20, 2 if quick else 12)
    trainer = Trainer(network)
    optimizer = optimizer_for(network, 0.001)
    cut_step(network, optimizer, batches[-1], Stopwatch())
    watches: list[Stopwatch] = []

    def cut() -> None:
        watches.append(Stopwatch())
        for batch in batches:
            cut_step(network, optimizer, batch, watches[-1])

    whole = alternate(
        {"whole": lambda: trainer.steps(batches), "cut": cut},
        1 if quick else 5,
        seconds=60,
        progress=f"profile {aligner}",
    )["whole"]
    parts = {name: statistics.median(watch.seconds[name] for watch in watches) for name in watches[0].seconds}
    parts["other (loss, glue, noise)"] = whole - sum(parts.values())
    examples = sum(map(len, batches))
    outputs, tag_size = network.emission.output.out_features, network.tags.size if network.tags else 0
    work = sum(flops(bundle.config.architecture, batch, outputs, tag_size) for batch in batches)
    rows: list[Row] = [(aligner, part, 1000 * s / examples, 100 * s / whole) for part, s in parts.items()]
    headline = {
        f"{aligner}: GFLOP an example": work / examples / 1e9,
        f"{aligner}: GFLOP/s reached": work / whole / 1e9,
        f"{aligner}: % of the fp32 matrix-multiply peak": 100 * work / whole / 1e9 / peak,
        f"{aligner}: examples/s": examples / whole,
    }
    return rows, headline


def run(quick: bool) -> Result:
    """Shares of a step for 0-MONO and 1-MONO."""
    threads = all_cores()
    peak = peak_gflops(torch.float32, repeats=3 if quick else 50)
    headline = {"fp32 matrix-multiply peak, GFLOP/s": peak}
    if has_bf16(torch.device("cpu")):
        headline["bf16 matrix-multiply peak, GFLOP/s"] = peak_gflops(torch.bfloat16)
    rows: list[Row] = []
    for aligner in ("0-mono", "1-mono"):
        found, numbers = _profile(aligner, quick=quick, peak=peak)
        rows += found
        headline |= numbers
    return Result(
        title=f"A training step, the paper's sizes, batch {4 if quick else 20}, fp32, {threads} threads",
        columns=("aligner", "part", "ms an example", "% of the step"),
        rows=tuple(rows),
        headline=headline,
        notes=(
            "bf16: " + ("see the headline" if has_bf16(torch.device("cpu")) else "no bf16 on this CPU"),
            "parts are timed with the graph cut between them, the whole step uncut, in turn; medians. “Other” is the "
            "difference: loss, gradient sums, zeroing, and noise (it may be negative)",
            "GFLOP: matrix products by formula, with padding but in the emission; its hidden layer is kept for the "
            "backward pass at this batch size, not recomputed",
            "peak: torch.mm of 1200 × 1200 matrices, the size of V",
        ),
    )
